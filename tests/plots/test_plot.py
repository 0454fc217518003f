"""Pictures: what is drawn and what is said, not how it looks."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

import dicelab
from charts import caption, legend, near, points, ticks
from dicelab.errors import DicelabError, InputError, ParameterError, UnknownNameError
from dicelab.plots import chart_style, figure, plot_convergence, plot_seats, plot_sweep, plot_tally, save
from dicelab.questions.convergence import Convergence, convergence
from dicelab.results.numbers.intervals import clopper_pearson
from dicelab.runtime.scheduler import Tallied


def simulate(game, *args, games=400, seed=7, **more):
    return dicelab.simulate(game, *args, games=games, seed=seed, engine="reference", **more)


@pytest.fixture(scope="module")
def hazard():
    return dicelab.exact("hazard")


@pytest.fixture(scope="module")
def hazard_simulated():
    return simulate("hazard")


@pytest.fixture(scope="module")
def lcr():
    return dicelab.exact("lcr", players=3)


def with_histogram(histogram, **more):
    """A simulation of the pass line in which `money` has this histogram."""
    games = sum(histogram.values())
    tallied = Tallied([games, 0], [[Counter({1: games}), Counter(histogram)], [Counter(), Counter()]])
    return replace(simulate("pass-line", games=1), games=games, tallied=tallied, **more)


# Tallies -------------------------------------------------------------------------------------------------------------


def test_exact_distribution_as_bars_cut_at_both_ends(hazard):
    axes = plot_tally(hazard, tally="throws")
    (bars,) = axes.containers
    chances = hazard.tallies["throws"].probabilities
    drawn = {bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in bars}
    assert list(drawn) == near(list(range(1, len(drawn) + 1)))
    assert list(drawn.values()) == near(list(chances.values())[: len(drawn)])
    assert sum(drawn.values()) >= 0.9995 > sum(list(drawn.values())[:-1])
    assert axes.get_title(loc="left") == "hazard: throws in a game"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("throws in a game", "probability")
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] > max(drawn.values())


def test_simulated_distribution_as_points_with_intervals(hazard_simulated):
    axes = plot_tally(hazard_simulated, tally="throws")
    histogram = hazard_simulated.tallies["throws"].histogram
    places, heights, ends = points(axes.containers[0])
    assert places == sorted(histogram)
    assert heights == near([histogram[value] / 400 for value in sorted(histogram)])
    assert ends == [near(list(clopper_pearson(histogram[value], 400))) for value in sorted(histogram)]


def test_exact_and_simulated_over_each_other_with_mean_and_percentiles(hazard, hazard_simulated):
    axes = plot_tally(hazard, hazard_simulated, tally="throws")
    assert legend(axes) == ["exact", "simulated", "mean 3.376", "p50 2", "p90 7"]
    bars, estimated = axes.containers
    assert [type(one).__name__ for one in (bars, estimated)] == ["BarContainer", "ErrorbarContainer"]
    marked = [line.get_xdata()[0] for line in axes.lines if list(line.get_ydata()) == [0, 1]]
    assert marked == near([float(hazard.tallies["throws"].fraction), 2, 7])
    assert plot_tally(hazard_simulated, hazard, tally="throws").get_legend().get_texts()[2].get_text() == "mean 3.376"


def test_settings_are_told_apart_with_their_numbers():
    results = [dicelab.exact("hazard", main=main) for main in (5, 7)]
    axes = plot_tally(*results, tally="throws")
    assert legend(axes) == [
        "main 5, exact\nmean 4.068, p50 3, p90 9",
        "main 7, exact\nmean 3.376, p50 2, p90 7",
        "mean",
        "p50",
        "p90",
    ]
    assert not axes.containers
    for steps, result in zip(axes.patches, results, strict=True):
        values, edges, _ = steps.get_data()
        assert edges[:3].tolist() == [0.5, 1.5, 2.5]
        assert values.tolist() == near(list(result.tallies["throws"].probabilities.values())[: len(values)])
    colours = [steps.get_edgecolor() for steps in axes.patches]
    assert colours[0] != colours[1]
    axes = plot_tally(*results, dicelab.exact("hazard", main=6), tally="throws")
    assert legend(axes)[-1] == "mean"
    assert "p90" not in legend(axes)


def test_money_that_is_lost_or_won():
    result = dicelab.exact("pass-line", stake=1_000_000)
    axes = plot_tally(result, tally="money")
    assert ticks(axes.xaxis) == {-1_000_000: "−1,000,000", 1_000_000: "1,000,000"}  # noqa: RUF001
    assert [bar.get_height() for bar in axes.containers[0]] == near([251 / 495, 244 / 495])
    assert legend(axes)[1] == "mean −14,141"  # noqa: RUF001


def test_a_single_value():
    axes = plot_tally(with_histogram({-3: 9}), tally="money")
    assert ticks(axes.xaxis) == {-3: "−3"}  # noqa: RUF001
    assert points(axes.containers[0])[:2] == ([-3], [1])
    assert axes.get_ylim()[1] > 1


def test_many_values_are_put_in_groups():
    result = with_histogram({value: 1 + value % 3 for value in range(-13, 800)})
    axes = plot_tally(result, tally="money")
    places, heights, ends = points(axes.containers[0])
    histogram, games = result.tallies["money"].histogram, result.games
    assert places == near([start + 4.5 for start in range(-20, 800, 10)])
    counts = [sum(histogram[value] for value in range(start, start + 10)) for start in range(-20, 800, 10)]
    assert heights == near([count / games for count in counts])
    assert ends == [near(list(clopper_pearson(count, games))) for count in counts]
    assert sum(heights) == near(1)
    assert axes.get_ylabel() == "probability, 10 values together"
    assert all(at == int(at) for at in ticks(axes.xaxis))


def test_values_that_are_not_possible_are_not_counted_in_a_group():
    axes = plot_tally(with_histogram({1000 * value: 2 for value in range(50)}), tally="money")
    assert axes.get_ylabel() == "probability"
    assert points(axes.containers[0])[0] == [1000 * value for value in range(50)]


def test_ends_of_long_tails_are_cut():
    axes = plot_tally(with_histogram({-(10**9): 1, **dict.fromkeys(range(10), 1000), 10**12: 1}), tally="money")
    assert points(axes.containers[0])[0] == list(range(10))
    assert points(axes.containers[0])[1] == near([1000 / 10_002] * 10)


def test_distributions_drawn_together_are_seen_whole():
    low, high = with_histogram({1: 3, 4: 1}), with_histogram({3: 1, 30: 3}, seed=8)
    axes = plot_tally(low, high, tally="money")
    assert [points(container)[0] for container in axes.containers] == [[1, 4], [3, 30]]
    assert legend(axes)[:2] == ["simulated, 4 games, seed 7", "simulated, 4 games, seed 8"]
    left, right = axes.get_xlim()
    assert left < 1 < 30 < right


def test_a_long_exact_distribution_is_a_line():
    result = dicelab.exact("hazard-caster", losses=4)
    axes = plot_tally(result, tally="rounds")
    (steps,) = axes.patches
    values, edges, _ = steps.get_data()
    assert len(values) > 60
    assert edges[0] == 3.5
    chances = result.tallies["rounds"].probabilities
    assert values.tolist() == near([chances.get(value, 0) for value in range(4, 4 + len(values))])


def test_tallies_that_cannot_be_drawn(hazard, hazard_simulated):
    with pytest.raises(UnknownNameError, match="no tally of hazard 'throw'; did you mean 'throws'"):
        plot_tally(hazard, tally="throw")
    with pytest.raises(ParameterError, match="at least one result"):
        plot_tally(tally="throws")
    with pytest.raises(ParameterError, match="no game of hazard was played"):
        plot_tally(replace(hazard_simulated, games=0, tallied=Tallied.empty(2, 1)), tally="throws")
    without = replace(hazard.answer, tallies=tuple(replace(tally, spread=None) for tally in hazard.answer.tallies))
    with pytest.raises(ParameterError, match="too much memory; simulate it"):
        plot_tally(replace(hazard, answer=without), tally="throws")


# Outcomes ------------------------------------------------------------------------------------------------------------


def test_seats_beside_equal_shares(lcr):
    estimated = simulate("lcr", players=3)
    axes = plot_seats(lcr, estimated)
    assert legend(axes) == ["exact", "simulated", "equal shares: 1/3"]
    exact, *_, shares = axes.lines
    assert exact.get_ydata().tolist() == near([chance.probability for chance in lcr.outcomes.values()])
    places, heights, ends = points(axes.containers[0])
    assert heights == near([chance.probability for chance in estimated.outcomes.values()])
    assert ends == [near(list(chance.interval)) for chance in estimated.outcomes.values()]
    between = (np.array(exact.get_xdata()) + places) / 2
    assert between.tolist() == near([0, 1, 2])
    assert np.all(exact.get_xdata() < np.array(places))
    assert list(shares.get_ydata()) == near([1 / 3, 1 / 3])
    assert ticks(axes.xaxis) == {0: "1", 1: "2", 2: "3"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("player", "probability to win")


def test_fifty_seats_stay_readable():
    axes = plot_seats(simulate("lcr", players=50, games=20))
    assert list(ticks(axes.xaxis).values()) == [str(seat + 1) for seat in range(0, 50, 5)]
    assert len(points(axes.containers[0])[0]) == 50


def test_win_and_lose_have_no_equal_shares(hazard):
    axes = plot_seats(hazard)
    assert legend(axes) == ["exact"]
    assert ticks(axes.xaxis) == {0: "win", 1: "lose"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("outcome", "probability")


def test_games_for_different_numbers_of_players(lcr):
    axes = plot_seats(lcr, dicelab.exact("lcr", players=2))
    assert legend(axes) == ["players 3, exact", "players 2, exact", "equal shares: 1/3", "equal shares: 1/2"]
    assert [list(line.get_xdata()) for line in axes.lines[2:]] == [[-0.5, 2.5], [-0.5, 1.5]]
    assert [list(line.get_ydata()) for line in axes.lines[2:]] == [near([1 / 3, 1 / 3]), near([1 / 2, 1 / 2])]


@pytest.mark.quick_cases("1")
@pytest.mark.parametrize("many", [1, 2, 5])
def test_the_legend_hides_no_seat(many):
    axes = plot_seats(*(simulate("tossup", "one_roll", target=5 + i, games=50) for i in range(many)))
    canvas = axes.get_figure(root=True)
    canvas.draw_without_rendering()
    lowest = axes.transData.inverted().transform(axes.get_legend().get_window_extent())[0, 1]
    assert max(end for container in axes.containers for bar in points(container)[2] for end in bar) < lowest


def test_names_of_outcomes_are_no_formulas(hazard_simulated, tmp_path):
    named = replace(hazard_simulated, outcome_names=("$5", "between $6 and $10 for a game that is named at length"))
    axes = plot_seats(named)
    save(axes, tmp_path / "money.svg")
    text = (tmp_path / "money.svg").read_text()
    assert ">$5<" in text
    assert "between $6 and $10" in text
    assert "\\" not in "".join(ElementTree.fromstring(text).itertext())


def test_a_game_without_outcomes():
    with pytest.raises(ParameterError, match="hazard-caster has no outcomes, only tallies"):
        plot_seats(simulate("hazard-caster", games=5))


# Sweeps --------------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    values: dict[str, int]
    result: object
    words: tuple[str, ...] = ()


@dataclass
class Sweep:
    game: str
    over: tuple[str, ...]
    rows: list[Row]


def over(game, name, values, **more):
    results = [dicelab.exact(game, **{name: value}, **more) for value in values]
    return Sweep(game, (name,), [Row({name: value}, result) for value, result in zip(values, results, strict=True)])


def table(across, up, **more):
    """A simulated sweep over two names, of which only the histogram varies: the mean of money is a + 100 b."""
    rows = [Row({"a": a, "b": b}, with_histogram({a + 100 * b: 4}, **more)) for a in across for b in up]
    return Sweep("pass-line", ("a", "b"), rows)


def test_exact_sweep_over_one_name():
    axes = plot_sweep(over("hazard", "main", range(5, 10)), "win")
    (line,) = axes.lines
    assert list(line.get_xdata()) == [5, 6, 7, 8, 9]
    assert line.get_ydata().tolist() == near([1396 / 2835, 6961 / 14256, 244 / 495, 6961 / 14256, 1396 / 2835])
    assert ticks(axes.xaxis) == {main: str(main) for main in range(5, 10)}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("main", 'probability of the outcome "win"')
    assert axes.get_legend() is None
    assert caption(axes).splitlines()[0] == "hazard: main 5 .. 9"
    assert "bars" not in caption(axes)


def test_simulated_sweep_has_intervals():
    results = [simulate("hazard", main=main) for main in (9, 5)]
    sweep = Sweep("hazard", ("main",), [Row({"main": r.parameters["main"]}, r) for r in results])
    axes = plot_sweep(sweep, "throws")
    places, heights, ends = points_with_caps(axes)
    assert places == [5, 9]
    assert heights == near([result.tallies["throws"].mean for result in results[::-1]])
    assert ends == [near(list(result.tallies["throws"].interval)) for result in results[::-1]]
    assert axes.get_ylabel() == "mean throws in a game"
    assert "bars are 95 % intervals" in caption(axes)
    values = [result.tallies["throws"].percentile(0.75) for result in results[::-1]]
    axes = plot_sweep(sweep, "p75:throws")
    assert points_with_caps(axes)[1] == values
    assert points_with_caps(axes)[2] == [list(r.tallies["throws"].percentile_interval(0.75)) for r in results[::-1]]
    assert axes.get_ylabel() == "p75 of throws in a game"


def test_a_sweep_draws_no_bar_where_an_interval_is_open():
    results = [simulate("hazard", main=main, games=10) for main in (5, 6)]
    axes = plot_sweep(Sweep("hazard", ("main",), [Row({"main": r.parameters["main"]}, r) for r in results]), "throws")
    assert "no bar: too few games for an interval with two ends" in caption(axes)
    low, high = axes.get_ylim()
    assert low < min(r.tallies["throws"].mean for r in results) < high < 100


def points_with_caps(axes):
    (container,) = axes.containers
    line, _, bars = container
    return points((line, (), bars))


def test_many_values_have_whole_ticks():
    rows = [Row({"points": value}, with_histogram({value: 2})) for value in range(0, 64, 4)]
    axes = plot_sweep(Sweep("pass-line", ("points",), rows), "money")
    found = ticks(axes.xaxis)
    assert 4 <= len(found) <= 12
    assert {str(int(at)) for at in found} == set(found.values())


def test_fairness_where_the_number_of_seats_varies(lcr):
    sweep = Sweep("lcr", ("players",), [Row({"players": 2}, dicelab.exact("lcr", players=2)), Row({"players": 3}, lcr)])
    axes = plot_sweep(sweep)
    assert axes.get_ylabel() == "largest minus smallest chance to win"
    assert axes.get_title(loc="left") == "lcr: largest minus smallest chance to win"
    assert axes.lines[0].get_ydata().tolist() == near([row.result.fairness["gap"] for row in sweep.rows])
    assert axes.get_ylim()[0] == 0
    axes = plot_sweep(sweep, "2")
    assert np.isnan(axes.lines[0].get_ydata()).tolist() == [True, False]
    assert axes.get_ylabel() == "probability that player 3 wins"
    assert (
        plot_sweep(sweep, "total_variation").get_ylabel()
        == "distance from equal shares: half the sum of the differences"
    )


def test_fairness_of_estimates_has_no_interval():
    one = simulate("lcr", players=2, games=1)
    sweep = Sweep("lcr", ("players",), [Row({"players": 2}, one), Row({"players": 3}, simulate("lcr", players=3))])
    axes = plot_sweep(sweep, "ratio")
    assert not axes.containers
    assert np.isnan(axes.lines[0].get_ydata()).tolist() == [True, False]  # one seat never won: infinite
    assert "bars" not in caption(axes)
    assert "chance alone raises the ratio of estimates" in caption(axes)


def test_what_is_drawn_when_nothing_is_said(lcr):
    assert plot_sweep(over("hazard", "main", [5, 6])).get_ylabel() == 'probability of the outcome "win"'
    assert plot_sweep(over("hazard-caster", "main", [5])).get_ylabel() == "mean throws in a game"
    sweep = Sweep("lcr", ("coins",), [Row({"coins": 3}, lcr)])
    assert plot_sweep(sweep).get_ylabel() == "probability that player 1 wins"


def test_two_names_give_a_line_for_each_value_of_the_second():
    axes = plot_sweep(table(range(8), (5, 3)), "money")
    assert axes.get_legend().get_title().get_text() == "b"
    assert legend(axes) == ["3", "5"]
    assert [one[0].get_ydata().tolist() for one in axes.containers] == [
        [a + 300 for a in range(8)],
        [a + 500 for a in range(8)],
    ]
    assert len({one[0].get_color() for one in axes.containers}) == 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("a", "mean money in a game")
    axes = plot_sweep(table((1, 2), range(8)), "money")
    assert axes.get_legend().get_title().get_text() == "a"
    assert axes.get_xlabel() == "b"
    assert axes.containers[1][0].get_ydata().tolist() == [2 + 100 * b for b in range(8)]


@pytest.mark.slow
def test_two_names_with_many_values_give_a_map():
    sweep = table(range(7), range(10, 18))
    sweep.rows.pop()
    axes = plot_sweep(sweep, "money")
    (mesh,) = axes.collections
    numbers = mesh.get_array()
    assert numbers.shape == (8, 7)
    assert numbers[2, 5] == 5 + 1200
    assert np.ma.getmaskarray(numbers).sum() == 1
    assert np.ma.getmaskarray(numbers)[7, 6]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("a", "b")
    assert ticks(axes.xaxis) == {a: str(a) for a in range(7)}
    assert ticks(axes.yaxis) == {b: str(b) for b in range(10, 18)}
    assert axes.get_figure(root=True).axes[1].get_ylabel() == "mean money in a game"
    assert axes.get_legend() is None


def test_measures_that_are_not_there():
    sweep = over("hazard", "main", [5, 6])
    with pytest.raises(UnknownNameError, match="no measure of hazard 'zzz'; there are: lose, p90:throws, throws, win"):
        plot_sweep(sweep, "zzz")
    for measure in ("gap", "p90:turns", "p:throws", "90:throws"):
        with pytest.raises(UnknownNameError, match="no measure of hazard"):
            plot_sweep(sweep, measure)
    for measure in ("p0:throws", "p101:throws"):
        with pytest.raises(ParameterError, match="a percentile is above 0 and at most 100"):
            plot_sweep(sweep, measure)
    empty = replace(simulate("hazard-caster", games=1), tally_names=())
    with pytest.raises(ParameterError, match="hazard-caster has neither outcomes nor tallies"):
        plot_sweep(Sweep("hazard-caster", ("main",), [Row({"main": 7}, empty)]))
    with pytest.raises(ParameterError, match="at least one result"):
        plot_sweep(Sweep("hazard", ("main",), []))


def test_a_sweep_is_what_the_sweep_module_makes():
    from dicelab.questions.sweeps.sweep import sweep

    axes = plot_sweep(sweep("hazard", over={"main": [5, 7]}, exact=True), "win")
    assert axes.lines[0].get_ydata().tolist() == near([1396 / 2835, 244 / 495])


# Convergence ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curve():
    return convergence("hazard", games=200, seed=1, of="win")


def test_estimates_with_their_band(curve, hazard):
    axes = plot_convergence(curve, hazard)
    estimate, exact = axes.lines
    assert list(estimate.get_xdata()) == curve.games
    assert list(estimate.get_ydata()) == curve.estimates
    assert list(exact.get_ydata()) == near([244 / 495] * 2)
    (band,) = axes.collections
    outline = {tuple(point) for point in band.get_paths()[0].vertices.tolist()}
    assert {*zip(curve.games, curve.lows, strict=True), *zip(curve.games, curve.highs, strict=True)} <= outline
    assert axes.get_xscale() == "log"
    assert legend(axes) == ["estimate", "95 % interval at each look", "exact: 0.492929"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("games played", 'probability of the outcome "win"')
    assert {10: "10", 100: "100"}.items() <= ticks(axes.xaxis).items()
    assert caption(axes).splitlines()[1].startswith("simulated: the first 10 .. 200 games, seed 1; dicelab")


def test_the_exact_value_is_not_needed(curve):
    assert legend(plot_convergence(curve)) == ["estimate", "95 % interval at each look"]
    assert legend(plot_convergence(curve, 0.5))[2] == "exact: 0.5"


def test_a_mean_that_converges(lcr):
    axes = plot_convergence(convergence("lcr", games=20, seed=1, of="turns", players=3), lcr)
    assert axes.get_ylabel() == "mean turns in a game"
    assert axes.lines[1].get_ydata()[0] == lcr.tallies["turns"].mean


def test_curves_that_cannot_be_drawn(curve, lcr):
    with pytest.raises(ParameterError, match=r"of another game than the estimate: lcr: players 3, not hazard$"):
        plot_convergence(curve, lcr)
    nothing: Convergence = replace(curve, games=[], estimates=[], lows=[], highs=[])
    with pytest.raises(ParameterError, match="no game of hazard was played"):
        plot_convergence(nothing)
    assert "stopped before the end" in caption(plot_convergence(replace(curve, interrupted=True)))


# Words ---------------------------------------------------------------------------------------------------------------


def test_a_picture_says_where_it_comes_from(lcr, hazard_simulated):
    version = f"dicelab {dicelab.__version__}"
    assert caption(plot_tally(lcr, tally="turns")) == f"lcr: players 3\nexact; {version}"
    assert caption(plot_tally(hazard_simulated, tally="throws")) == (
        f"hazard\nsimulated: 400 games, seed 7, bars are 95 % intervals; {version}"
    )
    both = caption(plot_seats(lcr, simulate("lcr", players=3), simulate("lcr", players=3, seed=8, games=1000)))
    assert both.splitlines()[1] == (
        f"exact; simulated: 400 / 1,000 games each, seed 7 / 8, bars are 95 % intervals; {version}"
    )


@pytest.mark.slow
def test_strategies_are_told_apart():
    def tossup(*strategies, **more):
        return simulate("tossup", strategies, target=10, games=5, **more)

    one, other = tossup("bank_over:20"), tossup("bank_over:50")
    axes = plot_seats(one, other)
    assert legend(axes)[:2] == ["bank_over:20, simulated", "bank_over:50, simulated"]
    assert caption(axes).splitlines()[1] == "strategy of every player: bank_over:20 / bank_over:50"
    axes = plot_seats(tossup("bank_over:20", "one_roll"), tossup("one_roll", "one_roll"))
    assert legend(axes)[:2] == ["player 1 bank_over:20, simulated", "one_roll, simulated"]
    assert caption(axes).splitlines()[1] == "strategies: player 1 bank_over:20 / one_roll, player 2 one_roll"
    axes = plot_seats(tossup("bank_over:20", "one_roll"), tossup("one_roll", "bank_over:20"))
    assert (
        caption(axes).splitlines()[1]
        == "strategies: player 1 bank_over:20 / one_roll, player 2 one_roll / bank_over:20"
    )
    assert legend(plot_seats(one, tossup("bank_over:20", seed=8)))[:2] == [
        "simulated, 5 games, seed 7",
        "simulated, 5 games, seed 8",
    ]
    many = tossup(*(f"bank_over:{points}" for points in range(8)), players=8)
    for line in legend(plot_seats(many, tossup("one_roll", players=8))):
        assert max(map(len, line.splitlines())) <= 50
    assert legend(plot_seats(many, tossup("one_roll", players=8)))[0].endswith("..., simulated")


# Paper ---------------------------------------------------------------------------------------------------------------


def test_axes_that_are_given_are_drawn_on(hazard, lcr, curve):
    given = Figure(figsize=(12, 8), layout="constrained").subplots(2, 2)
    assert plot_tally(hazard, tally="throws", ax=given[0, 0]) is given[0, 0]
    assert plot_seats(lcr, ax=given[0, 1]) is given[0, 1]
    assert plot_sweep(over("hazard", "main", [5, 6]), ax=given[1, 0]) is given[1, 0]
    assert plot_convergence(curve, ax=given[1, 1]) is given[1, 1]
    assert [axes.get_title(loc="left").split(":")[0] for axes in given.flat] == ["hazard", "lcr", "hazard", "hazard"]


def test_svg_is_lawful_keeps_its_text_and_is_the_same_each_time(tmp_path, hazard, hazard_simulated):
    for name in ("one.svg", "other.SVG"):
        save(plot_tally(hazard, hazard_simulated, tally="throws"), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.SVG").read_bytes()
    root = ElementTree.parse(tmp_path / "one.svg").getroot()
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"throws in a game", "probability", "exact", "simulated", "hazard"} <= texts
    assert root.find("{http://www.w3.org/2000/svg}title").text == "hazard: throws in a game"
    assert (float(root.get("width").removesuffix("pt")), float(root.get("height").removesuffix("pt"))) == (504, 324)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.svg", "other.SVG"]


def test_png_has_its_size_and_is_the_same_each_time(tmp_path, hazard):
    axes = plot_tally(hazard, tally="throws")
    save(axes, tmp_path / "one.png")
    save(axes.get_figure(root=True), str(tmp_path / "other.png"))
    data = (tmp_path / "one.png").read_bytes()
    assert data == (tmp_path / "other.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1050, 675)
    assert b"hazard\nexact" in data


def test_pdf_is_the_same_each_time_and_has_no_date(tmp_path, hazard):
    for name in ("one.pdf", "other.PDF"):
        save(plot_tally(hazard, tally="throws"), tmp_path / name)
    data = (tmp_path / "one.pdf").read_bytes()
    assert data == (tmp_path / "other.PDF").read_bytes()
    assert data.startswith(b"%PDF")
    assert b"/Title (hazard: throws in a game)" in data
    assert b"/Subject (hazard" in data
    assert b"Date" not in data


@pytest.mark.parametrize("name", ["picture", "picture.jpg", "picture.svg.gz", ".svg"])
def test_other_kinds_of_files_are_refused(tmp_path, name):
    with pytest.raises(ParameterError, match=r"a picture is saved as \.svg, \.png or \.pdf"):
        save(figure("nothing")[0], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    picture, _ = figure("nothing")
    target = tmp_path / "picture.svg"
    target.write_text("before")

    def full(path, data):
        with open(path, "wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(DicelabError, match=r"picture\.svg: the picture can't be written: No space left") as caught:
            save(picture, target)
    assert not isinstance(caught.value, InputError)
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
    with monkeypatch.context() as patched:
        patched.setattr(chart_style.os, "access", lambda path, mode: False)
        with pytest.raises(DicelabError, match="Permission denied"):
            save(picture, target)
    assert target.read_text() == "before"
    save(picture, target)
    assert target.read_text().startswith("<?xml")


def test_places_where_no_file_can_be(tmp_path):
    picture, _ = figure("nothing")
    with pytest.raises(DicelabError, match=r"nowhere.picture\.png: there is no folder .*nowhere"):
        save(picture, tmp_path / "nowhere" / "picture.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(DicelabError, match=r"folder\.png: the picture can't be written"):
        save(picture, tmp_path / "folder.png")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_device_is_written_to_and_not_replaced(tmp_path):
    (tmp_path / "picture.png").symlink_to("/dev/full")
    with pytest.raises(DicelabError, match="No space left"):
        save(figure("nothing")[0], tmp_path / "picture.png")
    assert Path("/dev/full").is_char_device()
    assert (tmp_path / "picture.png").is_symlink()


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.svg").write_text("before")
    (tmp_path / "link.svg").symlink_to(tmp_path / "real.svg")
    save(figure("nothing")[0], tmp_path / "link.svg")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_text().startswith("<?xml")


def test_without_matplotlib_it_says_what_to_install(monkeypatch, hazard):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=r"plots need matplotlib: pip install 'dicelab\[plot\]'"):
        plot_tally(hazard, tally="throws")


@pytest.mark.slow
def test_matplotlib_is_imported_late_and_pyplot_never(tmp_path):
    script = """
