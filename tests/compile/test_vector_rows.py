"""Loops over rows as vectors: the same as in NumPy."""

import numpy as np
import pytest
from numba import njit

from dicelab.compile.kernels import vector_rows
from dicelab.compile.kernels.uncompiled import TWINS

LANES = vector_rows.LANES


@njit
def compiled(out, edge, rows, which, factor, more):  # type: ignore[no-untyped-def]
    """Go through edges 1 to 5 in each way; `out` has a row for each."""
    vector_rows.add_rows(out[0], rows, which, 1, 6, factor, more)
    vector_rows.add_rows(out[1], rows, which, 1, 6, factor, None)
    vector_rows.best_rows(out[2], rows, which, 1, 6, -1.0, more)
    vector_rows.pick_rows(out[3], edge, rows, which, 1, 6, 1.0, None)
    vector_rows.add_rows(out[4], rows, which, 3, 3, factor, more)  # no edge
    vector_rows.spread_row(out[4], rows, which, 1, 6, factor)


def in_numpy(out, edge, rows, which, factor, more):  # type: ignore[no-untyped-def]
    """The same by the functions that replace those of `vector_rows` where nothing is compiled."""
    twin = TWINS["vector_rows"]
    twin["add_rows"](out[0], rows, which, 1, 6, factor, more)
    twin["add_rows"](out[1], rows, which, 1, 6, factor, None)
    twin["best_rows"](out[2], rows, which, 1, 6, -1.0, more)
    twin["pick_rows"](out[3], edge, rows, which, 1, 6, 1.0, None)
    twin["spread_row"](out[4], rows, which, 1, 6, factor)


@pytest.fixture
def arguments() -> tuple[np.ndarray, ...]:
    """Results, edges, rows of which one is infinite, the rows of seven edges, factors, and what is added."""
    dice = np.random.default_rng(1)
    rows = dice.normal(size=(4, LANES))
    rows[2] = -np.inf
    which, factor, more = np.array([3, 0, 1, 1, 2, 3, 0]), dice.random(7), dice.normal(size=7)
    return np.zeros((5, LANES)), np.full(LANES, -1.0), rows, which, factor, more


def test_rows_are_added_compared_and_picked_as_in_numpy(arguments: tuple[np.ndarray, ...]) -> None:
    other = tuple(array.copy() for array in arguments)
    compiled(*arguments)
    with np.errstate(invalid="ignore"):
        in_numpy(*other)
    for found, expected in zip(arguments, other, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_an_edge_is_picked_only_where_it_is_larger(arguments: tuple[np.ndarray, ...]) -> None:
    out, edge, rows, which, *_ = arguments
    before = rows.copy()
    compiled(*arguments)
    values = before[which[1:6]]
    np.testing.assert_array_equal(out[3], np.maximum(0.0, values.max(axis=0)))
    np.testing.assert_array_equal(edge, np.where(values.max(axis=0) > 0, 1 + values.argmax(axis=0), -1))
