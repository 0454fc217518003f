"""``dicelab sweep``: one question over a range, on the command line."""

from __future__ import annotations

import csv
import io
import re

import pytest

import dicelab as library

FEW = ["--games", "60", "--seed", "8"]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("over", "values"),
    [
        ("main=5..9", [5, 6, 7, 8, 9]),
        ("main=5..9..2", [5, 7, 9]),
        ("main=9,5,9", [9, 5, 9]),
        ("main=7", [7]),
        ("main=5..1e1..7", [5]),
    ],
)
def test_a_parameter_is_swept(dicelab, over, values):
    said = dicelab("sweep", "hazard", "--over", over, "--exact", "--json")
    data = said.json
    assert (said.status, said.err) == (0, "")
    assert (data["schema"], data["method"], data["game"], data["over"]) == (2, "sweep", "hazard", ["main"])
    assert data["seed"] is None
    assert [row["over"] for row in data["rows"]] == [{"main": value} for value in values]
    for row, value in zip(data["rows"], values, strict=True):
        assert set(row) >= {"parameters", "strategies", "outcomes", "tallies", "exact"}
        assert row["parameters"] == {"main": value}
        exact = library.exact("hazard", main=value)
        assert row["outcomes"]["win"] == {
            "probability": exact.outcomes["win"].probability,
            "fraction": str(exact.outcomes["win"].fraction),
        }


@pytest.mark.parametrize("name", ["bank_over", "bank_over.points"])
def test_an_argument_of_a_strategy_is_swept(dicelab, name):
    words = ["--dice", "2", "--target", "4", "-s", "bank_over", "-s", "one_roll", *FEW, "--json"]
    data = dicelab("sweep", "tossup", "--over", f"{name}=0..2", *words).json
    assert data["over"] == [name]
    assert [row["strategies"] for row in data["rows"]] == [[f"bank_over:{n}", "one_roll"] for n in range(3)]
    assert [row["over"] for row in data["rows"]] == [{name: n} for n in range(3)]


def test_two_names_are_swept_the_last_one_fastest(dicelab):
    data = dicelab("sweep", "lcr", "--over", "players=2..3", "--over", "coins=1..2", *FEW, "--json").json
    assert [tuple(row["over"].values()) for row in data["rows"]] == [(2, 1), (2, 2), (3, 1), (3, 2)]
    assert ("exact" in data["rows"][0], data["seed"]) == (False, 8)


def test_rows_of_two_sweeps_at_the_same_value_are_the_same_games(dicelab):
    one = rows_of(dicelab("sweep", "hazard", "--over", "main=5..7", *FEW, "--csv", "--digits", "full").out)
    other = rows_of(
        dicelab("sweep", "hazard", "--over", "main=7,6,8", *FEW, "--threads", "1", "--csv", "--digits", "full").out
    )
    assert one[2] == other[0]
    assert one[1] == other[1]
    simulated = library.simulate("hazard", main=7, games=60, seed=8)
    assert float(one[2]["win"]) == simulated.outcomes["win"].probability
    assert float(one[2]["throws mean"]) == simulated.tallies["throws"].mean


def test_csv_has_a_column_for_every_seat_of_any_row(dicelab):
    said = dicelab("sweep", "lcr", "--over", "players=2..4", "--coins", "1", "--exact", "--csv", "--digits", "full")
    assert (said.status, said.err) == (0, "")
    lines = rows_of(said.out)
    assert [line["players"] for line in lines] == ["2", "3", "4"]
    assert {"0", "1", "2", "3", "0 low", "3 high", "turns mean", "turns p50", "gap", "ratio"} <= set(lines[0])
    assert [line["3"] == "" for line in lines] == [True, True, False]
    assert float(lines[2]["3"]) == library.exact("lcr", players=4, coins=1).outcomes["3"].probability
    assert said.out.count("\n") == 4


def test_a_table_for_people(dicelab):
    said = dicelab("sweep", "lcr", "--over", "players=2..3", "--coins", "1", "--exact")
    assert (said.status, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].startswith("It gets fairer: the gap between the players falls from 33.3 points (players 2)")
    table = lines[lines.index("lcr over players: coins 1") :]
    assert re.split(r" {2,}", table[2]) == [
        *("players", "player 1", "player 2", "player 3", "mean turns", "mean throws", "gap", "tot. variation"),
    ]
    assert table[3].split() == ["2", "0.333333", "0.666667", "2.000000", "2.000000", "0.333333", "0.166667"]
    assert lines[-1] == "exact"
    said = dicelab("sweep", "lcr", "--over", "players=2..3", "--coins", "1", *FEW)
    assert said.out.endswith("\nsimulated, seed 8; ± half of the 95 % interval\n")
    assert re.search(r"(?m)^2 +0\.\d{6} ±0\.\d{6} +0\.\d{6} ±0\.\d{6} ", said.out)


