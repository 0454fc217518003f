"""What charts show as data, for the browser, beside the numbers of the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from matplotlib.patches import Circle

import dicelab
from dicelab import plots
from dicelab.plots.described import described

MAIN_5 = 0.49241622574955907
"""The chance to win Hazard with main 5."""


def marks(ax: Any, kind: str) -> list[dict[str, Any]]:
    """The marks of a kind in a chart, which is plain data without numbers that JSON doesn't have."""
    found = json.loads(json.dumps(described(ax), allow_nan=False))
    return [mark for mark in found["marks"] if mark["kind"] == kind]


def test_points_of_a_sweep_are_the_exact_answers() -> None:
    axes = plots.plot_sweep(dicelab.sweep("hazard", over={"main": [5, 7]}, exact=True), "win")
    line, ring = marks(axes, "line")
    assert ring["open"]
    assert line["points"] == [[5, pytest.approx(MAIN_5)], [7, pytest.approx(244 / 495)]]
    shown = described(axes)
    assert (shown["x"]["label"], shown["y"]["label"]) == ("main", 'probability of the outcome "win"')
    assert [text for _, text in shown["x"]["ticks"]] == ["5", "7"]
    assert shown["notes"][0].startswith("hazard: main 5")


def test_intervals_stand_beside_their_points() -> None:
    judged = dicelab.judge("hazard", main=5, counts=[498, 502])
    first, second = marks(plots.plot_judgement(judged), "line")
    z = (498 - 1000 * MAIN_5) / (1000 * MAIN_5 * (1 - MAIN_5)) ** 0.5
    assert first["points"] == [pytest.approx([z, 0, z - 1.96, z + 1.96], abs=1e-3)]
    assert second["points"][0][:2] == pytest.approx([-z, 1], abs=1e-3)
    assert first["sideways"]


@pytest.mark.slow
def test_cells_of_a_comparison_are_its_pairs_and_the_names_are_rows() -> None:
    axes = plots.plot_comparison(dicelab.compare("tossup", ["one_roll", "bank_over:5"], exact=True, target=10))
    [cells] = marks(axes, "cells")
    (here, row), (column, there) = cells["values"]
    assert (here, row, column, there) == pytest.approx((0.5, 0.303, 0.697, 0.5), abs=5e-4)
    names = [text for _, text in described(axes)["y"]["ticks"]]
    assert names == ["one_roll", "bank_over:5"]
    assert described(axes)["y"]["ends"] == [2, 0]  # the first row is at the top


def test_cells_of_a_policy_are_named_moves() -> None:
    best = dicelab.solve("tossup", target=5, dice=2)
    [cells] = marks(plots.plot_solution(best), "cells")
    assert {*cells["names"]} == {"roll", "bank"}
    assert cells["values"] is None


def test_bars_of_values_that_were_asked_for_have_a_mark_of_their_own() -> None:
    under, enough = marks(plots.plot_dice(dicelab.dice("2d6", at_least=10)), "bars")
    assert (under["label"], len(under["bars"])) == ("", 8)
    assert (enough["label"], len(enough["bars"])) == ("at least 10: 0.166667", 3)
    assert sum(top for _, _, _, top in enough["bars"]) == pytest.approx(1 / 6)


def test_dollars_and_legends_are_told_as_they_are_read() -> None:
    axes = plots.figure("$5 or $10")[1]
    axes.plot([0, 1], [2, 3], color=plots.chart_style.COLOURS[1], linestyle="--", label=plots.chart_style.plain("$5"))
    axes.legend()
    shown = described(axes)
    assert shown["title"] == "$5 or $10"
    [line] = shown["marks"]
    assert (line["label"], line["colour"], line["dash"]) == ("$5", 1, "6 4")
    assert line["listed"]


def test_nothing_is_left_out_in_silence() -> None:
    axes = plots.figure()[1]
    axes.add_patch(Circle((0, 0), 1))
    with pytest.raises(TypeError, match="Circle"):
        described(axes)


@pytest.mark.slow
def test_every_chart_has_a_description() -> None:
    lcr = dicelab.exact("lcr", players=3), dicelab.simulate("lcr", players=3, games=500, seed=1)
    session = dicelab.session("craps", until_rounds=5, games=200, seed=1)
    money = dicelab.sweep("craps", over={"until_rounds": [1, 2, 3]}, games=200, seed=1)
    many = {"players": range(2, 10), "coins": range(1, 9)}
    for axes in (
        plots.plot_seats(*lcr),
        plots.plot_tally(*lcr, tally="turns"),
        plots.plot_sweep(dicelab.sweep("lcr", over=many, games=20, seed=1)),
        plots.plot_sweep(dicelab.sweep("craps-bet", over={"bet": ["pass", "hard8"]}, exact=True)),
        plots.plot_fan(money, "money", start=300, paths=[[0, 5, 10]]),
        plots.plot_why(dicelab.why("lcr", players=3)),
        plots.plot_tune(dicelab.tune("lcr", over={"players": [2, 3]}, want=["gap<10%"])),
        plots.plot_sessions([session]),
        plots.plot_rating(dicelab.rate("tossup", ["one_roll", "bank_over:5"], target=8, seed=1)),
        plots.plot_edges(dicelab.edges("craps", only="place_*")),
        plots.plot_par(dicelab.par("craps", only="field_*")),
        plots.plot_dice(dicelab.dice("20d20"), dicelab.dice("30d12")),
        plots.plot_dice(dicelab.dice("4d6"), of="at-least"),
        plots.plot_fair(dicelab.fair("16,18,21,15,14,16")),
        plots.plot_exercise(dicelab.exercise("hazard", main=5, pupils=3)),
    ):
        shown = json.loads(json.dumps(described(axes), allow_nan=False))
        assert shown["title"]
        assert shown["marks"]
        assert shown["notes"]
