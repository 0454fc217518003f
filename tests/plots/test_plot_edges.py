"""The picture of what bets cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.plots import figure, plot_edges


def bars(axes):
    names = [label.get_text() for label in axes.get_yticklabels()]
    return dict(zip(names, [bar.get_width() for bar in axes.patches], strict=True))


@pytest.mark.slow
def test_bars_are_sorted_and_bets_with_the_same_figures_share_one():
    axes = plot_edges(dicelab.edges("craps", only=("place_*", "big6", "hop_*")))
    widths = bars(axes)
    assert list(widths.values()) == sorted(widths.values())
    assert widths["place_6, place_8"] == pytest.approx(100 / 66)
    assert widths["hop_1_2 and 14 more"] == pytest.approx(100 / 9)
    assert widths["big6"] == pytest.approx(100 / 11)
    assert axes.yaxis_inverted(), "the cheapest is at the top"
    words = [text.get_text() for text in axes.texts]
    assert {"1.515 %", "9.091 %"} <= set(words)
    assert words[-1].startswith("craps-bet\nexact"), "all parameters are at their default"


def test_dots_are_where_an_edge_is_published():
    axes = plot_edges(dicelab.edges("craps", only=("repeater_2_*", "dont_pass_nobar")))
    assert list(bars(axes)) == ["dont_pass_nobar", "repeater_2_to", "repeater_2_for"]
    (dots,) = (line for line in axes.lines if line.get_marker() == "o")
    assert list(dots.get_ydata()) == [2]
    assert dots.get_xdata() == pytest.approx([18.37])
    assert next(iter(bars(axes).values())) == pytest.approx(-700 / 495), "a bettor's advantage is a bar to the left"


@pytest.mark.slow
def test_a_figure_is_as_high_as_its_bars_need_and_given_axes_are_left_as_they_are():
    few, many = (plot_edges(dicelab.edges("craps", only=only)) for only in ("field_*", ("field_*", "put_*")))
    assert few.figure.get_figheight() < many.figure.get_figheight()
    drawing, axes = figure()
    before = drawing.get_figheight()
    assert plot_edges(dicelab.edges("pass-line"), ax=axes) is axes
    assert drawing.get_figheight() == before


def test_of_many_bars_the_smallest_edges_are_drawn_and_the_caption_says_how_many_are_not(limits):
    limits(bars=3)
    axes = plot_edges(dicelab.edges("craps", only=("place_*", "big6")))
    assert list(bars(axes)) == ["place_6, place_8", "place_lose_6, place_lose_8", "place_lose_5, place_lose_9"]
    assert "the 3 smallest edges; 4 more are left out" in axes.texts[-1].get_text()


def test_nothing_to_draw_is_refused():
    with pytest.raises(ParameterError, match="nothing to plot"):
        plot_edges(replace(dicelab.edges("pass-line"), rows=[]))


def test_simulated_edges_are_drawn_on_the_bars_with_their_intervals():
    found = dicelab.edges("craps", only=("field_*", "any7"), check=400, seed=1)
    axes = plot_edges(found)
    drawn = {}
    for line, _, (interval,) in axes.containers[1:]:
        ((low, at), (high, _)) = interval.get_segments()[0]
        drawn[at] = [line.get_xdata()[0], low, high]
    checks = [found[name.split(",")[0]].check for name in bars(axes)]
    assert list(drawn.values()) == [
        pytest.approx([100 * check.edge, *(100 * e for e in check.interval)]) for check in checks
    ]
    assert "95 % intervals of 400 simulated games each, seed 1" in axes.texts[-1].get_text()
