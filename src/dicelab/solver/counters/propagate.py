"""Propagate probability mass through states with counters: the mass of each state is an array over the counter values.

A session at a casino has few states, but many amounts of money are possible in each. An outcome of a roll does the same
for whole ranges of amounts (`dicelab.solver.counters.transitions`), so that a roll moves blocks of the arrays.

By itself because it has the compiled loops, and `dicelab.solver.counters.answer` what they are called for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np

from dicelab.errors import NotSmall
from dicelab.limits import LIMITS
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.states.explorer import UNRAISED, DependsOnHidden
from dicelab.solver.counters.transitions import LatticeRefined, MassBlock, Regions, StateTransitions, Transition, Values

Progress = Callable[[int, int], None]
"""Called with the numbers of states found and of rolls followed so far."""


@dataclass(frozen=True)
class MonotoneCounter:
    """The counter with place `axis`, assumed never to decrease (sign 1) or never to increase (sign -1).

    Mass is propagated in the order of this counter. Rolls that leave it unchanged are followed until hardly any mass is
    left at its value; rolls that change no counter and no state are summed as a geometric series.
    """

    axis: int
    sign: int


class NotMonotone(Exception):
    """Raised when the counter assumed monotone changed in the other direction."""


@dataclass(frozen=True)
class Thresholds:
    """Values of a `Peak` (`peak`: its place among those followed); for each the mass that has not passed it is kept."""

    peak: int
    values: Integers


@dataclass(frozen=True)
class MassMove:
    """Mass on its way to a state, as in `MassBlock`; `share` is its sum at the last threshold."""

    target: int
    low: Values
    mass: Floats
    share: float


@dataclass
class PropagationCounts:
    """What was counted while all mass was propagated to the end.

    Attributes
    ----------
    transitions
        All transitions, with their expected number of uses.
    begin
        State and counters at the first roll, and the tallies until then.
    steps
        For each counter a number; all changes of the counter are multiples of it.
    rolls
        Propagation steps; without a monotone counter these are rolls.
    cells
        Largest number of pairs of state and counter values at the same time.
    moves, work
        Number of block moves, and of elements moved.
    parts
        Largest number of arrays added up to one.
    left
        Mass that was dropped, or still in play at the end.
    ended
        For each outcome the mass that ended with it, for each threshold.
    by_rolls
        Whether steps are rolls, because there was no monotone counter.
    """

    begin: tuple[int, Values, Values]
    steps: Values
    by_rolls: bool
    transitions: list[Transition] = field(default_factory=list)
    rolls: int = 0
    cells: int = 0
    moves: int = 0
    work: int = 0
    parts: int = 0
    left: float = 0.0
    ended: dict[int, Floats] = field(default_factory=dict)


def follow(
    regions: Regions,
    plans: dict[int, StateTransitions],
    steps: Values,
    monotone: MonotoneCounter | None = None,
    thresholds: Thresholds | None = None,
    progress: Progress = lambda found, rolls: None,
) -> PropagationCounts:
    """Propagate the mass from the start to the end.

    Parameters
    ----------
    regions
        Finds the transitions.
    plans
        The transitions known so far, by state; new ones are added, and their counts are those of the last propagation.
    steps
        For each counter a number; all changes of the counter are assumed to be multiples of it.
    monotone
        A counter assumed monotone; None to propagate roll by roll, and to count games by their number of rolls.
    thresholds
        For the distribution of a `Peak`.
    progress
        Called after each roll; may raise `dicelab.runtime.scheduler.Stopped`.

    Raises
    ------
    NotSmall
        When that takes too much time or memory.
    """
    while True:
        for plan in plans.values():
            plan.forget()
        try:
            return _Follower(regions, plans, steps, monotone, thresholds).followed(progress)
        except LatticeRefined as refined:
            steps = refined.steps
        except NotMonotone:
            monotone = None
        except DependsOnHidden:
            raise NotSmall("its rules use counters in other ways than adding and comparing") from None


@dataclass
class _Follower:
    """One propagation, and what has been counted so far."""

    regions: Regions
    plans: dict[int, StateTransitions]
    steps: Values
    monotone: MonotoneCounter | None
    thresholds: Thresholds | None

    def __post_init__(self) -> None:
        self.counts = PropagationCounts(self.regions.begin, self.steps, self.monotone is None)

    def followed(self, progress: Progress) -> PropagationCounts:
        """Propagate until less than `LIMITS.rest_mass` is in play.

        Invariant between rolls: all mass is in `arriving` (to be moved at this time), `waiting` (at later times),
        `counts.ended` or `counts.left`. Time is the value of the monotone counter, or the number of rolls.
        """
        counted = self.counts
        state, counters, _ = counted.begin
        first = np.ones((*(1 for _ in counters), 1 if self.thresholds is None else len(self.thresholds.values)))
        waiting = {self._time(counters, -1): [MassMove(state, counters, first, 1.0)]}
        while waiting:
            now = min(waiting)
            arriving, rolls = waiting.pop(now), 0
            while arriving:
                rolls += 1
                here = self._here(arriving, counted.rolls if self.monotone is None else rolls)
                arriving = []
                for number, block in here.items():
                    for move in self._moves(number, block):
                        time = self._time(move.low, now)
                        if time < now:
                            raise NotMonotone
                        (arriving if time == now else waiting.setdefault(time, [])).append(move)
                waiting = {time: self._merged(moves) for time, moves in waiting.items()}
                progress(len(self.regions.positions.things), counted.rolls)
            if (rest := sum(move.share for moves in waiting.values() for move in moves)) < LIMITS.rest_mass:
                counted.left += rest
                break
        counted.transitions = [transition for plan in self.plans.values() for transition in plan.transitions]
        return counted

    def _time(self, counters: Values, before: int) -> int:
        """Return the time at which counters have these values."""
        return before + 1 if self.monotone is None else self.monotone.sign * counters[self.monotone.axis]

    def _merged(self, moves: list[MassMove]) -> list[MassMove]:
        """Return the waiting mass; if it takes much memory, with one array for each state."""
        if self.monotone is None or sum(move.mass.size for move in moves) <= LIMITS.waiting_cells:
            return moves
        blocks, dropped = _arrived(moves, self.steps)
        self.counts.left += dropped
        return [MassMove(number, one.low, one.mass, float(one.whole.sum())) for number, one in blocks.items()]

    def _here(self, arriving: list[MassMove], rolls: int) -> dict[int, MassBlock]:
        """Return the arriving mass by state, within the limits of time and memory."""
        counted = self.counts
        counted.rolls += 1
        counted.moves += len(arriving)
        counted.parts = max(counted.parts, *Counter(move.target for move in arriving).values())
        here, dropped = _arrived(arriving, self.steps)
        counted.left += dropped
        counted.cells = max(counted.cells, sum(block.whole.size for block in here.values()))
        long = rolls > max(LIMITS.counter_rolls, counted.cells)  # solving the chain directly is faster
        if long or sum(block.mass.size for block in here.values()) > LIMITS.counter_cells:
            raise NotSmall("the propagation takes too much time or memory")
        if counted.moves > LIMITS.block_moves or counted.work > LIMITS.moved_cells:
            raise NotSmall("the propagation takes too much time or memory")
        return here

    def _moves(self, number: int, block: MassBlock) -> Iterator[MassMove]:
        """Yield the moves of the mass of one state; what ends the game is counted."""
        plan = self.plans.setdefault(number, StateTransitions(self.regions, number))
        transitions = plan.moves(block, self.steps)
        if self.monotone is not None:  # else games are counted by rolls, and self-loops are rolls too
            transitions = self._stayed(block, transitions)
        for transition, part in transitions:
            low = tuple(a + i.start * s for a, i, s in zip(block.low, part, self.steps, strict=True))
            moved = block.mass[part] * self._kept(
                transition, low, block.whole[part].shape, transition.weight / transition.total
            )
            share = float(moved[..., -1].sum())
            if not share:
                continue  # no mass in this part
            self.counts.work += moved.size
            self._note(transition, low, block.whole[part].shape, share)
            if transition.way.target < 0:
                self._end(transition, low, moved)
            else:
                yield MassMove(
                    transition.way.target, tuple(map(sum, zip(low, transition.way.by, strict=True))), moved, share
                )

    def _kept(self, transition: Transition, low: Values, shape: tuple[int, ...], weight: float) -> Floats | float:
        """`weight` for the thresholds that a transition does not pass, 0 for the others, as an array."""
        if self.thresholds is None:
            return weight
        by, axis = transition.way.raised[self.thresholds.peak]
        if by == UNRAISED:
            return weight
        if axis < 0:
            return np.where(self.thresholds.values >= by, weight, 0.0)
        reached = by + low[axis] + self.steps[axis] * np.arange(shape[axis])
        kept = np.where(self.thresholds.values >= reached[:, None], weight, 0.0)
        return kept.reshape((*(n if i == axis else 1 for i, n in enumerate(shape)), -1))

    def _stayed(
        self, block: MassBlock, transitions: list[tuple[Transition, tuple[slice, ...]]]
    ) -> list[tuple[Transition, tuple[slice, ...]]]:
        """Return the transitions without the self-loops: instead the mass of a block is multiplied by its expected
        visits.

        Self-loops of probability q that cover the same box multiply its mass by ``1 / (1 - q)``. Boxes that overlap are
        left to be propagated roll by roll.
        """
        staying: dict[tuple[int, ...], list[Transition]] = {}
        for transition, part in transitions:
            if transition.stays:
                staying.setdefault(tuple(number for i in part for number in (i.start, i.stop)), []).append(transition)
        if any(_overlap(*two) for two in combinations(staying, 2)):
            return transitions
        done = set[int]()
        for bounds, alike in staying.items():
            weight, total = sum(transition.weight for transition in alike), alike[0].total
            if weight == total or any(transition.way.raised != alike[0].way.raised for transition in alike):
                continue
            part = tuple(slice(i, j) for i, j in zip(bounds[::2], bounds[1::2], strict=True))
            low = tuple(a + i.start * s for a, i, s in zip(block.low, part, self.steps, strict=True))
            shape = block.whole[part].shape
            block.mass[part] *= 1.0 + self._kept(alike[0], low, shape, weight / (total - weight))
            share = float(block.whole[part].sum())
            for transition in alike:
                self._note(transition, low, shape, share * transition.weight / total)
            done.update(map(id, alike))
        return [(transition, part) for transition, part in transitions if id(transition) not in done]

    def _note(self, transition: Transition, low: Values, shape: tuple[int, ...], share: float) -> None:
        """Add to the uses of a transition, and to the largest counter values."""
        transition.visits += share
        most = [a + (n - 1) * s for a, n, s in zip(low, shape, self.steps, strict=True)]
        transition.most = list(map(max, zip(most, transition.most or most, strict=True)))

    def _end(self, transition: Transition, low: Values, mass: Floats) -> None:
        """Count mass that ends the game: by threshold, by each counter and by the number of rolls."""
        outcome, counters = -1 - transition.way.target, range(len(low))
        self.counts.ended[outcome] = self.counts.ended.get(outcome, 0.0) + mass.sum(axis=tuple(counters))
        if not transition.ends:
            transition.ends = [{} for _ in range(len(low) + 1)]
        whole = mass[..., -1]
        for axis, (first, step) in enumerate(zip(low, self.steps, strict=True)):
            by_value = transition.ends[axis]
            for i, share in enumerate(whole.sum(axis=tuple(other for other in counters if other != axis)).tolist()):
                if share > 0:
                    by_value[first + i * step] = by_value.get(first + i * step, 0.0) + share
        rolls = self.counts.rolls
        transition.ends[-1][rolls] = transition.ends[-1].get(rolls, 0.0) + float(whole.sum())


def _overlap(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two boxes overlap; each is given as (begin, end) of every axis."""
    edges = zip(one[::2], one[1::2], other[::2], other[1::2], strict=True)
    return all(a < d and c < b for a, b, c, d in edges)


