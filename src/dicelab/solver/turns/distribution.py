"""The distribution of the tally that is optimised, under the moves found: exact, turn by turn from the beginning.

Of each beginning of a turn the distribution of the total so far is kept, as an array over an interval of totals, until
all turns that begin there were played. The turns of a level lead to lower levels, which are completed one after the
other. All numbers that are added are positive, so that relative errors of rounding bound those of the result.

By itself because it goes forwards, from the first turn to the last, with loops of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.compile.kernels.vector_rows import LANES, pick_rows, spread_row
from dicelab.compile.kernels.writers.turn_steps import ENDS
from dicelab.runtime.arrays import Array
from dicelab.solver.solution.distribution import Spread
from dicelab.solver.turns.loops import ULP, plain_leaves, with_inner
from dicelab.solver.turns.values import Batch, Solver, scratch

END = -1
"""The level, and the place in arrays of beginnings (the last one), of games that are over."""


class _Moves(NamedTuple):
    """Transitions between beginnings: from, to, what is added to the tally, and the probability."""

    source: Array
    target: Array
    gain: Array
    chance: Array


REPEAT = "turns can repeat (the same turn may begin again), so it can't be added up turn after turn"
INSIDE = "the tally is counted before the end of a turn"


class _TooMuch(Exception):
    """The distribution can't be found; the message says why."""


def distribution_of(
    solver: Solver, pool: Executor, look: Callable[[int, int], None], memory: int
) -> tuple[Spread, float] | str:
    """Return the distribution of the total from the first state on, and a bound on the relative error of each
    probability.

    If there is none, the reason: turns can repeat, the tally is counted before the end of a turn, or `memory` (in
    bytes) is too small.
    """
    if solver.loops:
        return REPEAT
    if solver.program.arrays.gain.any():
        return INSIDE
    try:
        return _Forward(solver, memory).run(pool, look)
    except _TooMuch as error:
        return str(error)


class _Forward:
    """The distributions of the beginnings of some levels."""

    def __init__(self, solver: Solver, memory: int) -> None:
        self.solver, self.memory = solver, memory
        count = solver.turns.count
        self.level = np.append(solver.level, END)
        self.near = np.append(solver.turns.alike(), 0)
        self.low, self.high = np.full(count + 1, 2**62), np.full(count + 1, -(2**62))
        self.place = np.zeros(count + 1, np.int64)
        self.mass: dict[int, Array] = {}
        self.coming: dict[int, list[tuple[int, _Moves]]] = {}
        self.most = 0

    def run(self, pool: Executor, look: Callable[[int, int], None]) -> tuple[Spread, float]:
        """Play all turns."""
        first, done = int(self.level[0]), 0
        self.low[0] = self.high[0] = 0
        self.mass[first] = np.ones(1)
        self._play(first, np.zeros(1, np.int64), pool)
        for level in range(first - 1, END - 1, -1):
            moves = self.coming.pop(level, [])
            if not moves:
                continue
            numbers = self._arrive(level, moves)
            for old in self.mass.keys() - {source for some in self.coming.values() for source, _ in some} - {level}:
                del self.mass[old]
            done += len(numbers)
            look(len(self.level) - 1, min(done, len(self.level) - 1))
            if level != END:
                self._play(level, numbers, pool)
        chances = self.mass[END]
        values = np.flatnonzero(chances > 0)
        arrays = self.solver.program.arrays
        wrong = (first + 2) * (len(arrays.target) + len(arrays.leaf) + self.most + 8) * ULP
        return Spread(values + int(self.low[END]), chances[values][:, None], 0.0, wrong), wrong

    def _arrive(self, level: int, moves: list[tuple[int, _Moves]]) -> Array:
        """Complete the distributions of a level; returns the numbers of the beginnings that are reached."""
        for _, (source, target, gain, _) in moves:
            np.minimum.at(self.low, target, self.low[source] + gain)
            np.maximum.at(self.high, target, self.high[source] + gain)
        numbers = np.unique(np.concatenate([some.target for _, some in moves]))
        size = (self.high - self.low)[numbers] + 1
        if 16 * int(size.sum()) > self.memory:
            raise _TooMuch("it takes more memory than allowed; see --memory")
        self.place[numbers] = np.cumsum(size) - size
        out = self.mass[level] = np.zeros(int(size.sum()))
        for before, some in moves:
            given = self.low, self.high, self.place, self.mass[before], self.place, out
            shift(some.source, some.target, some.gain, some.chance, *given)
        self.most = max(self.most, int(np.bincount(np.concatenate([some.target for _, some in moves]) + 1).max()))
        return numbers

    def _play(self, level: int, numbers: Array, pool: Executor) -> None:
        """Play the turns that begin in a level, and sort where they lead by level."""
        numbers = numbers[np.argsort(self.near[numbers])]
        batches = [numbers[i : i + LANES] for i in range(0, len(numbers), LANES)]
        every = _Moves(*map(np.concatenate, zip(*pool.map(self._turns, batches), strict=True)))
        levels = self.level[every.target]
        for later in np.unique(levels).tolist():
            here = levels == later
            self.coming.setdefault(later, []).append((level, _Moves(*(array[here] for array in every))))

    def _turns(self, numbers: Array) -> _Moves:
        """Return where some turns lead."""
        program = self.solver.program.arrays
        batch = Batch(self.solver, numbers, True)
        batch.run(0.0)
        chance, leaf_chance = scratch("chance", len(batch.value)), scratch("leaf_chance", len(batch.leaf_value))
        given = batch.reached, batch.value, batch.leaf_value, batch.inner, batch.begin
        play(program, *given, chance, leaf_chance)
        leaf, lane = np.nonzero(leaf_chance[:, : len(numbers)])
        gain = batch.found.gain[lane, leaf]
        inside = batch.inner[lane, leaf] >= 0
        if gain[inside].any():
            raise _TooMuch(INSIDE)
        leaf, lane, gain = leaf[~inside], lane[~inside], gain[~inside]
        target = np.where(batch.found.status[lane, leaf] == ENDS, END, batch.exits[lane, leaf]).astype(np.int32)
        return _Moves(numbers[lane].astype(np.int32), target, gain.astype(np.int32), leaf_chance[leaf, lane])


