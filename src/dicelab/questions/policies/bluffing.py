"""`dicelab.equilibrium`: how to play with hidden dice, in mixed strategies, and what that is worth.

The strategies are found by a linear program, and proved in fractions, where the tree is small enough, else by regrets
(`dicelab.solver.mixed`). What proves them is the best response of each seat to the strategies of the others on the
whole tree: no strategy of a seat, whatever it remembers, gains more. The value of a game of two opposed seats lies
between what each secures. With more seats, or other payoffs, there is no such value: what is proved is what each seat
could gain as long as the others keep to their strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError
from dicelab.limits import LIMITS
from dicelab.questions.declare import question
from dicelab.questions.options import Against, GameLike, NumberOption, SeatOption, Texts, Watch, Whole
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import EXACT, Read, how_exact
from dicelab.results.numbers.estimates import Point, shown_fraction
from dicelab.results.text.page import CHANCE, Printing
from dicelab.results.text.sentences import capital, number, percent, who_wins
from dicelab.results.text.table import Column, Table, figure, plain
from dicelab.results.text.writing import many, upper
from dicelab.rules.game import Call, Game, Strategy, outcome_names, position, seat_count, shown
from dicelab.rules.private import private_fields, shown_to
from dicelab.rules.wording import called, move_words, value_called
from dicelab.rules.words import Cups, player_name
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import BEST, Strategies
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.questions.policies.mixed_policy import MixedPolicy
    from dicelab.solver.game_tree import InformationSet
    from dicelab.solver.hidden_game import Solved

MOST_SHOWN = 30
"""Rows that are shown of each player, those that are reached most often; all on request."""
SELDOM = 0.005
"""Moves that are made less often than this are not shown."""
NOT_PROVED = (
    "Proved: what each player gets by these strategies, and what it could gain by any other one, if the others keep to "
    "theirs. Not proved: that players get the same by other strategies from which nobody gains by going alone; there "
    "may be several such, worth different amounts."
)
"""What is said of a game of more players, or of payoffs that don't add up to the same."""
ROUNDING = 1e-12
"""What a pass over the tree may lose to rounding, many times over, for payoffs of about 1."""
NEVER = 1e-9
"""What the probability of a situation must exceed to be shown."""


