"""Pictures of sweeps: values with names, equal shares, and what the caption says of the axes."""

from __future__ import annotations

import pytest

import dicelab
from charts import caption, legend, near, ticks
from dicelab.plots import plot_convergence, plot_seats, plot_sweep
from dicelab.questions.sweeps.sweep import sweep

BETS = (0, 117, 124, 127)
"""Bets of `craps-bet`: pass, hard8, field_2x3x, any7."""


def bets(**more):
    return sweep("craps-bet", over={"bet": BETS}, exact=True, **more)


def test_values_with_names_are_rows_that_no_line_joins():
    axes = plot_sweep(bets(), "money")
    (points,) = axes.lines
    assert points.get_linestyle() == "None"
    assert list(points.get_ydata()) == [0, 1, 2, 3]
    assert list(points.get_xdata()) == near([-7 / 495, -1 / 11, -1 / 36, -1 / 6])
    assert list(ticks(axes.yaxis).values()) == ["pass", "hard8", "field_2x3x", "any7"]
    assert axes.yaxis_inverted(), "the first one is at the top"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("mean money in a game", "bet")


@pytest.mark.slow
def test_estimates_of_named_values_have_intervals():
    found = sweep("craps-bet", over={"bet": BETS[:2]}, games=200, seed=1)
    axes = plot_sweep(found, "win")
    ((line, _, (bars,)),) = axes.containers
    chances = [row.result.outcomes["win"] for row in found.rows]
    assert line.get_xdata().tolist() == near([chance.probability for chance in chances])
    assert [segment[:, 0].tolist() for segment in bars.get_segments()] == [near(list(c.interval)) for c in chances]


@pytest.mark.slow
def test_named_values_of_a_second_name_are_colours():
    found = sweep("tossup", over={"last_turn": (0, 1), "target": (4, 5, 6)}, dice=2, exact=True)
    axes = plot_sweep(found, "0")
    assert axes.get_xlabel() == "target"
    assert legend(axes) == ["no", "yes", "equal share: 1/2"]
    assert axes.get_legend().get_title().get_text() == "last_turn"
    assert [line.get_linestyle() for line in axes.lines[:2]] == ["-", "-"]


def test_the_legend_of_named_values_covers_none_of_them():
    over = {"odds": ("1x", "2x"), "house": ("las_vegas", "atlantic_city")}
    axes = plot_sweep(sweep("craps", over=over, games=50, seed=1, until_rounds=2), "ruined")
    whole = axes.get_figure()
    whole.draw_without_rendering()
    below = axes.get_legend().get_window_extent().y0
    assert all(bar.get_window_extent().y1 < below for bar in axes.collections)
    assert all(axes.transData.transform((0, y))[1] < below for line in axes.lines for y in line.get_ydata())


def test_of_many_named_values_the_largest_are_drawn_and_the_caption_says_how_many_are_not(limits):
    limits(bars=3)
    axes = plot_sweep(bets(), "money")
    assert list(ticks(axes.yaxis).values()) == ["pass", "hard8", "field_2x3x"]
    assert len(axes.lines[0].get_xdata()) == 3
    assert "the 3 largest; 1 more are left out" in caption(axes)


def test_the_equal_share_of_a_seat_is_a_line():
    one = plot_sweep(sweep("lcr", over={"coins": (1, 2)}, exact=True, players=3), "0")
    assert legend(one) == ["equal share: 1/3"]
    assert list(one.lines[-1].get_ydata()) == near([1 / 3] * 2)
    varying = plot_sweep(sweep("lcr", over={"players": (2, 3)}, exact=True), "0")
    assert legend(varying) == ["equal share"]
    assert list(varying.lines[-1].get_ydata()) == near([1 / 2, 1 / 3])
    assert plot_sweep(sweep("hazard", over={"main": (5, 6)}, exact=True), "win").get_legend() is None


@pytest.mark.slow
def test_the_equal_share_beside_an_estimate_that_converges():
    from dicelab.questions.convergence import convergence

    curve = convergence("lcr", games=50, seed=1, of="0", players=4)
    axes = plot_convergence(curve, dicelab.exact("lcr", players=4))
    assert legend(axes)[-1] == "equal share: 1/4"
    assert axes.lines[-1].get_ydata()[0] == 1 / 4
    assert legend(plot_convergence(curve, players=4))[-1] == "equal share: 1/4"
    assert len(legend(plot_convergence(curve))) == 2


def test_an_axis_that_does_not_start_at_0_says_so():
    for axes in (
        plot_seats(dicelab.exact("lcr", players=3)),
        plot_sweep(sweep("hazard", over={"main": (5, 6)}, exact=True)),
    ):
        assert axes.get_ylim()[0] > 0
        assert "the vertical axis does not start at 0" in caption(axes)
    axes = plot_sweep(sweep("craps-bet", over={"bet": BETS[:2]}, exact=True), "throws")
    assert axes.get_xlim()[0] > 0
    assert "the horizontal axis does not start at 0" in caption(axes)


def test_an_axis_that_starts_at_0_says_nothing():
    axes = plot_sweep(sweep("lcr", over={"players": (2, 3)}, exact=True), "gap")
    assert axes.get_ylim()[0] == 0
    assert "does not start" not in caption(axes)


def test_of_many_outcomes_the_most_probable_are_drawn(limits):
    limits(bars=2)
    exact = dicelab.exact("lcr", players=3)
    axes = plot_seats(exact)
    assert list(ticks(axes.xaxis).values()) == ["2", "3"]  # players are counted from 1
    assert list(axes.lines[0].get_ydata()) == near([exact.outcomes[seat].probability for seat in "12"])
    assert "the 2 most probable outcomes; 1 more are left out" in caption(axes)
