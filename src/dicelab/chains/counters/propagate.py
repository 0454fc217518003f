"""Exact answers with the purses beside the positions: the mass at each position is an array over what they hold.

A session at a casino has few positions, and much money that may be left at each. The ways of a throw are alike for
whole ranges of it (`dicelab.chains.counters.transitions`), so a throw moves blocks of the arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np

from dicelab.chains.counters.transitions import Array, Block, Finer, Plan, Route, Whole
from dicelab.errors import NotSmall
from dicelab.states.explorer import UNRAISED, DependsOnHidden
from dicelab.states.guarded_transitions import Regions, Values

Told = Callable[[int, int], None]
"""Told the positions found so far, and the throws followed."""

ENOUGH = 1e-13
"""Mass that may be left in play at the end."""
TINY = 1e-19
"""Mass of so little at the edges of an array is not followed any further."""
MOST_CELLS, MOST_MOVES, MOST_WORK = 4_000_000, 2_000_000, 100_000_000_000
"""Numbers in all arrays together, parts of them that are moved, and numbers in these, at the most."""
WAITING = 4_000_000
"""Numbers that wait for the clock in arrays that are not yet added up."""
LONG = 2000
"""Throws after which there must be more to a game than its length."""


@dataclass(frozen=True)
class Clock:
    """A purse that tells the time: it never falls (sign 1), or never rises (-1). Its place is `axis`.

    Throws that leave it as it is are followed until hardly anything is left of them. Those that change nothing at all
    are followed at once, however many they are.
    """

    axis: int
    sign: int


class Backwards(Exception):
    """The clock was put back."""


@dataclass(frozen=True)
class Levels:
    """The values of a `Peak`, by its place among those that are followed: at each, the mass that has not passed it."""

    peak: int
    values: Whole


@dataclass(frozen=True)
class Move:
    """Mass on its way to a position, its purses from `low` on, and how much it is at the last level."""

    target: int
    low: Values
    mass: Array
    share: float


@dataclass
class Followed:
    """All that went on until nothing was left.

    Attributes
    ----------
    routes
        All that was met, with their visits.
    begin
        Position and purses at the first throw, and what was counted until then.
    steps
        For each purse a number of which all its changes are multiples.
    throws
        Steps in which everything was moved on: throws, where there is no clock.
    cells
        Pairs of position and purses that were met at the same time, at the most.
    moves, work
        Parts of arrays that were moved, and the numbers in them.
    parts
        Arrays that were added up to one, at the most.
    left
        Mass that is not accounted for.
    ended
        For each outcome the mass with which it was over, at each level.
    by_throws
        Steps are throws: there was no clock.
    """

    begin: tuple[int, Values, Values]
    steps: Values
    by_throws: bool
    routes: list[Route] = field(default_factory=list)
    throws: int = 0
    cells: int = 0
    moves: int = 0
    work: int = 0
    parts: int = 0
    left: float = 0.0
    ended: dict[int, Array] = field(default_factory=dict)


def follow(
    regions: Regions,
    plans: dict[int, Plan],
    steps: Values,
    clock: Clock | None = None,
    levels: Levels | None = None,
    told: Told = lambda found, throws: None,
) -> Followed:
    """Follow the mass from the start to the end.

    Parameters
    ----------
    regions
        The ways.
    plans
        What is known of the positions by now; more is added. Its routes have what was counted last.
    steps
        For each purse a number of which all its changes seem to be multiples.
    clock
        What seems to tell the time; None for the throws, by which ends are then told.
    levels
        A `Peak` to be followed.
    told
        May raise `dicelab.runtime.scheduler.Stopped`.

    Raises
    ------
    NotSmall
        When that takes too much time or memory.
    """
    while True:
        for plan in plans.values():
            plan.forget()
        try:
            return _Follower(regions, plans, steps, clock, levels).followed(told)
        except Finer as finer:
            steps = finer.steps
        except Backwards:
            clock = None
        except DependsOnHidden:
            raise NotSmall("its rules look at too much") from None


class _Follower:
    """Mass that is followed, and what it has come to so far."""

    def __init__(
        self, regions: Regions, plans: dict[int, Plan], steps: Values, clock: Clock | None, levels: Levels | None
    ) -> None:
        self.regions, self.plans, self.steps, self.clock, self.levels = regions, plans, steps, clock, levels
        self.found = Followed(regions.begin, steps, clock is None)

    def followed(self, told: Told) -> Followed:
        """All of it."""
        found = self.found
        position, purses, _ = found.begin
        first = np.ones((*(1 for _ in purses), 1 if self.levels is None else len(self.levels.values)))
        waiting = {self._time(purses, -1): [Move(position, purses, first, 1.0)]}
        while waiting:
            now = min(waiting)
            arriving, throws = waiting.pop(now), 0
            while arriving:
                throws += 1
                here = self._here(arriving, found.throws if self.clock is None else throws)
                arriving = []
                for number, block in here.items():
                    for move in self._moves(number, block):
                        time = self._time(move.low, now)
                        if time < now:
                            raise Backwards
                        (arriving if time == now else waiting.setdefault(time, [])).append(move)
                waiting = {time: self._merged(moves) for time, moves in waiting.items()}
                told(len(self.regions.positions.things), found.throws)
            if (rest := sum(move.share for moves in waiting.values() for move in moves)) < ENOUGH:
                found.left += rest
                break
        found.routes = [route for plan in self.plans.values() for route in plan.routes]
        return found

    def _time(self, purses: Values, before: int) -> int:
        """When purses are where they are."""
        return before + 1 if self.clock is None else self.clock.sign * purses[self.clock.axis]

    def _merged(self, moves: list[Move]) -> list[Move]:
        """What waits, each position once where that would else take much memory."""
        if self.clock is None or sum(move.mass.size for move in moves) <= WAITING:
            return moves
        blocks, dropped = _arrived(moves, self.steps)
        self.found.left += dropped
        return [Move(number, one.low, one.mass, float(one.whole.sum())) for number, one in blocks.items()]

    def _here(self, arriving: list[Move], throws: int) -> dict[int, Block]:
        """The mass at each position, for one throw."""
        found = self.found
        found.throws += 1
        found.moves += len(arriving)
        found.parts = max(found.parts, *Counter(move.target for move in arriving).values())
        here, dropped = _arrived(arriving, self.steps)
        found.left += dropped
        found.cells = max(found.cells, sum(block.whole.size for block in here.values()))
        long = throws > max(LONG, found.cells)  # a chain of so few positions is solved sooner as such
        if long or sum(block.mass.size for block in here.values()) > MOST_CELLS:
            raise NotSmall("there is too much to follow")
        if found.moves > MOST_MOVES or found.work > MOST_WORK:
            raise NotSmall("there is too much to follow")
        return here

    def _moves(self, number: int, block: Block) -> Iterator[Move]:
        """From one position to the next ones; what is over is noted."""
        plan = self.plans.setdefault(number, Plan(self.regions, number))
        routes = plan.moves(block, self.steps)
        if self.clock is not None:
            routes = self._stayed(block, routes)
        for route, part in routes:
            low = tuple(a + i.start * s for a, i, s in zip(block.low, part, self.steps, strict=True))
            moved = block.mass[part] * self._kept(route, low, block.whole[part].shape, route.weight / route.total)
            share = float(moved[..., -1].sum())
            if not share:
                continue  # the block has gaps
            self.found.work += moved.size
            self._note(route, low, block.whole[part].shape, share)
            if route.way.target < 0:
                self._end(route, low, moved)
            else:
                yield Move(route.way.target, tuple(map(sum, zip(low, route.way.by, strict=True))), moved, share)

    def _kept(self, route: Route, low: Values, shape: tuple[int, ...], weight: float) -> Array | float:
        """`weight` where a route keeps a `Peak` at its level; 0 where it passes it."""
        if self.levels is None:
            return weight
        by, axis = route.way.raised[self.levels.peak]
        if by == UNRAISED:
            return weight
        if axis < 0:
            return np.where(self.levels.values >= by, weight, 0.0)
        reached = by + low[axis] + self.steps[axis] * np.arange(shape[axis])
        kept = np.where(self.levels.values >= reached[:, None], weight, 0.0)
        return kept.reshape((*(n if i == axis else 1 for i, n in enumerate(shape)), -1))

    def _stayed(
        self, block: Block, routes: list[tuple[Route, tuple[slice, ...]]]
    ) -> list[tuple[Route, tuple[slice, ...]]]:
        """The routes that lead on, once all has happened that throws without any effect may add to a block."""
        staying: dict[tuple[int, ...], list[Route]] = {}
        for route, part in routes:
            if route.stays:
                staying.setdefault(tuple(number for i in part for number in (i.start, i.stop)), []).append(route)
        if any(_overlap(*two) for two in combinations(staying, 2)):
            return routes
        done = set[int]()
        for bounds, alike in staying.items():
            weight, total = sum(route.weight for route in alike), alike[0].total
            if weight == total or any(route.way.raised != alike[0].way.raised for route in alike):
                continue
            part = tuple(slice(i, j) for i, j in zip(bounds[::2], bounds[1::2], strict=True))
            low = tuple(a + i.start * s for a, i, s in zip(block.low, part, self.steps, strict=True))
            shape = block.whole[part].shape
            block.mass[part] *= 1.0 + self._kept(alike[0], low, shape, weight / (total - weight))
            share = float(block.whole[part].sum())
            for route in alike:
                self._note(route, low, shape, share * route.weight / total)
            done.update(map(id, alike))
        return [(route, part) for route, part in routes if id(route) not in done]

    def _note(self, route: Route, low: Values, shape: tuple[int, ...], share: float) -> None:
        """How much a route was gone, and with how much in the purses."""
        route.visits += share
        most = [a + (n - 1) * s for a, n, s in zip(low, shape, self.steps, strict=True)]
        route.most = list(map(max, zip(most, route.most or most, strict=True)))

    def _end(self, route: Route, low: Values, mass: Array) -> None:
        """Note the mass at an end: at its levels, by each of the purses, and by the throws."""
        outcome, purses = -1 - route.way.target, range(len(low))
        self.found.ended[outcome] = self.found.ended.get(outcome, 0.0) + mass.sum(axis=tuple(purses))
        if not route.ends:
            route.ends = [{} for _ in range(len(low) + 1)]
        whole = mass[..., -1]
        for axis, (first, step) in enumerate(zip(low, self.steps, strict=True)):
            by_value = route.ends[axis]
            for i, share in enumerate(whole.sum(axis=tuple(other for other in purses if other != axis)).tolist()):
                if share > 0:
                    by_value[first + i * step] = by_value.get(first + i * step, 0.0) + share
        throws = self.found.throws
        route.ends[-1][throws] = route.ends[-1].get(throws, 0.0) + float(whole.sum())


def _overlap(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Have two boxes anything in common? Of each the bounds, axis by axis."""
    edges = zip(one[::2], one[1::2], other[::2], other[1::2], strict=True)
    return all(a < d and c < b for a, b, c, d in edges)


