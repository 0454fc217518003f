"""What `dicelab.best` says of a game that was solved turn by turn: the chart of its first turn, the cost of a strategy.

There is no table of all states, so a strategy is valued by playing: what each of its decisions loses is known exactly,
and the sum over a game has the mean that optimal play wins more (S. Kakade, J. Langford: Approximately optimal
approximate reinforcement learning, 2002, lemma 6.1), against optimal play of all others.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from math import sqrt
from statistics import fmean, stdev
from time import monotonic

from dicelab.questions.policies.grid import Cell, Grid, View, field_called, values_called
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.results.numbers.intervals import z_of
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag, Seat
from dicelab.rules.game import Call, Game, fresh, seat_count
from dicelab.runtime.interpreter import as_move, steps
from dicelab.runtime.philox import Stream
from dicelab.runtime.states.codec import Place, Slots

FEWEST, MOST = 16, 2_000
"""Games that are played for the cost of a strategy, at least and at most."""
LARGE = 20_000
"""Largest number of states of a chart."""


class Unsolved(Exception):
    """A strategy made a move whose value is not known, because nobody who wants to win makes it."""


def cost_in_play(policy: TurnPolicy, call: Call, seconds: float, seed: int) -> tuple[float, float, int] | None:
    """Return what a strategy loses compared with optimal play, the half-width of its 95 % interval, and the games.

    In each game it has one of the seats, in turn; all others play optimally. None if a move of it has no value.
    """
    game, seats = fresh(policy.game), max(1, seat_count(policy.game))
    until, found = monotonic() + seconds, list[float]()
    while len(found) < FEWEST or (monotonic() < until and len(found) < MOST) or len(found) % seats:
        try:
            found.append(_lost(game, policy, call, len(found) % seats, Stream(seed, len(found))))
        except Unsolved:
            return None
    return fmean(found), z_of() * stdev(found) / sqrt(len(found)), len(found)


def _lost(game: Game, policy: TurnPolicy, call: Call, seat: int, source: Stream) -> float:
    """Play a game with a strategy in one seat, and return what its decisions have lost there."""
    sign, lost = Objective.of(game, str(policy.about["objective"])).sign, 0.0
    own = call.chooser(game)

    def judged(table: Game, decision: Decision, who: int) -> tuple[int, ...]:
        nonlocal lost
        move, worths = as_move(own(table, decision, who)), policy.worths(table)
        if worths is None or move not in worths:
            raise Unsolved
        lost += max(sign * worth for worth in worths.values()) - sign * worths[move]
        return move

    def best(table: Game, decision: Decision, who: int) -> tuple[int, ...]:
        move = policy.move(table)
        assert move is not None
        return move

    choosers: list[Callable[[Game, Decision, int], tuple[int, ...]]] = [best] * max(1, seat_count(game))
    choosers[seat] = judged
    for _ in steps(game, choosers, source):
        pass
    return lost


def first_turn(policy: TurnPolicy) -> tuple[View, Grid] | None:
    """Return the chart of the choices among named moves in the first turn of a game; None if there is nothing to show.

    Its axes are the two numbers within a turn in which the move changes most often.
    """
    game, names = fresh(policy.game), Slots.of(policy.game, ()).names
    outer = set(policy.about["outer"])
    begin = dict(zip(names, Place(game, ()).read(), strict=True))
    kept = {name: value for name, value in begin.items() if name.partition("[")[0] in outer or _is_seat(game, name)}
    rows = [dict(zip(names, numbers, strict=True)) for numbers in policy.where(kept)[: LARGE + 1]]
    if len(rows) > LARGE:
        return None
    every = [(row, policy.choices(tuple(row.values()))) for row in rows]
    found = [(row, choices) for row, choices in every if all(isinstance(k, type) for k in choices.decision.kinds)]
    axes = [name for name, field in game.declared.state.items() if name in names and not isinstance(field, Flag | Seat)]
    axes = [name for name in axes if name not in game.words.hidden and len({row[name] for row, _ in found}) > 1]
    charts: list[tuple[float, View, Grid]] = []
    for x, y in permutations(axes, 2):
        at = {name: value for name, value in found[0][0].items() if name not in (x, y)}
        here = [(row, choices) for row, choices in found if at.items() <= row.items()]
        cells = [Cell(row[x], row[y], choices.best_move, choices.worths) for row, choices in here]
        grid = Grid(x, y, at, {}, tuple(cells))
        clear = sum(t.high - t.low + 1 for t in grid.thresholds if len(t.steps) == 2)
        shown = values_called(game, {name: value for name, value in at.items() if name in kept})
        titles = field_called(game, x), field_called(game, y)
        charts.append((clear / len({cell.x for cell in cells}), View(x, y, at, clear, titles, shown), grid))
    best = max(charts, key=lambda chart: chart[0], default=None)
    return None if best is None or not best[0] else best[1:]


def _is_seat(game: Game, name: str) -> bool:
    return isinstance(game.declared.state.get(name), Seat)
