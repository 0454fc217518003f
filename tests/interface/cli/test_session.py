"""``dicelab session``: what a session with a bankroll comes to, on the command line."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from functools import wraps
from pathlib import Path

import pytest

import dicelab as library
from dicelab.questions.declare import QUESTIONS, declared
from dicelab.results.base import head
from interface.cli.coin import Coin
from interface.cli.interrupting import interrupted

COIN = str(Path(__file__).parent / "coin.py")
FEW = ["--games", "300", "--seed", "3"]


def test_help_tells_the_options_of_the_game(dicelab):
    said = dicelab("session", "craps", "--help")
    assert said.status == 0
    for option in ("--bankroll", "--stop-win", "--until-rounds", "--ruin P", "--find NAME", "--step N", "--plot"):
        assert option in said.out


def test_every_example_of_the_help_is_understood(dicelab, monkeypatch):
    """All but the work itself, for which they would take their time."""
    lines = dicelab("session", "--help").out.splitlines()
    examples = [line.strip() for line in lines if line.strip().startswith("dicelab session")]
    assert len(examples) >= 4

    def understood(call):
        @wraps(call)
        def asked(*words, **more):
            raise library.DicelabError("understood")

        return asked

    for name in ("session", "systems", "for_ruin", "with_dice"):
        monkeypatch.setitem(QUESTIONS, name, replace(declared(name), call=understood(declared(name).call)))
    for example in examples:
        dicelab(*shlex.split(example)[1:]).must_refuse(1, "understood")


def test_json_is_what_the_library_gives(dicelab):
    said = dicelab("session", COIN, "--stop-win", "2", *FEW, "--json")
    assert (said.status, said.err) == (0, "")
    found = library.session(COIN, stop_win=2, games=300, seed=3).to_dict()
    hidden = {"engine": "", "seconds": 0, "exact": {}}  # the faster one plays
    assert said.json | hidden == json.loads(json.dumps(found)) | hidden
    assert set(said.json) == {
        *(*head("session"), "summary", "engine", "exact", "outcomes", "events", "tallies"),
    }


def test_text_and_simulated_alone(dicelab):
    said = dicelab("session", COIN, *FEW)
    assert (said.status, said.err) == (0, "")
    assert re.search(r"broke +0\.\d+ +0\.\d+ \.\. 0\.\d+ +0\.\d+ +[+-]\d\.\d\d", said.out)
    assert "300 sessions, seed 3" in said.out
    alone = dicelab("session", COIN, *FEW, "--simulated").out
    assert re.search(r"broke +0\.\d+ +0\.\d+ \.\. 0\.\d+$", alone, re.MULTILINE)
    assert "exact" not in alone
    assert dicelab("session", COIN, *FEW, "--simulated", "--json").json.get("exact") is None


@pytest.mark.slow
def test_several_strategies_for_one_seat(dicelab):
    words = ["session", "craps", "-s", "line", "-s", "line:pass:1", "--until-rounds", "3", "--simulated", *FEW]
    said = dicelab(*words)
    assert (said.status, said.err) == (0, "")
    assert "300 sessions each, on the same dice, seed 3" in said.out
    data = dicelab(*words, "--json").json
    assert (data["method"], "interrupted" in data) == ("systems", False)
    assert [row["strategy"] for row in data["rows"]] == ["line", "line:odds=1"]
    assert [one["seed"] for one in data["sessions"]] == [3, 3]


@pytest.mark.slow
def test_several_seats_have_a_strategy_each(dicelab):
    words = [
        "--players",
        "2",
        "-s",
        "line",
        "-s",
        "watch",
        "--until-rounds",
        "3",
        "--simulated",
        "--games",
        "20",
        "--json",
    ]
    data = dicelab("session", "craps", *words).json
    assert data["strategies"] == ["line", "watch"]


@pytest.mark.slow
def test_pictures(dicelab, tmp_path):
    file = tmp_path / "coin.svg"
    said = dicelab("session", COIN, *FEW, "--plot", str(file))
    assert (said.status, said.err) == (0, f"drawn: {file}\n")
    assert "money at the end of a session" in file.read_text()
    words = ["-s", "line", "-s", "line:pass:1", "--until-rounds", "3", "--simulated", *FEW, "--plot", str(file)]
    said = dicelab("session", "craps", *words)
    assert said.err == f"drawn: {file}\n"
    assert "craps: money at the end" in file.read_text()


# --ruin ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bankroll_for_a_risk(dicelab):
    found = library.for_ruin(Coin, ruin=0.2, seed=1, until_rounds=20)
    words = ["session", COIN, "--until-rounds", "20", "--seed", "1"]
    said = dicelab(*words, "--ruin", "20%")
    assert (said.status, said.err) == (0, "")
    assert re.search(rf"^{found.value} .*<- bankroll for 0\.2$", said.out, re.MULTILINE)
    for risk in ("0.2", "20%", "20.0%"):
        data = dicelab(*words, "--ruin", risk, "--json").json
        assert data | {"seconds": 0} == json.loads(found.to_json()) | {"seconds": 0}
    assert set(data) == {
        *head("ruin"),
        "find",
        "ruin",
        "value",
        "summary",
        *("of", "wanted"),  # their old names
        "looks",
    }


@pytest.mark.slow
def test_another_parameter_and_steps(dicelab):
    words = ["session", COIN, "--seed", "1", "--ruin", "0.4", "--json"]
    assert dicelab(*words, "--find", "tails").json["value"] == library.for_ruin(Coin, (), 0.4, "tails", seed=1).value
    data = dicelab(*words, "--step", "4").json
    assert all(look["value"] % 4 == 0 for look in data["looks"])


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.cases(
    ("words", "told"),
    [
        ("hazard", "hazard can't run as a session: it declares no ruin outcome"),
        ("tossup -s one_roll -s one_roll", "tossup can't run as a session"),
        ("hazzard", "did you mean 'hazard'?"),
        ("COIN --bankrol 5", "--bankroll"),
        ("COIN --bankroll 0", "bankroll: '0' is not allowed; it takes a whole number, 1 to 50"),
        ("COIN --stop-win 0", "there must be an end to it"),
        ("COIN -s flat", "coin has no choices, so it takes no strategy"),
        ("COIN --games 0", "games: 0"),
        ("COIN --games many", "games: 'many'"),
        ("COIN --seed x", "seed: 'x'"),
        ("COIN --threads 0", "threads: 0"),
        ("COIN --memory much", "memory: 'much' is not an amount of memory"),
        ("COIN --plot a.jpg", "a picture is saved as .svg, .png or .pdf"),
        ("COIN --plot none/a.svg", "there is no folder none"),
        ("COIN extra", "extra"),
        ("COIN --find bankroll", "--find is given without --ruin; give both"),
        ("COIN --step 5", "--step is given without --ruin; give both"),
        ("COIN --ruin much", "ruin: 'much' is not a number; write 0.05 or 5%"),
        ("COIN --ruin ''", "ruin: '' is not a number"),
        ("COIN --ruin %", "ruin: '%' is not a number"),
        ("COIN --ruin 0", "ruin: 0.0 is not allowed; give a probability above 0 and below 1"),
        ("COIN --ruin 100%", "ruin: 1.0 is not allowed"),
        ("COIN --ruin nan", "ruin: nan is not allowed"),
        ("COIN --ruin 5% --find bankrol", "did you mean 'bankroll'?"),
        ("COIN --ruin 5% --find ''", "argument of its strategy, ''"),
        ("COIN --ruin 5% --find falls", "falls is a yes or no; a search needs a number"),
        ("COIN --ruin 5% --step 0", "step: 0"),
        ("COIN --ruin 5% --step x", "step: 'x' is not a whole number"),
        ("COIN --ruin 5% --step 60", "no bankroll near 3 that is a multiple of 60 is allowed"),
        ("COIN --ruin 5% --games 10", "--ruin can't be given together with --games; leave these out"),
        ("COIN --ruin 5% --simulated", "--ruin can't be given together with --simulated"),
        ("COIN --ruin 5% --plot a.jpg", "a picture is saved as .svg, .png or .pdf"),
        ("COIN --ruin 5% --seed x", "seed: 'x'"),
        ("hazard --ruin 5%", "hazard can't run as a session"),
        ("craps -s line -s lnie", "did you mean 'line'?"),
        ("craps -s line -s place --ruin 5%", "craps has 1 seats"),
        ("craps --players 2 -s line -s line -s line", "craps has 2 seats"),
    ],
)
def test_bad_input_gets_one_sentence(dicelab, words, told):
    dicelab("session", *shlex.split(words.replace("COIN", shlex.quote(COIN)))).must_refuse(2, told)


@pytest.mark.slow
def test_a_file_whose_session_is_not_one_is_told_so(dicelab, tmp_path):
    text = Path(COIN).read_text()
    file = tmp_path / "coin.py"
    for old, new, told in (
        ('ruin = "broke"', 'ruin = "brok"', "coin: ruin: no outcome 'brok'; did you mean 'broke'?"),
        ("    money = Tally(", "    won = Tally(", "coin: ruin = 'broke'; a game with ruin needs a Tally money"),
        (
            "    bankroll = Param(3, 1, 50, ",
            "    bankroll = Int(1, 50, ",
            "coin: purse depends on bankroll, which is not a parameter",
        ),
    ):
        assert text.count(old) == 1
        file.write_text(text.replace(old, new))
        dicelab("session", str(file)).must_refuse(2, told)
        said = dicelab("check", str(file))
        assert (said.status, told in " ".join(said.out.split())) == (1, True)


@pytest.mark.slow
def test_the_session_of_these_tests_is_a_lawful_game(dicelab):
    said = dicelab("check", COIN, "--json")
    assert (said.status, said.json["lawful"]) == (0, True)
    assert [finding["say"] for finding in said.json["findings"] if finding["verdict"] != "ok"] == []


# Ctrl-C ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sessions_played_before_ctrl_c_are_those_of_a_shorter_run():
    words = ["session", COIN, "--games", "1e12", "--seed", "9", "--threads", "1", "--json"]
    status, out, seen = interrupted(words, r"[1-9][\d,]* games")
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert (stopped["interrupted"], "exact" in stopped) == (True, False)
    assert 0 < stopped["games"] < 1e12
    assert stopped["outcomes"]["broke"]["count"] > 0


@pytest.mark.slow
def test_a_search_may_be_interrupted():
    words = ["session", "craps", "--ruin", "0.01", "--seed", "9", "--until-rounds", "300"]
    status, out, seen = interrupted(words, r"risk of ruin at [1-9][\d,]*: ")
    assert (status, out) == (130, "")
    assert "Traceback" not in seen
    assert "interrupted" in seen


def test_what_is_simulated_is_told_before_a_long_exact_answer(dicelab, limits):
    words = ("session", COIN, *FEW)
    quick = dicelab(*words)
    assert "Simulated:" not in quick.err
    limits(first_seconds=-1.0)
    said = dicelab(*words)
    assert re.search(r"^Simulated: .* in [\d.]+ % of sessions .* Ctrl-C stops it and keeps this one\.$", said.err, re.M)
    assert said.err.count("Simulated:") == 1