def test_a_precision_is_asked_of_every_row(dicelab):
    data = dicelab(
        "sweep", "hazard", "--over", "main=5,7", "--precision", "0.3", "--on", "throws", "--seed", "1", "--json"
    ).json
    for row in data["rows"]:
        throws = row["tallies"]["throws"]
        assert (throws["high"] - throws["low"]) / 2 <= 0.3


def test_a_file_is_a_game(dicelab, tiny):
    data = dicelab("sweep", tiny(), "--over", "stop_at=4..6", "--goal", "7", "--exact", "--json").json
    assert [row["strategies"] for row in data["rows"]] == [["stop_at:4"], ["stop_at:5"], ["stop_at:6"]]


@pytest.mark.parametrize("of", ["win", "throws", "p90:throws"])
@pytest.mark.parametrize("form", ["--json", "--csv", ""])
def test_a_picture_is_drawn_beside_the_answer(dicelab, tmp_path, of, form):
    file = tmp_path / "sweep.svg"
    words = ["sweep", "hazard", "--over", "main=5..7", "--exact", *([form] if form else [])]
    said = dicelab(*words, "--plot", str(file), "--of", of)
    assert (said.status, said.note) == (0, f"drawn: {file}")
    assert said.out.count("\n") == dicelab(*words).out.count("\n")
    assert file.read_text().startswith("<?xml")
    assert "main" in file.read_text()


def test_a_picture_of_fairness_is_drawn_where_nothing_is_said(dicelab, tmp_path):
    file = tmp_path / "sweep.svg"
    dicelab("sweep", "lcr", "--over", "players=2..3", "--coins", "1", "--exact", "--plot", str(file))
    assert "gap" in file.read_text() or "largest minus smallest" in file.read_text()


def test_a_row_that_fails_leaves_those_before_it_and_is_a_failure(dicelab, tiny):
    endless = tiny("self.points += face", "self.points += face if self.points != 6 else 0")
    words = ["sweep", endless, "--over", "stop_at=5..8", "--exact"]
    said = dicelab(*words, "--csv")
    assert said.status == 1
    assert [row["stop_at"] for row in rows_of(said.out)] == ["5", "6"]
    assert re.fullmatch(r"dicelab: tiny: from some states the game never ends.*\n", said.err)
    said = dicelab(*words, "--json")
    assert (said.status, len(said.json["rows"])) == (1, 2)
    assert said.json["refused"] in said.err
    said = dicelab("sweep", endless, "--over", "stop_at=7,5", "--exact", "--csv")
    said.must_refuse(1, "the game never ends")


def test_an_interruption_keeps_what_was_finished(dicelab, monkeypatch, tmp_path):
    def stopped(game, strategies, **more):
        if game.parameters["main"] == 7:
            raise KeyboardInterrupt
        return library.simulate(game, strategies, **more)

    monkeypatch.setattr("dicelab.questions.sweeps.points.simulate", stopped)
    file = tmp_path / "sweep.svg"
    words = ["sweep", "hazard", "--over", "main=5..9", *FEW]
    said = dicelab(*words, "--csv", "--plot", str(file))
    assert (said.status, [row["main"] for row in rows_of(said.out)]) == (130, ["5", "6"])
    assert file.exists()
    said = dicelab(*words, "--json")
    assert (said.status, said.json["interrupted"], len(said.json["rows"])) == (130, True, 2)
    assert "stopped before the end" in dicelab(*words).out


def test_before_the_first_row_an_interruption_leaves_an_empty_table(dicelab, monkeypatch, tmp_path):
    def stopped(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("dicelab.questions.sweeps.points.simulate", stopped)
    words = ["sweep", "hazard", "--over", "main=5..9", *FEW]
    said = dicelab(*words, "--plot", str(tmp_path / "sweep.svg"))
    assert said.status == 130
    assert "no results" in said.out
    assert not (tmp_path / "sweep.svg").exists()
    assert dicelab(*words, "--json").json["rows"] == []
    assert dicelab(*words, "--csv").status == 130


@pytest.mark.slow
def test_what_a_file_prints_does_not_mix_with_the_result(shell, tiny):
    noisy = tiny("class Move", 'print("hello")\n\n\nclass Move')
    said = shell("sweep", noisy, "--over", "goal=6,7", "--exact", "--csv")
    assert said.status == 0
    assert [row["goal"] for row in rows_of(said.out)] == ["6", "7"]
