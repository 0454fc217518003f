"""The picture of outcomes given a tally."""

from __future__ import annotations

import pytest

import dicelab
from charts import caption, legend, near, points
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.plots import plot_given


@pytest.fixture(scope="module")
def lcr():
    return dicelab.exact("lcr", players=3)


def test_exact_probabilities_are_lines_as_long_as_their_group(lcr):
    axes = plot_given(lcr, tally="turns", width=8)
    rows = lcr.given("turns", 8)
    for seat, lines in enumerate(axes.collections):
        for row, segment in zip(rows, lines.get_segments(), strict=False):
            assert segment[:, 1].tolist() == near([row.outcomes[str(seat)].probability] * 2)
            assert segment[0, 0] == row.low - 0.5
    first = axes.collections[0].get_segments()[0]
    assert first[1, 0] == rows[0].high + 0.5
    assert legend(axes) == ["player 1", "player 2", "player 3", "equal share: 1/3"]
    assert list(axes.lines[0].get_ydata()) == near([1 / 3] * 2)
    assert axes.get_title(loc="left") == "lcr: probability to win given turns"


def test_simulated_probabilities_are_points_with_intervals_beside_the_exact_ones():
    exact, played = dicelab.exact("hazard"), dicelab.simulate("hazard", games=900, seed=1, engine="reference")
    axes = plot_given(exact, played, tally="throws", width=2)
    rows = [row for row in played.given("throws", 2) if row.probability * 900 >= 20]
    for name, container in zip(("win", "lose"), axes.containers, strict=True):
        places, heights, ends = points(container)
        assert heights == near([row.outcomes[name].probability for row in rows])
        assert ends == [near(list(row.outcomes[name].interval)) for row in rows]
        assert all(row.low - 0.5 < at < row.high + 0.5 for at, row in zip(places, rows, strict=True))
    assert legend(axes) == ["win", "lose", "exact", "simulated"]
    assert axes.get_ylabel() == "probability"


def test_groups_of_few_games_are_left_out_but_never_all():
    few = dicelab.simulate("hazard", games=10, seed=1, engine="reference")
    axes = plot_given(few, tally="throws", width=1)
    most = max(few.given("throws", 1), key=lambda row: row.probability)
    assert points(axes.containers[0])[1] == [most.outcomes["win"].probability]


def test_of_many_outcomes_the_most_probable_are_drawn():
    axes = plot_given(dicelab.simulate("lcr", players=8, games=3000, seed=1), tally="turns", width=60)
    assert len(axes.containers) == 6
    assert "the 6 most probable outcomes; 2 more are left out" in caption(axes)


def test_what_can_not_be_drawn(lcr):
    with pytest.raises(UnknownNameError, match="no tally of lcr 'turn'; did you mean 'turns'"):
        plot_given(lcr, tally="turn")
    with pytest.raises(ParameterError, match="at least one result"):
        plot_given(tally="turns")
    caster = dicelab.simulate("hazard-caster", games=5, seed=1)
    with pytest.raises(ParameterError, match="hazard-caster has no outcomes"):
        plot_given(caster, tally="rounds")
