"""The same answers as those of `expectations` in exact fractions, component by component (python-flint)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from dicelab.errors import ParameterError, TooLarge
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.solution.ordering import OrderedEdges

MOST_STATES = 5_000
"""Larger chains are solved in fractions only when asked."""
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
    if graph.states > MOST_STATES or not graph.exact_weights:
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
    return graph.states <= MOST_STATES if fractions is None else fractions


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
