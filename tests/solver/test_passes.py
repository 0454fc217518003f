"""Value iteration: what is extrapolated after a pass, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from dicelab.solver.solution.backward import extrapolate


def after_passes(changes: list[np.ndarray]) -> np.ndarray:
    """The values after passes that change them so, each extrapolated."""
    value, made, change = np.zeros(2), np.empty(2), np.empty(2)
    for number, by in enumerate(changes):
        was = value.copy()
        value += by
        extrapolate(value, was, made, change, number > 0)
    return value


@pytest.mark.parametrize("factor", [0.5, 0.99, -0.7])
def test_a_geometric_series_is_summed_up(factor: float) -> None:
    first = np.array([1.0, -3.0])
    assert after_passes([first, factor * first]) == pytest.approx(first / (1 - factor))


@pytest.mark.parametrize("factor", [1 - 1e-15, 1.0, 1 + 1e-15, 1.5])
def test_changes_that_do_not_shrink_are_not_extrapolated(factor: float) -> None:
    first = np.array([1.0, -3.0])
    assert after_passes([first, factor * first]) == pytest.approx(first * (1 + factor))


def test_changes_in_other_directions_are_not_extrapolated() -> None:
    assert after_passes([np.array([1.0, 0.0]), np.array([0.0, 0.5])]) == pytest.approx([1.0, 0.5])
