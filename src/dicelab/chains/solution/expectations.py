"""Expected visits, outcome probabilities and sums over an absorbing chain, in floating point, with error bounds.

Let P be the transition probabilities between states. The expected visits n solve ``n = start + n P``; the expected sum
v from each state solves ``v = gain + P v``. Both are solved by passes over one strongly connected component after the
other; a component on which the passes converge slowly is solved by sparse elimination (scipy).

The bounds are rigorous. If w is a vector with ``w - P w >= c > 0``, then from state s a game lasts at most
``w[s] / c`` steps on average. The equations of v are therefore evaluated once more, with every rounding counted; if
no residual exceeds r, no value is off by more than ``r w / c``. The residuals of the visits, summed up, bound the
error of every probability. (The residual r alone is no error bound: a game may last long.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from dicelab.chains.solution import loops as sweeps
from dicelab.chains.solution.ordering import Edges, Numbers
from dicelab.chains.solution.runs import Runs
from dicelab.errors import PlayError

ULP = 1.2e-16
"""A little more than the largest relative error of one floating-point operation, 2**-53."""


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
    edges
        The chain in order.
    start
        Its first state in that order.
    outcomes
        Number of outcomes.
    runs
        The same chain in half-steps, which take less time, where it has runs.
    """

    def __init__(self, edges: Edges, start: int, outcomes: int, runs: Runs | None = None) -> None:
        self.edges = edges
        self.start = start
        self.runs = runs
        self.chances = np.zeros(outcomes)
        """Probability of each outcome."""
        found = runs.expected_visits(edges) if runs is not None else None
        self.visits = np.zeros(len(edges.order)) if found is None else found
        """Expected visits of each state."""
        if found is None:
            self._find_visits()
        self._end()

    def _find_visits(self) -> None:
        edges = self.edges
        pending = np.zeros(len(edges.order))
        pending[self.start] = 1.0
        given = (
            edges.ends,
            edges.row,
            edges.target,
            edges.label,
            edges.chance,
            edges.exit_probability,
            pending,
            self.visits,
        )
        component, last = 0, len(edges.ends)
        while (component := edges.run(sweeps.expected_visits, component, last, *given)) < last:
            self._visits_of_component(component, pending)
            component += 1

    def _visits_of_component(self, component: int, pending: Numbers) -> None:
        """The expected visits of a component, by elimination; their mass moves on to later components."""
        from scipy.sparse.linalg import splu

        edges = self.edges
        inside = slice(int(edges.ends[component - 1]) if component else 0, int(edges.ends[component]))
        count = splu(_component_matrix(edges, inside)).solve(pending[inside], trans="T")
        self.visits[inside] += count
        pending[inside] = 0.0
        span = slice(int(edges.row[inside.start]), int(edges.row[inside.stop]))
        target = edges.target[span]
        moved = np.repeat(count, np.diff(edges.row[inside.start : inside.stop + 1])) * edges.chance[edges.label[span]]
        onward = target >= inside.stop
        np.add.at(pending, target[onward], moved[onward])

    def _end(self) -> None:
        """Set the outcome probabilities; `np.sum` adds pairwise, which keeps the rounding errors small."""
        edges = self.edges
        last = np.flatnonzero(edges.target < 0)
        source = np.searchsorted(edges.row, last, side="right") - 1
        arrives = self.visits[source] * edges.chance[edges.label[last]]
        for outcome in range(len(self.chances)):
            self.chances[outcome] = np.sum(arrives[edges.target[last] == -1 - outcome])

    @cached_property
    def imbalance(self) -> float:
        """Bound on the error of every outcome probability."""
        edges = self.edges
        scratch = np.zeros(len(self.visits)), np.zeros(len(self.visits))
        given = edges.row, edges.target, edges.label, edges.chance, edges.roundings, self.start, self.visits, *scratch
        return float(edges.run(sweeps.imbalance, *given)) + ULP * (64 + edges.roundings)

    @cached_property
    def _steps(self) -> tuple[Numbers, float]:
        """An upper bound on the expected steps from each state, as a numerator for each and one denominator."""
        one, none = np.ones(len(self.edges.chance)), np.zeros(len(self.chances))
        steps = values(self.edges, one, none, self.runs)
        least = self._residual(one, none, steps, 1.0)
        if least <= 0.0:
            raise PlayError("games of this chain last too long for floating point: no error bound can be given")
        return steps, float(least)

    @property
    def steps(self) -> float:
        """Upper bound on the expected number of steps from any state."""
        steps, least = self._steps
        return float(steps.max()) / least

    def _residual(self, gain: Numbers, prize: Numbers, value: Numbers, unit: float) -> float:
        edges = self.edges
        given = edges.row, edges.target, edges.label, edges.chance, edges.roundings, gain, prize, value, unit
        return float(edges.run(sweeps.residual, *given))

    def value_of(self, gain: Numbers, prize: Numbers) -> tuple[Numbers, Numbers]:
        """The `values` of a gain and a prize, and a bound on the error of each."""
        steps, least = self._steps
        value = values(self.edges, gain, prize, self.runs)
        return value, self._residual(gain, prize, value, 0.0) / least * steps

    def sum_of(self, gain: Numbers, value: Numbers | None = None) -> Sum:
        """Mean and standard deviation of a tally.

        Parameters
        ----------
        gain
            What each edge adds, by label.
        value
            The `values` of this gain, where they are already known.
        """
        edges, none = self.edges, np.zeros(len(self.chances))
        steps, least = self._steps
        if value is None:
            value = steps if counts_steps(gain) else values(edges, gain, none, self.runs)
        off = self._residual(gain, none, value, 0.0) / least
        given = edges.row, edges.target, edges.label, edges.chance, edges.roundings, gain, none, value
        variance, error, largest = edges.run(sweeps.variances, *given, off * self.steps, self.visits)
        error += self.imbalance * largest * self.steps
        sd = sqrt(max(0.0, variance))
        sd_error = min(error / sd if sd > 0.0 else sqrt(error), sqrt(error))
        return Sum(float(value[self.start]), sd, off * float(steps[self.start]), float(sd_error))


