"""The same sums as `dicelab.chains.expectations`, in exact fractions: block by block, by python-flint."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from dicelab.chains.model import Graph, TooLarge
from dicelab.chains.ordering import Edges

MOST_STATES = 5_000
LARGEST_BLOCK, MOST_EDGES = 2_000, 1_000_000
"""Larger chains are not solved in fractions even when asked."""
MOST_WORK = 1e7
"""Chains whose estimated work is below this are solved in fractions without being asked: about a second."""


@dataclass(frozen=True)
class Exactly:
    """Probability of each outcome, and mean and variance of each tally."""

    chances: list[Fraction]
    means: list[Fraction]
    variances: list[Fraction]


def worth_while(graph: Graph, edges: Edges) -> bool:
    """Is a chain small enough for fractions?

    Denominators grow from block to block: by the bits of a determinant at each. The estimate is the bits at the end of
    the longest way through the blocks, times the edges at which numbers of that size are met.
    """
    if graph.states > MOST_STATES or not graph.exact_weights:
        return False
    row, target, order = edges.row.tolist(), edges.target.tolist(), edges.order.tolist()
    totals = graph.total.tolist()
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


def must_fit(graph: Graph, edges: Edges) -> None:
    """Refuse a chain that fractions would take hours and all memory for.

    Raises
    ------
    TooLarge
    """
    largest = int(np.diff(edges.ends, prepend=0).max(initial=0))
    if largest > LARGEST_BLOCK or graph.edges > MOST_EDGES:
        raise TooLarge(
            f"{graph.game.name}: {graph.states:,} positions, {largest:,} of which can all reach each other, are too "
            "many for fractions; leave fractions out, and get floats with a bound on their error"
        )


class Rational:
    """A chain with whole-number weights, solved exactly.

    Positions are those of `edges`; ``visits[s]`` is how often one is visited, divided by its total weight.
    """

    def __init__(self, graph: Graph, edges: Edges, start: int) -> None:
        self.graph = graph
        self.edges = edges
        self.start = start
        self.blocks = list(zip([0, *edges.ends.tolist()], edges.ends.tolist(), strict=False))
        self.total = graph.total[edges.order].tolist()
        rank = {s: i for i, s in enumerate(edges.order.tolist())}
        row, weight, change = graph.row.tolist(), graph.weight.tolist(), graph.change.tolist()
        target = [rank[t] if t >= 0 else t for t in graph.target.tolist()]
        self.out = [
            [(target[e], weight[e], change[e]) for e in range(row[s], row[s + 1])] for s in edges.order.tolist()
        ]

    def exactly(self, tallies: list[list[int]]) -> Exactly:
        """Everything, given for each tally what each change adds."""
        visits, chances = self._visits()
        values = self._values(tallies)
        means = [_fraction(value[self.start]) for value in values]
        variances = [_fraction(self._variance(visits, v, gain)) for v, gain in zip(values, tallies, strict=True)]
        return Exactly([_fraction(p) for p in chances], means, variances)

    def _matrix(self, begin: int, end: int) -> Any:
        """Total weights minus the weights within a block."""
        size = end - begin
        entries = [0] * (size * size)
        for s in range(begin, end):
            entries[(s - begin) * (size + 1)] += self.total[s]
            for t, w, _ in self.out[s]:
                if begin <= t < end:
                    entries[(s - begin) * size + t - begin] -= w
        return fmpz_mat(size, size, entries)

    def _visits(self) -> tuple[list[Any], list[Any]]:
        arrives = [fmpq(0)] * len(self.total)
        arrives[self.start] = fmpq(1)
        chances = [fmpq(0)] * self.graph.outcomes
        visits = [fmpq(0)] * len(self.total)
        for begin, end in self.blocks:
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

    def _values(self, gains: list[list[int]]) -> list[list[Any]]:
        """For each tally the expected sum from each position to the end."""
        values = [[fmpq(0)] * len(self.total) for _ in gains]
        for begin, end in reversed(self.blocks) if gains else ():
            constants = []
            for gain, value in zip(gains, values, strict=True):
                constants.append(
                    [
                        sum(
                            (value[t] * w for t, w, _ in self.out[s] if t >= end),
                            fmpq(sum(w * gain[k] for _, w, k in self.out[s])),
                        )
                        for s in range(begin, end)
                    ]
                )
            for value, solved in zip(values, _solve(self._matrix(begin, end), constants), strict=True):
                value[begin:end] = solved
        return values

    def _variance(self, visits: list[Any], value: list[Any], gain: list[int]) -> Any:
        """The variances of all steps, each about the value of where it begins, added up by the visits."""
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
    """Fractions over a common denominator: numerators, and the denominator."""
    whole, denominator = fmpq_mat(len(numbers), 1, numbers).numer_denom()
    return whole.entries(), denominator


def _solve(matrix: Any, constants: list[list[Any]]) -> list[list[Any]]:
    """The solutions of a square system of whole numbers, for each list of rational constants."""
    if matrix.nrows() == 1:
        return [[constant[0] / matrix[0, 0]] for constant in constants]
    columns, rows = len(constants), len(constants[0])
    right = fmpq_mat(rows, columns, [constant[i] for i in range(rows) for constant in constants])
    whole, denominator = right.numer_denom()
    solved = matrix.solve(whole)
    return [[solved[i, j] / denominator for i in range(rows)] for j in range(columns)]


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))
