"""The transitions of a state, each with the range of counter values for which it is valid.

An outcome of a roll does the same for whole ranges of counter values (`dicelab.runtime.states.guarded_transitions`).
The mass of a state is an array over the counters, and a transition moves a rectangular part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import starmap
from math import gcd

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import NotSmall
from dicelab.rules.dice import Outcome
from dicelab.runtime.states.guarded_transitions import GuardedTransition, Regions, Values

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_TRANSITIONS = 2000
"""Limit of the transitions from one state."""


@dataclass
class MassBlock:
    """The probability mass of one state, as an array over the counter values.

    ``mass[i, j, ..., h]`` is the mass with counters ``low[0] + i * steps[0]``, ``low[1] + j * steps[1]``, ..., of games
    that have not passed threshold h (`Thresholds`; without them there is one h).
    """

    low: Values
    mass: Array

    @property
    def whole(self) -> Array:
        """The mass at the last threshold; at lower thresholds there is less."""
        return self.mass[..., -1]


@dataclass
class Transition:
    """A guarded transition, with the joint weight of all outcomes of the roll that lead to it.

    Its probability is ``weight / total``; `visits` is how often it was taken, on average.
    """

    state: int
    way: GuardedTransition
    weight: int
    total: int
    visits: float = 0.0
    most: list[int] = field(default_factory=list)
    """The largest value of each counter before the roll."""
    ends: list[dict[int, float]] = field(default_factory=list)
    """If it ends the game: for each counter the mass by its value before the roll, and last by the number of rolls."""

    @property
    def stays(self) -> bool:
        """Whether it leads back to its state without changing any counter."""
        return self.way.target == self.state and not any(self.way.by)

    def top(self, peak: int) -> int:
        """The largest value to which it raised the `Peak` with this place among those followed."""
        by, axis = self.way.raised[peak]
        return by + (self.most[axis] if axis >= 0 else 0)


class LatticeRefined(Exception):
    """Raised when counters change by smaller multiples than assumed: of `steps`."""

    def __init__(self, steps: Values) -> None:
        self.steps = steps


class Plan:
    """The transitions known for one state; for each outcome of its roll they cover disjoint ranges of the counters."""

    def __init__(self, regions: Regions, state: int) -> None:
        self.regions, self.state = regions, state
        self.outcomes: list[Outcome] = []
        self.ways: list[list[GuardedTransition]] = []
        self.transitions: list[Transition] = []
        self.weight = 1

    def forget(self) -> None:
        """Reset what was counted, but keep the transitions."""
        for transition in self.transitions:
            transition.visits, transition.most, transition.ends = 0.0, [], []

    def moves(self, block: MassBlock, steps: Values) -> list[tuple[Transition, tuple[slice, ...]]]:
        """The transitions that a block of mass takes, each with its part of the block; new ones are found if needed."""
        if not self.outcomes:
            first = _counters(block, steps, int(block.whole.argmax()))
            roll = self.regions.throw(self.state, first)
            self.outcomes, self.weight = list(roll.outcomes), roll.weight
            self.ways = [[] for _ in self.outcomes]
        parts = self._parts(block, steps)
        # every cell with mass must be covered once by each outcome; weights add up to the total of the roll
        covered = sum(transition.weight * np.count_nonzero(block.whole[part]) for transition, part in parts)
        if covered < self.weight * np.count_nonzero(block.whole):
            for outcome, ways in zip(self.outcomes, self.ways, strict=True):
                self._complete(block, steps, outcome.seen, ways)
            self._merge()
            parts = self._parts(block, steps)
        return parts

    def _parts(self, block: MassBlock, steps: Values) -> list[tuple[Transition, tuple[slice, ...]]]:
        if not self.transitions:
            return []
        first, last = _within(block, steps, self._bounds)
        found = []
        for k in np.flatnonzero((first < last).all(axis=1)).tolist():
            part = tuple(slice(i, j) for i, j in zip(first[k].tolist(), last[k].tolist(), strict=True))
            found.append((self.transitions[k], part))
        return found

    def _complete(self, block: MassBlock, steps: Values, seen: Values, ways: list[GuardedTransition]) -> None:
        """Find the transitions of an outcome for all counter values with mass in a block."""
        unknown = block.whole > 0
        for way in ways:
            unknown[_part(block, steps, way)] = False
        while unknown.any():
            way = self.regions.way(self.state, _counters(block, steps, int(unknown.argmax())), seen)
            refined = tuple(starmap(gcd, zip(steps, way.by, strict=True)))
            if refined != steps:
                raise LatticeRefined(refined)
            ways.append(way)
            unknown[_part(block, steps, way)] = False

    def _merge(self) -> None:
        """Set `transitions`: equal guarded transitions of different outcomes become one, their weights added up."""
        weights: dict[GuardedTransition, int] = {}
        for outcome, ways in zip(self.outcomes, self.ways, strict=True):
            for way in ways:
                weights[way] = weights.get(way, 0) + outcome.weight
        old = {transition.way: transition for transition in self.transitions}
        self.transitions = [old.get(way) or Transition(self.state, way, 0, self.weight) for way in weights]
        for transition in self.transitions:  # a known one may have a new outcome, which had no mass until now
            transition.weight = weights[transition.way]
        self._bounds = np.array(
            [(transition.way.low, transition.way.high) for transition in self.transitions], np.int64
        )
        if len(self.transitions) > MOST_TRANSITIONS:
            raise NotSmall("a state has too many transitions")


def _counters(block: MassBlock, steps: Values, place: int) -> Values:
    """The counter values at an index (flat) of a block."""
    at = np.unravel_index(place, block.whole.shape)
    return tuple(a + int(i) * s for a, i, s in zip(block.low, at, steps, strict=True))


def _within(block: MassBlock, steps: Values, bounds: Whole) -> tuple[Whole, Whole]:
    """First index and end, on each axis of a block, of counter values within `bounds`, an array (..., 2, counters)."""
    low, step = np.array(block.low), np.array(steps)
    first, last = -((low - bounds[..., 0, :]) // step), -((low - bounds[..., 1, :]) // step)
    return np.maximum(first, 0), np.minimum(last, block.whole.shape)


def _part(block: MassBlock, steps: Values, way: GuardedTransition) -> tuple[slice, ...]:
    """The part of a block for which a guarded transition is valid."""
    first, last = _within(block, steps, np.array([way.low, way.high], np.int64))
    return tuple(slice(i, max(i, j)) for i, j in zip(first.tolist(), last.tolist(), strict=True))