def counts_steps(gain: Numbers) -> bool:
    """Whether every edge adds one."""
    return bool((gain == 1.0).all())


def values(edges: Edges, gain: Numbers, prize: Numbers, runs: Runs | None = None) -> Numbers:
    """Expected sum from each state to the end: `gain` (labels) of every edge, `prize` (outcomes) at the end."""
    if runs is not None and (found := runs.values(edges, gain, prize)) is not None:
        return found
    value = np.zeros(len(edges.order))
    given = edges.ends, edges.row, edges.target, edges.label, edges.chance, edges.exit_probability, gain, prize, value
    last = len(edges.ends)
    while (component := int(edges.run(sweeps.values, 0, last, *given))) >= 0:
        _values_of_component(edges, component, gain, prize, value)
        last = component
    return value


def _values_of_component(edges: Edges, component: int, gain: Numbers, prize: Numbers, value: Numbers) -> None:
    """Set the values of a component, by elimination."""
    from scipy.sparse.linalg import splu

    inside = slice(int(edges.ends[component - 1]) if component else 0, int(edges.ends[component]))
    value[inside] = 0.0
    span = slice(int(edges.row[inside.start]), int(edges.row[inside.stop]))
    target, chance = edges.target[span], edges.chance[edges.label[span]]
    worth = gain[edges.label[span]] + np.where(
        target < 0, prize[np.minimum(-1 - target, len(prize) - 1) * (target < 0)], 0.0
    )
    worth += np.where(target >= 0, value[np.maximum(target, 0)], 0.0)
    constant = np.add.reduceat(chance * worth, edges.row[inside] - span.start)
    value[inside] = splu(_component_matrix(edges, inside)).solve(constant)


def _component_matrix(edges: Edges, inside: slice) -> object:
    """The identity minus the transition probabilities within a component, as a sparse matrix."""
    from scipy.sparse import csr_matrix, eye_array

    span = slice(int(edges.row[inside.start]), int(edges.row[inside.stop]))
    size = inside.stop - inside.start
    target = edges.target[span].astype(np.int64) - inside.start
    source = np.repeat(np.arange(size), np.diff(edges.row[inside.start : inside.stop + 1]))
    here = (target >= 0) & (target < size) & (edges.target[span] >= 0)
    within = csr_matrix((edges.chance[edges.label[span]][here], (source[here], target[here])), shape=(size, size))
    return (eye_array(size, format="csr") - within).tocsc()
