"""The distribution of the tally that is optimised, under the moves found: exact, turn by turn from the beginning.

Of each beginning of a turn the distribution of the total so far is kept, as an array over an interval of totals, until
all turns that begin there were played. The turns of a level lead to lower levels, which are completed one after the
other. All numbers that are added are positive, so that relative errors of rounding bound those of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.writers.turn_steps import ENDS
from dicelab.solver.solution.distribution import Spread
from dicelab.solver.turns import sweeps
from dicelab.solver.turns.values import Batch, Solver

Array = NDArray[Any]
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
    """The distribution of the total from the first state on, and a bound on the relative error of each probability.

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
        wrong = (first + 2) * (len(arrays.target) + len(arrays.leaf) + self.most + 8) * sweeps.ULP
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
            sweeps.shift(some.source, some.target, some.gain, some.chance, *given)
        self.most = max(self.most, int(np.bincount(np.concatenate([some.target for _, some in moves]) + 1).max()))
        return numbers

    def _play(self, level: int, numbers: Array, pool: Executor) -> None:
        """Play the turns that begin in a level, and sort where they lead by level."""
        numbers = numbers[np.argsort(self.near[numbers])]
        batches = [numbers[i : i + sweeps.LANES] for i in range(0, len(numbers), sweeps.LANES)]
        every = _Moves(*map(np.concatenate, zip(*pool.map(self._turns, batches), strict=True)))
        levels = self.level[every.target]
        for later in np.unique(levels).tolist():
            here = levels == later
            self.coming.setdefault(later, []).append((level, _Moves(*(array[here] for array in every))))

    def _turns(self, numbers: Array) -> _Moves:
        """Where some turns lead."""
        program = self.solver.program.arrays
        batch = Batch(self.solver, numbers, True)
        batch.run(0.0)
        chance, leaf_chance = np.empty_like(batch.value), np.empty_like(batch.leaf_value)
        given = batch.reached, batch.value, batch.leaf_value, batch.inner, batch.begin
        sweeps.play(program, *given, chance, leaf_chance)
        leaf, lane = np.nonzero(leaf_chance[:, : len(numbers)])
        gain = batch.found.gain[lane, leaf]
        inside = batch.inner[lane, leaf] >= 0
        if gain[inside].any():
            raise _TooMuch(INSIDE)
        leaf, lane, gain = leaf[~inside], lane[~inside], gain[~inside]
        target = np.where(batch.found.status[lane, leaf] == ENDS, END, batch.exits[lane, leaf]).astype(np.int32)
        return _Moves(numbers[lane].astype(np.int32), target, gain.astype(np.int32), leaf_chance[leaf, lane])
