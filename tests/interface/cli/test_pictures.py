"""``--exact`` beside a simulation, ``--histogram``, ``--given``, ``--plot`` and ``--of``."""

from __future__ import annotations

import json
import re
import sys
from math import sqrt

import pytest

import dicelab as library

FEW = ["--games", "150", "--seed", "6"]


@pytest.fixture
def simulate(dicelab):
    return lambda game, *words: dicelab("simulate", game, *FEW, *words)


# simulate --with-exact -----------------------------------------------------------------------------------------------


def test_json_has_the_exact_answer_and_the_z_scores(simulate):
    data = simulate("hazard", "--with-exact", "--json").json
    alone = simulate("hazard", "--json").json
    exact = library.exact("hazard").to_dict()
    assert data["exact"] | {"seconds": 0} == exact["exact"] | {"seconds": 0}
    z = {}
    for kind in ("outcomes", "tallies"):
        for name, number in data[kind].items():
            assert number.pop("exact") == exact[kind][name]
            z[name] = number.pop("z")
    assert set(z) == {"win", "lose", "throws"}
    assert data["summary"] == exact["summary"]
    free = dict.fromkeys(("exact", "seconds", "engine", "threads", "summary"))  # the engine: what is compiled
    assert data | free == alone | free
    p = 244 / 495
    assert z["win"] == pytest.approx((data["outcomes"]["win"]["probability"] - p) / sqrt(p * (1 - p) / 150))
    assert z["lose"] == pytest.approx(-z["win"])
    mean, throws = data["tallies"]["throws"]["mean"], exact["tallies"]["throws"]
    assert z["throws"] == pytest.approx((mean - throws["mean"]) / (throws["sd"] / sqrt(150)))


def test_the_table_has_a_column_of_z_scores(simulate):
    said = simulate("hazard", "--with-exact")
    assert (said.status, said.err) == (0, "")
    told = simulate("hazard", "--with-exact", "--json").json
    scores = {name: number["z"] for name, number in (told["outcomes"] | told["tallies"]).items()}
    assert re.search(r"(?m)^ +simulated +95 % interval +exact +z$", said.out)
    for name, z in scores.items():
        assert re.search(rf"(?m)^{name} .* {re.escape(f'{z:+.2f}')}$", said.out)
    assert re.search(r"\n150 games, seed 6, \w+ engine; exact: 7 states\n$", said.out)


def test_strategies_and_parameters_are_those_of_both(simulate):
    words = ["--dice", "2", "--target", "4", "-s", "one_roll", "-s", "bank_over:1", "--with-exact", "--json"]
    data = simulate("tossup", *words).json
    assert data["strategies"] == ["one_roll", "bank_over:1"]
    numbers = [*data["outcomes"].values(), *data["tallies"].values()]
    assert all(abs(number["z"]) < 4 for number in numbers)


def test_a_chain_without_an_end_is_no_reason_to_play_on(simulate, tiny):
    endless = tiny("self.points += face", "self.points += face if self.points != 6 else 0")
    said = simulate(endless, "-s", "stop_at:5", "--with-exact")
    assert said.status == 0
    said = simulate(endless, "-s", "stop_at:7", "--with-exact", "--limit", "1000")
    assert said.status == 1


