"""Which states a question about a policy is about, and what it says where there are none."""

from __future__ import annotations

import re

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.interface.reporting.card import card
from dicelab.plots import plot_policy
from dicelab.questions.policies.advice import read_at
from dicelab.questions.policies.grid import field_called, grid
from dicelab.results.text.page import Printing
from game_texts import UNASKED
from small_games import Tokens

QUESTIONS = {
    "advice": dicelab.advice,
    "card": card,
    "plot_policy": lambda policy, **at: plot_policy(policy, "scores[0]", "scores[1]", **at),
    "grid": lambda policy, **at: grid(policy, "scores[0]", "scores[1]", at),
}


@pytest.fixture(scope="module")
def best():
    """The optimal policy of a small Toss Up!."""
    return dicelab.solve("tossup", target=8, dice=2).policy


@pytest.mark.parametrize("asked", QUESTIONS)
def test_values_that_no_state_has_are_named(best, asked):
    with pytest.raises(ParameterError, match=r"the policy has no choice in a state with player 5, points 3$"):
        QUESTIONS[asked](best, player=5, points=3)


@pytest.mark.parametrize("asked", ["advice", "card"])
def test_a_policy_without_choices_says_so(asked, tmp_path):
    rules = tmp_path / "unasked.py"
    rules.write_text(UNASKED)
    policy = dicelab.solve(rules).policy
    message = "the policy makes no choice: in unasked, no seat that was solved ever chooses"
    for at in ({}, {"rolled": 3}):
        with pytest.raises(ParameterError, match=f"{message}$"):
            QUESTIONS[asked](policy, **at)


def test_fields_may_be_given_in_a_mapping(best):
    said = {"points": 2, "player": 0, "scores[0]": 5}
    assert str(dicelab.advice(best, at=said)).splitlines()[0] == str(dicelab.advice(best, **said)).splitlines()[0]
    by_mapping = plot_policy(best, "scores[0]", "points", at={"player": 0, "scores[1]": 3})
    by_keyword = plot_policy(best, "scores[0]", "points", **{"player": 0, "scores[1]": 3})
    pictures = [axes.images[0].get_array().tolist() for axes in (by_mapping, by_keyword)]
    assert pictures[0] == pictures[1]
    assert card(best, at=said).states == card(best, **said).states


@pytest.mark.parametrize(
    ("at", "named"), [({"points": "x"}, "points: 'x'"), ({"points": {"a": 1}}, "points: {'a': 1}")]
)
def test_other_values_are_refused_by_their_field(best, at, named):
    with pytest.raises(ParameterError, match=f"{re.escape(named)} is not allowed; it takes a whole number"):
        dicelab.advice(best, **at)


def test_numbers_of_a_grid_by_seat_are_named_by_player_and_place():
    policy = dicelab.solve(Tokens).policy
    assert field_called(policy.game, "at[3]") == "at number 1 of player 2"
    advised = dicelab.advice(policy, number=1, player=0)
    wide, narrow = advised.text(Printing(140)), advised.text(Printing(80))
    assert "at [0] of player 1  at [1] of player 1  at [0] of player 2  at [1] of player 2  move" in wide
    assert narrow.count("player  player  player  player\n") == 1, "titles are broken between words"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ({"at[player 2][1]": 2}, {"at[3]": 2}),
        ({"at[1][0]": "2"}, {"at[2]": 2}),
        ({"at[player 1]": "1,2"}, {"at[0]": 1, "at[1]": 2}),
        ({"at[3]": 2}, {"at[3]": 2}),
        ({"at": [0, 1, 2, 0], "player": "player 2"}, {"at": [0, 1, 2, 0], "player": 1}),
    ],
)
def test_numbers_of_a_grid_are_typed_by_player_and_place(typed, meant):
    assert read_at(typed, Tokens()) == meant


@pytest.mark.parametrize("typed", [{"at[player 2]": 3}, {"at[player 2][2]": 0}, {"pair[0][0]": 1}, {"at[one]": 1}])
def test_a_number_of_a_grid_that_is_not_there_is_refused(typed):
    with pytest.raises(ParameterError, match=r"^at: "):
        read_at(typed, Tokens())
