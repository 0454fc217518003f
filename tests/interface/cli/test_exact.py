"""``dicelab exact``: what it prints, what scripts may rely on, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import pytest

import dicelab as library
from dicelab.errors import ParameterError
from dicelab.results.base import head

KEYS = {*head("exact"), "summary", "exact", "outcomes", "tallies"}
SMALL = {
    "hazard": "",
    "hazard-caster": "--losses 1",
    "pass-line": "--stake 3",
    "tossup": "--dice 3 --target 5 -s one_roll -s bank_over:2",
    "lcr": "--players 3",
    "pig": "--target 10 -s hold_at:5",
}


@pytest.fixture
def small(dicelab, pig):
    """Run a command on one of the small games."""

    def run(name, *words, command="exact"):
        return dicelab(command, pig if name == "pig" else name, *SMALL[name].split(), *words)

    return run


def digits(text):
    return sum(letter.isdigit() for letter in text)


# JSON ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("arithmetic", ["fractions", "floats"])
def test_json_has_the_keys_of_the_design(small, name, arithmetic):
    said = small(name, f"--{arithmetic}", "--json")
    data = said.json
    assert (said.status, said.err) == (0, "")
    assert set(data) == KEYS | ({"fairness"} if "0" in data["outcomes"] else set())
    assert (data["schema"], data["method"], data["game"]) == (2, "exact", name)
    assert data["version"] == library.__version__
    assert data["seconds"] > 0
    how = data["exact"]
    assert how["states"] > 0
    assert how["arithmetic"] == arithmetic
    assert how["error"] == 0 if arithmetic == "fractions" else 0 < how["error"] < 1e-6
    for outcome in data["outcomes"].values():
        assert set(outcome) <= {"probability", "fraction", "error", "seats", "label"}
        assert 0 <= outcome["probability"] <= 1
    assert sum(o["probability"] for o in data["outcomes"].values()) in (0, pytest.approx(1))
    for tally in data["tallies"].values():
        assert set(tally) - {"fraction", "error"} == {"mean", "sd", "min", "percentiles", "left"}
        assert 0 < tally["error"] <= how["error"] if "error" in tally else "fraction" in tally or how["error"] == 0
        assert list(tally["percentiles"]) == ["p10", "p50", "p90"]
        values = [tally["min"], *tally["percentiles"].values()]
        assert values == sorted(values)
        assert 0 <= tally["left"] < 1e-12


@pytest.mark.parametrize("name", SMALL)
def test_a_fraction_stands_where_it_has_forty_digits_at_most(small, pig, name):
    data = small(name, "--fractions", "--json").json
    found = library.exact(
        pig if name == "pig" else name, data["strategies"], fractions=True, **data["parameters"]
    )  # the whole fractions, however long
    answers = [(p.fraction, p.probability, data["outcomes"][name]) for name, p in found.outcomes.items()]
    answers += [(t.fraction, t.mean, data["tallies"][name]) for name, t in found.tallies.items()]
    for fraction, value, shown in answers:
        assert value == pytest.approx(float(fraction), rel=1e-15)
        if digits(str(fraction)) <= 40:
            assert Fraction(shown["fraction"]) == fraction
        else:
            assert "fraction" not in shown


LUCK = """
from dicelab.rules import COUNTS, OVER, Die, Game, Int, Param, throw, thrown

class Luck(Game):
    name = "luck"
    outcomes = ("win", "lose")
    times = Param(3, 1, 100, "throws that must go well")
    left = Int(0, times, "throws left", start=times)
    lost = Int(0, 1, "one has gone wrong")
    def next(self):
        return OVER if self.left == 0 or self.lost else throw(self.die)
    @thrown(1, Die(good=1, bad=9), COUNTS)
    def die(self, good, bad):
        self.left -= 1
        self.lost = bad
    def outcome(self):
        return self.lost
