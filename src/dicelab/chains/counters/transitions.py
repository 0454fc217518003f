"""Which ways the mass of a position goes, its purses beside it.

The ways of a throw are alike for whole ranges of what purses hold (`dicelab.states.guarded_transitions`): a route is
such a way, and it moves a part of an array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import starmap
from math import gcd

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import NotSmall
from dicelab.rules.dice import Outcome
from dicelab.states.guarded_transitions import GuardedTransition, Regions, Values

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_ROUTES = 2000
"""Routes from one position, at the most."""


@dataclass
class Block:
    """The mass at one position: `mass` over the purses from `low` on, in steps, and last over levels (`Levels`)."""

    low: Values
    mass: Array

    @property
    def whole(self) -> Array:
        """The mass at the last level; at the others there is some of it."""
        return self.mass[..., -1]


@dataclass
class Route:
    """A way, for all outcomes that go it: they weigh `weight` of `total`."""

    position: int
    way: GuardedTransition
    weight: int
    total: int
    visits: float = 0.0
    most: list[int] = field(default_factory=list)
    """The most that each purse held before the throw."""
    ends: list[dict[int, float]] = field(default_factory=list)
    """Where the game is over: for each purse the mass by what it held before the throw, and last by throws."""

    @property
    def stays(self) -> bool:
        """It leads back, and nothing is won or lost."""
        return self.way.target == self.position and not any(self.way.by)

    def top(self, peak: int) -> int:
        """The most to which it raised a `Peak` that is followed."""
        by, axis = self.way.raised[peak]
        return by + (self.most[axis] if axis >= 0 else 0)


class Finer(Exception):
    """The purses change by less than was thought: by multiples of `steps`."""

    def __init__(self, steps: Values) -> None:
        self.steps = steps


class Plan:
    """The ways from one position: for each outcome of its throw those that were met, for purses apart."""

    def __init__(self, regions: Regions, position: int) -> None:
        self.regions, self.position = regions, position
        self.outcomes: list[Outcome] = []
        self.ways: list[list[GuardedTransition]] = []
        self.routes: list[Route] = []
        self.weight = 1

    def forget(self) -> None:
        """Begin anew, the ways being known."""
        for route in self.routes:
            route.visits, route.most, route.ends = 0.0, [], []

    def moves(self, block: Block, steps: Values) -> list[tuple[Route, tuple[slice, ...]]]:
        """The routes from the purses of a block, and the parts of it that take them; a way that is new is found."""
        if not self.outcomes:
            first = _purses(block, steps, int(block.whole.argmax()))
            thrown = self.regions.throw(self.position, first)
            self.outcomes, self.weight = list(thrown.outcomes), thrown.weight
            self.ways = [[] for _ in self.outcomes]
        parts = self._parts(block, steps)
        covered = sum(route.weight * np.count_nonzero(block.whole[part]) for route, part in parts)
        if covered < self.weight * np.count_nonzero(block.whole):
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

    def _complete(self, block: Block, steps: Values, seen: Values, ways: list[GuardedTransition]) -> None:
        """Find the ways of an outcome from all purses that there are in a block."""
        unknown = block.whole > 0
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
        weights: dict[GuardedTransition, int] = {}
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
    at = np.unravel_index(place, block.whole.shape)
    return tuple(a + int(i) * s for a, i, s in zip(block.low, at, steps, strict=True))


def _within(block: Block, steps: Values, bounds: Whole) -> tuple[Whole, Whole]:
    """Where in a block bounds begin and end; `bounds` is an array (..., 2, purses)."""
    low, step = np.array(block.low), np.array(steps)
    first, last = -((low - bounds[..., 0, :]) // step), -((low - bounds[..., 1, :]) // step)
    return np.maximum(first, 0), np.minimum(last, block.whole.shape)


def _part(block: Block, steps: Values, way: GuardedTransition) -> tuple[slice, ...]:
    """The part of a block that is within the bounds of a way."""
    first, last = _within(block, steps, np.array([way.low, way.high], np.int64))
    return tuple(slice(i, max(i, j)) for i, j in zip(first.tolist(), last.tolist(), strict=True))