@dataclass(frozen=True)
class FirstMixture:
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
    >>> FirstMixture(0, "die 3", 0.5, {"2 of 1": 0.25, "2 of 3": 0.75}).moves["2 of 3"]
    0.75
    """

    seat: int
    sees: str
    reached: float
    moves: dict[str, float]


@dataclass(frozen=True, repr=False, kw_only=True)
class Equilibrium(BaseResult):
    """Mixed strategies for all players of a game with hidden information, and what they secure.

    Attributes
    ----------
    of
        ``chance``, if the value is a chance to win, or ``payoff``.
    values, error
        By seat, what it gets, and a bound on the error. Two opposed players get this if both play as well as possible;
        others by these strategies.
    fraction
        The first value as a fraction; None where it was found in floating point.
    gains
        By seat, the most that it could gain by any other strategy against those of the other seats. Their sum is the
        gap.
    together
        What all seats get together in every game: 1 for a chance to win; None if that differs.
    first_moves
        How all should move for the first time.
    states, histories, situations
        Numbers of states, of histories, and of situations in which a player moves and that it can tell apart.
    rounds
        How often all players have learned from each other; 0 where a linear program has found the strategies.
    subgames
        The number of parts of the game that were solved one by one: each begins where all players know the state.

    gap
        The sum of all gains at which the search was to stop.

    Examples
    --------
    >>> import dicelab
    >>> poker = dicelab.find("tests/games/hidden_dice.py:dice-poker")
    >>> found = dicelab.equilibrium(poker, gap=0.001)
    >>> found.fraction, found.gains
    (Fraction(-1, 18), (0.0, 0.0))
    """

    of: str
    values: tuple[float, ...]
    fraction: Fraction | None
    error: float
    gains: tuple[float, ...]
    together: float | None
    first_moves: tuple[FirstMixture, ...]
    states: int
    histories: int
    situations: int
    rounds: int
    subgames: int
    gap: float

    method = "equilibrium"
    entries = {
        "exact": Read(lambda self: how_exact(self.states, self.error, self.fraction is not None), EXACT),
        "of": "'chance'|'payoff': what the values are: chances to win, or payoffs",
        "value": "number: what the first player gets",
        "fraction?": Read(
            lambda self: shown_fraction(self.fraction).get("fraction"),
            "string: the value as a fraction, where it is known",
        ),
        "values": "[number]: what each seat gets",
        "gains": "[number]: the most that each seat could gain by another strategy",
        "proves": Read(
            lambda self: "value" if self.opposed else "gains",
            "'value'|'gains': what is proved: the value of the game, or only the gains",
        ),
        "difference?": Read(
            lambda self: self.values[0] - self.values[1] if len(self.values) == 2 else None,
            "number: of two players, the difference of their values",
        ),
        "histories": "integer: number of histories of the game",
        "situations": "integer: number of situations in which a player chooses",
        "rounds": "integer: rounds of regret matching; 0 for a linear program",
        "subgames": "integer: number of subgames that were solved one after the other",
        "rows": Read(
            lambda self: [
                {"seat": one.seat, "label": player_name(one.seat, self.players), "sees": one.sees}
                | {"probability": one.reached, "moves": one.moves}
                for one in self.first_moves
            ],
            [
                {
                    "seat": "integer",
                    "label": "string: what the player is called",
                    "sees": "string: what the player sees",
                    "probability": "number: probability of that",
                    "moves": "{number}: probability of each first move",
                }
            ],
            "the first moves of each player",
        ),
    }

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_found"}

    @property
    def policy(self) -> MixedPolicy:
        """The strategies as a policy, which plays in all seats and is saved to a file.

        It knows a situation by the player's own moves and by what the player sees. Where a player has seen more, it
        plays alike in several situations; `about["gains"]` then says what each player could gain against it.

        Raises
        ------
        ParameterError
            When a subgame is seen to begin where another one goes on, when much could be gained against strategies that
            forget what was seen, or when the result came from another process.
        """
        from dicelab.questions.policies.mixed_policy import mixed_policy
        from dicelab.rules.loading.hashing import source_hash

        if "_found" not in vars(self):
            raise ParameterError("this result came from another process, without its strategies; ask for it here again")
        game, solved = vars(self)["_found"]
        words = f"mixed strategies for {self._all} players"
        if self.given:
            words = f"{' and '.join(self.strategies)}, as they were given"
            if BEST in self.strategies:
                words = f"the best response to {self._others(self.strategies.index(BEST))}"
        what = {"solved": words, "value": self.value, "gains": list(self.gains)}
        known = {
            "game": game.name,
            "parameters": shown(game),
            "strategies": self.strategies,
            "seats": [*range(len(self.values))],
        }
        policy = mixed_policy(game, solved.whole(), known | what | {"source_hash": source_hash(type(game))})
        if "alike" in policy.about:  # they are not quite the strategies that were found
            from dicelab.solver.hidden_game import measured

            calls = [Call(policy.strategy, ())] * len(self.values)
            kept = measured(game, calls).mixed
            policy.about["value"] = kept.values[0]
            policy.about["gains"] = [best - value for best, value in zip(kept.best, kept.values, strict=True)]
            most = max(policy.about["gains"])
            if most > max(self.gains) + LIMITS.given_away * kept.size:
                raise ParameterError(
                    f"{game.name}: what a player has seen since its last move can't be told from what it sees now, and "
                    f"against strategies that forget it a player could gain {upper(most)}, so that they aren't kept "
                    "in a file"
                )
        return policy

    @property
    def given(self) -> bool:
        """Whether strategies were given, of both players or of one."""
        return self.strategies.count(BEST) < len(self.strategies)

    @property
    def value(self) -> float:
        """What the first player gets."""
        return self.values[0]

    @property
    def opposed(self) -> bool:
        """Whether there are two players, and one loses what the other gains; only then has the game a value."""
        return len(self.values) == 2 and self.together is not None

    @property
    def _all(self) -> str:
        return "both" if len(self.values) == 2 else "all"

    def _others(self, seat: int) -> str:
        """Return the strategies of the others."""
        return " and ".join(dict.fromkeys(text for k, text in enumerate(self.strategies) if k != seat))

    def _sentence(self) -> str:
        most = max(range(len(self.gains)), key=lambda seat: self.gains[seat])
        who, gain = player_name(most, self.players), number(self.gains[most])
        if self.strategies.count(BEST) == 1:
            seat = self.strategies.index(BEST)
            who, other = capital(player_name(seat, self.players))[:-1], self._others(seat)
            if self.of == "chance":
                return f"At best, {who[0].lower()}{who[1:]} wins {percent(self.values[seat])} of games against {other}"
            return f"At best, {who[0].lower()}{who[1:]} gets {number(self.values[seat])} a game against {other}"
        if self.given:
            nobody = "neither" if len(self.values) == 2 else "no"
            could = (
                f"{who} could gain {gain}" if self.gains[most] > self.error else f"{nobody} player could gain anything"
            )
            return f"{capital(could)[:-1]} by the best of all other strategies"
        if self.opposed and self.of == "payoff":
            first = capital(player_name(0, self.players))[:-1]
            value = number(self.value) if abs(self.value) > self.error else "0"
            return f"{first} gets {value} a game on average, if both play as well as possible"
        chances = [Point.within(value, self.error) for value in self.values]
        if self.opposed:
            return f"{who_wins(chances, True, self.players)[:-1]}, if both play as well as possible"
        if self.of == "chance":
            got = who_wins(chances, True, self.players)[:-1]
        else:
            each = [f"{player_name(seat, self.players)} {number(value)}" for seat, value in enumerate(self.values)]
            got = f"Payoffs by these strategies are {', '.join(each[:-1])} and {each[-1]} a game"
        return f"{got}; {self._nobody_gains(most)}"

    def _nobody_gains(self, most: int) -> str:
        """Return what the player that could gain most could gain alone, in words."""
        if self.gains[most] <= self.error:
            return "no player gains by another strategy, if the others keep to theirs"
        return f"no player gains more than {upper(self.gains[most])} by another strategy, if the others keep to theirs"

    def _table(self, who: str = "player") -> Table:
        columns = [
            Column("player", value=lambda one: player_name(one.seat, self.players)),
            Column("sees", plain, f"{who} sees"),
            Column("reached"),
            Column(
                "*", _mixed, "first move", data=lambda one: [{"move": move, "p": p} for move, p in one.moves.items()]
            ),
        ]
        return Table(columns, self.first_moves)

    def _lines(self, page: Printing) -> list[str]:
        lines = [*self._head(page), "", *self._worth().lines(page)]
        if self.of == "chance" and len(self.values) == 2:
            first, less = player_name(0, self.players), page.number(self.values[0] - self.values[1], CHANCE)
            as_fraction = f" ({2 * self.fraction - 1})" if self.fraction is not None and self.together == 1 else ""
            lines += ["", f"wins less losses of {first}: {less}{as_fraction}"]
        for seat in range(len(self.values)):
            lines += self._first_of(seat, page)
        if not self.opposed and not self.given:
            lines += ["", *page.paragraphs(NOT_PROVED)]
        lines += ["", f"{self._size()}, {self._proof()}, {self.seconds:.3g} s"]
        if not self.given and sum(self.gains) > self.gap:
            lines.append(f"stopped before the gap was {self.gap:g}; --seconds with a larger number goes on for longer")
        return lines

    def _worth(self) -> Table:
        """Return what each player gets, and could gain."""

        def fraction(page: Printing, seat: int) -> str:
            assert self.fraction is not None
            one = self.fraction if seat == 0 else Fraction(str(self.together)) - self.fraction
            return shown_fraction(one).get("fraction", "")

        def gain(page: Printing, seat: int) -> str:
            if self.gains[seat] <= (self.error if self.given else ROUNDING):
                return "nothing"
            return figure(page, self.gains[seat]) if self.given else upper(self.gains[seat])

        columns = [
            Column("", lambda page, seat: player_name(seat, self.players), "player"),
            Column("", figure, "chance to win" if self.of == "chance" else "payoff", lambda seat: self.values[seat]),
            *([Column("", fraction, "fraction")] if self.fraction is not None else []),
            Column("", gain, "could gain at most"),
        ]
        return Table(columns, range(len(self.values)))

    def _first_of(self, seat: int, page: Printing) -> list[str]:
        """Return the first moves of a seat as lines, the most frequent situations first."""
        mine = sorted((one for one in self.first_moves if one.seat == seat), key=lambda one: -one.reached)
        shown = mine if page.everything else mine[:MOST_SHOWN]
        if not shown:
            return []
        table = replace(self._table(player_name(seat, self.players)), rows=shown)
        more = [f"... and {len(mine) - len(shown)} more; --all shows all"] if len(shown) < len(mine) else []
        return ["", *table.lines(page), *more]

    def _size(self) -> str:
        subgames = f" in {many(self.subgames, 'subgame')}" if self.subgames > 1 else ""
        return f"{self.histories:,} histories, {many(self.situations, 'situation')}{subgames}"

    def _proof(self) -> str:
        """Return how the answer was found, and how far off it may be."""
        how = many(self.rounds, "round") if self.rounds else "given strategies" if self.given else "linear program"
        if not self.opposed and not self.given:
            return f"{how}, all gains together below {upper(sum(self.gains) + self.error)}"
        return f"{how}, {'proved in fractions' if self.fraction is not None else f'error below {upper(self.error)}'}"


def _mixed(page: Printing, one: FirstMixture) -> str:
    """Return a mixture as text, without what is seldom."""
    often = {move: p for move, p in one.moves.items() if p >= SELDOM}
    shown = {move: percent(p).replace(" ", "\N{NO-BREAK SPACE}") for move, p in often.items()}
    return ", ".join(f"{move} {p}" if often[move] < 1 - SELDOM else move for move, p in shown.items())


Given = Texts("What do these strategies get, and lose: one for all players, or one for each", "S", ("--strategy", "-s"))


@question(tab="Bluffing", needs="hidden", rows="seconds", policy="mixed")
def equilibrium(
    game: GameLike,
    strategies: Annotated[Strategies, Given] = (),
    *,
    against: Annotated[Strategies, Against] = (),
    seat: Annotated[
        int | str,
        SeatOption("Seat that responds, with --against: its index, from 0, or a label such as 'player 2'", "SEAT"),
    ] = 0,
    gap: Annotated[
        float, NumberOption("Stop once all players together could gain no more than this", "P", label="gap")
    ] = 1e-5,
    seconds: Annotated[int, Whole("Stop after so many seconds, whatever the gap is", "N", label="seconds")] = 60,
    progress: Annotated[Callable[[int, int], None], Watch("rows")] = lambda done, total: None,
    **parameters: object,
) -> Equilibrium:
    """Find how to play a game with hidden dice, and what that is worth.

    Against a good opponent a bluffer must be hard to read: the answer is a mixture of moves for each situation. It is
    proved by what each player could gain by any other strategy against it; the smaller these gains, the nearer the
    value. Situations differ in everything that the player has seen so far. The first moves are shown.

    With three and more players, or payoffs that don't add up to the same, the answer is strategies against which no
    player gains much by going alone: that is proved. There may be others, by which players get something else.

    With strategies, nothing is looked for: the answer says what they get against each other, and what each player could
    gain by the best of all other strategies.

    Against given strategies, the answer is the best response of one seat: the best that it can do by what it sees.

    Commands
    --------
    dicelab equilibrium ./mine.py
    dicelab equilibrium ./mine.py --gap 1e-6 --seconds 300 --out mixed.npz
    dicelab equilibrium ./mine.py -s honest
    dicelab equilibrium ./mine.py --against honest --seat 1

    Raises
    ------
    InputError
        When the game has no hidden fields or one seat, or doesn't say who wins.
    TooLarge
        When it has too many histories.

    Examples
    --------
    >>> equilibrium("hazard")
    Traceback (most recent call last):
    dicelab.errors.ParameterError: hazard hides nothing from any player; dicelab solve finds optimal play
    """
    from dicelab.compile.kernels.writers.simulate import must_see_own
    from dicelab.questions.policies.plan import seated
    from dicelab.runtime.interrupts import held_interrupts
    from dicelab.solver.hidden_game import solve_hidden

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
            solved = _followed(run, free, calls)
        else:
            solved = solve_hidden(table, gap, seconds, late, lambda: watch.seconds)
        interrupted = stopped()
    tree, played = solved.parts[-1]
    values, error = _values(solved, by_hand)
    result = Equilibrium(
        **about(table, [BEST if call is None else call for call in calls]),
        seconds=watch.seconds,
        interrupted=interrupted,
        of=_of(table),
        values=values,
        fraction=played.fraction,
        error=error,
        gains=tuple(best - value for best, value in zip(played.best, played.values, strict=True)),
        together=tree.total,
        first_moves=tuple(_first_moves(table, solved)),
        states=solved.states,
        histories=solved.histories,
        situations=solved.situations,
        rounds=sum(mixed.rounds for _, mixed in solved.parts),
        subgames=len(solved.parts),
        gap=gap,
    )
    vars(result)["_found"] = table, solved
    return result


def _values(solved: Solved, by_hand: bool) -> tuple[tuple[float, ...], float]:
    """Return the value of the game to each seat, and a bound on the error.

    Of two opposed seats that weren't given strategies by hand it is the middle between what each of them is sure of.
    """
    tree, played = solved.parts[-1]
    if played.fraction is not None:
        return played.values, 0.0
    error = ROUNDING * played.size * solved.length
    if tree.total is None or len(played.values) != 2 or by_hand:
        return played.values, error
    low, high = tree.total - played.best[1], played.best[0]
    return ((low + high) / 2, tree.total - (low + high) / 2), error + (high - low) / 2


def _followed(run: Run, free: Collection[int], calls: Sequence[Call | None]) -> Solved:
    """Return what given strategies get, and what each seat could gain; the `free` seats respond to them."""
    from dicelab.solver.game_tree import game_tree
    from dicelab.solver.given_plan import plans_of
    from dicelab.solver.hidden_game import Solved, measured
    from dicelab.solver.mixed import given

    if not any(_remembers(call.strategy) for call in calls if call is not None):
        return measured(run.game, run.calls, free)
    whole = game_tree(run.game)
    return Solved(((whole, given(whole, plans_of(whole, run.calls, free))),), whole.states, whole.length)


def _remembers(strategy: Strategy) -> bool:
    """Return whether a strategy remembers what it has seen; a saved one remembers moves of the same subgame only."""
    return strategy.memory is not None and not getattr(strategy.moves, "mixes", False)


def _of(game: Game) -> str:
    """Return whether values are chances to win; a draw, which is half a win, makes them payoffs."""
    return "chance" if game.payoffs is None and len(outcome_names(game)) == seat_count(game) else "payoff"


def _first_moves(game: Game, solved: Solved) -> list[FirstMixture]:
    """Return the mixtures of first moves."""
    first_moves = []
    for seat in range(seat_count(game)):
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
            first_moves.append(FirstMixture(seat, sees or "nothing yet", reached, moves))
    return first_moves


def _asks(one: InformationSet, decision: Any) -> bool:
    from dicelab.runtime.interpreter import asked

    return asked(one.state, one.state.next())[0] is decision


def _view(one: InformationSet, seat: int) -> dict[str, Any]:
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