def test_what_was_played_is_shown_where_the_exact_answer_was_interrupted(simulate, monkeypatch):
    def stop(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("dicelab.questions.exact.exact", stop)
    said = simulate("hazard", "--with-exact", "--json")
    assert said.status == 130
    assert json.loads(said.out)["games"] == 150


def test_the_exact_answer_has_the_memory_that_it_is_given(simulate):
    said = simulate("lcr", "--players", "5", "--with-exact", "--memory", "100K", "--json")
    assert said.status == 1
    assert said.json["games"] == 150
    assert said.error.startswith("lcr: the chain does not fit into 0.1 MiB")
    assert said.err.count("\n") == 1


# --histogram and --given ---------------------------------------------------------------------------------------------


def test_a_histogram_is_that_of_the_games(simulate):
    data = simulate("hazard", "--histogram", "throws", "--json").json
    result = library.simulate("hazard", games=150, seed=6)
    shown = dict(zip(data["histogram"]["values"], data["histogram"]["probabilities"], strict=True))
    assert shown == result.tallies["throws"].probabilities
    assert re.search(r"(?m)^1 +0\.\d{6}  █{40}$", simulate("hazard", "--histogram", "throws").out)


def test_outcomes_given_a_tally_have_intervals(simulate):
    rows = simulate("hazard", "--given", "throws:2", "--json").json["given"]["rows"]
    games = library.simulate("hazard", games=150, seed=6, records=True).records.tolist()
    for row in rows:
        here = [outcome for outcome, throws in games if row["low"] <= throws <= row["high"]]
        assert row["probability"] == pytest.approx(len(here) / 150)
        assert row["outcomes"]["win"]["count"] == here.count(0)
        low, p, high = (row["outcomes"]["win"][key] for key in ("low", "probability", "high"))
        assert low <= p == here.count(0) / len(here) <= high
    assert re.search(r"(?m)^1 \.\. 2 +0\.\d{6} +0\.\d{4} ±0\.\d{4} +0\.\d{4} ±0\.\d{4}$",
                     simulate("hazard", "--given", "throws:2").out)  # fmt: skip


def test_beside_the_exact_answer_the_distribution_is_the_exact_one(simulate):
    words = ["--with-exact", "--json", "--histogram", "throws", "--given", "throws:1"]
    data = simulate("hazard", *words).json
    assert data["histogram"]["probabilities"][0] == pytest.approx(12 / 36)
    assert data["given"]["rows"][0]["probability"] == pytest.approx(12 / 36)
    assert set(data["given"]["rows"][0]["outcomes"]["win"]) == {"probability", "error"}


def test_several_things_are_shown_at_once(simulate):
    out = simulate("lcr", "--players", "2", "--histogram", "turns", "--given", "throws").out
    blocks = out.split("\n\n")
    assert blocks[0].startswith(("Player", "The ", "Too few"))
    assert [block.split()[0] for block in blocks[1:]] == [
        "lcr:",
        "outcome",
        "tally",
        "fairness:",
        "150",
        "turns",
        "throws",
    ]


# --plot --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow_cases("simulate-words7")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("exact", []),
        ("exact", ["--of", "outcomes"]),
        ("exact", ["--of", "throws", "--floats"]),
        ("simulate", []),
        ("simulate", ["--of", "throws"]),
        ("simulate", ["--of", "convergence"]),
        ("simulate", ["--of", "convergence:throws"]),
        ("simulate", ["--of", "convergence:lose", "--with-exact"]),
        ("simulate", ["--of", "throws", "--with-exact"]),
        ("simulate", ["--of", "outcomes", "--with-exact"]),
    ],
)
def test_a_picture_is_drawn_and_the_answer_is_the_same(dicelab, tmp_path, command, words):
    file = tmp_path / "picture.svg"
    words = [command, "hazard", *(FEW if command == "simulate" else []), *words]
    said = dicelab(*words, "--plot", str(file), "--json")
    assert (said.status, said.note) == (0, f"drawn: {file}")
    without = [word for i, word in enumerate(words) if word != "--of" and words[i - 1] != "--of"]
    plain = dicelab(*without, "--json").json
    for key in ("game", "outcomes", "tallies"):
        assert said.json[key] == plain[key]
    drawn = file.read_text()
    assert drawn.startswith("<?xml")
    assert "hazard" in drawn
    assert [f.name for f in tmp_path.iterdir()] == ["picture.svg"]


def test_a_game_without_outcomes_has_a_picture_of_its_first_tally(dicelab, tmp_path):
    file = tmp_path / "picture.svg"
    assert dicelab("exact", "hazard-caster", "--losses", "1", "--plot", str(file)).status == 0
    assert "hazard-caster: throws in a game" in file.read_text()


