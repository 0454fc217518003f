"""The whole distribution of a tally, jointly with the outcome, up to a stated mass that is left out.

A tally that no edge lowers is followed value by value, each position at each value once. Others (money, which rises and
falls; a `Peak`, of which the largest counts) are followed throw by throw, over pairs of position and value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import gcd, sqrt

import numpy as np
from numpy.typing import NDArray

from dicelab.chains import loops as sweeps
from dicelab.chains.amounts import too_far
from dicelab.chains.ordering import Edges, ordered_by
from dicelab.rules.fields import MOST_COUNTED
from dicelab.states.explorer import UNRAISED

ENOUGH = 1e-13
"""Mass that may be left out at the end of a distribution."""
MOST_DROPPED = 8e-13
"""Mass that may be dropped on the way; a distribution that would lose more is not given."""
TINY = 1e-19
"""Mass, of one position at one value, that is not followed any further; it is added to what is left out. In large
chains it is less."""
LIKE = 1 << 16
"""Twice as many different rows of labels are looked for."""
FIRST_VALUES = 1024
LOOPS = 20
"""How many times more there is to do, roughly, where positions can lead back without a change of the tally, or where
the steps are larger than this."""
LARGEST_STEP, MOST_NUMBERS = 256, 20_000_000
"""Largest step, in units, of a tally that is followed value by value, and the numbers that may be held meanwhile (more
where there are as many edges); others are followed throw by throw."""
MOST_VALUES = 4_000_000
"""Values of a distribution, and pairs of position and value that are followed at once, at the most: more do not fit."""
MOST_THROWS = 100_000
"""Throws that are followed one by one, at the most."""
SLICE = 2_000_000
"""Edges that may be met between two looks at whether to stop."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spread:
    """Distribution of a tally.

    Attributes
    ----------
    values
        int64 array: values of probability above 0, rising.
    joint
        float64 array (values, outcomes): probability of value and outcome together.
    left
        Probability that is not accounted for.
    error
        Bound on the error of every probability, sums of them included: what is left, and rounding.
    """

    values: NDArray[np.int64]
    joint: Numbers
    left: float
    error: float = 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spread):
            return NotImplemented
        same = np.array_equal(self.values, other.values) and np.array_equal(self.joint, other.joint)
        return same and self.left == other.left

    @cached_property
    def chances(self) -> Numbers:
        """Probability of each value."""
        return np.asarray(self.joint.sum(axis=1))

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation, without what is left out."""
        mean = float(self.chances @ self.values)
        return mean, sqrt(max(0.0, float(self.chances @ (self.values - mean) ** 2)))

    def percentile(self, p: float) -> int:
        """Smallest value that is exceeded with probability ``1 - p`` at the most; of two that may be, the smaller."""
        return self._reached(p - self._uncertain)

    def percentile_interval(self, p: float) -> tuple[int, int]:
        """Between which values a percentile lies: one and the same, unless `p` is as close as the error to a sum."""
        return self._reached(p - self._uncertain), self._reached(p + self._uncertain)

    @property
    def _uncertain(self) -> float:
        return max(self.error, self.left) + 2.4e-16 * (len(self.values) + 1)

    def _reached(self, p: float) -> int:
        at = int(np.searchsorted(np.cumsum(self.chances), p))
        return int(self.values[min(at, len(self.values) - 1)])


Stop = Callable[[], bool]
"""Is the work to be stopped?"""


def spread(
    edges: Edges,
    start: int,
    gain: NDArray[np.int64],
    first: int,
    peak: bool,
    outcomes: int,
    stop: Stop = lambda: False,
    name: str = "tally",
) -> Spread | None:
    """Distribution of one tally; None where it takes too much memory or time, or when told to stop.

    Parameters
    ----------
    edges, start
        The chain, and its first position.
    gain
        int64 array (labels): what the edges with a label add, or raise a `Peak` to.
    first
        Value at the start.
    peak
        The tally is a `Peak`.
    outcomes
        Number of outcomes.
    stop
        Asked now and then.
    name
        For messages.

    Raises
    ------
    RangeError
        When the tally may leave the range that is counted.
    """
    sizes: list[int] = np.abs(gain[gain != UNRAISED]).tolist()
    unit = gcd(*sizes) or 1
    falls = bool(len(gain)) and gain.max() <= 0
    step = (-gain if falls else gain) // unit
    deepest = int(step.max(initial=0))
    fits = deepest <= LARGEST_STEP and (deepest + 1) * len(edges.order) <= max(MOST_NUMBERS, len(edges.target))
    if peak or step.min(initial=0) < 0 or not fits:
        return _by_throw(edges, start, gain, first, np.maximum if peak else np.add, outcomes, stop, name)
    found = _by_level(edges, start, step, deepest, outcomes, stop)
    if found is None:
        return None
    pmf, left = found
    reached = np.flatnonzero(pmf.any(axis=1))
    most, by = (MOST_COUNTED + first) // unit if falls else (MOST_COUNTED - first) // unit, -unit if falls else unit
    left += _within_limit(float(pmf[reached[reached > most]].sum()), name, first + (most + 1) * by)
    reached = reached[reached <= most]
    values = first + reached * by
    order = np.argsort(values)
    return Spread(values[order], pmf[reached][order], float(left))


def _within_limit(beyond: float, name: str, value: int) -> float:
    """The mass of values too far from 0, of which `value` is one.

    Raises
    ------
    RangeError
        When it is more than may be left out.
    """
    if beyond > MOST_DROPPED:
        raise too_far(name, value)
    return beyond


def _by_level(
    edges: Edges, start: int, step: NDArray[np.int64], deepest: int, outcomes: int, stop: Stop
) -> tuple[Numbers, float] | None:
    """Probability of each value and outcome, and what is left out."""
    by = ordered_by(edges, step == 0)
    n, edge_count = len(by.order), len(by.target)
    begin = start if by.order is edges.order else int(np.flatnonzero(by.order == edges.order[start])[0])
    ring, pmf = np.zeros((deepest + 1) * n), np.zeros((max(FIRST_VALUES, 2 * deepest), outcomes))
    ring[begin] = 1.0
    first = np.empty(n, np.int64)
    edges.run(sweeps.alike, by.row, by.label, np.full(LIKE, -1, np.int32), first)
    given = by.row, by.target, by.label, first, by.chance, by.leave, step, deepest, by.ends
    tiny = min(TINY, MOST_DROPPED / (100.0 * n))
    much = LOOPS if len(by.ends) < n or deepest > LOOPS else 1
    level, dropped, left = 0, 0.0, 1.0
    while left > ENOUGH:
        sweep = sweeps.fast(sweeps.levels, edge_count * max(much, level // FIRST_VALUES))
        last = level + max(16, SLICE // edge_count)
        level, more, left = sweep(*given, level, last, tiny, ENOUGH, ring, pmf)
        dropped += more
        if stop() or dropped > MOST_DROPPED:
            return None
        if left > ENOUGH and level + deepest >= len(pmf):
            if 2 * pmf.size > MOST_VALUES:
                return None
            pmf = np.concatenate((pmf, np.zeros_like(pmf)))
    return pmf, dropped + left


Update = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]


def _by_throw(
    edges: Edges, start: int, gain: NDArray[np.int64], first: int, update: Update, outcomes: int, stop: Stop, name: str
) -> Spread | None:
    """Follow the pairs of position and value, throw by throw."""
    counts = np.diff(edges.row)
    state, value, mass = np.array([start]), np.array([first], np.int64), np.ones(1)
    ended = _merged(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    dropped, beyond, throws = 0.0, 0.0, 0
    while (left := float(mass.sum())) > ENOUGH:
        many = counts[state]
        throws += 1
        if stop() or throws > MOST_THROWS or many.sum() + len(ended[0]) > MOST_VALUES or dropped > MOST_DROPPED:
            return None
        edge = np.arange(many.sum()) + np.repeat(edges.row[state] - np.cumsum(many) + many, many)
        label = edges.label[edge]
        value = update(np.repeat(value, many), gain[label])
        mass = np.repeat(mass, many) * edges.chance[label]
        state = edges.target[edge].astype(np.int64)
        far = (value > MOST_COUNTED) | (value < -MOST_COUNTED)  # 2**62 twice comes to -2**63
        if far.any():
            beyond = _within_limit(beyond + float(mass[far].sum()), name, int(value[far][0]))
            state, value, mass = state[~far], value[~far], mass[~far]
        over = state < 0
        now = -1 - state[over], value[over], mass[over]
        ended = _merged(*(np.concatenate(parts) for parts in zip(ended, now, strict=True)))
        state, value, mass = _merged(state[~over], value[~over], mass[~over])
        small = mass <= TINY
        dropped += float(mass[small].sum())
        state, value, mass = state[~small], value[~small], mass[~small]
    outcome, reached, mass = ended
    values, place = np.unique(reached, return_inverse=True)
    joint = np.zeros((len(values), outcomes))
    np.add.at(joint, (place, outcome), mass)
    return Spread(values, joint, float(dropped + beyond + left))


def _merged(
    one: NDArray[np.int64], other: NDArray[np.int64], mass: Numbers
) -> tuple[NDArray[np.int64], NDArray[np.int64], Numbers]:
    """Equal pairs become one, their masses added up."""
    if not len(mass):
        return one, other, mass
    order = np.lexsort((other, one))
    one, other, mass = one[order], other[order], mass[order]
    new = np.concatenate(([True], (one[1:] != one[:-1]) | (other[1:] != other[:-1])))
    return one[new], other[new], np.add.reduceat(mass, np.flatnonzero(new))
