"""What `dicelab.best` says of a game that was solved turn by turn: the chart of its first turn, the cost of a strategy.

There is no table of all states, so a strategy is valued by playing: what each of its decisions loses is known exactly,
and the sum over a game has the mean that optimal play wins more (S. Kakade, J. Langford: Approximately optimal
approximate reinforcement learning, 2002, lemma 6.1), against optimal play of all others.

By itself because games solved turn by turn have no table of states, which the rest of `best` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import permutations
from math import sqrt
from statistics import fmean, stdev
from time import monotonic

from dicelab.engines.policy import Choices
from dicelab.questions.policies.grid import GridCell, PolicyGrid, PolicyView, field_called, values_called
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.results.numbers.intervals import z_of
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag, Seat
from dicelab.rules.game import Game, fresh, seat_count
from dicelab.rules.wording import named_move
from dicelab.runtime.interpreter import as_move, steps
from dicelab.runtime.philox import Stream
from dicelab.runtime.states.codec import Place, Slots

FEWEST, MOST = 16, 2_000
"""Games that are played for the cost of a strategy, at least and at most."""
LARGE = 20_000
"""Largest number of states of a chart."""


Chooser = Callable[[Game, Decision, int], object]
"""Returns the move of a seat."""


def cost_in_play(
    policy: TurnPolicy, own: Callable[[Game], Chooser], seconds: float, seed: int
) -> tuple[float, float, int] | None:
    """Return what a strategy loses compared with optimal play, the half-width of its 95 % interval, and the games.

    The strategy is what `own` returns for a game. In each game it has one of the seats, in turn; all others play
    optimally. None if a move of it has no value.
    """
    game, seats = fresh(policy.game), max(1, seat_count(policy.game))
    until, found = monotonic() + seconds, list[float]()
    while len(found) < FEWEST or (monotonic() < until and len(found) < MOST) or len(found) % seats:
        lost = _lost(game, policy, own(game), len(found) % seats, Stream(seed, len(found)))
        if lost is None:
            return None
        found.append(lost)
    error = z_of() * stdev(found) / sqrt(len(found))
    return fmean(found), error or 3 / len(found), len(found)  # of what happened in no game: the rule of three


def _lost(game: Game, policy: TurnPolicy, own: Chooser, seat: int, source: Stream) -> float | None:
    """Play a game with a strategy in one seat, and return what its decisions have lost there; None if a move of it has
    no value, because nobody who wants to win makes it.
    """
    sign, lost, known = Objective.of(game, str(policy.about["objective"])).sign, 0.0, True

    def judged(table: Game, decision: Decision, who: int) -> tuple[int, ...]:
        nonlocal lost, known
        move, worths = as_move(own(table, decision, who)), policy.worths(table)
        if worths is None or move not in worths:
            known = False
        else:
            lost += max(sign * worth for worth in worths.values()) - sign * worths[move]
        return move

    def best(table: Game, decision: Decision, who: int) -> tuple[int, ...]:
        move = policy.move(table)
        assert move is not None
        return move

    choosers: list[Callable[[Game, Decision, int], tuple[int, ...]]] = [best] * max(1, seat_count(game))
    choosers[seat] = judged
    for _ in steps(game, choosers, source):
        if not known:
            return None
    return lost


def first_turn(policy: TurnPolicy) -> tuple[PolicyView, PolicyGrid] | None:
    """Return the chart of the choices among named moves in the first turn of a game; None if there is nothing to show.

    Its axes are the two numbers within a turn in which the move changes most often.
    """
    game, names = fresh(policy.game), Slots.of(policy.game, ()).names
    outer = set(policy.about["outer"])
    begin = dict(zip(names, Place(game, ()).read(), strict=True))
    kept = {name: value for name, value in begin.items() if name.partition("[")[0] in outer or _is_seat(game, name)}
    states = _named_states(policy, kept)
    if len(states) > LARGE:
        return None
    found = [(dict(zip(names, n, strict=True)), policy.choices(n)) for n in states if _is_named(policy, n)]
    charts = (_chart(game, found, x, y, kept) for x, y in _pairs(game, [row for row, _ in found], kept))
    best = max(charts, key=lambda chart: chart[0], default=None)
    return None if best is None or not best[0] else best[1:]


def _pairs(game: Game, rows: Sequence[Mapping[str, int]], kept: Mapping[str, int]) -> Iterable[tuple[str, str]]:
    """Return the pairs of fields that may be axes of a chart: numbers that change within a turn, else one with one that
    is kept.
    """
    axes = [name for name, field in game.declared.state.items() if not isinstance(field, Flag | Seat)]
    axes = [name for name in axes if name not in game.words.hidden and len({row.get(name) for row in rows}) > 1]
    first = [name for name in kept if not _is_seat(game, name)][:1]
    return permutations(axes, 2) if len(axes) > 1 else [(x, y) for x in first for y in axes]


def _named_states(policy: TurnPolicy, kept: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return the states with these values that may ask for a choice among named moves: flags usually tell the kinds of
    choices apart, so that one state of each combination of flags is looked at.
    """
    names = Slots.of(policy.game, ()).names
    flags = [k for k, name in enumerate(names) if isinstance(policy.game.declared.state.get(name), Flag)]
    by_flags: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for numbers in policy.where(kept):
        by_flags.setdefault(tuple(numbers[k] for k in flags), []).append(numbers)
    return [numbers for group in by_flags.values() if _is_named(policy, group[0]) for numbers in group]