# Compiled loops -------------------------------------------------------------------------------------------------------


@kept
def play(program, reached, value, leaf_value, inner, begin, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """Return the probability of each node and leaf in a turn by the best moves, for each lane: ``chance[n, w]``.

    `value` and `leaf_value` are those of `sweep`, and lane w begins at node ``begin[w]``. Only for programs without
    cut nodes.
    """
    side, row, target, weight, _, leaf_row, leaf, leaf_weight, _ = program
    chance[:] = 0.0
    leaf_chance[:] = 0.0
    room = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for w in range(begin.size):
        chance[begin[w], w] = 1.0
    for m in range(side.size):
        n = side.size - 1 - m  # sources before targets
        if reached[n] == 0 or not chance[n].any():
            continue
        if side[n] != 0:
            play_best(n, begin.size, program, value, leaf_value, inner, room, chance, leaf_chance)
            continue
        spread_row(chance[n], chance, target, row[n], row[n + 1], weight)
        spread_row(chance[n], leaf_chance, leaf, leaf_row[n], leaf_row[n + 1], leaf_weight)
        for e in range(leaf_row[n], leaf_row[n + 1]):
            for w in range(begin.size):
                if inner[w, leaf[e]] >= 0:
                    chance[inner[w, leaf[e]], w] += leaf_weight[e] * chance[n, w]


@guarded
def play_best(n, lanes, program, value, leaf_value, inner, room, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """Make the best move of a choice in all lanes; `room` is for the best value, its edge, and its leaf."""
    side, row, target, _, gain, leaf_row, leaf, _, plain = program
    best, edge, own = room
    sign = np.float64(side[n])
    best[:] = -np.inf
    edge[:] = -1.0
    own[:] = -1.0
    pick_rows(best, edge, value, target, row[n], row[n + 1], sign, gain)
    e, last = leaf_row[n], leaf_row[n + 1]
    while e < last:
        end = plain_leaves(e, last, leaf, plain)
        pick_rows(best, own, leaf_value, leaf, e, end, sign, None)
        if end < last:
            for w in range(lanes):
                x = sign * with_inner(leaf_value, value, inner, leaf[end], w)
                if x > best[w]:
                    best[w], own[w] = x, np.float64(end)
        e = end + 1
    for w in range(lanes):
        t = target[int(edge[w])] if edge[w] >= 0 else -1
        if own[w] >= 0:
            o = leaf[int(own[w])]
            leaf_chance[o, w] += chance[n, w]
            t = inner[w, o]
        if t >= 0:
            chance[t, w] += chance[n, w]


@kept
def shift(source, target, gain, chance, low, high, place, mass, out_place, out):  # type: ignore[no-untyped-def]
    """Add what transitions carry: of the distribution of each source, moved by `gain`, the share `chance`.

    The probability that beginning b is reached with the total x is ``mass[place[b] + x - low[b]]``, and for a target
    ``out[out_place[b] + x - low[b]]``; x is at most ``high[b]``.
    """
    for i in range(source.size):
        s, t, p = source[i], target[i], chance[i]
        first = out_place[t] + gain[i] + low[s] - low[t]
        for k in range(high[s] - low[s] + 1):
            out[first + k] += p * mass[place[s] + k]
