"""Values of the beginnings of turns, level by level from the end, each with a bound on its error.

Let T(u) be the values of turns if those that follow are worth u. If raised values u satisfy T(u) < u in a strongly
connected component, then the exact values are not above u: the player who maximises, against the moves that are best
for u, sees u fall in every turn, so that the component is left sooner or later, and until then u is not exceeded.
Lowered values are a bound from below in the same way. The same holds for the cut nodes of turns with cycles
(`program`): a turn is then what happens between two edges against the order. Both are checked with every rounding
outwards. Without cycles no check is needed: two evaluations, rounded up and down, are bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.solution.ordering import components
from dicelab.mdp.layers import NOWHERE, Layers, key_of
from dicelab.mdp.turns import sweeps
from dicelab.mdp.turns.beginnings import Beginnings, first_lanes, results_room
from dicelab.mdp.turns.found import Found
from dicelab.mdp.turns.program import Program
from dicelab.mdp.turns.structure import loops
from dicelab.mdp.turns.structure.follower import Results

Array = NDArray[Any]
SWEEPS = 20_000
"""Limit of the sweeps over a strongly connected component."""
WIDER = (0.0, 16.0), (0.0, 128.0), (1e-3, 1024.0), (0.03, 2.0**13), (1.0, 2.0**14), (4.0, 2.0**16), (32.0, 2.0**20)
"""Bounds to try: the limit of the raises, enlarged by a share of itself and by units of rounding."""
SETTLED = 2.0**-49
"""Values no longer change when a sweep changes them by at most this, relative to the largest."""
ROUNDS, TOO_MUCH = 6, 1e-3
"""Largest number of attempts to find a bound on the errors of a component, and the largest useful bound."""
ULP = sweeps.ULP


class Batch:
    """Up to `sweeps.LANES` beginnings side by side."""

    def __init__(self, solver: Solver, numbers: Array, alone: bool) -> None:
        self.solver, self.numbers = solver, numbers
        turns, program, lanes = solver.turns, solver.program, len(numbers)
        shot, parts = turns.snapshot, turns.parts
        room = (
            results_room(len(shot.pairs), parts.words) if alone else Results.room(lanes, len(shot.pairs), parts.words)
        )
        self.found = first_lanes(room, lanes)
        keys = turns.index.known[numbers]
        turns.follower.follow(parts, parts.unpack(keys), shot.numbers, shot.steps, shot.pairs, self.found)
        self.exits, self.inner = (np.empty(self.found.status.shape, np.int32) for _ in range(2))
        found, nodes, known = self.found, turns.nodes, (turns.index.known, turns.index.table)
        given = found.keys, parts.outer_words, found.status, found.by, found.step
        results = (self.exits, self.inner), (program.place, program.copy, program.leaf_place)
        loops.number_exits(*given, *results, (nodes.known, nodes.table), known, numbers)
        self.begin = program.place[turns.node[numbers]]
        self.reached = np.zeros(len(program.arrays.side), np.int64)
        sweeps.reach(self.begin, program.arrays, program.cuts, self.inner, self.reached)
        self.value = np.zeros((len(self.reached) + len(program.cuts), sweeps.LANES))
        self.leaf_value = np.zeros((len(shot.pairs), sweeps.LANES))
        self.lane = np.arange(lanes)
        bits = self.reached[program.cuts][:, None] >> np.arange(sweeps.LANES) & 1
        self.cut = bits.astype(np.bool_)
        self.counts = np.concatenate((np.ones(lanes, np.bool_), self.cut.ravel()))

    def run(self, direction: float) -> tuple[Array, Array]:
        """Values of the beginnings, and of the cut nodes, given those of all others; rounded up, down or to nearest."""
        solver, found, program = self.solver, self.found, self.solver.program
        given = found.status, found.gain, found.step, found.by, self.exits, program.leaf_side, solver.prize
        sweeps.load(len(self.numbers), *given, solver.value, solver.error, direction, self.leaf_value)
        rest = self.reached, self.value, self.leaf_value, self.inner, len(self.numbers), direction
        sweeps.sweep(program.arrays, *rest)
        return self.value[self.begin, self.lane], self.value[program.cuts]

    @property
    def copies(self) -> Array:
        """The values of the cut nodes that `run` reads."""
        return self.value[len(self.reached) :]


class Solver:
    """The values found so far.

    Parameters
    ----------
    turns, program
        All beginnings, and the order of evaluation.
    prize
        The value of each outcome.

    Attributes
    ----------
    value, error
        Of each beginning: its value to the seat to move (to the first optimised seat if views aren't rotated), and a
        bound on its error.
    level, loops
        The level of each beginning, all of whose turns lead to lower ones unless there are `loops`.
    """

    def __init__(self, turns: Beginnings, program: Program, prize: Array) -> None:
        self.turns, self.program, self.prize = turns, program, prize
        self.value, self.error = np.zeros(turns.count), np.zeros(turns.count)
        self.level, self.loops = np.zeros(turns.count, np.int64), True

    def run(self, pool: Executor, look: Callable[[int, int], None], layers: Layers = NOWHERE) -> None:
        """Find all values; those stored in `layers` are taken from there."""
        level, component = _levels(self.turns)
        length = np.diff(self.turns.row)
        alike = self.turns.alike()
        order = np.lexsort((component, alike[_first_of(component)][component], level))
        loop = np.zeros(component.max() + 1, np.bool_)
        source = np.repeat(np.arange(self.turns.count), length)
        loop[component[source[component[source] == component[self.turns.target]]]] = True
        loop |= bool(len(self.program.cuts))
        self.level, self.loops = level, bool(loop.any())
        found = Found(self.value, self.error, layers, lambda: key_of((*self._given, order)))
        for members in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
            groups = found.missing(_groups(members, component[members]))
            for group, error, value in pool.map(lambda group: self._group(group, loop[component[group[0][0]]]), groups):
                found.add(group, value, error)
            look(self.turns.count, found.done)

    @property
    def _given(self) -> tuple[Array, ...]:
        """All that determines the values, apart from the rules."""
        turns = self.turns
        return self.prize, turns.index.rows, turns.node, turns.row, turns.target, *turns.snapshot, *self.program.arrays

    def _group(self, group: list[Array], loop: bool) -> tuple[list[Array], list[Array], list[Array]]:
        """Solve some beginnings that lead to no others but to solved ones and themselves."""
        batches = [Batch(self, numbers, len(group) == 1) for numbers in group]
        if not loop:
            high, low = batches[0].run(1.0)[0].copy(), batches[0].run(-1.0)[0].copy()
            middle = 0.5 * (high + low)
            if not np.isfinite(middle).all():  # a later error is infinite
                return group, [np.full(len(group[0]), inf)], [batches[0].run(0.0)[0].copy()]
            return group, [0.5 * (high - low) * (1 + 4 * ULP) + 2 * ULP * abs(middle)], [middle]
        self._settle(batches)
        values = [self.value[numbers].copy() for numbers in group]
        return group, self._proved(batches), values

    def _settle(self, batches: list[Batch]) -> None:
        """Sweep over a component until its values no longer change."""
        best, change, block = inf, inf, inf  # the changes are looked at in blocks of five sweeps
        tried, wait, pause = False, 0, 0  # whether values were extrapolated, and blocks until they may be again
        past: list[list[Array]] = []
        for _ in range(SWEEPS):
            change, size = 0.0, 1.0
            for batch in batches:
                now, cuts = batch.run(0.0)
                moved = np.abs(now - self.value[batch.numbers]).max()
                cut = np.where(batch.cut, np.abs(cuts - batch.copies), 0.0)
                change = max(change, float(moved), float(cut.max(initial=0.0)))
                self.value[batch.numbers] = now
                batch.copies[:] = cuts
                size = max(size, float(np.abs(now).max()))
            if change <= SETTLED * size or (change < 1e-12 * size and change >= best):
                break
            best = min(best, change)
            past.append([self._unknown(batch) for batch in batches])
            if len(past) == 5:
                wait -= 1
                if tried and change > 0.5 * block:  # it didn't help: the best moves are still changing
                    pause = 2 * pause + 1
                    wait = pause
                block, tried = change, change > 1e-10 * size and wait <= 0
                if tried:
                    for batch, first, middle, last in zip(batches, past[0], past[2], past[4], strict=True):
                        self._set_unknown(batch, _limit(first, middle, last))
                    best = inf
                past = []

    def _unknown(self, batch: Batch) -> Array:
        """The values of a batch that a sweep changes: of its beginnings, then of its cut nodes."""
        return np.concatenate((self.value[batch.numbers], batch.copies.ravel()))

    def _set_unknown(self, batch: Batch, values: Array) -> None:
        lanes = len(batch.numbers)
        self.value[batch.numbers] = values[:lanes]
        batch.copies[:] = values[lanes:].reshape(batch.copies.shape)

    def _proved(self, batches: list[Batch]) -> list[Array]:
        """Bounds on the errors of the values of a component; infinite if none are found.

        What follows raises the value of a turn by its error, and so does rounding; within the component the raise comes
        back again. Its limit, and a little more, is what `_inside` then accepts.
        """
        middle = [self._unknown(batch) for batch in batches]
        size = max(1.0, *(float(np.abs(self.value[batch.numbers]).max()) for batch in batches))
        bounds = [np.zeros(len(unknown)) for unknown in middle]
        up, down = (self._raised(batches, middle, bounds, direction) for direction in (1.0, -1.0))
        more = [np.maximum(-low - high, 0.0) for low, high in zip(down, up, strict=True)]
        for attempt in range(ROUNDS if all(np.isfinite(rise).all() for rise in [*up, *down]) else 0):
            past = [bounds]
            for _ in range(4):
                past.append(self._raised_again(batches, middle, past[-1], more))
            bounds = [_limit(*those) for those in zip(past[0], past[2], past[4], strict=True)]
            largest = _largest(bounds)
            if largest > TOO_MUCH:
                break
            if _difference(bounds, past[4]) > 0.1 * largest and _difference(past[4], past[3]) > ULP * size:
                continue
            for share, units in WIDER[: 3 + attempt]:
                wide = [bound * (1.0 + share) + units * ULP * size for bound in bounds]
                if self._inside(batches, middle, wide, 1.0) and self._inside(batches, middle, wide, -1.0):
                    return [bound[: len(batch.numbers)] for batch, bound in zip(batches, wide, strict=True)]
        return [np.full(len(batch.numbers), inf) for batch in batches]

    def _raised_again(
        self, batches: list[Batch], middle: list[Array], bounds: list[Array], more: list[Array]
    ) -> list[Array]:
        """By how much values rise if those that follow are raised by `bounds`, and `more` is added for rounding."""
        rises = self._raised(batches, middle, bounds, 1.0)
        return [
            np.where(batch.counts, np.maximum(rise + extra, 0.0), 0.0)
            for batch, rise, extra in zip(batches, rises, more, strict=True)
        ]

    def _raised(self, batches: list[Batch], middle: list[Array], bounds: list[Array], direction: float) -> list[Array]:
        """The values of turns and cut nodes, less `middle`, if those that follow are raised by `bounds`, or lowered."""
        for batch, bound in zip(batches, bounds, strict=True):
            self.error[batch.numbers] = bound[: len(batch.numbers)]
        found = []
        for batch, unknown, bound in zip(batches, middle, bounds, strict=True):
            lanes = len(batch.numbers)
            batch.copies[:] = (unknown + direction * bound)[lanes:].reshape(batch.copies.shape)
            now, cuts = batch.run(direction)
            found.append(np.concatenate((now, cuts.ravel())) - unknown)
        return found

    def _inside(self, batches: list[Batch], middle: list[Array], bounds: list[Array], direction: float) -> bool:
        """Whether values raised by `bounds` fall in every turn, or lowered ones rise."""
        for batch, bound, rise, unknown in zip(
            batches, bounds, self._raised(batches, middle, bounds, direction), middle, strict=True
        ):
            slack = bound - direction * rise - 2 * ULP * (np.abs(unknown) + bound)
            if not (slack[batch.counts] > 0).all():
                return False
        return True


def _largest(values: list[Array]) -> float:
    """The largest of all values."""
    return max(float(some.max()) for some in values)


def _difference(these: list[Array], those: list[Array]) -> float:
    """The largest absolute difference between two lists of values."""
    return _largest([np.abs(one - other) for one, other in zip(these, those, strict=True)])


def _limit(first: Array, middle: Array, last: Array) -> Array:
    """The limits of sequences whose every second member is given, if they are geometric (Aitken's method).

    Every second one, because in a game of two seats a change of one value comes back in the turn after the next.
    """
    before, after = middle - first, last - middle
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = after / before
        found = last + after * ratio / (1.0 - ratio)
    return np.where((ratio > 0.0) & (ratio < 0.9999) & np.isfinite(found), found, last)


def _levels(turns: Beginnings) -> tuple[Array, Array]:
    """The level and the strongly connected component of each beginning."""
    order, ends = components(turns.row, turns.target)
    component = np.empty(turns.count, np.int64)
    component[order] = len(ends) - 1 - np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    return loops.levels(turns.row, turns.target, component, order[::-1]), component


def _first_of(component: Array) -> Array:
    """A member of each component."""
    first = np.zeros(component.max() + 1, np.int64)
    first[component] = np.arange(len(component))
    return first


def _groups(members: Array, component: Array) -> list[list[Array]]:
    """The beginnings of a level in batches; components that need several batches are a group of batches."""
    groups: list[list[Array]] = []
    batch: list[Array] = []
    room = sweeps.LANES
    for one in np.split(members, np.flatnonzero(np.diff(component)) + 1):
        if len(one) > room and batch:
            groups.append([np.concatenate(batch)])
            batch, room = [], sweeps.LANES
        if len(one) > sweeps.LANES:
            groups.append([one[i : i + sweeps.LANES] for i in range(0, len(one), sweeps.LANES)])
        else:
            batch.append(one)
            room -= len(one)
    if batch:
        groups.append([np.concatenate(batch)])
    return groups
