"""``dicelab learn``: what it prints, what it keeps, how it is stopped, and what it refuses."""

from __future__ import annotations

import json
import re
import sys

import pytest

import dicelab as library
from dicelab.results.base import head
from interface.cli.interrupting import SOME_GAMES, interrupted

KEYS = {*head("learn"), "summary", "objective", "epsilon", "omega", "choices", "best", "error", "points"}
SMALL = ["learn", "tossup", "--target", "4", "--dice", "3", "--against", "one_roll", "--seed", "1", "--games", "200"]


def test_a_table_for_people(dicelab):
    said = dicelab(*SMALL, "--points", "3")
    assert (said.status, said.err) == (0, "")
    first, _, table = said.out.partition("\n\n")
    assert first.startswith("After 200 games the learned policy is worth ")
    lines = table.splitlines()
    assert lines[1] == "strategies: player 1 learned, player 2 one_roll"
    assert lines[2] == ""
    assert re.fullmatch(r"games +exact value +gap +seen", lines[3])
    assert [line.split()[0] for line in lines[4:8]] == ["1", "6", "200", "best"]
    best = library.solve("tossup", "one_roll", target=4, dice=3)
    assert lines[7].split()[1:] == [f"{best.value:.6f}", f"{best.choices:,}"]
    assert lines[9] == "learned: win, 200 games, seed 1, epsilon 0.1, omega 0.8"


def test_two_seats_have_a_column_each(dicelab, pig):
    out = dicelab("learn", pig, "--target", "4", "--games", "50", "--seed", "1").out
    assert "player 1 at worst" in out
    assert "player 2 at worst" in out


def test_json_has_what_is_needed_to_run_it_again(dicelab):
    data = dicelab(*SMALL, "--json").json
    assert set(data) == KEYS
    again = library.learn(
        data["game"],
        data["strategies"][1],
        games=data["games"],
        seed=data["seed"],
        epsilon=data["epsilon"],
        omega=data["omega"],
        **data["parameters"],
    ).to_dict()
    assert {**again, "seconds": 0} == {**data, "seconds": 0}
    assert set(data["points"][0]) == {"games", "outcomes", "tallies", "gap", "seen"}


@pytest.mark.slow
def test_what_was_learned_is_kept_and_played(dicelab, tmp_path):
    file = tmp_path / "learned.npz"
    said = dicelab(*SMALL, "--json", "--out", str(file))
    assert (said.status, said.note) == (0, f"written: {file}")
    words = ["tossup", "--target", "4", "--dice", "3", "-s", f"policy:{file}", "-s", "one_roll"]
    exact = dicelab("exact", *words, "--json").json["outcomes"]["0"]["probability"]
    assert said.json["points"][-1]["outcomes"]["0"]["probability"] == pytest.approx(exact, abs=1e-12)
    counts = [
        dicelab("simulate", *words, "--games", "200", "--seed", "1", "--engine", engine, "--json").json["outcomes"]
        for engine in ("reference", "compiled")
    ]
    assert counts[0] == counts[1]
    said = dicelab("policy", "tossup", str(file)).out
    assert "\n\nplayer 1, win, against one_roll, learned from 200 games" in said


def test_a_curve_is_drawn(dicelab, tmp_path):
    file = tmp_path / "curve.svg"
    said = dicelab(*SMALL, "--plot", str(file))
    assert (said.status, said.err) == (0, f"drawn: {file}\n")
    assert file.read_text().startswith("<?xml")


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_learned(tmp_path):
    file = tmp_path / "learned.npz"
    words = f"learn tossup --target 4 --against one_roll --games 1e9 --seed 1 --json --out {file}".split()
    status, out, seen = interrupted(words, SOME_GAMES)
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    assert 0 < stopped["points"][-1]["games"] == stopped["games"] < 1e9
    again = library.learn("tossup", "one_roll", target=4, games=stopped["games"], seed=1, points=1).to_dict()
    assert again["points"] == stopped["points"]
    assert "interrupted" not in again
    assert library.exact("tossup", [f"policy:{file}", "one_roll"], target=4).states > 0


@pytest.mark.usefixtures("nothing_is_computed")
@pytest.mark.cases(
    ("words", "fragment"),
    [
        ("", "GAME"),
        ("tosup", "did you mean 'tossup'?"),
        ("hazard", "has no choices"),
        ("tossup --games 0", "games: 0"),
        ("tossup --games -5", "games: -5"),
        ("tossup --games nan", "games: 'nan'"),
        ("tossup --points 0", "points: 0"),
        ("tossup --points x", "points: 'x'"),
        ("tossup --epsilon nan", "epsilon: nan"),
        ("tossup --epsilon -1", "epsilon: -1"),
        ("tossup --epsilon x", "epsilon: 'x'"),
        ("tossup --omega inf", "omega: inf"),
        ("tossup --omega 0", "omega: 0"),
        ("tossup --seed -1", "seed: -1"),
        ("tossup --memory 0", "memory: '0'"),
        ("tossup --seat 1", "seat: 1 is used with against"),
        ("tossup --against zzz", "zzz"),
        ("tossup --against one_roll --seat 2", "seat: 2"),
        ("tossup --objective fewest:turns", "objective must be win"),
        ("tossup --against one_roll --objective most:zzz", "zzz"),
        ("tossup --players 3", "two seats learn"),
        ("tossup --target 0", "target"),
        ("tossup --out ''", "out: ''"),
        ("tossup --out missing/l.npz", "there is no folder missing"),
        ("tossup --plot curve.txt", ".svg"),
        ("tossup --lern", "no option"),
    ],
)
def test_bad_input_is_refused_at_once(dicelab, words, fragment):
    import shlex

    dicelab("learn", *shlex.split(words)).must_refuse(2, fragment)


@pytest.mark.slow
def test_what_does_not_fit_is_refused(dicelab):
    dicelab("learn", "tossup", "--memory", "100000").must_refuse(1, "memory")


def test_a_missing_library_is_named(dicelab, monkeypatch):
    monkeypatch.delitem(sys.modules, "dicelab.extras.learn.gym_env", raising=False)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    dicelab(*SMALL).must_refuse(2, "pip install 'dicelab[learn]'")


def test_help_needs_no_library(shell):
    code = "import sys; from dicelab.interface.cli.main import main; sys.argv = ['dicelab', 'learn', '--help']\n"
    code += (
        "try: main()\nfinally: print(sorted({'gymnasium', 'pettingzoo', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n"