def _arrived(moves: list[Move], steps: Values) -> tuple[dict[int, Block], float]:
    """The mass at each position, without edges of hardly any; and how much that was."""
    parts: dict[int, list[Move]] = {}
    for move in moves:
        parts.setdefault(move.target, []).append(move)
    blocks, dropped = {}, 0.0
    for position, arriving in parts.items():
        low = tuple(map(min, zip(*(move.low for move in arriving), strict=True)))
        ends = (
            tuple(a + s * n for a, s, n in zip(move.low, steps, move.mass.shape, strict=False)) for move in arriving
        )
        shape = [(h - a) // s for h, a, s in zip(map(max, zip(*ends, strict=True)), low, steps, strict=True)]
        levels = arriving[0].mass.shape[-1]
        if prod(shape) * levels > MOST_CELLS:
            raise NotSmall("there is too much to follow")
        total = np.zeros((*shape, levels))
        for move in arriving:
            first = [(a - b) // s for a, b, s in zip(move.low, low, steps, strict=True)]
            total[tuple(slice(i, i + n) for i, n in zip(first, move.mass.shape, strict=False))] += move.mass
        block, lost = _trimmed(Block(low, total), steps)
        dropped += lost
        if block.mass.size:
            blocks[position] = block
    return blocks, dropped


def _trimmed(block: Block, steps: Values) -> tuple[Block, float]:
    """Without what weighs hardly anything at the edges; and how much that was."""
    mass, low = block.whole, list(block.low)
    part: list[slice] = []
    for axis in range(mass.ndim):
        much = np.flatnonzero(mass.max(axis=tuple(other for other in range(mass.ndim) if other != axis)) > TINY)
        if not len(much):
            return Block(block.low, np.zeros((0,) * block.mass.ndim)), float(mass.sum())
        part.append(slice(int(much[0]), int(much[-1]) + 1))
        low[axis] += int(much[0]) * steps[axis]
    kept = Block(tuple(low), block.mass[tuple(part)])
    return kept, max(0.0, float(mass.sum()) - float(kept.whole.sum()))
