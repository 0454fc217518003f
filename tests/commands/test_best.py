"""The commands `best` and `solutions`."""

from __future__ import annotations

import json


def test_the_answer_comes_first(shell):
    said = shell(*["best", "tossup", "--target", "8", "--dice", "2", "--seconds", "2", "--plot", "best.svg"])
    assert said.status == 0
    assert "the best play" in " ".join(said.out.split("\n\n")[0].split())
    assert "drawn: best.svg" in said.err


def test_json_has_the_summary(shell):
    data = json.loads(shell(*["best", "tossup", "--target", "8", "--dice", "2", "--seconds", "2", "--json"]).out)
    assert data["method"] == "best"
    assert data["summary"]
    assert data["chart"]["y"] == "points"


def test_a_situation_may_have_labels(shell):
    words = "best tossup --target 8 --dice 2 --at points=2 --at scores=5,6 --at"
    said = shell(*words.split(), "player=player 1")
    assert said.out.startswith("The best move is roll;")


def test_solutions_are_listed_and_deleted(shell, monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    assert "0 solutions" in shell("solutions").out
    shell(*["best", "tossup", "--target", "5", "--dice", "2", "--seconds", "1"])
    assert "tossup  policy" in shell("solutions").out
    data = json.loads(shell("solutions", "--clear", "--json").out)
    assert [row["game"] for row in data["rows"]] == ["tossup"]
    assert "0 solutions" in shell("solutions").out
