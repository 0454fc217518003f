"""Extrapolation of values that sweeps change less and less: reduced rank extrapolation, compiled, and secants.

By itself because these are methods of numerical analysis, which know nothing of games.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.runtime.arrays import Array


@kept
def mixture(past, order, first, noise, found):  # type: ignore[no-untyped-def]
    """Return in `found` the mixture of the last vectors of a sequence that moves least, for each part by itself.

    If a sweep is an affine function, and few of its modes are left, that is its fixed point. Part p has the places
    ``order[first[p] : first[p + 1]]``, and is extrapolated only where a difference is more than `noise`; elsewhere, and
    where the mixture is not finite, the last vector stays.
    """
    many = past.shape[0] - 1
    matrix, weight, moved = np.empty((many, many)), np.empty(many), np.empty(many)
    for u in range(found.size):
        found[u] = past[many, u]
    for p in range(first.size - 1):
        largest = 0.0
        matrix[:] = 0.0
        for k in range(first[p], first[p + 1]):
            u = order[k]
            for a in range(many):
                moved[a] = past[a + 1, u] - past[a, u]
                largest = max(largest, abs(moved[a]))
                for b in range(a + 1):
                    matrix[a, b] += moved[a] * moved[b]
        if not largest > noise:
            continue
        size = 0.0
        for a in range(many):
            size += matrix[a, a]
            weight[a] = 1.0
            for b in range(a):
                matrix[b, a] = matrix[a, b]
        for a in range(many):
            matrix[a, a] += 1e-15 * size + 1e-290
        total = solved(matrix, weight)
        for k in range(first[p], first[p + 1]):
            mixed = 0.0
            for a in range(many):
                mixed += weight[a] / total * past[a + 1, order[k]]
            if np.isfinite(mixed):
                found[order[k]] = mixed


@guarded
def solved(matrix, weight):  # type: ignore[no-untyped-def]
    """Solve linear equations in place, with partial pivoting; the sum of the solution, which is no number if there is
    none.
    """
    many = weight.size
    for a in range(many):
        pivot = a
        for b in range(a + 1, many):
            if abs(matrix[b, a]) > abs(matrix[pivot, a]):
                pivot = b
        if matrix[pivot, a] == 0.0:
            return np.nan
        for b in range(many):
            matrix[a, b], matrix[pivot, b] = matrix[pivot, b], matrix[a, b]
        weight[a], weight[pivot] = weight[pivot], weight[a]
        for b in range(a + 1, many):
            share = matrix[b, a] / matrix[a, a]
            weight[b] -= share * weight[a]
            for c in range(a, many):
                matrix[b, c] -= share * matrix[a, c]
    total = 0.0
    for i in range(many):
        a = many - 1 - i
        for b in range(a + 1, many):
            weight[a] -= matrix[a, b] * weight[b]
        weight[a] /= matrix[a, a]
        total += weight[a]
    return total


def slopes(old: tuple[Array, Array], new: tuple[Array, Array], ahead: Array, before: Array, noise: float) -> Array:
    """Return how much each value changes with the one it depends on, ``ahead``, between two evaluations (what was given
    and what came out); where what was given changed by at most `noise`, as `before`.
    """
    moved = (new[0] - old[0])[ahead]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(moved) > noise, (new[1] - old[1]) / moved, before)


def around(slope: Array, constant: Array, ahead: Array, length: int) -> Array:
    """Return the solution of ``x = constant + slope * x[ahead]``, where `ahead` goes round in cycles of at most so many
    members.

    >>> around(np.array([0.5, -1.0]), np.array([1.0, 0.0]), np.array([1, 0]), 2)
    array([ 0.66666667, -0.66666667])
    """
    whole, rest, at = np.ones_like(slope), np.zeros_like(slope), np.arange(len(slope))
    result, back = np.full_like(slope, np.nan), at.copy()
    for _ in range(length):
        rest, whole, at = rest + whole * constant[at], whole * slope[at], ahead[at]
        closed = (at == back) & np.isnan(result)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.where(closed, rest / (1.0 - whole), result)
    return result
