"""The heat map of strategies against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dicelab
from charts import caption, near, ticks
from dicelab.errors import ParameterError
from dicelab.plots import figure, plot_comparison


@pytest.fixture(scope="module")
def found():
    return dicelab.compare("tossup", ["one_roll", "bank_over:2", "bank_over:4"], exact=True, target=10, dice=3)


def cells(axes):
    return np.ma.filled(axes.collections[0].get_array(), np.nan)


def words(axes):
    return [text.get_text() for text in axes.texts if text.get_gid() == "value"]


def test_a_cell_is_the_chance_of_the_row_against_the_column(found):
    axes = plot_comparison(found)
    values = cells(axes)
    at = {name: i for i, name in enumerate(found.strategies)}
    for pair in found.pairs:
        one, other = at[pair.first], at[pair.second]
        assert [values[one, other], values[other, one]] == near([score.value for score in pair.scores])
    assert values.diagonal().tolist() == [0.5] * 3
    assert words(axes) == [f"{values[i, j]:.3f}" for i in range(3) for j in range(3) if i != j]
    assert list(ticks(axes.yaxis).values()) == list(ticks(axes.xaxis).values()) == found.strategies
    assert axes.yaxis_inverted()
    low, high = axes.collections[0].get_clim()
    assert (low + high) / 2 == pytest.approx(0.5), "white is the equal share"
    assert "white is the equal share, 1/2" in caption(axes).replace("\n", " ")


@pytest.mark.slow
def test_in_a_game_of_one_seat_it_is_the_difference():
    calls = ["line:pass:0", "line:pass:2"]
    compared = dicelab.compare("craps", calls, on="money", games=200, seed=1, until_rounds=3)
    axes = plot_comparison(compared)
    gap = compared.pairs[0].difference.value
    assert cells(axes).tolist() == [[0, near(gap)], [near(-gap), 0]]
    assert axes.get_title(loc="left") == "craps: money, row minus column"
    assert list(ticks(axes.yaxis).values()) == ["line", "line:odds=2"]
    assert "200 games of each line-up, seed 1" in caption(axes)


@pytest.mark.slow
def test_all_differences_have_the_same_decimals():
    calls = ["line", "line:odds=2", "line:system=martingale"]
    found = dicelab.compare("craps", calls, on="money", games=200, seed=1, until_rounds=3)
    texts = [text.get_text() for text in plot_comparison(found).texts if text.get_gid() == "value"]
    assert {len(text.partition(".")[2]) for text in texts} == {2}


@pytest.mark.slow
def test_with_three_seats_white_is_a_third():
    compared = dicelab.compare("tossup", ["one_roll", "bank_over:2"], players=3, games=50, seed=1, target=5)
    low, high = plot_comparison(compared).collections[0].get_clim()
    assert (low + high) / 2 == pytest.approx(1 / 3)


def test_of_many_strategies_the_best_are_drawn(found, limits):
    limits(compared_strategies=2)
    axes = plot_comparison(found)
    assert len(list(ticks(axes.yaxis))) == 2
    assert "1 more are left out" in caption(axes)


def test_pairs_that_are_missing_are_empty_cells(found):
    axes = plot_comparison(replace(found, pairs=found.pairs[:1]))
    assert np.isnan(cells(axes)).sum() == 4
    assert len(words(axes)) == 2


def test_given_axes_are_drawn_on_and_nothing_is_refused(found):
    _, axes = figure()
    assert plot_comparison(found, ax=axes) is axes
    with pytest.raises(ParameterError, match="no pair of strategies of tossup was completed"):
        plot_comparison(replace(found, pairs=[]))
