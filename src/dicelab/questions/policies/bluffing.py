"""`dicelab.equilibrium`: how two players should play with hidden dice, in mixed strategies, and what that is worth.

The strategies are found by regrets (`dicelab.solver.regret`). What proves them is the best response of each seat to the
strategy of the other, computed exactly on the whole tree: no strategy of a seat, whatever it remembers, gains more. The
value of the game lies between what each seat secures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.declare import question
from dicelab.questions.options import GameLike, Number, Watch, Whole
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import Point
from dicelab.results.provenance import about
from dicelab.results.text.page import CHANCE, Page
from dicelab.results.text.sentences import capital, number, percent, who_wins
from dicelab.results.text.writing import many, upper
from dicelab.rules.game import Game, outcome_names, position
from dicelab.rules.private import private_fields, shown_to
from dicelab.rules.wording import called, move_words, value_called
from dicelab.rules.words import Cups, player_name
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import BEST
from dicelab.runtime.timing import Stopwatch

if TYPE_CHECKING:
    from dicelab.solver.game_tree import GameTree, Knowledge

MOST_SHOWN = 30
"""Rows that are shown of each player, those that are reached most often; all on request."""
SELDOM = 0.005
"""Moves that are made less often than this are not shown."""
ROUNDING = 1e-12
"""What a pass over the tree may lose to rounding, many times over, for payoffs of about 1."""
AT_ONCE = 5_000_000
"""Histories that are gone through until Ctrl-C and the clock are looked at: about a tenth of a second."""


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
        What the first player gets if both play as well as possible, and a bound on its error.
    gains
        By seat, the most that it could gain by any other strategy against that of the other seat. Their sum is the gap.
    together
        What both seats get together in every game: 1 for a chance to win.
    first_moves
        How both should move for the first time.
    states, histories, situations
        Numbers of states, of histories, and of situations in which a player moves and that it can tell apart.
    rounds
        How often both players have learned from each other.

    Examples
    --------
    >>> import dicelab
    >>> poker = dicelab.find("tests/games/hidden_dice.py:dice-poker")
    >>> found = dicelab.equilibrium(poker, gap=0.001)
    >>> round(found.value, 2), found.error <= 0.0005
    (-0.06, True)
    """

    of: str
    value: float
    error: float
    gains: tuple[float, float]
    together: float
    first_moves: tuple[Mixture, ...]
    states: int
    histories: int
    situations: int
    rounds: int

    method = "equilibrium"

    @property
    def values(self) -> tuple[float, float]:
        """What each seat gets."""
        return self.value, self.together - self.value

    def _sentence(self) -> str:
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
        exact = {"states": self.states, "error": self.error, "arithmetic": "floats"}
        facts: dict[str, Any] = {"exact": exact, "of": self.of, "value": self.value, "gains": list(self.gains)}
        facts |= {"difference": self.values[0] - self.values[1], "histories": self.histories}
        return facts | {"situations": self.situations, "rounds": self.rounds, "rows": rows}

    def _lines(self, page: Page) -> list[str]:
        what = "chance to win" if self.of == "chance" else "payoff"
        table = [["player", what, "could gain at most"]]
        for seat in (0, 1):
            shown = page.number(self.values[seat], CHANCE)
            gain = upper(self.gains[seat]) if self.gains[seat] > ROUNDING else "nothing"
            table.append([player_name(seat, self.players), shown, gain])
        lines = [*self._head(page), "", *page.table(table)]
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
        return [
            *lines,
            "",
            f"{size}, {many(self.rounds, 'round')}, error below {upper(self.error)}, {self.seconds:.3g} s",
        ]


def _mixed(moves: dict[str, float]) -> str:
    """Return a mixture as text, without what is seldom."""
    often = {move: p for move, p in moves.items() if p >= SELDOM}
    shown = {move: percent(p).replace(" ", "\N{NO-BREAK SPACE}") for move, p in often.items()}
    return ", ".join(f"{move} {p}" if often[move] < 1 - SELDOM else move for move, p in shown.items())


