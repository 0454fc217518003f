"""``dicelab policy GAME FILE --rule``: what it prints, what it keeps, and what it refuses."""

from __future__ import annotations

import os
import re

import pytest

from dicelab.results.base import head
from support import ROOT

PIGLET = str(ROOT / "verification" / "piglet.py")
LOSE_ALL = str(ROOT / "verification" / "lose_all.py")
KEYS = {
    *(*head("rule"), "summary", "solved", "objective", "leaves", "lines", "otherwise", "loss"),
    *("agrees", "agrees_often", "tried", "seats", "smaller"),
}


@pytest.fixture
def best(dicelab, tmp_path):
    """The best play of a small game of piglet, in a file."""
    file = str(tmp_path / "best.npz")
    assert dicelab("solve", PIGLET, "--target", "4", "--out", file).status == 0
    return file


def test_a_rule_for_people(dicelab, best):
    said = dicelab("policy", PIGLET, best, "--rule", "--leaves", "2")
    assert (said.status, said.err) == (0, "")
    first, _, rest = said.out.partition("\n\n")
    assert re.match(r"A rule of 2 moves loses \d+\.\d\d games in 100", first)
    lines = rest.splitlines()
    assert lines[:3] == ["piglet: target 4", "policy: player 1 and player 2, win", ""]
    assert re.fullmatch(r"if .* (>=|<=) \S+: (flip|hold)", lines[3])
    assert re.fullmatch(r"else: (flip|hold)", lines[4])
    assert re.search(r"(?m)^player +policy +rule +loss +at worst$", said.out)
    assert re.search(r"(?m)^it loses \d+\.\d\d games in 100; \S+ % of its moves are best in play, ", said.out)
    assert re.fullmatch(r"found: [\d,]+ rules tried, \d+\.\d{3} s", lines[-1])


def test_a_tally_has_its_own_words(dicelab, tmp_path):
    file = str(tmp_path / "best.npz")
    assert dicelab("solve", LOSE_ALL, "--objective", "most:score", "--out", file).status == 0
    lines = dicelab("policy", LOSE_ALL, file, "--rule", "--leaves", "2").out.partition("\n\n")[2].splitlines()
    assert lines[3:5] == ["if points >= 21: hold", "else: throw"]
    assert any(line.startswith("it loses nothing; 100.0 % of its moves are best") for line in lines)


def test_a_rule_as_json(dicelab, best):
    data = dicelab("policy", PIGLET, best, "--rule", "--leaves", "3", "--json").json
    assert set(data) == KEYS
    assert (data["schema"], data["method"], data["parameters"]["target"]) == (2, "rule", 4)
    assert 1 <= data["leaves"] <= 3
    assert [set(seat) for seat in data["seats"]] == [{"seat", "best", "rule", "worst"}] * 2
    assert all(seat["worst"] <= seat["rule"] + 1e-12 for seat in data["seats"])


@pytest.mark.slow
def test_a_rule_is_kept_and_played(dicelab, best, tmp_path):
    file = str(tmp_path / "rule.npz")
    said = dicelab("policy", PIGLET, best, "--rule", "--leaves", "2", "--json", "--out", file)
    assert (said.status, said.note) == (0, f"written: {file}")
    words = ["exact", PIGLET, "--target", "4", "-s", f"policy:{file}", "-s", f"policy:{best}", "--json"]
    chance = dicelab(*words).json["outcomes"]["0"]["probability"]
    assert chance == pytest.approx(said.json["seats"][0]["rule"], abs=1e-12)
    assert "a rule of" in dicelab("policy", PIGLET, file, "--at", "player=0").out
    again = dicelab("simulate", PIGLET, "--target", "4", "-s", f"policy:{file}", "-n", "1000", "--seed", "1")
    assert again.status == 0


@pytest.mark.slow_cases("words3-leaves: 'x' is not a whole number")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--leaves", "0"], "leaves: 0 is not allowed; it takes a whole number, 1 to 12"),
        (["--leaves", "13"], "leaves: 13 is not allowed"),
        (["--leaves", "nan"], "leaves: 'nan' is not a whole number"),
        (["--leaves", "x"], "leaves: 'x' is not a whole number"),
        (["--at", "player=0"], "--rule summarises the whole policy; leave out --at"),
        (["--plot", "p.svg"], "--rule summarises the whole policy; leave out --plot"),
        (["--out", ""], "out: '' is not the name of a file"),
        (["--out", "none/rule.npz"], "out: there is no folder none"),
        (["--target", "5"], "was solved for other parameters: target 4"),
    ],
)
def test_what_is_refused(dicelab, best, words, told):
    dicelab("policy", PIGLET, best, "--rule", *words).must_refuse(2, told)


@pytest.mark.parametrize("words", [["--leaves", "2"], ["--out", "rule.npz"]])
def test_what_is_about_a_rule_needs_one(dicelab, best, words):
    dicelab("policy", PIGLET, best, *words).must_refuse(2, "is used with --rule; give --rule as well")
    assert not os.path.exists("rule.npz")


def test_a_file_that_is_missing_or_of_another_game(dicelab, best):
    dicelab("policy", PIGLET, "none.npz", "--rule").must_refuse(2, "none.npz: there is no such file")
    dicelab("policy", "tossup", best, "--rule").must_refuse(2, "is a policy of piglet, not of tossup")
