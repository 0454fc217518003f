"""Exact answers with the purses beside the positions: the mass at each position is an array over what they hold.

A session at a casino has few positions, and much money that may be left at each. The ways of a throw are alike for
whole ranges of it (`dicelab.engines.regions`), so a throw moves blocks of the arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import starmap
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.numbering import Met
from dicelab.engines.regions import Regions, Values, Way
from dicelab.engines.small import NotSmall
from dicelab.rules.dice import Outcome

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Told = Callable[[int, int], None]
"""Told the positions found so far, and the throws followed."""

ENOUGH = 1e-13
"""Mass that may be left in play at the end."""
TINY = 1e-19
"""Mass of so little at the edges of an array is not followed any further."""
MOST_CELLS, MOST_MOVES, MOST_ROUTES = 4_000_000, 2_000_000, 2000
"""Numbers in all arrays together, parts of them that are moved, and routes from one position, at the most."""
LONG = 2000
"""Throws after which there must be more to a game than its length."""


@dataclass
class Block:
    """The mass at one position: `mass` over the purses from `low` on, in steps."""

    low: Values
    mass: Array


@dataclass
class Route:
    """A way, for all outcomes that go it: they weigh `weight` of `total`."""

    position: int
    way: Way
    weight: int
    total: int
    visits: float = 0.0
    ends: list[dict[int, float]] = field(default_factory=list)
    """Where the game is over: for each purse the mass by what it held before the throw, and last by throws."""


@dataclass
class Followed:
    """All that went on until nothing was left.

    Attributes
    ----------
    routes
        All that was met, with their visits.
    begin
        Position and purses at the first throw, and what was counted until then.
    throws
        Throws followed.
    cells
        Pairs of position and purses that were met at the same time, at the most.
    moves
        Parts of arrays that were moved.
    parts
        Arrays that were added up to one, at the most.
    left
        Mass that is not accounted for.
    """

    routes: list[Route]
    begin: tuple[int, Values, Values]
    throws: int = 0
    cells: int = 0
    moves: int = 0
    parts: int = 0
    left: float = 0.0


class Finer(Exception):
    """The purses change by less than was thought: by multiples of `steps`."""

    def __init__(self, steps: Values) -> None:
        self.steps = steps


def follow(regions: Regions, steps: Values, told: Told = lambda found, throws: None) -> Followed:
    """Follow the mass from the start to the end, throw by throw.

    Parameters
    ----------
    regions
        The ways.
    steps
        For each purse a number of which all its changes seem to be multiples.
    told
        May raise `dicelab.engines.chunks.Stopped`.

    Raises
    ------
    NotSmall
        When that takes too much time or memory.
    """
    plans: dict[int, Plan] = {}
    while True:
        try:
            return _follow(regions, plans, steps, told)
        except Finer as finer:
            steps = finer.steps
        except Met:
            raise NotSmall("its rules look at too much") from None


def _follow(regions: Regions, plans: dict[int, Plan], steps: Values, told: Told) -> Followed:
    position, purses, counted = regions.begin
    for plan in plans.values():
        plan.forget()
    found = Followed([], (position, purses, counted))
    here = {position: Block(purses, np.ones((1,) * len(purses)))}
    while here:
        found.throws += 1
        found.cells = max(found.cells, sum(block.mass.size for block in here.values()))
        long = found.throws > max(LONG, found.cells)  # a chain of so few positions is solved sooner as such
        if long or found.cells > MOST_CELLS or found.moves > MOST_MOVES:
            raise NotSmall("there is too much to follow")
        moves: list[tuple[Route, Values, Array]] = []
        for number, block in here.items():
            plan = plans.setdefault(number, Plan(regions, number))
            for route, part in plan.moves(block, steps):
                moved = block.mass[part] * (route.weight / route.total)
                if not (share := float(moved.sum())):
                    continue  # the block has gaps
                low = tuple(a + i.start * s for a, i, s in zip(block.low, part, steps, strict=True))
                route.visits += share
                if route.way.target < 0:
                    _end(route, low, steps, moved, found.throws)
                else:
                    moves.append((route, tuple(map(sum, zip(low, route.way.by, strict=True))), moved))
        found.moves += len(moves)
        arriving = Counter(route.way.target for route, _, _ in moves)
        found.parts = max(found.parts, *arriving.values(), 0)
        here, dropped = _arrived(moves, steps)
        found.left += dropped
        told(len(regions.positions.things), found.throws)
        if (rest := sum(float(block.mass.sum()) for block in here.values())) < ENOUGH:
            found.left += rest
            break
    found.routes = [route for plan in plans.values() for route in plan.routes]
    return found


def _end(route: Route, low: Values, steps: Values, mass: Array, throws: int) -> None:
    """Note the mass at an end by each of the purses, and by the throws."""
    if not route.ends:
        route.ends = [{} for _ in range(len(low) + 1)]
    for axis, (first, step) in enumerate(zip(low, steps, strict=True)):
        others = tuple(other for other in range(len(low)) if other != axis)
        by_value = route.ends[axis]
        for i, share in enumerate(mass.sum(axis=others).tolist()):
            if share > 0:
                by_value[first + i * step] = by_value.get(first + i * step, 0.0) + share
    route.ends[-1][throws] = route.ends[-1].get(throws, 0.0) + float(mass.sum())


def _arrived(moves: list[tuple[Route, Values, Array]], steps: Values) -> tuple[dict[int, Block], float]:
    """The mass at each position after a throw, without edges of hardly any; and how much that was."""
    parts: dict[int, list[tuple[Values, Array]]] = {}
    for route, low, mass in moves:
        parts.setdefault(route.way.target, []).append((low, mass))
    blocks, dropped = {}, 0.0
    for position, arriving in parts.items():
        low = tuple(map(min, zip(*(low for low, _ in arriving), strict=True)))
        high = (tuple(a + s * n for a, s, n in zip(at, steps, mass.shape, strict=True)) for at, mass in arriving)
        shape = [(h - a) // s for h, a, s in zip(map(max, zip(*high, strict=True)), low, steps, strict=True)]
        if prod(shape) > MOST_CELLS:
            raise NotSmall("there is too much to follow")
        total = np.zeros(shape)
        for at, mass in arriving:
            first = [(a - b) // s for a, b, s in zip(at, low, steps, strict=True)]
            total[tuple(slice(i, i + n) for i, n in zip(first, mass.shape, strict=True))] += mass
        block, lost = _trimmed(Block(low, total), steps)
        dropped += lost
        if block.mass.size:
            blocks[position] = block
    return blocks, dropped


def _trimmed(block: Block, steps: Values) -> tuple[Block, float]:
    """Without what weighs hardly anything at the edges; and how much that was."""
    mass, low = block.mass, list(block.low)
    before = float(mass.sum())
    for axis in range(mass.ndim):
        others = tuple(other for other in range(mass.ndim) if other != axis)
        much = np.flatnonzero(mass.max(axis=others) > TINY)
        if not len(much):
            return Block(block.low, np.zeros((0,) * mass.ndim)), before
        low[axis] += int(much[0]) * steps[axis]
        mass = mass[(slice(None),) * axis + (slice(int(much[0]), int(much[-1]) + 1),)]
    return Block(tuple(low), mass), max(0.0, before - float(mass.sum()))


class Plan:
    """The ways from one position: for each outcome of its throw those that were met, for purses apart."""

    def __init__(self, regions: Regions, position: int) -> None:
        self.regions, self.position = regions, position
        self.outcomes: list[Outcome] = []
        self.ways: list[list[Way]] = []
        self.routes: list[Route] = []
        self.weight = 1

    def forget(self) -> None:
        """Begin anew, the ways being known."""
        for route in self.routes:
            route.visits, route.ends = 0.0, []

    def moves(self, block: Block, steps: Values) -> list[tuple[Route, tuple[slice, ...]]]:
        """The routes from the purses of a block, and the parts of it that take them; a way that is new is found."""
        if not self.outcomes:
            first = _purses(block, steps, int(block.mass.argmax()))
            thrown = self.regions.throw(self.position, first)
            self.outcomes, self.weight = list(thrown.outcomes), thrown.weight
            self.ways = [[] for _ in self.outcomes]
        parts = self._parts(block, steps)
        covered = sum(route.weight * np.count_nonzero(block.mass[part]) for route, part in parts)
        if covered < self.weight * np.count_nonzero(block.mass):
            for outcome, ways in zip(self.outcomes, self.ways, strict=True):
                self._complete(block, steps, outcome.seen, ways)
            self._merge()
            parts = self._parts(block, steps)
        return parts

    def _parts(self, block: Block, steps: Values) -> list[tuple[Route, tuple[slice, ...]]]:
        if not self.routes:
            return []
        first, last = _within(block, steps, self._bounds)
        found = []
        for k in np.flatnonzero((first < last).all(axis=1)).tolist():
            part = tuple(slice(i, j) for i, j in zip(first[k].tolist(), last[k].tolist(), strict=True))
            found.append((self.routes[k], part))
        return found

    def _complete(self, block: Block, steps: Values, seen: Values, ways: list[Way]) -> None:
        """Find the ways of an outcome from all purses that there are in a block."""
        unknown = block.mass > 0
        for way in ways:
            unknown[_part(block, steps, way)] = False
        while unknown.any():
            way = self.regions.way(self.position, _purses(block, steps, int(unknown.argmax())), seen)
            finer = tuple(starmap(gcd, zip(steps, way.by, strict=True)))
            if finer != steps:
                raise Finer(finer)
            ways.append(way)
            unknown[_part(block, steps, way)] = False

    def _merge(self) -> None:
        """Routes: ways that are alike, whatever the outcome."""
        weights: dict[Way, int] = {}
        for outcome, ways in zip(self.outcomes, self.ways, strict=True):
            for way in ways:
                weights[way] = weights.get(way, 0) + outcome.weight
        old = {route.way: route for route in self.routes}
        self.routes = [old.get(way) or Route(self.position, way, 0, self.weight) for way in weights]
        for route in self.routes:  # what an outcome now adds to one of before did not occur before
            route.weight = weights[route.way]
        self._bounds = np.array([(route.way.low, route.way.high) for route in self.routes], np.int64)
        if len(self.routes) > MOST_ROUTES:
            raise NotSmall("its ways are too many")


def _purses(block: Block, steps: Values, place: int) -> Values:
    """The purses at a place of a block."""
    at = np.unravel_index(place, block.mass.shape)
    return tuple(a + int(i) * s for a, i, s in zip(block.low, at, steps, strict=True))


def _within(block: Block, steps: Values, bounds: Whole) -> tuple[Whole, Whole]:
    """Where in a block bounds begin and end; `bounds` is an array (..., 2, purses)."""
    low, step = np.array(block.low), np.array(steps)
    first, last = -((low - bounds[..., 0, :]) // step), -((low - bounds[..., 1, :]) // step)
    return np.maximum(first, 0), np.minimum(last, block.mass.shape)


def _part(block: Block, steps: Values, way: Way) -> tuple[slice, ...]:
    """The part of a block that is within the bounds of a way."""
    first, last = _within(block, steps, np.array([way.low, way.high], np.int64))
    return tuple(slice(i, max(i, j)) for i, j in zip(first.tolist(), last.tolist(), strict=True))
