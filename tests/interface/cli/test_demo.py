"""The demo: every question of the texts, published, simulated and exact, and a picture."""

from __future__ import annotations

import json
import sys
from math import sqrt

import pytest

import dicelab as library

HAZARD = ["1396/2835", "6961/14256", "244/495", "6961/14256", "1396/2835"]


@pytest.mark.slow
def test_demo_answers_the_questions_of_the_texts(dicelab, small_demo):
    data = dicelab("demo", "--json").json
    assert (data["schema"], data["method"]) == (2, "demo")
    rows = data["rows"]
    asked = [(row["text"], row["published"]) for row in rows]
    assert [published for text, published in asked if text == 1] == [0.498, 0.499, 0.483, 0.504, 0.493]
    assert [text for text, _ in asked].count(2) == 1
    matches = [round(published * 10_000) for text, published in asked if text == 3]
    assert matches == [5910, 75, 6167, 4414]
    assert [row["question"] for row in rows if row["text"] == 4] == ["craps, a game: mean throws"]
    seats_and_turns = sum(players + 1 for players in range(2, 7))
    assert [text for text, _ in asked].count(5) == seats_and_turns
    for row in rows:
        assert {"text", "question", "games", "simulated", "low", "high", "exact", "z"} <= set(row)
        assert row["low"] <= row["simulated"] <= row["high"]
        assert ("z_published" in row) == (row["published"] is not None)
        assert abs(row["z"]) < 5
        assert row["games"] == 200


@pytest.mark.slow
def test_a_z_compares_a_sample_with_the_exact_answer(dicelab, small_demo):
    rows = [row for row in dicelab("demo", "--json").json["rows"] if "wins" in row["question"]]
    assert len(rows) == 30
    for row in rows:
        p = row["exact"]["value"]
        assert row["z"] == pytest.approx((row["simulated"] - p) / sqrt(p * (1 - p) / 200))
        if row["published"] is not None:
            sample = {1: 1000, 3: 10_000}[row["text"]]
            assert row["z_published"] == pytest.approx((row["published"] - p) / sqrt(p * (1 - p) / sample))


@pytest.mark.slow
def test_a_z_of_a_mean_is_in_its_standard_errors(dicelab, small_demo):
    rows = {row["question"]: row for row in dicelab("demo", "--json").json["rows"]}
    asked = {f"LCR, {players} players: mean turns": ("lcr", "turns", {"players": players}) for players in (2, 3)}
    asked["craps, a game: mean throws"] = ("pass-line", "throws", {})
    for question, (game, tally, parameters) in asked.items():
        found, row = library.exact(game, **parameters).tallies[tally], rows[question]
        assert row["exact"]["value"] == found.mean
        assert row["z"] == pytest.approx((row["simulated"] - found.mean) / (found.sd / sqrt(200)))


@pytest.mark.slow
def test_the_exact_answers_are_fractions_where_they_are_short(dicelab, small_demo):
    rows = dicelab("demo", "--json").json["rows"]
    assert [row["exact"]["fraction"] for row in rows if row["text"] == 1] == HAZARD
    assert [row["exact"]["fraction"] for row in rows if row["text"] == 2] == ["244/495"]
    assert [row["exact"]["fraction"] for row in rows if row["text"] == 4] == ["557/165"]
    [seat] = [row for row in rows if row["question"] == "LCR, 3 players: player 1 wins"]
    assert seat["exact"]["value"] == pytest.approx(0.3068430142)
    assert "fraction" not in seat["exact"]


@pytest.mark.slow
def test_demo_is_tables_for_people_in_80_columns(dicelab, small_demo, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = dicelab("demo")
    assert (said.status, said.err) == (0, "")
    for words in ["text", "played", "exact", "z", "main 5", "pass line", "v. bank_over:50", "player 6", "turns"]:
        assert words in said.out
    for words in ["Toss Up!", "LCR", "= 244/495", "0.5910", "standard errors"]:
        assert words in said.out
    assert said.out.count("50 sessions of CrapsPlayerPass, from 100") == 1
    assert max(map(len, said.out.splitlines())) <= 80
    [line] = [line for line in said.out.splitlines() if line.startswith("  2  ")]
    assert [float(number) for number in line.split()[1:3]] == pytest.approx([0.3821, 0.6179], abs=1e-3)


@pytest.mark.slow
def test_a_z_is_shown_beside_the_sample_that_it_judges_and_nowhere_else(dicelab, small_demo):
    """The line of LCR has exact answers only; the seed is that of a rule, which is stated."""
    data, said = dicelab("demo", "--json").json, " ".join(dicelab("demo").out.split())
    texts = {row["text"] for row in data["rows"]}
    assert data["seed"] == max(texts) == len(texts)
    assert f"simulated with seed {data['seed']}, the number of texts, with 95 % interval" in said
    alone = " ".join(dicelab("demo", "--text", "5").out.split())
    assert "LCR: exact answers; --json shows 400,000 simulated games" in alone
    assert "|z|" not in alone
    assert "largest" not in said.replace("The largest", "")


@pytest.mark.slow
def test_demo_writes_no_file_unless_asked(dicelab, small_demo, tmp_path):
    assert "picture" not in dicelab("demo", "--json").json
    dicelab("demo")
    assert not list(tmp_path.iterdir())


def test_a_picture_needs_the_games_that_it_shows(dicelab, nothing_is_computed):
    dicelab("demo", "--text", "3", "--plot", "there.svg").must_refuse(2, "--plot draws games of text 5")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "begins"), [("there.svg", b"<?xml"), ("there.PNG", b"\x89PNG")])
def test_demo_draws_a_picture_where_it_is_told_to(dicelab, small_demo, tmp_path, name, begins):
    (tmp_path / "sub").mkdir()
    data = dicelab("demo", "--json", "--plot", f"sub/{name}").json
    assert data["picture"] == f"sub/{name}"
    assert [file.name for file in tmp_path.iterdir()] == ["sub"]
    assert (tmp_path / "sub" / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("path", "told"), [("there.jpg", ".svg, .png or .pdf"), ("none/there.svg", "there is no folder")]
)
def test_a_picture_that_can_not_be_drawn_is_refused_before_anything_is_played(dicelab, nothing_is_computed, path, told):
    dicelab("demo", "--plot", path).must_refuse(2, told)


@pytest.mark.slow
def test_without_matplotlib_the_questions_are_answered_all_the_same(dicelab, small_demo, monkeypatch):
    """It is an extra: pip install 'dicelab[plot]'."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    said = dicelab("demo", "--json", "--plot", "there.svg")
    assert "pip install 'dicelab[plot]'" in said.err
    assert len(json.loads(said.out)["rows"]) == 36
