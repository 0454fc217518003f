"""The joint distribution of a tally and the outcome, with a bound on the probability that is left out.

A tally that no edge lowers is followed value by value: the mass of all states at one value, then at the next. Others
(money, which rises and falls; a `Peak`, which keeps a maximum) are followed roll by roll, over pairs of state and
value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import gcd, sqrt

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import PlayError, RangeError
from dicelab.limits import LIMITS
from dicelab.rules.fields import MOST_COUNTED, Peak
from dicelab.runtime.arrays import Floats
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.solver.enumeration.model import Graph, merged, ranges
from dicelab.solver.solution import loops as sweeps
from dicelab.solver.solution import run_loops
from dicelab.solver.solution.expectations import as_edges
from dicelab.solver.solution.ordering import OrderedEdges, ordered_by, states_of
from dicelab.solver.solution.runs import HalfSteps

# Tallies too large for floating point: counted in a larger unit, or refused -------------------------------------------
#
# A tally is a whole number within 2**62 of 0 (`dicelab.rules.fields.MOST_COUNTED`). Floating point holds whole numbers
# exactly up to 2**53 only, and sums of tallies may leave 64 bits.

LARGE = 2**40
"""Tallies whose changes are all smaller than this are counted in units of 1."""


def in_units(changes: NDArray[np.int64], name: str) -> tuple[NDArray[np.float64], float]:
    """Return the changes of a tally as floats that hold them exactly, and the unit in which they are counted.

    Raises
    ------
    PlayError
        When no unit makes them fit.
    """
    most = max(map(abs, changes.tolist()), default=0)
    if most < LARGE:
        return changes.astype(np.float64), 1.0
    unit = gcd(*changes.tolist())
    whole = (changes // unit).astype(np.float64)
    if (whole.astype(np.int64) != changes // unit).any():
        raise PlayError(
            f"the tally {name} changes by up to {most:,}, in steps of {unit:,}: too many digits for floating point; "
            "count it in larger units"
        )
    half = 2.0 ** max(0, (most // unit).bit_length() - 40)
    return whole / half, unit * half


def too_far(name: str, value: int) -> RangeError:
    """Return the error for a tally that exceeds `MOST_COUNTED` with a probability too large to neglect."""
    return RangeError(
        f"the tally {name} may reach {value:,}, beyond the limit of {MOST_COUNTED:,}; "
        "count it in larger units, or ask for other tallies only (--tally)"
    )


# What the edges of a chain add to a tally: the one place where changes become rewards ---------------------------------


@dataclass(frozen=True)
class ChainTally:
    """One tally of a chain.

    Attributes
    ----------
    name
        Its name, for messages.
    first
        Its value before the first roll.
    gain
        int64 array (labels): what the edges with a label add; for a `Peak` the value raised to, or `UNRAISED`.
    peak
        Whether it is a `Peak`.
    """

    name: str
    first: int
    gain: NDArray[np.int64]
    peak: bool

    @classmethod
    def of(cls, graph: Graph, k: int, edges: OrderedEdges | HalfSteps | None = None) -> ChainTally:
        """Return the tally with place `k`, by the labels of `edges`; without these, by the rows of
        the graph's changes.
        """
        name, tally = list(graph.game.declared.tallies.items())[k]
        gain = graph.changes[:, k] if edges is None else graph.changes[edges.change, k]
        first, peak = int(graph.changes[graph.start_change, k]), isinstance(tally, Peak)
        return cls(name, max(0, first) if peak else first, np.asarray(gain, np.int64), peak)

    @property
    def moves(self) -> bool:
        """Whether any edge changes it."""
        return bool((self.gain != (UNRAISED if self.peak else 0)).any())

    @property
    def floats(self) -> Floats:
        """`gain` as floating-point numbers."""
        return self.gain.astype(np.float64)


ENOUGH = 1e-13
"""Mass that may still be in play when a distribution is complete."""
TINY = 1e-19
"""Mass of one state at one value, below which it is dropped. In large chains the limit is smaller."""
FIRST_VALUES = 1024
"""Values for which there is room at first."""
MANY_STEPS = 20
"""Rough factor of additional work where states can repeat without a change of the tally, or where the largest step
exceeds this number."""
LARGEST_STEP = 256
"""Largest step, in units, of a tally that is followed value by value; others are followed roll by roll."""
MOST_ROLLS = 100_000
"""Limit of the rolls that are followed one by one."""
SLICE = 2_000_000
"""Edges followed between two checks of whether to stop."""
AT_ONCE = 16
"""Values between two checks of whether to stop, at least; exactly, where the chain has runs."""


@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """Joint distribution of a tally and the outcome.

    Attributes
    ----------
    values
        int64 array: values of probability above 0, rising.
    joint
        float64 array (values, outcomes): probability of value and outcome together.
    left
        Probability of the values that are not listed.
    error
        Bound on the error of every probability and of every sum of them: `left`, and rounding.

    Examples
    --------
    >>> import dicelab
    >>> spread = dicelab.exact("lcr", players=2, coins=1).tallies["turns"].spread
    >>> spread.values[:3].tolist(), spread.joint[0].tolist()
    ([1, 2, 3], [0.0, 0.5])
    """

    values: NDArray[np.int64]
    joint: Floats
    left: float
    error: float = 0.0

    def __repr__(self) -> str:
        return f"<Spread: {len(self.values):,} values, {self.values[0]} to {self.values[-1]}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spread):
            return NotImplemented
        same = np.array_equal(self.values, other.values) and np.array_equal(self.joint, other.joint)
        return same and self.left == other.left

    @cached_property
    def chances(self) -> Floats:
        """Probability of each value."""
        return np.asarray(self.joint.sum(axis=1))

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation of the listed values."""
        mean = float(self.chances @ self.values)
        return mean, sqrt(max(0.0, float(self.chances @ (self.values - mean) ** 2)))

    def percentile(self, p: float) -> int:
        """Smallest value exceeded with probability at most ``1 - p``; the smaller one if the error leaves two."""
        return self._reached(p - self._uncertain)

    def percentile_interval(self, p: float) -> tuple[int, int]:
        """Smallest and largest possible percentile: equal unless the error of a cumulative probability covers `p`."""
        return self._reached(p - self._uncertain), self._reached(p + self._uncertain)

    @property
    def _uncertain(self) -> float:
        return max(self.error, self.left) + 2.4e-16 * (len(self.values) + 1)

    def _reached(self, p: float) -> int:
        at = int(np.searchsorted(np.cumsum(self.chances), p))
        return int(self.values[min(at, len(self.values) - 1)])