def _arrived(moves: list[MassMove], steps: Values) -> tuple[dict[int, MassBlock], float]:
    """Return the sum of the arriving mass of each state, trimmed; and the mass dropped."""
    parts: dict[int, list[MassMove]] = {}
    for move in moves:
        parts.setdefault(move.target, []).append(move)
    blocks, dropped = {}, 0.0
    for state, arriving in parts.items():
        low = tuple(map(min, zip(*(move.low for move in arriving), strict=True)))
        ends = (
            tuple(a + s * n for a, s, n in zip(move.low, steps, move.mass.shape, strict=False)) for move in arriving
        )
        shape = [(h - a) // s for h, a, s in zip(map(max, zip(*ends, strict=True)), low, steps, strict=True)]
        thresholds = arriving[0].mass.shape[-1]
        if prod(shape) * thresholds > LIMITS.counter_cells:
            raise NotSmall("the propagation takes too much time or memory")
        total = np.zeros((*shape, thresholds))
        for move in arriving:
            first = [(a - b) // s for a, b, s in zip(move.low, low, steps, strict=True)]
            total[tuple(slice(i, i + n) for i, n in zip(first, move.mass.shape, strict=False))] += move.mass
        block, lost = _trimmed(MassBlock(low, total), steps)
        dropped += lost
        if block.mass.size:
            blocks[state] = block
    return blocks, dropped


def _trimmed(block: MassBlock, steps: Values) -> tuple[MassBlock, float]:
    """Return a block without its borders of at most `LIMITS.tiny_mass` mass; and the mass dropped."""
    mass, low = block.whole, list(block.low)
    part: list[slice] = []
    for axis in range(mass.ndim):
        others = tuple(other for other in range(mass.ndim) if other != axis)
        much = np.flatnonzero(mass.max(axis=others) > LIMITS.tiny_mass)
        if not len(much):
            return MassBlock(block.low, np.zeros((0,) * block.mass.ndim)), float(mass.sum())
        part.append(slice(int(much[0]), int(much[-1]) + 1))
        low[axis] += int(much[0]) * steps[axis]
    kept = MassBlock(tuple(low), block.mass[tuple(part)])
    return kept, max(0.0, float(mass.sum()) - float(kept.whole.sum()))
