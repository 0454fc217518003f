"""The picture of the risk of ruin."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dicelab
from charts import caption, legend, near, points
from dicelab.errors import ParameterError
from dicelab.plots import plot_ruin
from dicelab.questions.betting.ruin import Look
from dicelab.results.numbers.intervals import clopper_pearson
from interface.cli.coin import Coin


@pytest.fixture(scope="module")
def found():
    return dicelab.for_ruin(Coin, (), 0.35, until_rounds=20, seed=1)


@pytest.mark.slow
def test_exact_risks_are_drawn_with_the_bound_and_the_value(found):
    axes = plot_ruin(found)
    exact, bound, value = axes.lines
    assert list(exact.get_xdata()) == [look.value for look in found.looks]
    assert list(exact.get_ydata()) == near([look.ruin for look in found.looks])
    assert list(bound.get_ydata()) == [0.35] * 2
    assert list(value.get_xdata()) == [found.value] * 2
    assert legend(axes) == ["exact", "largest allowed risk: 0.35", f"bankroll {found.value}"]
    assert axes.get_ylim()[0] == 0
    assert "bankroll" not in caption(axes).splitlines()[0], "it is on the axis"


@pytest.mark.slow
def test_simulated_risks_are_beside_them_with_intervals(found):
    looks = [Look(30, 0.4, 1000), Look(70, 0.0235, 2000)]
    axes = plot_ruin(found, looks)
    places, heights, ends = points(axes.containers[0])
    assert (places, heights) == ([30, 70], [0.4, 0.0235])
    assert ends == [near(list(clopper_pearson(400, 1000))), near(list(clopper_pearson(47, 2000)))]
    assert legend(axes)[:2] == ["simulated", "exact"]


def test_values_far_apart_are_on_a_logarithmic_axis(found):
    near_by, far = plot_ruin(found), plot_ruin(found, [Look(5, 0.9, 1000), Look(2000, 0.0, 1000)])
    assert (near_by.get_xscale(), far.get_xscale()) == ("linear", "log")


def test_a_search_without_a_result_has_no_line_at_a_value(found):
    axes = plot_ruin(replace(found, value=None))
    assert legend(axes) == ["exact", "largest allowed risk: 0.35"]
    with pytest.raises(ParameterError, match="no bankroll was evaluated"):
        plot_ruin(replace(found, looks=()))
