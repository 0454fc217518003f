"""`dicelab.equilibrium`: how two players should play with hidden dice, in mixed strategies, and what that is worth.

The strategies are found by a linear program, and proved in fractions, where the tree is small enough, else by regrets
(`dicelab.solver.mixed`). What proves them is the best response of each seat to the strategy of the other on the whole
tree: no strategy of a seat, whatever it remembers, gains more. The value of the game lies between what each seat
secures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.declare import question
from dicelab.questions.options import Against, GameLike, Number, Seat, Texts, Watch, Whole
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import Point, shown_fraction
from dicelab.results.provenance import about
from dicelab.results.text.page import CHANCE, Page
from dicelab.results.text.sentences import capital, number, percent, who_wins
from dicelab.results.text.writing import many, upper
from dicelab.rules.game import Game, outcome_names, position, shown
from dicelab.rules.private import private_fields, shown_to
from dicelab.rules.wording import called, move_words, value_called
from dicelab.rules.words import Cups, player_name
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import BEST, Strategies
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.questions.policies.mixed_policy import MixedPolicy
    from dicelab.solver.game_tree import Knowledge
    from dicelab.solver.hidden_game import Solved

MOST_SHOWN = 30
"""Rows that are shown of each player, those that are reached most often; all on request."""
SELDOM = 0.005
"""Moves that are made less often than this are not shown."""
ROUNDING = 1e-12
"""What a pass over the tree may lose to rounding, many times over, for payoffs of about 1."""
NEVER = 1e-9
"""What the probability of a situation must exceed to be shown."""


@dataclass(frozen=True)
class Mixture:
    """How a player should move for the first time, in one situation.

    Attributes
    ----------
    seat
        The player.
    sees
        What tells this situation from others in which the player moves for the first time, in words.
    reached
        The probability that it comes about.
    moves
        By move, in the words of the game, the probability with which it should be made.

    Examples
    --------
    >>> Mixture(0, "die 3", 0.5, {"2 of 1": 0.25, "2 of 3": 0.75}).moves["2 of 3"]
    0.75
    """

    seat: int
    sees: str
    reached: float
    moves: dict[str, float]


@dataclass(frozen=True, repr=False, kw_only=True)
class Equilibrium(BaseResult):
    """Mixed strategies for both players of a game with hidden information, and what they secure.

    Attributes
    ----------
    of
        ``chance``, if the value is a chance to win, or ``payoff``.
    value, error
        What the first player gets if both play as well as possible, and a bound on its error; 0 for a fraction.
    fraction
        The value as a fraction; None where it was found in floating point.
    gains
        By seat, the most that it could gain by any other strategy against that of the other seat. Their sum is the gap.
    together
        What both seats get together in every game: 1 for a chance to win.
    first_moves
        How both should move for the first time.
    states, histories, situations
        Numbers of states, of histories, and of situations in which a player moves and that it can tell apart.
    rounds
        How often both players have learned from each other; 0 where a linear program has found the strategies.
    subgames
        The number of parts of the game that were solved one by one: each begins where both players know the state.

    Examples
    --------
    >>> import dicelab
    >>> poker = dicelab.find("tests/games/hidden_dice.py:dice-poker")
    >>> found = dicelab.equilibrium(poker, gap=0.001)
    >>> found.fraction, found.gains
    (Fraction(-1, 18), (0.0, 0.0))
    """

    of: str
    value: float
    fraction: Fraction | None
    error: float
    gains: tuple[float, float]
    together: float
    first_moves: tuple[Mixture, ...]
    states: int
    histories: int
    situations: int
    rounds: int
    subgames: int

    method = "equilibrium"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_found"}

    @property
    def policy(self) -> MixedPolicy:
        """The strategies as a policy, which plays in both seats and is saved to a file.

        Raises
        ------
        ParameterError
            When what a player has seen since its last move can't be told from what it sees now, or the result came from
            another process.
        """
        from dicelab.questions.policies.mixed_policy import mixed_policy
        from dicelab.rules.loading.hashing import source_hash

        if "_found" not in vars(self):
            raise ParameterError("this result came from another process, without its strategies; ask for it here again")
        game, solved = vars(self)["_found"]
        words = "mixed strategies for both players"
        if self.given:
            words = f"{' and '.join(self.strategies)}, as they were given"
            if BEST in self.strategies:
                words = f"the best response to {self.strategies[1 - self.strategies.index(BEST)]}"
        what = {"solved": words, "value": self.value, "gains": list(self.gains)}
        known = {"game": game.name, "parameters": shown(game), "strategies": self.strategies, "seats": [0, 1]}
        return mixed_policy(game, solved.whole(), known | what | {"source_hash": source_hash(type(game))})

    @property
    def given(self) -> bool:
        """Whether strategies were given, of both players or of one."""
        return self.strategies.count(BEST) < len(self.strategies)

    @property
    def values(self) -> tuple[float, float]:
        """What each seat gets."""
        return self.value, self.together - self.value

    def _sentence(self) -> str:
        if self.strategies.count(BEST) == 1:
            seat = self.strategies.index(BEST)
            who, other = capital(player_name(seat, self.players))[:-1], self.strategies[1 - seat]
            if self.of == "chance":
                return f"At best, {who[0].lower()}{who[1:]} wins {percent(self.values[seat])} of games against {other}"
            return f"At best, {who[0].lower()}{who[1:]} gets {number(self.values[seat])} a game against {other}"
        if self.given:
            most = max((0, 1), key=lambda seat: self.gains[seat])
            who, gain = player_name(most, self.players), number(self.gains[most])
            could = (
                f"{who} could gain {gain}" if self.gains[most] > self.error else "neither player could gain anything"
            )
            return f"{capital(could)[:-1]} by the best of all other strategies"
        if self.of == "chance":
            chances = [Point(v, v - self.error, v + self.error) for v in self.values]
            return f"{who_wins(chances, True, self.players)[:-1]}, if both play as well as possible"
        first = capital(player_name(0, self.players))[:-1]
        value = number(self.value) if abs(self.value) > self.error else "0"
        return f"{first} gets {value} a game on average, if both play as well as possible"

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "player": player_name(one.seat, self.players),
                "sees": one.sees,
                "reached": one.reached,
                "move": move,
                "p": p,
            }
            for one in self.first_moves
            for move, p in one.moves.items()
        ]

    def _facts(self) -> dict[str, Any]:
        rows = [
            {"seat": one.seat, "label": player_name(one.seat, self.players), "sees": one.sees}
            | {"probability": one.reached, "moves": one.moves}
            for one in self.first_moves
        ]
        arithmetic = "floats" if self.fraction is None else "fractions"
        exact = {"states": self.states, "error": self.error, "arithmetic": arithmetic}
        facts: dict[str, Any] = {"exact": exact, "of": self.of, "value": self.value, **shown_fraction(self.fraction)}
        facts["gains"] = list(self.gains)
        facts |= {"difference": self.values[0] - self.values[1], "histories": self.histories}
        return facts | {"situations": self.situations, "rounds": self.rounds, "subgames": self.subgames, "rows": rows}

    def _lines(self, page: Page) -> list[str]:
        what = "chance to win" if self.of == "chance" else "payoff"
        exact = self.fraction is not None
        table = [["player", what, *(["fraction"] if exact else []), "could gain at most"]]
        for seat in (0, 1):
            shown = [page.number(self.values[seat], CHANCE)]
            if self.fraction is not None:
                one = self.fraction if seat == 0 else Fraction(str(self.together)) - self.fraction
                shown.append(shown_fraction(one).get("fraction", ""))
            gain = "nothing"
            if self.gains[seat] > (self.error if self.given else ROUNDING):
                gain = page.number(self.gains[seat], CHANCE) if self.given else upper(self.gains[seat])
            table.append([player_name(seat, self.players), *shown, gain])
        lines = [*self._head(page), "", *page.table(table)]
        if self.of == "chance":
            first, less = player_name(0, self.players), page.number(self.values[0] - self.values[1], CHANCE)
            as_fraction = f" ({2 * self.fraction - 1})" if self.fraction is not None and self.together == 1 else ""
            lines += ["", f"wins less losses of {first}: {less}{as_fraction}"]
        for seat in (0, 1):
            mine = sorted((one for one in self.first_moves if one.seat == seat), key=lambda one: -one.reached)
            shown_rows = mine if page.everything else mine[:MOST_SHOWN]
            if not shown_rows:
                continue
            rows = [[f"{player_name(seat, self.players)} sees", "first move"]]
            rows += [[one.sees, _mixed(one.moves)] for one in shown_rows]
            lines += ["", *page.table(rows)]
            if len(shown_rows) < len(mine):
                lines.append(f"... and {len(mine) - len(shown_rows)} more; --all shows all")
        size = f"{self.histories:,} histories, {many(self.situations, 'situation')}"
        if self.subgames > 1:
            size += f" in {many(self.subgames, 'subgame')}"
        how = many(self.rounds, "round") if self.rounds else "given strategies" if self.given else "linear program"
        proof = f"error below {upper(self.error)}" if self.fraction is None else "proved in fractions"
        return [*lines, "", f"{size}, {how}, {proof}, {self.seconds:.3g} s"]


def _mixed(moves: dict[str, float]) -> str:
    """Return a mixture as text, without what is seldom."""
    often = {move: p for move, p in moves.items() if p >= SELDOM}
    shown = {move: percent(p).replace(" ", "\N{NO-BREAK SPACE}") for move, p in often.items()}
    return ", ".join(f"{move} {p}" if often[move] < 1 - SELDOM else move for move, p in shown.items())


Given = Texts(
    "What do these strategies get, and lose: one for both players, or one for each", "S", ("--strategy", "-s")
)


@question(tab="Bluffing", needs="hidden", rows="seconds")
def equilibrium(
    game: GameLike,
    strategies: Annotated[Strategies, Given] = (),
    *,
    against: Annotated[Strategies, Against] = (),
    seat: Annotated[
        int | str, Seat("Seat that responds, with --against: its index, from 0, or a label such as 'player 2'", "SEAT")
    ] = 0,
    gap: Annotated[
        float, Number("Stop once both players together could gain no more than this", "P", label="gap")
    ] = 1e-5,
    seconds: Annotated[int, Whole("Stop after so many seconds, whatever the gap is", "N", label="seconds")] = 60,
    progress: Annotated[Callable[[int, int], None], Watch("rows")] = lambda done, total: None,
    **parameters: object,
) -> Equilibrium:
    """Find how two players should play a game with hidden dice, and what that is worth.

    Against a good opponent a bluffer must be hard to read: the answer is a mixture of moves for each situation. It is
    proved by what each player could gain by any other strategy against it; the smaller these gains, the nearer the
    value. Situations differ in everything that the player has seen so far. The first moves are shown.

    With strategies, nothing is looked for: the answer says what they get against each other, and what each player could
    gain by the best of all other strategies.

    Against given strategies, the answer is the best response of one seat: the best that it can do by what it sees.

    Commands
    --------
    dicelab equilibrium ./mine.py
    dicelab equilibrium ./mine.py --gap 1e-6 --seconds 300
    dicelab equilibrium ./mine.py -s honest
    dicelab equilibrium ./mine.py --against honest --seat 1

    Raises
    ------
    InputError
        When the game has no hidden fields, not two seats, or when what both get together is not always the same.
    TooLarge
        When it has too many histories.
    PlayError

    Examples
    --------
    >>> equilibrium("hazard")
    Traceback (most recent call last):
    dicelab.errors.ParameterError: hazard hides nothing from any player; dicelab solve finds optimal play
    """
    from dicelab.compile.kernels.writers.simulate import must_see_own
    from dicelab.questions.policies.plan import seated
    from dicelab.runtime.interrupts import held_interrupts
    from dicelab.solver.game_tree import best_moves, game_tree
    from dicelab.solver.given_plan import plan_of, pure_plan
    from dicelab.solver.hidden_game import Solved, solve_hidden
    from dicelab.solver.mixed import given

    if strategies and against:
        raise ParameterError("strategies and against can't be combined: against is for the best response of one seat")
    run, watch, free = Run.of(game, strategies, **parameters), Stopwatch(), list[int]()
    table = run.game
    if against or seat != 0:
        run, free = seated(table, against, seat, {}, what="")
    if not private_fields(table):
        raise ParameterError(f"{table.name} hides nothing from any player; dicelab solve finds optimal play")
    if not gap > 0:
        raise ParameterError(f"gap: {gap} is not allowed; it takes a number above 0")
    by_hand = bool(strategies or against)
    calls = [None if not by_hand or k in free else call for k, call in enumerate(run.calls)]
    must_see_own(type(table), (call.strategy for call in calls if call is not None))
    with held_interrupts() as stopped:

        def late(until: float) -> bool:
            progress(min(seconds, int(watch.seconds)), seconds)
            return watch.seconds >= until or stopped()

        if by_hand:
            whole = game_tree(table)
            plans = [plan_of(whole, k, call) for k, call in enumerate(run.calls)]
            if against:
                plans[free[0]] = pure_plan(whole, free[0], best_moves(whole, free[0], plans[1 - free[0]]))
            solved = Solved(((whole, given(whole, (plans[0], plans[1]))),), whole.states, whole.length)
        else:
            solved = solve_hidden(table, gap, seconds, late, lambda: watch.seconds)
        interrupted = stopped()
    tree, played = solved.parts[-1]
    low, high = played.secured
    exact = played.fraction is not None
    value = played.worth if by_hand else (low + high) / 2 if played.fraction is None else float(played.fraction)
    result = Equilibrium(
        **about(table, [BEST if call is None else call for call in calls]),
        seconds=watch.seconds,
        interrupted=interrupted,
        of="chance" if table.payoffs is None and len(outcome_names(table)) == 2 else "payoff",  # a draw is half a win
        value=value,
        fraction=played.fraction,
        error=0.0 if exact else (0.0 if by_hand else (high - low) / 2) + ROUNDING * played.size * solved.length,
        gains=(0.0, 0.0) if exact else (high - played.worth, played.worth - low),
        together=tree.total,
        first_moves=tuple(_first_moves(table, solved)),
        states=solved.states,
        histories=solved.histories,
        situations=solved.situations,
        rounds=sum(mixed.rounds for _, mixed in solved.parts),
        subgames=len(solved.parts),
    )
    vars(result)["_found"] = table, solved
    return result


def _first_moves(game: Game, solved: Solved) -> list[Mixture]:
    """Return the mixtures of first moves."""
    found = []
    for seat in (0, 1):
        mine = [opening for opening in solved.openings(seat) if opening[1] > NEVER]
        views = [_view(one, seat) for one, _, _ in mine]
        differing = [name for name in (views[0] if views else {}) if len({str(view.get(name)) for view in views}) > 1]
        for (one, reached, chances), view in zip(mine, views, strict=True):
            decision = next(d for d in game.declared.decisions if _asks(one, d))
            moves: dict[str, float] = {}
            for move, p in zip(one.moves, chances.tolist(), strict=True):
                words = move_words(one.state, decision, move)
                moves[words] = moves.get(words, 0.0) + p
            sees = "; ".join(_shown(game, name, view[name]) for name in differing if name in view)
            found.append(Mixture(seat, sees or "nothing yet", reached, moves))
    return found


def _asks(one: Knowledge, decision: Any) -> bool:
    from dicelab.runtime.interpreter import asked

    return asked(one.state, one.state.next())[0] is decision


def _view(one: Knowledge, seat: int) -> dict[str, Any]:
    """Return what a seat sees of a state, without what the game keeps for itself."""
    hidden = set(one.state.words.hidden)
    return {name: v for name, v in shown_to(one.state, position(one.state), seat).items() if name not in hidden}


def _shown(game: Game, name: str, value: int | Sequence[int]) -> str:
    """Return a field and its value in the words of the game; of cups, the dice in them."""
    title = called(game, name)
    if isinstance(value, int):
        return f"{title} {value_called(game, name, value) or value}"
    if any(isinstance(part, Cups) and part.hands == name for part in game.words.board):
        return f"{title} {' '.join(str(face) for face, count in enumerate(value, 1) for _ in range(count))}"
    return f"{title} {' '.join(value_called(game, name, one) or str(one) for one in value)}"
