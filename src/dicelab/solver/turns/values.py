"""Values of the beginnings of turns, level by level from the end, each with a bound on its error.

Let T(u) be the values of turns if those that follow are worth u. If raised values u satisfy T(u) < u in a strongly
connected component, then the exact values are not above u: the player who maximises, against the moves that are best
for u, sees u fall in every turn, so that the component is left sooner or later, and until then u is not exceeded.
Lowered values are a bound from below in the same way. The same holds for the cut nodes of turns with cycles
(`program`): a turn is then what happens between two edges against the order. Both are checked with every rounding
outwards. Without cycles no check is needed: two evaluations, rounded up and down, are bounds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from dicelab.compile.kernels.vector_rows import LANES
from dicelab.compile.kernels.writers.turn_steps import ALLOWED
from dicelab.errors import NotSmall
from dicelab.limits import LIMITS
from dicelab.runtime.arrays import Array
from dicelab.solver.enumeration.model import as_size, in_digits, ranges
from dicelab.solver.solution.ordering import components
from dicelab.solver.turns import loops
from dicelab.solver.turns.extrapolation import around, mixture, slopes
from dicelab.solver.turns.program import Beginnings, Program, followed
from dicelab.solver.value_iteration import NOWHERE, Layers, key_of

SWEEPS = 20_000
"""Limit of the sweeps over a strongly connected component."""
WIDER = (0.0, 16.0), (0.0, 128.0), (1e-3, 1024.0), (0.03, 2.0**13), (1.0, 2.0**14), (4.0, 2.0**16), (32.0, 2.0**20)
"""Bounds to try: the limit of the raises, enlarged by a share of itself and by units of rounding."""
BLOCK, RAISES = 7, 6
"""Most sweeps from which values are extrapolated, and bounds from which bounds are, counting the first."""
SETTLED = 2.0**-49
"""Values no longer change when a sweep changes them by at most this, relative to the largest."""
SECANTS, MOST_AROUND = 12, 8
"""Evaluations from which values are found by secants, and the longest cycle of beginnings for which this is tried."""
ROUNDS, TOO_MUCH = 6, 1e-3
"""Largest number of attempts to find a bound on the errors of a component, and the largest useful bound."""
ULP = loops.ULP
NOISE = 16 * ULP
"""Differences of bounds that are rounding, relative to the largest value."""


_local = threading.local()


def _new(name: str, rows: int) -> Array:
    """Return rows of `LANES` numbers, all 0."""
    return np.zeros((rows, LANES))


def scratch(name: str, rows: int) -> Array:
    """Return rows of `LANES` numbers, which may be any; valid until the next call with this name on the same thread."""
    room: Array | None = getattr(_local, name, None)
    if room is None or len(room) != rows:
        room = np.zeros((rows, LANES))
        setattr(_local, name, room)
    return room


class Batch:
    """Up to `LANES` beginnings side by side; valid until the next one on the same thread if it is `alone`."""

    def __init__(self, solver: Solver, numbers: Array, alone: bool) -> None:
        self.solver, self.numbers = solver, numbers
        turns, program, lanes = solver.turns, solver.program, len(numbers)
        shot, parts = turns.snapshot, turns.structure.parts
        self.found = followed(turns.structure, shot, turns.index.known[numbers], again=alone)
        self.exits, self.inner = (np.empty(self.found.status.shape, np.int32) for _ in range(2))
        found, nodes, known = self.found, turns.structure.nodes, (turns.index.known, turns.index.table)
        given = found.keys, parts.outer_words, found.status, found.by, found.step
        results = (self.exits, self.inner), (program.place, program.copy, program.leaf_place)
        loops.number_exits(*given, *results, (nodes.known, nodes.table), known, numbers)
        self.begin = program.place[turns.node[numbers]]
        self.reached = solver.reached(self.begin, self.inner)
        room = scratch if alone and not len(program.cuts) else _new
        self.value = room("value", len(self.reached) + len(program.cuts))
        self.leaf_value = room("leaf_value", len(shot.pairs))
        self.copies[:] = 0.0
        self.lane = np.arange(lanes)
        bits = self.reached[program.cuts][:, None] >> np.arange(LANES) & 1
        self.cut = bits.astype(np.bool_)

    def guess(self) -> Array:
        """Return the mean value of the turns that follow each beginning and are solved, 0 where none is."""
        follows = (self.found.status == ALLOWED) & (self.exits >= 0)
        solved = follows & (self.solver.component[self.exits] != self.solver.component[self.numbers][:, None])
        value = self.solver.value[self.exits]
        value = self.found.gain + np.where(self.found.by > 0, 1.0 - value, value)
        return np.asarray(np.where(solved, value, 0.0).sum(axis=1) / np.maximum(solved.sum(axis=1), 1))

    def run(self, direction: float) -> tuple[Array, Array]:
        """Return the values of the beginnings, and of the cut nodes, given those of all others; rounded up, down or to
        nearest.
        """
        solver, found, program = self.solver, self.found, self.solver.program
        given = found.status, found.gain, found.step, found.by, self.exits, program.leaf_side, solver.prize
        above = loops.load(len(self.numbers), *given, solver.value, solver.error, direction, self.leaf_value)
        rest = self.reached, self.value, self.leaf_value, self.inner, len(self.numbers), direction
        above = above and solver.gains and bool((self.copies[self.cut] >= 0).all())
        loops.sweep(program.arrays, *rest, above)
        return self.value[self.begin, self.lane], self.value[program.cuts]

    @property
    def copies(self) -> Array:
        """The values of the cut nodes that `run` reads."""
        return self.value[len(self.reached) :]

    def sweep(self) -> tuple[Array, float]:
        """Evaluate once more; returns the values of the beginnings, and the largest change of a cut node."""
        now, cuts = self.run(0.0)
        change = np.where(self.cut, np.abs(cuts - self.copies), 0.0).max(initial=0.0)
        self.copies[:] = cuts
        return now, float(change)

    def sweeps(self, past: Array, report: Array) -> int:
        """Evaluate again and again, as `loops.sweep_again` does, with the values of the beginnings found before."""
        return int(loops.sweep_again(*self._arrays, self.cut, self.numbers, self.solver.value, SETTLED, past, report))

    def raised(self, middle: Array, more: Array, counts: Array, direction: float, past: Array) -> Array:
        """Fill `past` after its first row as `loops.raise_again` does; returns by how much values rose in the end."""
        solver, rise = self.solver, np.empty(len(middle))
        known = self.numbers, solver.value, solver.gains
        loops.raise_again(*self._arrays, *known, middle, more, counts, direction, past, rise)
        return rise

    @property
    def _arrays(self) -> tuple[Any, ...]:
        solver, found, program = self.solver, self.found, self.solver.program
        ends = found.status, found.gain, found.step, found.by, self.exits
        given = *ends, program.leaf_side, solver.prize, solver.error
        rest = self.reached, self.value, self.leaf_value, self.inner
        return given, rest, program.arrays, self.begin, program.cuts


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
    gains
        Whether what is added within turns is not negative.
    level, component, loops
        The level of each beginning, all of whose turns lead to lower ones unless there are `loops`; and its strongly
        connected component.
    """

    def __init__(self, turns: Beginnings, program: Program, prize: Array, memory: float = inf) -> None:
        self.turns, self.program, self.prize, self.memory = turns, program, prize, memory
        self.gains = bool((program.arrays.gain >= 0).all())
        self._plain, self._reached = bool(program.arrays.plain.all()), dict[int, Array]()  # by the node of a beginning
        self.value, self.error = np.zeros(turns.count), np.zeros(turns.count)
        self.level, self.component, self.loops = np.zeros(turns.count, np.int64), np.zeros(turns.count, np.int64), True

    def reached(self, begin: Array, inner: Array) -> Array:
        """Return which lanes reach each node, as bits, given the node at which each lane begins, and those to which its
        leaves lead.
        """
        program, same = self.program, self._plain and bool((begin == begin[0]).all())
        found = self._reached.get(int(begin[0])) if same else None
        if found is None:
            given = begin[:1] if same else begin
            found = np.zeros(len(program.arrays.side), np.int64)
            loops.reach(given, program.arrays, program.cuts, inner, found)
            if same:
                self._reached[int(begin[0])] = found
        return found * ((1 << len(begin)) - 1) if same else found

    def run(self, pool: Executor, look: Callable[[int, int], None], layers: Layers = NOWHERE) -> None:
        """Find all values; those stored in `layers` are taken from there.

        Raises
        ------
        NotSmall
            When beginnings that lead to each other don't fit into memory together.
        """
        level, component = _levels(self.turns)
        largest = int(np.bincount(component).max())
        takes = bytes_together(largest, len(self.program.arrays.side), len(self.turns.snapshot.pairs))
        if largest > LANES and takes > self.memory:
            raise NotSmall(
                f"{in_digits(largest)} of its beginnings of turns lead to each other, and solving them together takes "
                f"about {as_size(takes)}"
            )
        length = np.diff(self.turns.row)
        alike = self.turns.alike()
        order = np.lexsort((component, alike[_first_of(component)][component], level))
        loop = np.zeros(component.max() + 1, np.bool_)
        source = np.repeat(np.arange(self.turns.count), length)
        loop[component[source[component[source] == component[self.turns.target]]]] = True
        loop |= bool(len(self.program.cuts))
        self.level, self.component, self.loops = level, component, bool(loop.any())

        def part(low: int, high: int) -> Array:
            return np.stack((self.value[order[low:high]], self.error[order[low:high]]))

        kept, done = layers.begin(lambda: key_of((*self._given, order))), 0
        for members in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
            groups = _groups(members, component[members])  # in this order
            ends = done + np.cumsum([sum(map(len, group)) for group in groups])
            stored = int(np.searchsorted(ends, kept.shape[1], side="right"))  # whole groups only
            if stored:
                numbers = order[done : ends[stored - 1]]
                self.value[numbers], self.error[numbers] = kept[:, done : ends[stored - 1]]
                done += len(numbers)
            each = pool.map if len(groups) - stored > 1 else map  # to hand a single group over takes longer
            solved = each(lambda group: self._group(group, loop[component[group[0][0]]]), groups[stored:])
            for numbers, value, error in solved:
                self.value[numbers], self.error[numbers] = value, error
                done += len(numbers)
                layers.reached(done, part)
            look(self.turns.count, done)

    @property
    def _given(self) -> tuple[Array, ...]:
        """All that determines the values, apart from the rules."""
        turns = self.turns
        return self.prize, turns.index.rows, turns.node, turns.row, turns.target, *turns.snapshot, *self.program.arrays

    def _group(self, group: list[Array], loop: bool) -> tuple[Array, Array, Array]:
        """Solve some beginnings that lead to no others but to solved ones and themselves: numbers, values, errors."""
        if loop:
            component = Component(self, group)
            error = component.by_secants()
            if error is None:
                component.settle()
                error = component.proved()
            return component.numbers, self.value[component.numbers], error
        (numbers,) = group
        batch = Batch(self, numbers, True)
        high, low = batch.run(1.0)[0], batch.run(-1.0)[0]
        middle = 0.5 * (high + low)
        if not np.isfinite(middle).all():  # a later error is infinite
            return numbers, batch.run(0.0)[0], np.full(len(numbers), inf)
        return numbers, middle, 0.5 * (high - low) * (1 + 4 * ULP) + 2 * ULP * abs(middle)