def _chart(
    game: Game, found: Sequence[tuple[dict[str, int], Choices]], x: str, y: str, kept: Collection[str]
) -> tuple[float, PolicyView, PolicyGrid]:
    """Return the chart of two numbers, through the first state found, and in how much of it the move is clear."""
    at = {name: value for name, value in found[0][0].items() if name not in (x, y)}
    here = [(row, choices) for row, choices in found if at.items() <= row.items()]
    cells = [GridCell(row[x], row[y], choices.best_move, choices.worths) for row, choices in here]
    grid = PolicyGrid(x, y, at, {}, tuple(cells))
    clear = sum(t.high - t.low + 1 for t in grid.thresholds if len(t.steps) == 2)
    shown = values_called(game, {name: value for name, value in at.items() if name in kept})
    titles = field_called(game, x), field_called(game, y)
    return clear / len({cell.x for cell in cells}), PolicyView(x, y, at, clear, titles, shown), grid


def by_chart(policy: TurnPolicy, view: PolicyView, grid: PolicyGrid) -> Callable[[Game], Chooser]:
    """Return what makes a strategy that chooses among named moves by a chart, and all else as the policy does.

    Beyond the chart the nearest column counts; a move that nobody who wants to win would make is not made.
    """
    names = Slots.of(policy.game, ()).names
    x, y = names.index(view.x), names.index(view.y)

    def choose(table: Game, decision: Decision, who: int) -> object:
        best = policy.move(table)
        if not all(isinstance(kind, type) for kind in decision.kinds):
            return best
        numbers = Place(table, ()).read()
        column = min(grid.thresholds, key=lambda t: max(t.low - numbers[x], numbers[x] - t.high, 0))
        word = [column.steps[0][1], *(move for at, move in column.steps if at <= numbers[y])][-1]
        worths = policy.worths(table) or {}
        return next((move for move in worths if named_move(table, decision, move) == word), best)

    return lambda game: choose


def in_words(view: PolicyView, grid: PolicyGrid) -> str:
    """Return a chart of two moves with one threshold in each column as a sentence; empty for other charts."""
    found: list[tuple[int, int, int]] = []
    moves = {t.steps[-1][1] for t in grid.thresholds}, {t.steps[0][1] for t in grid.thresholds if len(t.steps) == 2}
    if any(len(last) != 1 for last in moves) or any(len(t.steps) > 2 for t in grid.thresholds):
        return ""
    for t in grid.thresholds:
        at = t.steps[-1][0]
        if found and found[-1][2] == at and found[-1][1] == t.low - 1:
            found[-1] = found[-1][0], t.high, at
        else:
            found.append((t.low, t.high, at))
    (last,), (first,) = moves
    if len(found) == 1:
        return f"{last} from {view.titles[1]} {found[0][2]:,} on, else {first}"
    spans = [f"{at:,} ({low if low == high else f'{low} to {high}'})" for low, high, at in found]
    return f"{last} from {view.titles[1]} ({view.titles[0]}) {', '.join(spans)} on, else {first}"


def _is_named(policy: TurnPolicy, numbers: tuple[int, ...]) -> bool:
    """Return whether a state asks for a choice among named moves: roll, bank."""
    return all(isinstance(kind, type) for kind in policy.choices(numbers).decision.kinds)


def _is_seat(game: Game, name: str) -> bool:
    return isinstance(game.declared.state.get(name), Seat)
