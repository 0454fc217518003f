"""The picture of what sessions leave in the purse."""

from __future__ import annotations

import warnings
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.plots import figure, plot_sessions
from dicelab.questions.betting.systems import systems
from interface.cli.coin import Coin

FEW = {"games": 300, "seed": 1}


def drawn(axes):
    """The lines by their labels: what is at or above each value."""
    return {
        line.get_label(): dict(zip(line.get_xdata().tolist(), line.get_ydata().tolist(), strict=True))
        for line in axes.lines
        if line.get_drawstyle() == "steps-pre"
    }


def dots(axes):
    """The points of simulated shares beside exact lines: what is at or above each value."""
    return [
        dict(zip(line.get_xdata().tolist(), line.get_ydata().tolist(), strict=True))
        for line in axes.lines
        if line.get_marker() == "o" and len(line.get_xdata())
    ]


def begun(axes):
    """Where the thin line of the bankroll is, if there is one."""
    return [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_the_exact_shares_are_drawn_where_they_are_known():
    found = dicelab.session(Coin, until_rounds=6, **FEW)
    axes = plot_sessions([found])
    [line] = drawn(axes).values()
    chances = {3 + won: p for won, p in found.exact.tallies["money"].probabilities.items()}
    assert set(line) == set(chances)
    for value, share in line.items():
        assert share == pytest.approx(sum(p for money, p in chances.items() if money >= value))
    assert line[0] == pytest.approx(1)
    assert begun(axes) == [3]
    assert axes.get_xlim() == pytest.approx((0, 1.03 * 7))
    assert (axes.get_xlabel(), axes.get_title()) != ("", "")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["exact", "simulated"]
    [shares] = dots(axes)
    games = found.simulation.tallies["money"].histogram
    assert shares == {
        3 + won: pytest.approx(sum(n for other, n in games.items() if other >= won) / 300) for won in games
    }
    assert "exact; simulated: 300 games" in [text.get_text() for text in axes.texts][-1]


def test_a_step_is_as_high_as_the_share_of_so_much_or_more():
    """Between two values it is the share of the one above, up to which nobody has less."""
    axes = plot_sessions([dicelab.session(Coin, until_rounds=6, **FEW)])
    assert [line.get_drawstyle() for line in axes.lines if line.get_linestyle() == "-"] == ["steps-pre", "default"]


def test_simulated_shares_where_nothing_more_is_known():
    found = dicelab.session(Coin, until_rounds=6, exact=False, **FEW)
    axes = plot_sessions([found])
    assert (dots(axes), axes.get_legend()) == ([], None)
    [line] = drawn(axes).values()
    money = found.simulation.tallies["money"].histogram
    for value, share in line.items():
        assert share == pytest.approx(sum(n for won, n in money.items() if 3 + won >= value) / 300)


@pytest.mark.slow
def test_labels_are_what_differs():
    settings = {"until_rounds": 3, "exact": False, **FEW}
    calls = ["line", "line:pass:1", "line:pass:0:20"]
    axes = plot_sessions(systems("craps", calls, **settings).sessions)
    assert list(drawn(axes)) == ["line", "line:odds=1", "line:unit=20"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["line", "line:odds=1", "line:unit=20"]
    axes = plot_sessions(systems("craps", ["line", "watch"], **settings).sessions)
    assert list(drawn(axes)) == ["line", "watch"]
    same = plot_sessions(systems("craps", ["watch", "watch"], **settings).sessions)
    assert [line.get_label() for line in same.lines if line.get_linestyle() != ":"] == ["watch", "watch"]


def test_several_bankrolls_have_no_common_beginning():
    axes = plot_sessions([dicelab.session(Coin, bankroll=bankroll, **FEW) for bankroll in (2, 5)])
    assert begun(axes) == []
    assert len(drawn(axes)) == 2
    assert all(any(word in label for word in ("2", "5")) for label in drawn(axes))


def test_more_sessions_than_colours_can_be_told_apart():
    found = [dicelab.session(Coin, bankroll=bankroll, exact=False, **FEW) for bankroll in range(2, 14)]
    axes = plot_sessions(found)
    looks = {(line.get_color(), line.get_linestyle()) for line in axes.lines}
    assert len(looks) == len(axes.lines) == 12


def test_where_all_is_lost_there_is_still_a_picture():
    found = dicelab.session(Coin, bankroll=1, stop_win=50, heads=1, tails=20, games=50, seed=1, exact=False)
    assert set(found.tallies["bankroll"].simulated.histogram) == {0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = plot_sessions([found])
    assert axes.get_xlim()[1] > 1


def test_a_long_tail_is_cut_and_the_beginning_is_not():
    rare = dicelab.session(Coin, bankroll=5, stop_win=50, heads=5, tails=6, **FEW)
    right = plot_sessions([rare]).get_xlim()[1]
    shares = rare.tallies["bankroll"].exact.probabilities
    assert 5 < right <= 1.03 * 55
    assert sum(p for money, p in shares.items() if money > right) <= 0.001


def test_given_axes_are_drawn_on():
    _, axes = figure()
    assert plot_sessions([dicelab.session(Coin, exact=False, **FEW)], ax=axes) is axes
    assert np.isfinite(axes.dataLim.get_points()).all()


def test_nothing_to_draw_is_refused():
    found = dicelab.session(Coin, exact=False, **FEW)
    for sessions in ([], [found, replace(found, simulation=replace(found.simulation, games=0))]):
        with pytest.raises(ParameterError, match="give at least one session"):
            plot_sessions(sessions)
