"""The commands `best` and `solutions`."""

from __future__ import annotations

import json

import pytest


@pytest.mark.slow
def test_the_answer_comes_first(shell):
    said = shell(*["best", "tossup", "--target", "8", "--dice", "2", "--seconds", "2", "--plot", "best.svg"])
    assert said.status == 0
    assert "the best play" in " ".join(said.out.split("\n\n")[0].split())
    assert "drawn: best.svg" in said.err


@pytest.mark.slow
def test_json_has_the_summary(shell):
    data = json.loads(shell(*["best", "tossup", "--target", "8", "--dice", "2", "--seconds", "2", "--json"]).out)
    assert data["method"] == "best"
    assert data["summary"]
    assert data["chart"]["y"] == "points"


@pytest.mark.slow
def test_a_situation_may_have_labels(shell):
    words = "best tossup --target 8 --dice 2 --at points=2 --at scores=5,6 --at"
    said = shell(*words.split(), "player=player 1")
    assert said.out.startswith("The best move is roll;")


@pytest.mark.slow
def test_solutions_are_listed_and_deleted(shell, monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    assert "0 solutions" in shell("solutions").out
    shell(*["best", "tossup", "--target", "5", "--dice", "2", "--seconds", "1"])
    assert "tossup  policy" in shell("solutions").out
    data = json.loads(shell("solutions", "--clear", "--json").out)
    assert [row["game"] for row in data["rows"]] == ["tossup"]
    assert "0 solutions" in shell("solutions").out


def test_what_is_typed_wrong_is_named(shell):
    words = ["best", "tossup", "--target", "8", "--dice", "2"]
    shell(*words, "--at", "points").must_refuse(2, "at: 'points' is not allowed; it is written NAME=NUMBER or")
    shell(*words, "--at", "points=1", "--at", "points=2").must_refuse(2, "at: points is given twice")
    shell(*words, "--seconds", "-1").must_refuse(2, "seconds: -1.0 is not allowed; it takes a number, at least 0")


@pytest.mark.slow
def test_a_picture_of_nothing_is_refused_below_the_answer(shell):
    said = shell("best", "lcr", "--plot", "best.svg")
    assert said.status == 1
    assert said.out.startswith("There is nothing to decide in lcr")
    assert "plot: there is nothing to draw" in said.err