def test_given_a_tally_the_picture_is_that_of_the_outcomes_given_it(dicelab, tmp_path):
    words = ["exact", "lcr", "--players", "2", "--given", "turns:2"]
    said = dicelab(*words, "--plot", str(tmp_path / "given.svg"), "--json")
    assert said.json["given"] == dicelab(*words, "--json").json["given"]
    assert "lcr: probability to win given turns" in (tmp_path / "given.svg").read_text()
    dicelab(*words, "--plot", str(tmp_path / "turns.svg"), "--of", "turns")
    assert "lcr: turns in a game" in (tmp_path / "turns.svg").read_text()


def test_a_simulation_is_drawn_beside_the_exact_answer_given_a_tally(simulate, tmp_path):
    file = tmp_path / "given.svg"
    assert simulate("hazard", "--with-exact", "--given", "throws:2", "--plot", str(file)).status == 0
    drawn = file.read_text()
    assert "hazard: outcomes given throws" in drawn
    assert all(f">{word}<" in drawn for word in ("win", "lose", "exact", "simulated"))


def test_a_comparison_has_a_heat_map(dicelab, tmp_path):
    words = ["compare", "tossup", "--target", "6", "--dice", "2", "-s", "one_roll", "-s", "bank_over:2", "--exact"]
    said = dicelab(*words, "--plot", str(tmp_path / "compare.svg"), "--json")
    assert said.note == f"drawn: {tmp_path / 'compare.svg'}"
    drawn = (tmp_path / "compare.svg").read_text()
    (pair,) = said.json["pairs"]
    assert all(f">{pair[key]['value']:.3f}<" in drawn for key in ("first_score", "second_score"))
    dicelab(*words, "--plot", str(tmp_path / "compare.jpg")).must_refuse(2, "a picture is saved as .svg, .png or .pdf")


@pytest.mark.slow
def test_a_search_for_a_bankroll_has_a_picture_of_the_risk(dicelab, tmp_path):
    words = ["session", "craps", "--until-rounds", "5", "--ruin", "20%", "--step", "10", "--seed", "1"]
    said = dicelab(*words, "--plot", str(tmp_path / "ruin.svg"), "--json")
    assert said.json["looks"] == dicelab(*words, "--json").json["looks"]
    drawn = (tmp_path / "ruin.svg").read_text()
    assert "craps: risk of ruin by bankroll" in drawn
    assert f">bankroll {said.json['value']}<" in drawn


def test_a_policy_is_drawn_and_its_moves_are_printed_as_json(dicelab, tmp_path):
    file, picture = str(tmp_path / "best.npz"), str(tmp_path / "policy.svg")
    assert dicelab("solve", "tossup", "--target", "5", "--dice", "2", "--out", file).status == 0
    words = ["policy", "tossup", file, "--at", "player=0", "--at", "scores[1]=0"]
    said = dicelab(*words, "--plot", picture, "--x", "scores[0]", "--y", "points", "--json")
    assert said.json | {"seconds": 0} == dicelab(*words, "--json").json | {"seconds": 0}
    assert said.note == f"drawn: {picture}"
    assert "scores of player 1" in (tmp_path / "policy.svg").read_text()
    assert dicelab(*words, "--plot", picture, "--x", "scores[0]", "--y", "points").out == ""
    assert dicelab(*words, "--plot", picture).note == f"drawn: {picture}"
    for axis in ("--x", "--y"):
        dicelab(*words, axis, "points").must_refuse(2, f"{axis} is an axis of the picture; give --plot as well")
    fixed = ["--at", "points=5", "--plot", picture, "--x"]
    dicelab(*words, *fixed, "scores[0]", "--y", "points").must_refuse(2, "at: points is on the y axis, where it has")
    dicelab(*words, *fixed, "points", "--y", "scores[0]").must_refuse(2, "leave out points=5")
    dicelab(*words, *fixed, "scores[0]", "--y", "scores[0]").must_refuse(2, "two different fields")


def test_a_picture_of_dots(dicelab, tmp_path):
    file = tmp_path / "picture.png"
    assert dicelab("exact", "hazard", "--plot", str(file)).status == 0
    assert file.read_bytes().startswith(b"\x89PNG")


