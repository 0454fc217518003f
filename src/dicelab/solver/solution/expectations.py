"""Expected visits, outcome probabilities and sums over an absorbing chain, in floating point, with error bounds.

Let P be the transition probabilities between states. The expected visits n solve ``n = start + n P``; the expected sum
v from each state solves ``v = gain + P v``. Both are solved by passes over one strongly connected component after the
other; a component on which the passes converge slowly is solved by sparse elimination (scipy).

The bounds are rigorous. The equations of v are evaluated once more, with every rounding counted, and what is left of
them is compared with what each step takes from the expected steps (`dicelab.solver.solution.backward.proof_range`). The
residuals of the visits, summed up, bound the error of every probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import PlayError
from dicelab.runtime.arrays import Floats, Integers
from dicelab.solver.solution import backward
from dicelab.solver.solution import loops as sweeps
from dicelab.solver.solution.backward import Process, with_prizes
from dicelab.solver.solution.loops import PASSES
from dicelab.solver.solution.ordering import OrderedEdges, states_of
from dicelab.solver.solution.runs import HalfSteps

ULP = 1.2e-16
"""A little more than the largest relative error of one floating-point operation, 2**-53."""
CONVERGED = 1e-15
"""Largest relative change of a value in the last pass over a component."""

Targets = NDArray[np.int32]


@dataclass(frozen=True)
class Sum:
    """Mean and standard deviation of a sum over a game, and bounds on their errors."""

    mean: float
    sd: float
    mean_error: float
    sd_error: float


class Absorption:
    """The expected visits of a chain, and the outcome probabilities and error bounds that follow from them.

    Parameters
    ----------
    chain
        The chain in order.
    start
        Its first state in that order.
    outcomes
        Number of outcomes.
    """

    def __init__(self, chain: OrderedEdges | HalfSteps, start: int, outcomes: int) -> None:
        self.chain = chain
        self.start = start
        self.chances = np.zeros(outcomes)
        """Probability of each outcome."""
        found = chain.expected_visits() if isinstance(chain, HalfSteps) else None
        self.visits = np.zeros(len(chain.order)) if found is None else found
        """Expected visits of each state."""
        if found is None:
            self._find_visits(as_edges(chain))
        self._end()

    def _find_visits(self, edges: OrderedEdges) -> None:
        pending = np.zeros(len(edges.order))
        pending[self.start] = 1.0
        component, last = 0, len(edges.ends)
        while (component := edges.run(sweeps.expected_visits, component, last, pending, self.visits)) < last:
            self._visits_of_component(edges, component, pending)
            component += 1

    def _visits_of_component(self, edges: OrderedEdges, component: int, pending: Floats) -> None:
        """Compute the expected visits of a component, by elimination; their mass moves on to later components."""
        inside = states_of(edges.ends, component)
        source, target, label = Process.of(edges, edges.chance).edges_of(inside)
        chance = edges.chance[label]
        count = _factored(inside, source, target, chance).solve(pending[inside], trans="T")
        self.visits[inside] += count
        pending[inside] = 0.0
        moved = count[source] * chance
        onward = target >= inside.stop
        np.add.at(pending, target[onward], moved[onward])

    def _end(self) -> None:
        """Set the outcome probabilities; `np.sum` adds pairwise, which keeps the rounding errors small."""
        chain = self.chain
        if isinstance(chain, HalfSteps):
            over, mass = chain.exits(self.visits)
        else:
            last = np.flatnonzero(chain.target < 0)
            source = np.searchsorted(chain.row, last, side="right") - 1
            over = (-1 - chain.target[last]).astype(np.int64)
            mass = self.visits[source] * chain.chance[chain.label[last]]
        for outcome in range(len(self.chances)):
            self.chances[outcome] = np.sum(mass[over == outcome])

    @cached_property
    def imbalance(self) -> float:
        """Bound on the error of every outcome probability."""
        roundings, n = self.chain.roundings, len(self.visits)
        arrives, many = np.zeros(n), np.zeros(n, np.int32)
        arrives[self.start] = 1.0
        if isinstance(self.chain, HalfSteps):
            self.chain.arrivals(self.visits, arrives, many)
        else:
            self.chain.run(sweeps.arrivals, self.visits, arrives, many)
        total = sweeps.fast(sweeps.imbalance, self.chain.edge_count)(arrives, many, roundings, self.visits)
        return float(total) + ULP * (64 + roundings)

    @cached_property
    def _steps(self) -> tuple[Floats, float]:
        """The expected steps from each state, and the largest error of one, as a share of it."""
        one, none = np.ones(len(self.chain.chance)), np.zeros(len(self.chances))
        steps = values(self.chain, one, none)
        off = self._error_per_step(one, none, steps, steps)
        if off == inf:
            raise PlayError("games of this chain last too long for floating point: no error bound can be given")
        return steps, off

    @property
    def steps(self) -> float:
        """Upper bound on the expected number of steps from any state."""
        steps, off = self._steps
        return float(steps.max()) * (1.0 + off)

    def _error_per_step(self, gain: Floats, prize: Floats, value: Floats, steps: Floats) -> float:
        """Return a bound: the error of each of the `values` is at most this, times its expected steps; infinite if none
        is proved.
        """
        if isinstance(self.chain, HalfSteps):
            return self.chain.error_per_step(gain, prize, value, steps)
        process = Process.of(self.chain, gain)
        given = value, prize, steps, process.first, self.chain.roundings, np.empty(0, np.int64)
        least, most = process.run(backward.proof_range, *given)
        return float(least) if least <= most else inf

    def value_of(self, gain: Floats, prize: Floats) -> tuple[Floats, Floats]:
        """Return the `values` of a gain and a prize, and a bound on the error of each."""
        steps, _ = self._steps
        value = values(self.chain, gain, prize)
        return value, self._error_per_step(gain, prize, value, steps) * steps

    def sum_of(self, gain: Floats, value: Floats | None = None) -> Sum:
        """Mean and standard deviation of a tally.

        Parameters
        ----------
        gain
            What each edge adds, by label.
        value
            The `values` of this gain, where they are already known.
        """
        chain, none, (steps, _) = self.chain, np.zeros(len(self.chances)), self._steps
        if value is None:
            value = steps if counts_steps(gain) else values(chain, gain, none)
        off = self._error_per_step(gain, none, value, steps)
        if isinstance(chain, HalfSteps):
            variance, error, largest = chain.variances(gain, value, off * self.steps, self.visits)
        else:
            given = chain.roundings, gain, none, value, off * self.steps, self.visits
            variance, error, largest = chain.run(sweeps.variances, *given)
        error += self.imbalance * largest * self.steps
        sd = sqrt(max(0.0, variance))
        sd_error = min(error / sd if sd > 0.0 else sqrt(error), sqrt(error))
        return Sum(float(value[self.start]), sd, off * float(steps[self.start]), float(sd_error))


def counts_steps(gain: Floats) -> bool:
    """Return whether every edge adds one."""
    return bool((gain == 1.0).all())


def as_edges(chain: OrderedEdges | HalfSteps) -> OrderedEdges:
    """Return the edges of a chain, all at once."""
    return chain.whole() if isinstance(chain, HalfSteps) else chain


def values(chain: OrderedEdges | HalfSteps, gain: Floats, prize: Floats) -> Floats:
    """Return the expected sum from each state to the end: `gain` (labels) of every edge, `prize`
    (outcomes) at the end.
    """
    if isinstance(chain, HalfSteps) and (found := chain.values(gain, prize)) is not None:
        return found
    edges = as_edges(chain)
    process, value, last = Process.of(edges, gain), with_prizes(np.zeros(len(edges.order)), prize), len(edges.ends)
    while (last := _unsettled(process, value, last, PASSES, CONVERGED, 0.0)) >= 0:
        inside = states_of(edges.ends, last)
        value[inside] = eliminated(process, inside, value)
    return value[: len(edges.order)]


def nearly(edges: OrderedEdges, gain: Floats, prize: Floats, enough: float, passes: int) -> Floats:
    """As `values`, but approximate: until no value changes by more than `enough`, or after so many `passes`."""
    process, value, last = Process.of(edges, gain), with_prizes(np.zeros(len(edges.order)), prize), len(edges.ends)
    while (last := _unsettled(process, value, last, passes, 0.0, enough)) >= 0:
        pass  # the component with number `last` stays as it is
    return value[: len(edges.order)]


def _unsettled(process: Process, value: Floats, last: int, *limits: float) -> int:
    return int(process.run(backward.settle, value, 0, last, *limits))


def eliminated(process: Process, inside: slice, value: Floats) -> Floats:
    """Return the values of the states `inside` a component, by sparse elimination; `value` has those of all others.

    No seat chooses there any more: each is the mean over the edges from it.

    Raises
    ------
    RuntimeError
        When the component is never left.
    """
    source, target, label = process.edges_of(inside)
    chance, sign = process.chance[label], process.sign[label]
    here = (target >= inside.start) & (target < inside.stop)
    right = np.zeros(inside.stop - inside.start)
    np.add.at(right, source, chance * (process.gain[label] + np.where(here, 0.0, sign * value[target])))
    return np.asarray(_factored(inside, source, target, chance * sign).solve(right))


def _factored(inside: slice, source: Integers, target: Targets, weight: Floats) -> Any:
    """Return the LU factors of 1 - P for the states `inside` a component (scipy): P has the `weight` of each edge in
    it.
    """
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    here = (target >= inside.start) & (target < inside.stop)
    size = inside.stop - inside.start
    within = csc_array((weight[here], (source[here], target[here] - inside.start)), shape=(size, size))
    return splu((eye_array(size, format="csc") - within).tocsc())