Stop = Callable[[float], bool]
"""Called with the mass that is still in play; returns whether to stop."""
Sweep = Callable[[int, Floats], tuple[int, float, float]]
"""Follows some values from one on, and adds to an array (values, outcomes).

Returns the next value, the mass dropped and the mass left.
"""


def spread(
    chain: OrderedEdges | HalfSteps, tally: ChainTally, outcomes: int, stop: Stop = lambda left: False
) -> Spread | None:
    """Distribution of one tally; None where it takes too much memory or time, or when `stop` returns true.

    Parameters
    ----------
    chain
        The chain, in any order; those that have runs take less time.
    tally
        What its edges add to the tally.
    outcomes
        Number of outcomes.
    stop
        Called repeatedly.

    Raises
    ------
    RangeError
        When the tally may exceed `MOST_COUNTED`.
    """
    gain, first = tally.gain, tally.first
    sizes: list[int] = np.abs(gain[gain != UNRAISED]).tolist()
    unit = gcd(*sizes) or 1
    falls = bool(len(gain)) and gain.max() <= 0
    step = (-gain if falls else gain) // unit
    deepest = int(step.max(initial=0))
    fits = deepest <= LARGEST_STEP and (deepest + 1) * len(chain.order) <= max(LIMITS.spread_numbers, chain.edge_count)
    if tally.peak or step.min(initial=0) < 0 or not fits:
        return _by_roll(as_edges(chain), tally, outcomes, stop)
    if isinstance(chain, HalfSteps) and (step > 0).all():
        sweep = _by_runs(chain, step)
    else:
        sweep = _by_level(as_edges(chain), step, deepest)
    if (followed := _followed(sweep, deepest, outcomes, stop)) is None:
        return None
    pmf, left = followed
    reached = np.flatnonzero(pmf.any(axis=1))
    most, by = (MOST_COUNTED + first) // unit if falls else (MOST_COUNTED - first) // unit, -unit if falls else unit
    left += _within_limit(float(pmf[reached[reached > most]].sum()), tally.name, first + (most + 1) * by)
    reached = reached[reached <= most]
    values = first + reached * by
    order = np.argsort(values)
    return Spread(values[order], pmf[reached][order], float(left))


def _within_limit(beyond: float, name: str, value: int) -> float:
    """Return the mass `beyond` of values beyond `MOST_COUNTED`, for example `value`.

    Raises
    ------
    RangeError
        When it exceeds `LIMITS.dropped_mass`.
    """
    if beyond > LIMITS.dropped_mass:
        raise too_far(name, value)
    return beyond


