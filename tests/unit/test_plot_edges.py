"""The picture of what bets cost."""

from __future__ import annotations

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.plots import figure, plot_edges


def bars(axes):
    names = [label.get_text() for label in axes.get_yticklabels()]
    return dict(zip(names, [bar.get_width() for bar in axes.patches], strict=True))


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
    assert "house any" in words[-1]


def test_dots_are_where_an_edge_is_published():
    axes = plot_edges(dicelab.edges("craps", only=("repeater_2_*", "dont_pass_nobar")))
    assert list(bars(axes)) == ["dont_pass_nobar", "repeater_2_to", "repeater_2_for"]
    (dots,) = (line for line in axes.lines if line.get_marker() == "o")
    assert list(dots.get_ydata()) == [2]
    assert dots.get_xdata() == pytest.approx([18.37])
    assert next(iter(bars(axes).values())) == pytest.approx(-700 / 495), "a bettor's advantage is a bar to the left"


def test_a_figure_is_as_high_as_its_bars_need_and_given_axes_are_left_as_they_are():
    few, many = (plot_edges(dicelab.edges("craps", only=only)) for only in ("field_*", ("field_*", "put_*")))
    assert few.figure.get_figheight() < many.figure.get_figheight()
    drawing, axes = figure()
    before = drawing.get_figheight()
    assert plot_edges(dicelab.edges("pass-line"), ax=axes) is axes
    assert drawing.get_figheight() == before


@pytest.mark.slow
def test_too_many_bars_are_refused():
    with pytest.raises(ParameterError, match=r"118 bars don't fit: a chart holds 1 to 60; choose bets with --only"):
        plot_edges(dicelab.edges("craps"))
