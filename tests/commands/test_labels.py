"""Players are counted from 1 wherever people read, and what is shown can be typed."""

from __future__ import annotations

import pytest

SMALL = ["tossup", "--target", "6", "--dice", "3"]


@pytest.mark.slow
def test_players_are_counted_from_one_and_the_label_stands_beside_the_index(dicelab):
    said = dicelab("exact", *SMALL)
    assert "player 1 wins" in said.out
    assert "seat 0" not in said.out
    outcomes = dicelab("exact", *SMALL, "--json").json["outcomes"]
    assert {name: row["label"] for name, row in outcomes.items()} == {"0": "player 1", "1": "player 2"}


@pytest.mark.parametrize("label", ["player 2", "Player 2", "player_2", "player2", "1"])
def test_a_label_is_an_outcome(dicelab, label):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--objective", label)
    assert said.out.startswith("With the best play against one_roll player 2 wins ")


@pytest.mark.slow
def test_a_label_is_the_outcome_of_a_precision_and_of_a_picture(dicelab, tmp_path):
    words = ["simulate", *SMALL, "--seed", "1"]
    precise = ["--precision", "0.05", "--json"]
    same = [dicelab(*words, *precise, "--on", on).json for on in ("player 2", "1")]
    assert [row["games"] for row in same] == [same[0]["games"]] * 2
    chart = tmp_path / "way.svg"
    dicelab(*words, "-n", "200", "--plot", str(chart), "--of", "convergence:player 2")
    assert "player 2 wins" in chart.read_text()


def test_a_bare_number_of_a_field_is_its_value_and_a_label_is_a_seat(dicelab, tmp_path):
    file = str(tmp_path / "best.npz")
    dicelab("solve", *SMALL, "--out", file)
    at = ["policy", "tossup", file, "--at", "points=2", "--json"]
    one = dicelab(*at, "--at", "player=player 2", "--at", "scores[player 2]=3").json
    two = dicelab(*at, "--at", "player=1", "--at", "scores[1]=3").json
    assert one["rows"] == two["rows"] != []
    assert {row["state"]["player"] for row in one["rows"]} == {1}
    dicelab(*at, "--at", "player=player 9").must_refuse(2, "at: 'player=player 9' is not allowed")


@pytest.mark.parametrize("seat", ["1", "player 2"])
def test_a_seat_is_an_index_or_a_label_and_the_answer_shows_the_label(dicelab, seat):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--seat", seat)
    assert "strategies: player 1 one_roll, player 2 best" in said.out


def test_what_is_no_seat_is_refused_with_the_labels(dicelab):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--seat", "me")
    said.must_refuse(2, "seat: 'me' is not a whole number, counted from 0, nor a label: player 1, player 2")