@question(about="hidden dice: how to bluff, and who is ahead", tab="Bluffing", needs="hidden", rows="seconds")
def equilibrium(
    game: GameLike,
    *,
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

    Commands
    --------
    dicelab equilibrium ./mine.py
    dicelab equilibrium ./mine.py --gap 1e-6 --seconds 300

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
    import numpy as np

    from dicelab.runtime.interrupts import held_interrupts
    from dicelab.solver import regret
    from dicelab.solver.game_tree import game_tree

    run, watch = Run.of(game, (), **parameters), Stopwatch()
    table = run.game
    if not private_fields(table):
        raise ParameterError(f"{table.name} hides nothing from any player; dicelab solve finds optimal play")
    if not gap > 0:
        raise ParameterError(f"gap: {gap} is not allowed; it takes a number above 0")
    tree = game_tree(table)
    seats = np.array([one.seat for one in tree.knowledge], np.int8)
    arrays = (tree.first, tree.many, tree.mover, tree.share, tree.slot, tree.worth, tree.starts, tree.leads, seats)
    regrets, last, sigma, total, best = (np.zeros(max(1, int(tree.starts[-1]))) for _ in range(5))
    mixed, secured, rounds = sigma.copy(), (0.0, 0.0), 0
    at_once, checked = max(1, AT_ONCE // len(tree.first)), 0
    with held_interrupts() as stopped:
        while True:
            regret.improve(arrays, regrets, last, sigma, total, at_once, rounds)
            rounds += at_once
            progress(min(seconds, int(watch.seconds)), seconds)
            late = watch.seconds >= seconds or stopped()
            if rounds < 1.1 * checked and not late:
                continue
            checked = rounds
            regret.average(tree.starts, total, mixed)
            most = regret.best_response(arrays, tree.levels, mixed, 0, best)
            least = -regret.best_response(arrays, tree.levels, mixed, 1, best)
            secured = least, most
            if most - least <= gap or late:
                break
        interrupted = stopped()
    reach = np.empty(len(tree.first))
    regret.reached(arrays, mixed, reach)
    worth = float(reach @ tree.worth)
    size = max(1.0, float(np.abs(tree.worth).max()))
    return Equilibrium(
        **about(table, [BEST, BEST]),
        seconds=watch.seconds,
        interrupted=interrupted,
        of="chance" if table.payoffs is None and len(outcome_names(table)) == 2 else "payoff",  # a draw is half a win
        value=sum(secured) / 2,
        error=(secured[1] - secured[0]) / 2 + ROUNDING * size * len(tree.levels),
        gains=(secured[1] - worth, worth - secured[0]),
        together=tree.total,
        first_moves=tuple(_first_moves(table, tree, mixed, reach)),
        states=tree.states,
        histories=len(tree.first),
        situations=len(tree.knowledge),
        rounds=rounds,
    )


def _first_moves(game: Game, tree: GameTree, mixed: Any, reach: Any) -> list[Mixture]:
    """Return the mixtures of first moves."""
    import numpy as np

    found = []
    moving = tree.slot >= 0
    coming = np.bincount(tree.slot[moving], reach[moving], minlength=int(tree.starts[-1]))
    for seat in (0, 1):
        mine = [one for one in tree.knowledge if one.seat == seat and one.choice == 0 and coming[one.slot] > 1e-9]
        views = [_view(one) for one in mine]
        differing = [name for name in (views[0] if views else {}) if len({str(view.get(name)) for view in views}) > 1]
        for one, view in zip(mine, views, strict=True):
            decision = next(d for d in game.declared.decisions if _asks(one, d))
            moves: dict[str, float] = {}
            for k, move in enumerate(one.moves):
                words = move_words(one.state, decision, move)
                moves[words] = moves.get(words, 0.0) + float(mixed[one.slot + k])
            sees = "; ".join(_shown(game, name, view[name]) for name in differing if name in view)
            found.append(Mixture(seat, sees or "nothing yet", float(coming[one.slot]), moves))
    return found


def _asks(one: Knowledge, decision: Any) -> bool:
    from dicelab.runtime.interpreter import asked

    return asked(one.state, one.state.next())[0] is decision


def _view(one: Knowledge) -> dict[str, Any]:
    """Return what the seat sees of a state, without what the game keeps for itself."""
    hidden = set(one.state.words.hidden)
    return {name: v for name, v in shown_to(one.state, position(one.state), one.seat).items() if name not in hidden}


def _shown(game: Game, name: str, value: int | Sequence[int]) -> str:
    """Return a field and its value in the words of the game; of cups, the dice in them."""
    title = called(game, name)
    if isinstance(value, int):
        return f"{title} {value_called(game, name, value) or value}"
    if any(isinstance(part, Cups) and part.hands == name for part in game.words.board):
        return f"{title} {' '.join(str(face) for face, count in enumerate(value, 1) for _ in range(count))}"
    return f"{title} {' '.join(map(str, value))}"
