"""A sweep begins with the sentence that answers it, and labels of players are figures."""

from __future__ import annotations

import pytest

import dicelab
from dicelab.questions.sweeps.points import points_of
from dicelab.questions.sweeps.sweep import figure_of

HOG = "./verification/hog.py"


@pytest.mark.parametrize(
    ("game", "over", "expected"),
    [
        (
            "lcr",
            {"players": [2, 3]},
            "It gets fairer: the gap between the players falls from 23.6 points (players 2) to 5.83 points "
            "(players 3).",
        ),
        (
            "lcr",
            {"coins": [1, 2, 3]},
            "It is fairest with coins 2: the gap is 2.27 points, against 5.07 points with coins 1.",
        ),
        (
            "hazard",
            {"main": [5, 7, 9]},
            'Main 7 is best: there the probability of the outcome "win" is largest, 49.3 %.',
        ),
        (HOG, {"dice": [1, 8]}, "The mean of score is 3.33 with dice 1, and 7.44 with dice 8."),
    ],
)
def test_an_exact_sweep_says_what_changes(game, over, expected):
    found = dicelab.sweep(game, over=over, exact=True)
    assert found.summary == expected
    assert found.to_dict()["summary"] == expected
    assert " ".join(found.text().split()).startswith(expected)


def test_the_same_gap_for_all_values_is_said():
    found = dicelab.sweep("lcr", over={"dice": [2, 3]}, players=2, coins=1, exact=True)
    assert found.summary == "It is equally fair for all values: the gap is 33.3 points."


def test_few_games_tell_nothing():
    found = dicelab.sweep("lcr", over={"players": [3, 4]}, games=20, seed=1)
    assert found.summary.startswith("Too few games to tell for which value it is fairest (±")
    hazard = dicelab.sweep("hazard", over={"main": [6, 7]}, games=20, seed=1)
    assert hazard.summary == "Too few games to tell which value is best."


def test_one_value_has_nothing_to_compare():
    assert dicelab.sweep("lcr", over={"players": [3]}, exact=True).summary == ""


def test_labels_of_players_are_figures():
    points = points_of("lcr", (), {"coins": [1, 2]}, {})
    assert figure_of(points, "player 2") == ("1", False)
    assert figure_of(points, "least:player 3") == ("2", True)
    found = dicelab.solve_for("lcr", "player 2", 0.25, over={"coins": range(1, 3)}, exact=True)
    assert found.figure == "1"
    wished = dicelab.tune("lcr", over={"coins": [1, 2]}, want="player 1<99%", games=1000)
    assert wished.wishes[0].figure == "0"


def test_a_judgement_begins_with_its_verdict():
    found = dicelab.judge("hazard", counts=[492, 508])
    assert found.summary == "Consistent with the rules."
    assert found.text().startswith(found.summary)
