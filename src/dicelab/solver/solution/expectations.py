"""Expected visits, outcome probabilities and sums over an absorbing chain, in floating point or exact fractions.

Let P be the transition probabilities between states. The expected visits n solve ``n = start + n P``; the expected sum
v from each state solves ``v = gain + P v``. Both are solved by passes over one strongly connected component after the
other; a component on which the passes converge slowly is solved by sparse elimination (scipy).

The bounds are rigorous. The equations of v are evaluated once more, with every rounding counted, and what is left of
them is compared with what each step takes from the expected steps (`dicelab.solver.solution.backward.proof_range`). The
residuals of the visits, summed up, bound the error of every probability.

Small chains are solved in exact fractions too, component by component (python-flint).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log2, sqrt
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat
from numpy.typing import NDArray

from dicelab.errors import ParameterError, PlayError, TooLarge
from dicelab.limits import LIMITS
from dicelab.runtime.arrays import Floats, Integers
from dicelab.solver.enumeration.model import Graph
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
        visits = chain.expected_visits() if isinstance(chain, HalfSteps) else None
        self.visits = np.zeros(len(chain.order)) if visits is None else visits
        """Expected visits of each state."""
        if visits is None:
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
    if isinstance(chain, HalfSteps) and (valued := chain.values(gain, prize)) is not None:
        return valued
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


LARGEST_BLOCK, MOST_EDGES = 2_000, 1_000_000
"""States of a component, edges: larger chains are not solved in fractions even when asked."""
MOST_WORK = 1e7
"""Estimated work below which chains are solved in fractions by default: about a second."""


@dataclass(frozen=True)
class Exactly:
    """Probability of each outcome, mean and variance of each tally."""

    chances: list[Fraction]
    sums: list[tuple[Fraction, Fraction]]


def small_enough(graph: Graph, edges: OrderedEdges) -> bool:
    """Return whether a chain is small enough for fractions by default.

    Denominators grow from component to component by the bits of a determinant. The estimated work is the number of
    edges and matrix entries of each component, times the 64-bit words of its denominators: the sum of the bits of the
    determinants along the longest path from there to the end.
    """
    if graph.states > LIMITS.fraction_states or not graph.exact_weights:
        return False
    row, target, order = edges.row.tolist(), edges.target.tolist(), edges.order.tolist()
    totals = graph.total[graph.label[graph.row[:-1]]].tolist()
    ends = edges.ends.tolist()
    block = [b for b, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)) for _ in range(begin, end)]
    bits = [0.0] * len(ends)
    work, begin_of = 0.0, [0, *ends]
    for b in reversed(range(len(ends))):
        begin, end = begin_of[b], ends[b]
        after = [bits[block[t]] for t in target[row[begin] : row[end]] if t >= end]
        bits[b] = max(after, default=0.0) + sum(log2(totals[s] + 1) for s in order[begin:end])
        size = end - begin
        work += (row[end] - row[begin] + (size**2 if size > 1 else 0)) * (1 + bits[b] / 64)
    return work < MOST_WORK


def may_be_fractions(graph: Graph, fractions: bool | None) -> bool:
    """Return whether `in_fractions` may be true, before the edges are in order."""
    return graph.states <= LIMITS.fraction_states if fractions is None else fractions


def in_fractions(graph: Graph, edges: OrderedEdges, fractions: bool | None) -> bool:
    """Return whether to solve in fractions: as it is asked for, or if None, where the chain is small enough.

    Raises
    ------
    ParameterError
        When they are asked for, and weights are not whole numbers.
    TooLarge
        When they would take hours and all memory.
    """
    if not fractions:
        return fractions is None and small_enough(graph, edges)
    if not graph.exact_weights:
        raise ParameterError(f"{graph.game.name}: the weights of these dice are too large for fractions")
    largest = int(np.diff(edges.ends, prepend=0).max(initial=0))
    if largest > LARGEST_BLOCK or graph.edges > MOST_EDGES:
        raise TooLarge(
            f"{graph.game.name}: {graph.states:,} states with a strongly connected component of {largest:,} are too "
            "many for fractions; without them the answer is in floating point, with an error bound"
        )
    return True


class Rational:
    """A chain with whole-number weights, solved exactly.

    States are in the order of `edges`; ``visits[s]`` is the expected visits of s divided by its total weight, so that
    the matrices hold whole numbers.
    """

    def __init__(self, graph: Graph, edges: OrderedEdges) -> None:
        self.graph = graph
        self.edges = edges
        self.start = edges.start
        self.components = list(zip([0, *edges.ends.tolist()], edges.ends.tolist(), strict=False))
        self.total = graph.total[graph.label[graph.row[edges.order]]].tolist()
        rank = {s: i for i, s in enumerate(edges.order.tolist())}
        row, weight, change = graph.row.tolist(), *(of[graph.label].tolist() for of in (graph.weight, graph.change))
        target = [rank[t] if t >= 0 else t for t in graph.target.tolist()]
        self.out = [
            [(target[e], weight[e], change[e]) for e in range(row[s], row[s + 1])] for s in edges.order.tolist()
        ]

    def exactly(self, tallies: list[list[int]]) -> Exactly:
        """Return all answers; `tallies` gives for each tally what each row of changes adds."""
        visits, chances = self._visits()
        values = self._values([(gain, [0] * self.graph.outcomes) for gain in tallies])
        sums = [
            (_fraction(value[self.start]), _fraction(self._variance(visits, value, gain)))
            for value, gain in zip(values, tallies, strict=True)
        ]
        return Exactly([_fraction(p) for p in chances], sums)

    def values(self, gain: list[int], prize: list[int]) -> list[Fraction]:
        """Return the expected sum from each state to the end: `gain` (rows of changes) of every edge, `prize`
        (outcomes) at it.
        """
        return [_fraction(value) for value in self._values([(gain, prize)])[0]]

    def _matrix(self, begin: int, end: int) -> Any:
        """Return the matrix of a component: total weights on the diagonal, minus the weights of its edges."""
        size = end - begin
        entries = [0] * (size * size)
        for s in range(begin, end):
            entries[(s - begin) * (size + 1)] += self.total[s]
            for t, w, _ in self.out[s]:
                if begin <= t < end:
                    entries[(s - begin) * size + t - begin] -= w
        return fmpz_mat(size, size, entries)

    def _visits(self) -> tuple[list[Any], list[Any]]:
        """Return the expected visits divided by total weights, and the outcome probabilities."""
        arrives = [fmpq(0)] * len(self.total)
        arrives[self.start] = fmpq(1)
        chances = [fmpq(0)] * self.graph.outcomes
        visits = [fmpq(0)] * len(self.total)
        for begin, end in self.components:
            if not any(arrives[begin:end]):
                continue
            visits[begin:end] = _solve(self._matrix(begin, end).transpose(), [arrives[begin:end]])[0]
            whole, denominator = _common(visits[begin:end])
            leaving: dict[int, Any] = {}
            for times, edges in zip(whole, self.out[begin:end], strict=True):
                for t, w, _ in edges:
                    if t < 0 or t >= end:
                        leaving[t] = leaving.get(t, 0) + times * w
            for t, times in leaving.items():
                if t < 0:
                    chances[-1 - t] += fmpq(times, denominator)
                else:
                    arrives[t] += fmpq(times, denominator)
        return visits, chances

    def _values(self, rewards: list[tuple[list[int], list[int]]]) -> list[list[Any]]:
        """For each gain and prize, as in `values`, the expected sum from each state to the end."""
        values = [[fmpq(0)] * len(self.total) for _ in rewards]
        for begin, end in reversed(self.components) if rewards else ():
            constants = []
            for (gain, prize), value in zip(rewards, values, strict=True):
                constants.append(
                    [
                        sum(
                            (value[t] * w for t, w, _ in self.out[s] if t >= end),
                            fmpq(sum(w * (gain[k] + (prize[-1 - t] if t < 0 else 0)) for t, w, k in self.out[s])),
                        )
                        for s in range(begin, end)
                    ]
                )
            for value, solved in zip(values, _solve(self._matrix(begin, end), constants), strict=True):
                value[begin:end] = solved
        return values

    def _variance(self, visits: list[Any], value: list[Any], gain: list[int]) -> Any:
        """Return the variance of the sum: over all states, visits times the variance of one step about the value."""
        times, per_visit = _common(visits)
        whole, denominator = _common(value)
        square = [v * v for v in whole]
        total = fmpz(0)
        for s, edges in enumerate(self.out):
            step = -square[s] * self.total[s]
            for t, w, k in edges:
                gained = gain[k] * denominator
                if t < 0:
                    step += gained * gained * w
                else:
                    step += (gained * (gained + 2 * whole[t]) + square[t]) * w
            total += times[s] * step
        return fmpq(total, per_visit) / (denominator * denominator)


def _common(numbers: list[Any]) -> tuple[list[Any], Any]:
    """Return the numerators of fractions over their common denominator, and that denominator."""
    whole, denominator = fmpq_mat(len(numbers), 1, numbers).numer_denom()
    return whole.entries(), denominator


def _solve(matrix: Any, constants: list[list[Any]]) -> list[list[Any]]:
    """Return the solutions of a square system of whole numbers, for each list of rational constants."""
    if matrix.nrows() == 1:
        return [[constant[0] / matrix[0, 0]] for constant in constants]
    columns, rows = len(constants), len(constants[0])
    right = fmpq_mat(rows, columns, [constant[i] for i in range(rows) for constant in constants])
    whole, denominator = right.numer_denom()
    solved = matrix.solve(whole)
    return [[solved[i, j] / denominator for i in range(rows)] for j in range(columns)]


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))