WRONG = [
    ("exact hazard --of zzz", "no picture 'zzz'"),
    ("exact hazard --of throw", "did you mean 'throws'?"),
    ("exact hazard --of convergence", "no picture 'convergence'; there are: outcomes, throws"),
    ("exact hazard --of outcomes:win", "no picture 'outcomes:win'"),
    ("exact hazard --of throws:3", "no picture 'throws:3'; did you mean 'throws'?"),
    ("exact hazard-caster --losses 1 --of outcomes", "no picture 'outcomes'; there are: rounds, rounds_won, throws"),
    ("simulate hazard --games 20 --of zzz", "no picture 'zzz'"),
    ("simulate hazard --games 20 --of convergence:zzz", "no outcome or tally of hazard 'zzz'"),
    ("simulate hazard --games 20 --of convergence:", "no outcome or tally of hazard ''"),
    ("simulate hazard-caster --games 20 --of outcomes", "no picture 'outcomes'; there are: convergence, rounds"),
    ("sweep hazard --over main=5,6 --exact --of zzz", "no picture of a sweep 'zzz'"),
    ("sweep hazard --over main=5,6 --exact --of wn", "did you mean 'win'?"),
    (
        "sweep hazard --over main=5,6 --exact --of p90:throw",
        "no picture of a sweep 'p90:throw'; did you mean 'throws'?",
    ),
]


@pytest.mark.parametrize(("command", "sentence"), WRONG, ids=[command for command, _ in WRONG])
def test_what_can_not_be_drawn_is_told_and_nothing_is_drawn(dicelab, tmp_path, command, sentence):
    said = dicelab(*command.split(), "--plot", str(tmp_path / "picture.svg"))
    assert said.status == 2
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("command", "sentence"), WRONG, ids=[command for command, _ in WRONG])
def test_and_that_before_anything_is_played(dicelab, tmp_path, nothing_is_computed, command, sentence):
    dicelab(*command.split(), "--plot", str(tmp_path / "picture.svg")).must_refuse(2, sentence)


@pytest.mark.slow_cases("7")
@pytest.mark.parametrize("of", ["gap", "7"])
def test_so_are_a_fairness_and_a_seat_that_no_row_can_have(dicelab, tmp_path, nothing_is_computed, of):
    words = ["sweep", "hazard", "--over", "main=5,6", "--exact", "--of", of]
    dicelab(*words, "--plot", str(tmp_path / "picture.svg")).must_refuse(2, f"'{of}'")


@pytest.mark.slow_cases("simulate")
@pytest.mark.parametrize("command", ["exact", "simulate"])
def test_outcomes_given_a_tally_where_there_are_none_are_refused_before_anything_is_played(
    dicelab, nothing_is_computed, command
):
    dicelab(command, "hazard-caster", "--given", "rounds").must_refuse(2, "hazard-caster has no outcomes")


def test_a_sweep_is_told_where_to_draw_too(dicelab):
    said = dicelab("sweep", "hazard", "--over", "main=5,6", "--exact", "--of", "win")
    said.must_refuse(2, "--of chooses what --plot draws; give --plot FILE as well")


@pytest.mark.parametrize("words", ["--given=", "--given=:3", "--histogram=", "--of="])
def test_an_empty_tally_is_no_tally(dicelab, tmp_path, words):
    assert dicelab("exact", "hazard", words, "--plot", str(tmp_path / "picture.svg")).status == 2


def test_a_picture_that_can_not_be_written_is_a_failure_after_the_answer(dicelab, tmp_path):
    """The answer may have taken long: it is printed all the same."""
    (tmp_path / "taken.svg").mkdir()
    said = dicelab("exact", "hazard", "--json", "--plot", str(tmp_path / "taken.svg"))
    assert said.status == 1
    assert said.json["game"] == "hazard"
    assert "taken.svg: the picture can't be written" in said.err


def test_without_matplotlib_it_says_what_to_install(dicelab, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    said = dicelab("exact", "hazard", "--plot", str(tmp_path / "picture.svg"))
    assert said.status == 2
    assert "pip install 'dicelab[plot]'" in said.err