def _followed(sweep: Sweep, deepest: int, outcomes: int, stop: Stop) -> tuple[Floats, float] | None:
    """Probability of each value and outcome, and the probability left out; None where it takes too much memory."""
    pmf, level, dropped, left = np.zeros((FIRST_VALUES, outcomes)), 0, 0.0, 1.0
    while left > ENOUGH:
        if level + AT_ONCE + deepest > len(pmf):
            if 2 * pmf.size > LIMITS.spread_values:
                return None
            pmf = np.concatenate((pmf, np.zeros_like(pmf)))
        level, more, left = sweep(level, pmf)
        dropped += more
        if stop(left) or dropped > LIMITS.dropped_mass:
            return None
    return pmf, dropped + left


def _by_level(edges: OrderedEdges, step: NDArray[np.int64], deepest: int) -> Sweep:
    """Return the values by `loops.levels`."""
    by = ordered_by(edges, step == 0)
    n, edge_count = len(by.order), len(by.target)
    ring = np.zeros((deepest + 1) * n)
    ring[by.start] = 1.0
    much = MANY_STEPS if (step == 0).any() or deepest > MANY_STEPS else 1

    def sweep(level: int, pmf: Floats) -> tuple[int, float, float]:
        levels = sweeps.fast(sweeps.levels, edge_count * max(much, level // FIRST_VALUES))
        last = level + max(AT_ONCE, SLICE // edge_count)
        followed: tuple[int, float, float] = levels(by.arrays, step, deepest, level, last, _tiny(n), ENOUGH, ring, pmf)
        return followed

    return sweep


def _tiny(states: int) -> float:
    """Return the mass of one state at one value, below which it is dropped."""
    return min(TINY, LIMITS.dropped_mass / (100.0 * states))


def _by_runs(runs: HalfSteps, step: NDArray[np.int64]) -> Sweep:
    """Return the values by `run_loops.levels`, where each edge adds something."""
    n, step = len(runs.order), runs.by_change(step)
    wait, places = np.maximum(step - 1, 0), pairwise([0, *runs.place_ends.tolist()])
    late_ends = np.cumsum([wait[runs.place_change[slice(*inside)]].sum() for inside in places])
    parts = [(states_of(runs.ends, b), states_of(late_ends, b)) for b in range(len(runs.ends))]
    mass, late, y = np.zeros(n), np.zeros(int(late_ends[-1])), np.zeros(len(runs.leads))
    mass[runs.start] = 1.0

    def sweep(level: int, pmf: Floats) -> tuple[int, float, float]:
        busy = next((b for b, (now, then) in enumerate(parts) if mass[now].any() or late[then].any()), len(parts))
        last = level + AT_ONCE
        dropped = runs.run(run_loops.levels, step, level, last, busy, _tiny(n), mass, late, late_ends, y, pmf)
        return last, dropped, float(mass.sum() + late.sum())

    return sweep


def _by_roll(edges: OrderedEdges, tally: ChainTally, outcomes: int, stop: Stop) -> Spread | None:
    """Follow the mass of all pairs of state and value, roll by roll.

    ``state[i], value[i]`` are the pairs, all different, and ``mass[i]`` their probabilities; `ended` holds the same for
    finished games, by outcome. Each roll replaces a pair by one pair for each edge of its state, then adds up equals.
    """
    counts, update = np.diff(edges.row), np.maximum if tally.peak else np.add
    state, value, mass = np.array([edges.start]), np.array([tally.first], np.int64), np.ones(1)
    ended = merged(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    dropped, beyond, rolls = 0.0, 0.0, 0
    while (left := float(mass.sum())) > ENOUGH:
        many = counts[state]
        rolls += 1
        large = rolls > MOST_ROLLS or many.sum() + len(ended[0]) > LIMITS.spread_values
        if stop(left) or large or dropped > LIMITS.dropped_mass:
            return None
        edge = ranges(edges.row[state], many)  # all edges of all pairs
        label = edges.label[edge]
        value = np.asarray(update(np.repeat(value, many), tally.gain[label]))
        mass = np.repeat(mass, many) * edges.chance[label]
        state = edges.target[edge].astype(np.int64)
        far = (value > MOST_COUNTED) | (value < -MOST_COUNTED)  # a sum of two wraps around to -2**63 at most
        if far.any():
            beyond = _within_limit(beyond + float(mass[far].sum()), tally.name, int(value[far][0]))
            state, value, mass = state[~far], value[~far], mass[~far]
        over = state < 0
        now = -1 - state[over], value[over], mass[over]
        ended = merged(*(np.concatenate(parts) for parts in zip(ended, now, strict=True)))
        state, value, mass = merged(state[~over], value[~over], mass[~over])
        small = mass <= TINY
        dropped += float(mass[small].sum())
        state, value, mass = state[~small], value[~small], mass[~small]
    outcome, reached, mass = ended
    values, place = np.unique(reached, return_inverse=True)
    joint = np.zeros((len(values), outcomes))
    np.add.at(joint, (place, outcome), mass)
    return Spread(values, joint, float(dropped + beyond + left))