def bytes_together(beginnings: float, nodes: float, leaves: int) -> float:
    """Return the memory for beginnings that are solved together, in bytes: the values of all nodes and leaves."""
    return beginnings * (8 * nodes + 40 * leaves)


class Component:
    """Beginnings that lead to each other, in batches.

    Its *unknowns* are what a sweep changes: the values of the beginnings `numbers`, then, batch by batch, those of the
    copies of cut nodes. Of the latter only those in `counts` matter.
    """

    def __init__(self, solver: Solver, group: list[Array]) -> None:
        self.solver, self.numbers = solver, np.concatenate(group)
        self.batches = [Batch(solver, numbers, len(group) == 1) for numbers in group]
        cuts = [batch.cut.ravel() for batch in self.batches]
        self.counts = np.concatenate((np.ones(len(self.numbers), np.bool_), *cuts))
        within = [np.pad(solver.component[batch.numbers], (0, LANES - len(batch.numbers))) for batch in self.batches]
        copies = [np.tile(lanes, len(solver.program.cuts)) for lanes in within]
        owner = np.concatenate((solver.component[self.numbers], *copies))
        some = np.flatnonzero(self.counts)
        self.order = some[np.argsort(owner[some], kind="stable")]
        self.parts = np.append(np.flatnonzero(np.diff(owner[self.order], prepend=-1)), len(some))
        unknowns = int(np.diff(self.parts).max())
        self.block = min(BLOCK, unknowns + 2)  # as many as an affine function of these unknowns takes

    def _ahead(self) -> Array | None:
        """Return for each beginning the one beginning of its component that follows it, as a place in `numbers`; None
        if there is another number of them, or turns have cycles within.
        """
        turns, component, numbers = self.solver.turns, self.solver.component, self.numbers
        if len(self.solver.program.cuts):
            return None
        count = turns.row[numbers + 1] - turns.row[numbers]
        source, target = np.repeat(np.arange(len(numbers)), count), turns.target[ranges(turns.row[numbers], count)]
        within = component[target] == component[numbers[source]]
        pairs = np.unique(np.stack((source[within], target[within])), axis=1)
        if not np.array_equal(pairs[0], np.arange(len(numbers))):
            return None
        order = np.argsort(numbers)
        return np.asarray(order[np.searchsorted(numbers[order], pairs[1])])

    def by_secants(self) -> Array | None:
        """Find the values where one beginning of a component follows each, and return proved bounds on their errors.

        How much a value changes with the one that follows is known from two evaluations, as long as the best moves
        stay; that gives the fixed point, which one more evaluation confirms. None, and values of 0, if this is not so,
        or no bound is accepted.
        """
        ahead, numbers, value = self._ahead(), self.numbers, self.solver.value
        if ahead is None:
            return None
        length = int(np.bincount(self.solver.component[numbers]).max())
        given, slope = np.concatenate([batch.guess() for batch in self.batches]), np.zeros(len(numbers))
        old, size = (given, given), 1.0
        for attempt in range(SECANTS if length <= MOST_AROUND else 0):
            value[numbers] = given
            found = np.concatenate([batch.run(0.0)[0] for batch in self.batches])
            size = max(1.0, float(np.abs(found).max()))
            change = float(np.abs(found - given).max())
            if attempt > 1 and change <= SETTLED * size:
                bounds = self._bounds_around(slope, found - given, ahead, length)
                if bounds is not None:
                    return bounds
            if attempt:
                slope = slopes(old, (given, found), ahead, slope, 1e-10 * size)
            old = given, found
            given = found if attempt == 0 else around(slope, found - slope * given[ahead], ahead, length)
            if not np.isfinite(given).all():
                break
        value[numbers] = 0.0
        return None

    def _bounds_around(self, slope: Array, change: Array, ahead: Array, length: int) -> Array | None:
        """Return proved bounds on the errors of the present values, which one more evaluation changes by `change`; None
        if there are none.
        """
        middle = self._unknowns()
        size, alone = max(1.0, float(np.abs(middle).max())), len(ahead)
        up = self._raised(middle, np.zeros(len(middle)), 1.0)[:alone]  # to go down is as far, but for the change
        bounds = np.zeros(len(middle))
        bounds[:alone] = around(np.abs(slope), np.maximum(np.maximum(up, up - 2.0 * change), 0.0), ahead, length)
        if not np.isfinite(bounds).all() or bounds.min() < 0 or bounds.max() > TOO_MUCH:
            return None
        for share, units in WIDER[: min(3, LIMITS.widenings)]:
            wide = bounds * (1.0 + share) + units * ULP * size
            if self._inside(middle, wide, 1.0) and self._inside(middle, wide, -1.0):
                return np.asarray(wide[:alone])
        return None

    def _unknowns(self) -> Array:
        return np.concatenate((self.solver.value[self.numbers], *(batch.copies.ravel() for batch in self.batches)))

    def _set_copies(self, unknowns: Array) -> None:
        copies = unknowns[len(self.numbers) :].reshape(len(self.batches), -1, LANES)
        for batch, some in zip(self.batches, copies, strict=True):
            batch.copies[:] = some

    def settle(self) -> None:
        """Sweep until the values no longer change."""
        change = block = inf  # the changes are looked at in blocks of sweeps
        tried, wait, pause = False, 0, 0  # whether values were extrapolated, and blocks until they may be again
        report, past = np.full(3, inf), np.zeros((self.block, len(self.counts)))
        found = np.empty(len(self.counts))
        for _ in range(SWEEPS // self.block):
            if self._block(past, report) < self.block:
                break
            change, _, size = report.tolist()
            wait -= 1
            if tried and change > 0.5 * block:  # it didn't help: the best moves are still changing
                pause = 2 * pause + 1
                wait = pause
            block, tried = change, change > 4 * SETTLED * size and wait <= 0
            if tried:
                mixture(past, self.order, self.parts, NOISE * size, found)
                self.solver.value[self.numbers] = found[: len(self.numbers)]
                self._set_copies(found)
                report[1] = inf

    def _block(self, past: Array, report: Array) -> int:
        """Sweep as often as `past` has rows, for the unknowns after each sweep, or until values no longer change;
        returns the complete sweeps. `report` has the last change, the smallest so far, and the largest value.
        """
        if len(self.batches) == 1:
            return self.batches[0].sweeps(past, report)
        for k in range(len(past)):
            change, size = 0.0, 1.0
            for batch in self.batches:
                row, one = np.zeros((1, len(batch.numbers) + batch.copies.size)), np.zeros(3)
                batch.sweeps(row, one)
                change, size = max(change, one[0]), max(size, one[2])
            past[k] = self._unknowns()
            report[0], report[2] = change, size
            if change <= SETTLED * size or (change < 1e-12 * size and change >= report[1]):
                return k
            report[1] = min(report[1], change)
        return len(past)

    def proved(self) -> Array:
        """Return the bounds on the errors of the values of the beginnings; infinite if none are found.

        What follows raises the value of a turn by its error, and so does rounding; within the component the raise comes
        back again. Its limit, and a little more, is what `_inside` then accepts.
        """
        middle = self._unknowns()
        size = max(1.0, float(np.abs(middle[: len(self.numbers)]).max()))
        past, bounds = np.zeros((min(RAISES, self.block), len(middle))), np.empty(len(middle))
        up, down = (self._raised(middle, past[0], direction) for direction in (1.0, -1.0))
        more = np.maximum(-down - up, 0.0)  # what rounding adds
        for attempt in range(ROUNDS if np.isfinite((up, down)).all() else 0):
            self._raise(middle, more, past)
            mixture(past, self.order, self.parts, 4 * ULP * size, bounds)
            bounds = np.where(self.counts, np.maximum(bounds, 0.0), 0.0)
            if bounds.max() > TOO_MUCH:
                break
            for share, units in WIDER[1 : min(3 + attempt, LIMITS.widenings)]:
                wide = bounds * (1.0 + share) + units * ULP * size
                if self._inside(middle, wide, 1.0) and self._inside(middle, wide, -1.0):
                    return wide[: len(self.numbers)]
            past[0] = bounds
        return np.full(len(self.numbers), inf)

    def _raise(self, middle: Array, more: Array, past: Array, direction: float = 1.0) -> Array:
        """Raise values by bounds again and again, as `loops.raise_again` does; returns how much they rose at last."""
        if len(self.batches) == 1:
            return self.batches[0].raised(middle, more, self.counts, direction, past)
        for before, after in pairwise(past):
            self.solver.error[self.numbers] = before[: len(self.numbers)]
            self._set_copies(middle + direction * before)
            values, cuts = zip(*(batch.run(direction) for batch in self.batches), strict=True)
            rise = np.concatenate((*values, *map(np.ravel, cuts))) - middle
            after[:] = np.where(self.counts, np.maximum(rise + more, 0.0), 0.0)
        return rise

    def _raised(self, middle: Array, bounds: Array, direction: float) -> Array:
        """Return the values of turns and cut nodes, less `middle`, if those that follow are raised by `bounds`, or
        lowered.
        """
        return self._raise(middle, bounds, np.stack((bounds, bounds)), direction)

    def _inside(self, middle: Array, bounds: Array, direction: float) -> bool:
        """Return whether values raised by `bounds` fall in every turn, or lowered ones rise."""
        rise = self._raised(middle, bounds, direction)
        slack = bounds - direction * rise - 2 * ULP * (np.abs(middle) + bounds)
        return bool((slack[self.counts] > 0).all())


def _levels(turns: Beginnings) -> tuple[Array, Array]:
    """Return the level and the strongly connected component of each beginning."""
    order, ends = components(turns.row, turns.target)
    component = np.empty(turns.count, np.int64)
    component[order] = len(ends) - 1 - np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    return loops.levels(turns.row, turns.target, component, order[::-1]), component


def _first_of(component: Array) -> Array:
    """Return a member of each component."""
    first = np.zeros(component.max() + 1, np.int64)
    first[component] = np.arange(len(component))
    return first


def _groups(members: Array, component: Array) -> list[list[Array]]:
    """Return the beginnings of a level in batches; components that need several batches are a group of batches."""
    if (np.diff(component) != 0).all():
        return [[members[i : i + LANES]] for i in range(0, len(members), LANES)]
    groups: list[list[Array]] = []
    batch: list[Array] = []
    room = LANES
    for one in np.split(members, np.flatnonzero(np.diff(component)) + 1):
        if len(one) > room and batch:
            groups.append([np.concatenate(batch)])
            batch, room = [], LANES
        if len(one) > LANES:
            groups.append([one[i : i + LANES] for i in range(0, len(one), LANES)])
        else:
            batch.append(one)
            room -= len(one)
    if batch:
        groups.append([np.concatenate(batch)])
    return groups