import sys
import dicelab
from dicelab import plots as plot
result = dicelab.simulate("hazard", games=20, seed=1, engine="reference")
assert not any(name.startswith("matplotlib") for name in sys.modules)
plot.save(plot.plot_tally(result, tally="throws"), sys.argv[1])
assert "matplotlib.pyplot" not in sys.modules
"""
    target = tmp_path / "picture.png"
    without_display = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(target)], env=without_display, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert target.exists()


def test_legends_and_titles_fit_narrow_axes():
    from matplotlib.figure import Figure

    simulated = dicelab.simulate("lcr", players=3, games=500, seed=1)
    exact = [dicelab.exact("tossup", one, target=10) for one in ("bank_over:5", "one_roll")]
    picture = Figure(figsize=(9, 3.5), layout="constrained")
    seats, tally, curve = picture.subplots(1, 3)
    plot_seats(*exact, simulated, ax=seats)
    plot_tally(*exact, tally="turns", ax=tally)
    plot_convergence(convergence("lcr", players=3, games=50, seed=1), 0.3, ax=curve, players=3)
    picture.draw_without_rendering()
    for axes in (seats, tally, curve):
        within, across = axes.get_window_extent(), axes.get_legend().get_window_extent()
        assert within.x0 - 1 <= across.x0 < across.x1 <= within.x1 + 1
        title = axes.title if axes.title.get_text() else axes._left_title
        assert title.get_window_extent().x1 <= within.x1 + 0.1 * within.width


@pytest.mark.slow
def test_a_fan_shows_percentiles_of_a_tally_over_a_sweep():
    swept = dicelab.sweep("craps", over={"until_rounds": [2, 4, 8]}, games=400, seed=1)
    axes = dicelab.plot_fan(swept, "money", start=300)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["median", "middle 50 %", "middle 90 %"]
    line = next(line for line in axes.get_lines() if line.get_label() == "median")
    assert list(line.get_ydata()) == [300 + row.result.tallies["money"].percentile(0.5) for row in swept.rows]
    with pytest.raises(UnknownNameError, match="did you mean 'money'"):
        dicelab.plot_fan(swept, "mony")
    drawn = dicelab.plot_fan(swept, "money", start=300, paths=[[10] * len(swept.rows), [-20] * len(swept.rows)])
    assert [list(line.get_ydata()) for line in drawn.lines[:2]] == [[310] * len(swept.rows), [280] * len(swept.rows)]
    with pytest.raises(ParameterError, match="one for each row"):
        dicelab.plot_fan(swept, "money", paths=[[1]])
    with pytest.raises(ParameterError, match="one name whose values are numbers"):
        dicelab.plot_fan(dicelab.sweep("craps", over={"house": ["las_vegas"]}, games=10, seed=1), "money")