"""


@pytest.mark.parametrize(("times", "shown"), [(3, True), (37, True), (38, True), (39, False), (60, False)])
def test_the_longest_fraction_that_is_shown(dicelab, tmp_path, times, shown):
    """One tenth, so many times: 1 and a power of ten, together two digits more than there are throws."""
    (tmp_path / "luck.py").write_text(LUCK)
    data = dicelab("exact", str(tmp_path / "luck.py"), "--times", str(times), "--fractions", "--json").json
    win = data["outcomes"]["win"]
    assert win["probability"] == pytest.approx(10.0**-times)
    assert win.get("fraction") == (f"1/{10**times}" if shown else None)
    text = dicelab("exact", str(tmp_path / "luck.py"), "--times", str(times), "--fractions").out
    assert (f"1/{10**times}" in text) == shown


def test_floats_have_no_fractions(small):
    data = small("hazard", "--floats", "--json").json
    assert not any("fraction" in answer for answer in [*data["outcomes"].values(), data["tallies"]["throws"]])


@pytest.mark.parametrize("name", SMALL)
def test_fractions_and_floats_agree_within_the_error_that_is_told(small, name):
    fractions, floats = (small(name, how, "--json").json for how in ("--fractions", "--floats"))
    for outcome, answer in fractions["outcomes"].items():
        assert abs(answer["probability"] - floats["outcomes"][outcome]["probability"]) <= floats["exact"]["error"]
    for tally, answer in fractions["tallies"].items():
        for number in ("mean", "sd"):
            other = floats["tallies"][tally][number]
            assert abs(answer[number] - other) <= floats["exact"]["error"] + 1e-15 * answer[number]
        for key in ("min", "percentiles"):
            assert answer[key] == floats["tallies"][tally][key]


@pytest.mark.slow_cases("lcr")
@pytest.mark.parametrize("name", SMALL)
def test_the_library_and_the_command_give_the_same_answer(small, pig, name):
    data = small(name, "--json").json
    again = library.exact(pig if name == "pig" else name, data["strategies"], **data["parameters"]).to_dict()
    assert {**again, "seconds": 0} == {**data, "seconds": 0}


@pytest.mark.parametrize("name", SMALL)
def test_simulated_and_exact_results_have_the_same_names(small, name):
    exact = small(name, "--json").json
    simulated = small(name, "--games", "20", "--json", command="simulate").json
    for key in ("schema", "game", "parameters", "strategies", "version", "source_hash"):
        assert exact[key] == simulated[key]
    for key in ("outcomes", "tallies"):
        assert list(exact[key]) == list(simulated[key])
    assert ("fairness" in exact) == ("fairness" in simulated)
    assert set(exact.get("fairness", ())) == set(simulated.get("fairness", ()))


def test_a_seat_that_can_not_win_has_no_ratio_that_json_does_not_know(dicelab):
    words = ["--dice", "1", "--red", "0", "--yellow", "0", "--target", "1", "--json"]
    data = dicelab("exact", "tossup", "-s", "one_roll", *words).json
    assert data["outcomes"] == {
        "0": {"probability": 1, "fraction": "1", "seats": [0], "label": "player 1"},
        "1": {"probability": 0, "fraction": "0", "seats": [1], "label": "player 2"},
    }
    assert data["fairness"] == {"gap": 1, "total_variation": 0.5, "ratio": None}


def test_a_published_answer(dicelab):
    """The pass line wins 244 of 495; 1/3 of the rounds end with the first throw: 7 or 11 wins, 2, 3 or 12 loses."""
    data = dicelab("exact", "pass-line", "--json", "--histogram", "throws").json
    assert data["outcomes"]["win"] == {"probability": 244 / 495, "fraction": "244/495"}
    assert data["tallies"]["throws"]["fraction"] == "557/165"
    assert data["tallies"]["money"]["fraction"] == "-7/495"
    assert data["histogram"]["values"][0] == 1
    assert data["histogram"]["probabilities"][0] == pytest.approx(12 / 36)


# Text ----------------------------------------------------------------------------------------------------------------


def test_a_table_for_people(dicelab):
    said = dicelab("exact", "hazard")
    assert (said.status, said.err) == (0, "")
    answer, *lines = said.out.partition("\n\n")[0], *said.out.partition("\n\n")[2].splitlines()
    assert answer == "The caster wins 49.3 % of games."
    assert lines[0] == "hazard"
    assert [line.split() for line in lines[2:5]] == [
        ["outcome", "probability", "fraction"],
        ["win", "0.492929", "244/495"],
        ["lose", "0.507071", "251/495"],
    ]
    assert [line.split() for line in lines[6:8]] == [
        ["tally", "mean", "sd", "min", "p10", "p50", "p90", "fraction"],
        ["throws", "3.375758", "3.003958", "1", "1", "2", "7", "557/165"],
    ]
    assert re.fullmatch(r"exact: 7 states, in fractions, \d+\.\d{3} s", lines[9])
    assert len(lines) == 10


def test_floats_say_how_far_off_they_may_be(dicelab):
    out = dicelab("exact", "hazard", "--floats").out
    bound = re.search(r"exact: 7 states, in floating point, error below (\S+), ", out)
    assert 0 < float(bound[1]) < 1e-6
    assert "fraction" not in out


def test_one_position_is_one_state(dicelab, tmp_path):
    (tmp_path / "one.py").write_text(ONE)
    assert "exact: 1 state, in fractions" in dicelab("exact", str(tmp_path / "one.py")).out


ONE = '''
"""Throw until it is a six. Source: made for the tests."""
from dicelab.rules import D6, OVER, Flag, Game, Tally, throw, thrown

class One(Game):
    """Throw until it is a six."""
    name = "one"
    source = "made for the tests"
    six = Flag("a six was thrown")
    throws = Tally("throws")
    def next(self):
        return OVER if self.six else throw(self.die)
    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        self.six = face == 6
'''


def test_a_game_of_tallies_only_has_no_outcomes(dicelab, tmp_path):
    (tmp_path / "one.py").write_text(ONE)
    said = dicelab("exact", str(tmp_path / "one.py"))
    assert "outcome" not in said.out
    data = dicelab("exact", str(tmp_path / "one.py"), "--json").json
    assert data["outcomes"] == {}
    assert "fairness" not in data
    assert data["tallies"]["throws"]["fraction"] == "6"


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("how", ["--fractions", "--floats"])
def test_tables_are_aligned(small, name, how):
    tally = "turns" if name in ("tossup", "lcr", "pig") else "throws"
    given = ["--given", tally] if name != "hazard-caster" else []
    blocks = small(name, how, *given).out.rstrip("\n").split("\n\n")
    tables = [block.splitlines() for block in blocks if block.startswith(("outcome", "tally", tally))]
    assert len(tables) == (3 if given else 1)
    for table in tables:
        assert len({len(line) for line in table}) == 1, "the last column ends at one place"
        assert all(line == line.rstrip() for line in table)


# What is asked -------------------------------------------------------------------------------------------------------


def test_parameters_and_strategies_are_options_in_any_order(dicelab):
    forms = [
        "exact tossup --dice 2 --target 4 -s one_roll -s bank_over:1 --json",
        "exact --json -s one_roll --target 4 tossup -s bank_over:1 --dice=2",
        "exact --dice 2 --target=4 --strategy one_roll --strategy bank_over:1 --json -- tossup",
    ]
    answers = [dicelab(*form.split()).json | {"seconds": 0} for form in forms]
    assert answers[0]["strategies"] == ["one_roll", "bank_over:1"]
    assert (answers[0]["parameters"]["dice"], answers[0]["parameters"]["target"]) == (2, 4)
    assert answers[0] == answers[1] == answers[2]


def test_a_strategy_sits_where_it_is_written(dicelab):
    command = ["exact", "tossup", "--dice", "3", "--target", "5", "--json"]
    one = dicelab(*command, "-s", "one_roll", "-s", "bank_over:4").json["outcomes"]
    other = dicelab(*command, "-s", "bank_over:4", "-s", "one_roll").json["outcomes"]
    assert one["0"]["probability"] != pytest.approx(other["0"]["probability"], rel=0.01)
    assert one["0"]["probability"] < other["0"]["probability"]


def test_a_file_is_a_game(dicelab, tiny):
    data = dicelab("exact", tiny(), "--goal", "7", "-s", "stop_at:6", "--json").json
    assert (data["game"], data["parameters"], data["strategies"]) == ("tiny", {"goal": 7}, ["stop_at:6"])
    assert data["outcomes"]["win"]["probability"] == pytest.approx(float(at_least(6, 7)))


def at_least(stop, goal):
    """Chance that the sum of dice thrown until it is `stop` is `goal` or one less: by hand, sum by sum."""
    chance = {0: Fraction(1)}
    for total in range(1, goal + 1):
        chance[total] = sum((chance[t] for t in range(max(0, total - 6), min(total, stop))), Fraction(0)) / 6
    return chance[goal] + chance[goal - 1]


@pytest.mark.slow_cases("3-4")
@pytest.mark.parametrize(("stop", "goal"), [(5, 7), (6, 7), (3, 4), (11, 12)])
def test_the_tiny_game_by_hand(dicelab, tiny, stop, goal):
    data = dicelab("exact", tiny(), "--goal", str(goal), "-s", f"stop_at:{stop}", "--json").json
    assert Fraction(data["outcomes"]["win"]["fraction"]) == at_least(stop, goal)


@pytest.mark.slow
def test_what_a_file_prints_does_not_mix_with_the_answer(shell, tiny):
    noisy = tiny("class Move", 'print("hello")\n\n\nclass Move')
    said = shell("exact", noisy, "--json")
    assert (said.status, said.json["game"]) == (0, "tiny")
    assert "hello" in said.err


@pytest.mark.slow
def test_a_reader_on_a_terminal_of_ascii_sees_bars(shell):
    said = shell("exact", "hazard", "--histogram", "throws", env={"PYTHONIOENCODING": "ascii"})
    assert (said.status, said.err) == (0, "")
    assert re.search(r"(?m)^1 +0\.333333  #{40}$", said.out)
    assert re.search(r"(?m)^1 +0\.333333  █{40}$", shell("exact", "hazard", "--histogram", "throws").out)


def test_a_pipe_of_windows_has_bars_of_other_characters(shell):
    said = shell("dice", "2d6", env={"PYTHONIOENCODING": "cp1252"})
    assert (said.status, said.err) == (0, "")
    assert re.search(r"(?m)^7 +0\.166667 +1/6 +0\.583333  #{40}$", said.out)


# Distributions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "tally"), [("hazard", "throws"), ("lcr", "turns"), ("pass-line", "money")])
def test_a_histogram_is_the_whole_distribution(small, name, tally):
    data = small(name, "--json", "--histogram", tally).json
    shown, told = data["histogram"], data["tallies"][tally]
    assert set(shown) == {"tally", "values", "probabilities"}
    assert shown["tally"] == tally
    assert shown["values"] == sorted(set(shown["values"]))
    assert sum(shown["probabilities"]) == pytest.approx(1 - told["left"])
    mean = sum(value * p for value, p in zip(shown["values"], shown["probabilities"], strict=True))
    assert mean == pytest.approx(told["mean"])
    assert shown["values"][0] == told["min"]


def test_a_histogram_for_people_has_a_bar_for_every_value(dicelab):
    out = dicelab("exact", "tossup", "--dice", "3", "--target", "5", "-s", "one_roll", "--histogram", "turns").out
    lines = out.rpartition("\n\n")[2].splitlines()
    assert lines[0].split() == ["turns", "probability"]
    bars = [len(re.sub("[^█#]", "", line)) for line in lines[1:]]
    assert max(bars) == 40
    chances = [float(re.search(r"\d\.\d{6}", line)[0]) for line in lines[1:]]
    assert sum(chances) == pytest.approx(1, abs=1e-4)
    assert bars == [round(40 * p / max(chances)) for p in chances]


@pytest.mark.parametrize("given", ["turns", "turns:1", "turns:4", "throws:1e3"])
def test_the_groups_given_a_tally_add_up_to_the_whole(small, given):
    data = small("lcr", "--json", "--given", given).json
    tally, _, width = given.partition(":")
    assert data["given"]["tally"] == tally
    rows = data["given"]["rows"]
    assert rows[0]["low"] == data["tallies"][tally]["min"]
    assert sum(row["probability"] for row in rows) == pytest.approx(1)
    for before, after in pairwise(rows):
        assert before["low"] <= before["high"] < after["low"]
    for row in rows[:-1]:
        assert not width or row["high"] - row["low"] < float(width)
    for seat, whole in data["outcomes"].items():
        parts = sum(row["probability"] * row["outcomes"][seat]["probability"] for row in rows)
        assert parts == pytest.approx(whole["probability"])


def test_rounds_that_end_at_once_are_won_by_eight_of_twelve(dicelab):
    """The pass line: of the 12 throws of 36 that decide at once, 8 (7 or 11) win."""
    rows = dicelab("exact", "pass-line", "--given", "throws:1", "--json").json["given"]["rows"]
    assert (rows[0]["low"], rows[0]["high"]) == (1, 1)
    assert rows[0]["outcomes"]["win"]["probability"] == pytest.approx(8 / 12)
    out = dicelab("exact", "pass-line", "--given", "throws:1").out
    assert re.search(r"(?m)^throws +probability +win +lose$", out)
    assert re.search(r"(?m)^1 +0\.333333 +0\.6667 +0\.3333$", out)


# Refusals ------------------------------------------------------------------------------------------------------------

AT_ONCE = [
    ("hazard --given throw", "did you mean 'throws'?"),
    ("hazard --given win", "no tally of hazard 'win'; there are: throws"),
    ("hazard --given throws:0", "given: 'throws:0' is not allowed; it is written TALLY or TALLY:N, N being 1 or more"),
    ("hazard --given throws:-1", "given: 'throws:-1'"),
    ("hazard --given throws:x", "given: 'throws:x'"),
    ("hazard --given throws:1.5", "given: 'throws:1.5'"),
    ("hazard --given throws:1:2", "given: 'throws:1:2'"),
    ("hazard --histogram throw", "did you mean 'throws'?"),
    ("hazard --histogram win", "no tally of hazard 'win'; there are: throws"),
    ("hazard --of throws", "give --plot FILE as well"),
    ("hazard --plot throws.jpg", "a picture is saved as .svg, .png or .pdf"),
    ("hazard --plot throws", "a picture is saved as .svg, .png or .pdf"),
    ("hazard --plot none/throws.svg", "there is no folder none"),
    ("hazard --memory x", "memory: 'x' is not an amount of memory; write 500M or 4G"),
    ("hazard --memory ''", "memory: ''"),
    ("hazard --memory 0", "memory: '0'"),
    ("hazard --memory -1G", "memory: '-1G'"),
    ("hazard --memory 1.5G", "memory: '1.5G'"),
    ("hazard --memory 4GB", "memory: '4GB'"),
    ("hazard --memory G", "memory: 'G'"),
    ("hazard --memory nan", "memory: 'nan'"),
    ("hazard --memory", "--memory"),
    ("hazard --threads x", "threads: 'x'"),
]


@pytest.mark.usefixtures("nothing_is_computed")
@pytest.mark.cases(("words", "sentence"), AT_ONCE, ids=[words for words, _ in AT_ONCE])
def test_what_can_not_be_answered_or_shown_is_refused_before_anything_is_solved(dicelab, words, sentence):
    for command in ("exact", "simulate"):
        dicelab(command, *words.replace("''", "").split(" ")).must_refuse(2, sentence)


@pytest.mark.slow_cases("100K")
@pytest.mark.parametrize("size", ["100K", "1M", "100000", "1e6", "1m"])
def test_a_chain_that_does_not_fit_says_how_much_is_known_and_what_would_help(dicelab, size):
    said = dicelab("exact", "lcr", "--players", "5", "--memory", size)
    said.must_refuse(1, "lcr: the chain does not fit into ")
    found, expanded, whole = (int(n.replace(",", "")) for n in re.findall(r"([\d,]+) (?:states|of them)", said.err))
    assert 0 < expanded <= found < whole == 11_613
    assert "the declared ranges allow 26,200,000)" in said.err
    for advice in ("smaller parameters", "tighter ranges", "more memory", "simulate"):
        assert advice in said.err


def test_memory_is_counted_in_powers_of_two(dicelab):
    for size, told in [("1M", "1.0 MiB"), ("1024K", "1.0 MiB"), ("1048576", "1.0 MiB"), ("512k", "0.5 MiB")]:
        dicelab("exact", "lcr", "--players", "5", "--memory", size).must_refuse(1, f"does not fit into {told}:")


def test_enough_memory_is_enough(dicelab):
    data = dicelab("exact", "lcr", "--players", "3", "--memory", "100M", "--json").json
    assert data["exact"]["states"] == 468


def test_a_game_that_may_never_end_is_no_question_for_exact(dicelab, tiny):
    """With 6 points, and they are reached, nothing changes any more."""
    endless = tiny("self.points += face", "self.points += face if self.points != 6 else 0")
    assert dicelab("exact", endless, "-s", "stop_at:5").status == 0
    said = dicelab("exact", endless, "-s", "stop_at:7")
    said.must_refuse(1, "tiny: from some states the game never ends; one of them is: ")
    assert "points 6" in said.err
    dicelab("exact", endless, "-s", "stop_at:7", "--floats").must_refuse(1, "points 6")


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ("self.points += face if self.points < 11 else 1 // 0", "ZeroDivisionError"),
        ("self.points += face if self.points < 11 else 100", "points = 111 is outside its declared range 0 to 30"),
    ],
)
def test_a_rule_that_breaks_at_a_rare_position_is_named_with_the_position(dicelab, tiny, edit, told):
    """Few games come to 11 points and go on, so that a small simulation knows nothing of it."""
    broken = tiny("self.points += face", edit, "Param(7, 2, 12", "Param(12, 2, 12")
    assert dicelab("simulate", broken, "-s", "stop_at:12", "--games", "4", "--seed", "1").status == 0
    said = dicelab("exact", broken, "-s", "stop_at:12")
    said.must_refuse(1, told)
    assert "'points': 11" in said.err
    assert dicelab("exact", broken, "-s", "stop_at:11").status == 0


def test_a_game_without_outcomes_has_nothing_given_a_tally(dicelab):
    dicelab("exact", "hazard-caster", "--losses", "1", "--given", "rounds").must_refuse(2, "hazard-caster has no outc")


@pytest.mark.slow
def test_an_unwritable_cache_is_no_reason_to_fail(shell, tmp_path):
    file = tmp_path / "file"
    file.touch()
    for place in ("/dev/null", str(file / "below")):
        said = shell("exact", "hazard", "--json", env={"DICELAB_CACHE_DIR": place})
        assert (said.status, said.err) == (0, "")


NOWHERE = """
import sys
from numba.core import caching
caching.CacheImpl._locator_classes = []  # as where neither dicelab's folder nor that of the user can be written
from dicelab.interface.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_nor_where_something_must_be_compiled():
    words = ["exact", "lcr", "--players", "4", "--json"]
    command = [sys.executable, "-c", NOWHERE, *words]
    env = {**os.environ, "DICELAB_CACHE_DIR": os.devnull}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=env)
    assert done.returncode == 0
    assert all("kernels can't be kept on disk" in line for line in done.stderr.splitlines())
    assert json.loads(done.stdout)["outcomes"]["0"]["probability"] == pytest.approx(0.23925784636)


def test_some_tallies_only(dicelab):
    whole = dicelab("exact", "lcr", "--players", "3", "--json").json
    some = dicelab("exact", "lcr", "--players", "3", "--tally", "turns", "--json").json
    assert list(some["tallies"]) == ["turns"]
    assert some["tallies"]["turns"] == whole["tallies"]["turns"]
    assert some["outcomes"] == whole["outcomes"]
    assert list(dicelab("exact", "lcr", "--tally", "throws", "--tally", "turns", "--json").json["tallies"]) == [
        "turns",
        "throws",
    ]


def test_a_tally_that_there_is_not(dicelab):
    said = dicelab("exact", "lcr", "--tally", "turn")
    assert (said.status, said.out) == (2, "")
    assert "did you mean 'turns'" in said.err


def test_a_tally_that_is_given_is_followed_as_well(dicelab):
    said = dicelab("exact", "lcr", "--players", "3", "--tally", "throws", "--given", "turns:10", "--json")
    assert list(said.json["tallies"]) == ["turns", "throws"]
    assert said.json["given"]["tally"] == "turns"


def test_the_winner_given_throws_is_followed_where_it_is_asked_for(dicelab, monkeypatch, limits):
    limits(symmetric_edges=0)
    found = dicelab("exact", "lcr", "--players", "3", "--given", "throws:10", "--json")
    monkeypatch.undo()
    expected = dicelab("exact", "lcr", "--players", "3", "--floats", "--given", "throws:10", "--json")
    for row, other in zip(found.json["given"]["rows"], expected.json["given"]["rows"], strict=True):
        assert row["probability"] == pytest.approx(other["probability"], abs=1e-12)
        for name, chance in row["outcomes"].items():
            assert chance == pytest.approx(other["outcomes"][name], abs=1e-9)


def test_where_it_was_not_followed_it_is_said_how_to_ask(limits):
    limits(symmetric_edges=0)
    found = library.exact("lcr", players=3)
    assert sum(row.probability for row in found.given("turns")) == pytest.approx(1)
    with pytest.raises(ParameterError, match="given='throws'"):
        found.given("throws")
    assert library.exact("lcr", players=3, tallies=()).tallies == {}


def test_a_dry_run_says_what_it_would_take(dicelab):
    said = dicelab("exact", "lcr", "--players", "5", "--dry-run")
    assert (said.status, said.err) == (0, "")
    assert "states: 11,613 (all of them were counted); the declared ranges allow 26,200,000" in said.out
    assert "memory: about 2" in said.out
    assert dicelab("exact", "lcr", "--players", "5", "--dry-run", "--json").json["states"] == 11_613
    solved = dicelab("solve", "tossup", "--target", "10", "--dry-run", "--json").json
    assert (solved["method"], solved["states"]) == ("cost", 1650)
