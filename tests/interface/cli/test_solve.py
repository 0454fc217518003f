"""``dicelab solve`` and ``dicelab policy``: what they print, what they keep, and what they refuse."""

from __future__ import annotations

import json
import os
import re
import struct
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.lib.format import write_array_header_1_0

import dicelab as library
from dicelab.engines.policy_file import checksum, read
from dicelab.errors import InputError
from dicelab.questions.policies.files import load
from dicelab.results.base import head
from game_texts import UNASKED
from support import ROOT

KEYS = {
    *(*head("solve"), "summary", "objective", "value", "exact", "outcomes", "tallies"),
    *("choices", "edges", "steps", "chasing", "regret"),
}
PIGLET = str(ROOT / "verification" / "piglet.py")
ALONE = str(ROOT / "verification" / "pig_alone.py")


@pytest.fixture
def kept(dicelab, tmp_path):
    """Solve something and keep the policy; returns its path."""

    def solve(*words, name="best.npz"):
        file = str(tmp_path / name)
        said = dicelab("solve", *words, "--out", file)
        assert (said.status, said.err) == (0, f"written: {file}\n")
        return file

    return solve


# What is said --------------------------------------------------------------------------------------------------------


def test_a_table_for_people(dicelab):
    said = dicelab("solve", PIGLET, "--target", "3")
    assert (said.status, said.err) == (0, "")
    said_first, _, table = said.out.partition("\n\n")
    assert said_first.startswith("With the best play the first of two players wins more often: 54.5 %, against 45.5 %")
    lines = table.splitlines()
    assert lines[:2] == ["piglet: target 3", "strategy: best for every player"]
    assert lines[2] == ""
    rows = [re.split("  +", line) for line in lines[3:6]]
    assert rows == [["outcome", "probability"], ["player 1 wins", f"{6 / 11:.6f}"], ["player 2 wins", f"{5 / 11:.6f}"]]
    assert lines[7] == "a game takes about 16.4 throws and choices"
    size = re.fullmatch(r"solved: 72 states, 36 of them choices, error below (\S+), \d+\.\d{3} s", lines[8])
    assert 0 < float(size[1]) < 1e-12
    assert len(lines) == 9


def test_what_is_wanted_has_its_name(dicelab):
    out = dicelab("solve", ALONE, "--target", "10", "--objective", "fewest:turns").out
    assert re.search(r"(?m)^fewest:turns +1\.693749$", out)


@pytest.mark.slow_cases("words3-seats3-fewest:turns-value3")
@pytest.mark.parametrize(
    ("words", "seats", "wanted", "value"),
    [
        ([PIGLET, "--target", "2"], ["best", "best"], "win", Fraction(4, 7)),
        ([PIGLET, "--target", "2", "--against", "hold_at:2"], ["best", "hold_at:2"], "win", Fraction(4, 7)),
        (
            [PIGLET, "--target", "2", "--against", "hold_at:2", "--seat", "1"],
            ["hold_at:2", "best"],
            "win",
            Fraction(3, 7),
        ),
        ([ALONE, "--target", "10", "--objective", "fewest:turns"], ["best"], "fewest:turns", Fraction(7776, 4591)),
        (
            [ALONE, "--target", "2", "--turns-at-most", "2", "--objective", "not yet"],
            ["best"],
            "not yet",
            Fraction(1, 36),
        ),
    ],
)
def test_json(dicelab, words, seats, wanted, value):
    said = dicelab("solve", *words, "--json")
    assert (said.status, said.err) == (0, "")
    data = said.json
    assert set(data) == KEYS
    assert (data["schema"], data["method"], data["version"]) == (2, "solve", library.__version__)
    assert (data["strategies"], data["objective"]) == (seats, wanted)
    assert abs(data["value"] - value) <= data["exact"]["error"] < 1e-9
    assert 0 < data["choices"] < data["exact"]["states"] < data["edges"]
    assert data["steps"] > 1
    assert data["chasing"] == 0
    assert data["seconds"] > 0
    if wanted == "win":
        seat = seats.index("best")
        assert data["outcomes"][str(seat)]["probability"] == data["value"]
        assert sum(outcome["probability"] for outcome in data["outcomes"].values()) == pytest.approx(1)
    elif ":" in wanted:
        assert data["tallies"][wanted.partition(":")[2]]["mean"] == data["value"]
    else:
        assert data["outcomes"][wanted]["probability"] == data["value"]


def test_the_library_and_the_command_give_the_same_answer(dicelab, pig):
    data = dicelab("solve", pig, "--target", "8", "--against", "hold_at:5", "--json").json
    again = library.solve(pig, "hold_at:5", target=8).to_dict()
    assert {**again, "seconds": 0} == {**data, "seconds": 0}


def tiny_by_hand(goal):
    """Chance to win the tiny game: the sum of dice thrown as long as one likes must be the goal or one less."""
    worth = {points: Fraction(int(points <= goal)) for points in range(goal, goal + 7)}
    for points in range(goal - 1, -1, -1):
        on = sum(worth[points + face] for face in range(1, 7)) / 6
        worth[points] = max(on, Fraction(int(points == goal - 1))) if points else on
    return worth[0]


@pytest.mark.parametrize("goal", [2, 3, 7, 12])
def test_an_outcome_called_win_is_what_is_wanted_of_a_game_against_the_house(dicelab, tiny, goal):
    data = dicelab("solve", tiny(), "--goal", str(goal), "--json").json
    assert abs(data["value"] - tiny_by_hand(goal)) <= data["exact"]["error"]
    lost = dicelab("solve", tiny(), "--goal", str(goal), "--objective", "win", "--json").json
    assert lost["value"] == data["value"]


def test_three_seats_against_given_strategies(dicelab):
    words = ["tossup", "--players", "3", "--dice", "2", "--target", "3", "--against", "one_roll"]
    alike = dicelab("solve", *words, "--json").json
    both = dicelab("solve", *words, "--against", "bank_over:2", "--seat", "1", "--json").json
    assert alike["strategies"] == ["best", "one_roll", "one_roll"]
    assert both["strategies"] == ["one_roll", "best", "bank_over:2"]


@pytest.mark.slow
def test_what_a_file_prints_does_not_mix_with_the_answer(shell, tiny):
    noisy = tiny("class Move", 'print("hello")\n\n\nclass Move')
    said = shell("solve", noisy, "--json")
    assert (said.status, said.json["game"]) == (0, "tiny")
    assert "hello" in said.err


# What is kept --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("exact",), ("simulate", "--games", "2e5", "--seed", "1")])
def test_a_policy_is_played_as_a_strategy(dicelab, kept, words):
    file = kept(PIGLET, "--target", "3")
    command, *more = words
    data = dicelab(command, PIGLET, "--target", "3", "-s", f"policy:{file}", *more, "--json").json
    assert data["strategies"] == [f"policy:{file}"] * 2
    assert data["outcomes"]["0"]["probability"] == pytest.approx(6 / 11, abs=0.006 if command == "simulate" else 1e-12)


def test_a_policy_is_told_compared_swept_and_solved_against(dicelab, kept):
    seat = f"policy:{kept(PIGLET, '--target', '3')}"
    told = dicelab("play", PIGLET, "--target", "3", "-s", seat, "--seed", "1")
    assert told.status == 0
    rows = dicelab("compare", PIGLET, "--target", "3", "-s", seat, "-s", "hold_at:1", "--exact", "--json").json
    assert rows["method"] == "compare"
    answer = dicelab("solve", PIGLET, "--target", "3", "--against", seat, "--json").json
    assert answer["value"] == pytest.approx(6 / 11, abs=1e-12)


def test_a_path_may_have_spaces_and_colons(dicelab, kept):
    file = kept(PIGLET, "--target", "2", name="a b:c.policy")
    data = dicelab("exact", PIGLET, "--target", "2", "-s", f"policy:{file}", "--json").json
    assert data["outcomes"]["0"]["fraction"] == "4/7"


def test_a_file_that_was_written_anew_is_read_anew(dicelab, kept):
    for target, fraction in [("2", "4/7"), ("3", "6/11")]:
        file = kept(PIGLET, "--target", target)
        data = dicelab("exact", PIGLET, "--target", target, "-s", f"policy:{file}", "--json").json
        assert data["outcomes"]["0"]["fraction"] == fraction


def test_json_and_a_policy(dicelab, tmp_path):
    said = dicelab("solve", PIGLET, "--target", "2", "--json", "--out", str(tmp_path / "best.npz"))
    assert said.json["value"] == pytest.approx(4 / 7)
    assert said.note == f"written: {tmp_path / 'best.npz'}"
    assert os.listdir(tmp_path) == ["best.npz"]


@pytest.mark.usefixtures("nothing_is_computed")
def test_a_folder_that_is_missing_is_told_at_once(dicelab, tmp_path):
    file = tmp_path / "none" / "best.npz"
    dicelab("solve", PIGLET, "--out", str(file)).must_refuse(2, f"out: there is no folder {tmp_path / 'none'}")


def test_a_policy_that_can_not_be_written_leaves_the_answer(dicelab, tmp_path):
    said = dicelab("solve", PIGLET, "--target", "2", "--json", "--out", "/dev/full")
    assert said.json["value"] == pytest.approx(4 / 7)
    assert (said.status, said.error) == (2, "out: /dev/full can't be written: No space left on device")


def test_a_policy_for_which_there_is_no_file_is_refused_before_anything_is_solved(dicelab, tmp_path):
    dicelab("solve", "tossup", "--out", str(tmp_path)).must_refuse(2, f"out: {tmp_path} is not the name of a file")
    dicelab("solve", "tossup", "--out", "").must_refuse(2, "out: '' is not the name of a file")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere, so nothing is refused; run as any other user")
def test_a_file_that_may_not_be_written_is_left_as_it_was(dicelab, tmp_path):
    file = tmp_path / "best.npz"
    file.write_text("mine")
    file.chmod(0o400)
    said = dicelab("solve", PIGLET, "--target", "2", "--out", str(file))
    assert (said.status, said.err) == (2, f"dicelab: out: {file} can't be written: Permission denied\n")
    assert file.read_text() == "mine"


@pytest.mark.slow
def test_what_is_refused_leaves_the_file_as_it_was(dicelab, tmp_path):
    file = tmp_path / "best.npz"
    file.write_text("mine")
    dicelab("solve", PIGLET, "--objective", "zzz", "--out", str(file)).must_refuse(2, "no objective of piglet 'zzz'")
    dicelab("solve", PIGLET, "--memory", "1", "--out", str(file)).must_refuse(1, "does not fit")
    assert file.read_text() == "mine"
    assert os.listdir(tmp_path) == ["best.npz"]


REMEMBERS = """

class Times(Memory):
    asked = Flag("I held, or would have, an odd number of times")


@strategy(Pig, memory=Times)
def by_turns(game: Pig, mine: Times) -> Move:
    mine.asked = not mine.asked
    enough = game.scores[game.player] + game.points >= game.target
    return Move.HOLD if enough or mine.asked else Move.ROLL
"""


def test_no_policy_where_the_best_move_depends_on_what_others_remember(dicelab, pig, tmp_path):
    text = (ROOT / "examples" / "pig.py").read_text()
    (tmp_path / "pig.py").write_text(text.replace("    Ints,\n", "    Ints,\n    Memory,\n", 1) + REMEMBERS)
    words = ["solve", str(tmp_path / "pig.py"), "--target", "6", "--against", "by_turns"]
    assert dicelab(*words).status == 0
    said = dicelab(*words, "--json", "--out", str(tmp_path / "best.npz"))
    assert said.json["value"] > dicelab("solve", pig, "--target", "6", "--json").json["value"]
    assert said.status == 2
    assert said.error == "no policy was written: the best moves depend on the memory of a given strategy"
    assert not (tmp_path / "best.npz").exists()


# What a policy says --------------------------------------------------------------------------------------------------


def test_a_policy_tells_its_moves_and_what_they_cost(dicelab, kept):
    file = kept(PIGLET, "--target", "2")
    said = dicelab("policy", PIGLET, file, "--at", "scores=0,0", "--at", "player=0", "--at", "heads=1")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("The best move is flip; any other move costs 0.114 or more.\n\n")
    lines = said.out.partition("\n\n")[2].splitlines()
    # `flipped` is 1 in every state with a choice, and goes without saying
    assert lines[:2] == ["player 1 and player 2, win; at player=player 1, heads=1, scores[0]=0, scores[1]=0", ""]
    assert lines[2].split() == ["move", "value", "cost", "best"]
    # to flip on wins half of the time and else leaves the other with 4/7; to hold leaves the other with 2/5
    assert lines[3].split() == ["flip", f"{5 / 7:.6f}", "*"]
    assert lines[4].split() == ["hold", f"{3 / 5:.6f}", f"{4 / 35:.6f}"]
    assert len(lines) == 5


def test_a_policy_as_json(dicelab, kept):
    file = kept(PIGLET, "--target", "2")
    data = dicelab("policy", PIGLET, file, "--at", "scores[1]=1", "--at", "player=1", "--json").json
    assert set(data) == {*head("policy"), "summary", "about", "positions", "rows"}
    assert (data["game"], data["parameters"]["target"], data["strategies"]) == ("piglet", 2, ["best", "best"])
    assert (data["schema"], data["method"], data["positions"]) == (2, "policy", len(data["rows"]))
    for row in data["rows"]:
        assert set(row) == {"state", "label", "best", "options"}
        assert (row["state"]["scores[1]"], row["state"]["player"]) == (1, 1)
        best, *others = row["options"]
        assert (best["move"], best["costs"]) == (row["best"], 0)
        for option in others:
            assert option["costs"] == pytest.approx(best["worth"] - option["worth"])
            assert option["costs"] >= 0


def test_few_are_wanted_the_cheapest_is_best(dicelab, kept):
    file = kept(ALONE, "--target", "10", "--objective", "fewest:turns")
    rows = dicelab("policy", ALONE, file, "--at", "score=0", "--json").json["rows"]
    for row in rows:
        worth = [option["worth"] for option in row["options"]]
        assert worth[0] == min(worth)
    assert rows[0]["best"] == "roll"


def test_more_positions_than_are_told(dicelab, kept):
    file = kept(PIGLET, "--target", "6")
    positions = dicelab("policy", PIGLET, file, "--json").json["positions"]
    said = dicelab("policy", PIGLET, file)
    assert said.out.splitlines()[-1] == f"and {positions - 20:,} states more; give more fields of the state"
    assert positions == dicelab("solve", PIGLET, "--target", "6", "--json").json["choices"]


def test_the_head_names_only_what_all_states_have_in_common(dicelab, kept):
    """The states that are shown have scores[1] = 0; those that are not shown differ in it."""
    words = "policy", PIGLET, kept(PIGLET, "--target", "12"), "--at", "heads=1"
    assert {row["state"]["scores[1]"] for row in dicelab(*words, "--json").json["rows"]} == {0}
    lines = dicelab(*words).out.partition("\n\n")[2].splitlines()
    assert lines[0] == "player 1 and player 2, win; at heads=1"
    assert lines[2].split() == ["player", "scores[0]", "scores[1]", "move", "value", "cost", "best"]


@pytest.mark.slow
def test_a_game_of_several_choices_tells_each_in_its_words(dicelab, kept):
    file = kept(str(ROOT / "verification" / "shut_the_box.py"), "--one-die", "2", "--objective", "shut")
    box = ["policy", str(ROOT / "verification" / "shut_the_box.py"), file, "--json", "--at", "open=3"]
    rows = dicelab(*box).json["rows"]
    moves = {row["state"]["total"]: {option["move"] for option in row["options"]} for row in rows}
    assert moves == {0: {"1", "2"}, 1: {"1"}, 2: {"2"}, 3: {"1 2"}}


def test_a_policy_may_be_asked_with_the_parameters_of_its_game(dicelab, kept):
    file = kept(PIGLET, "--target", "4")
    alike = [dicelab("policy", PIGLET, file, *more, "--json").json for more in ([], ["--target", "4"])]
    assert alike[0] | {"seconds": 0} == alike[1] | {"seconds": 0}
    dicelab("policy", PIGLET, file, "--target", "5").must_refuse(2, "was solved for other parameters: target 4")


# Refusals ------------------------------------------------------------------------------------------------------------

AT_ONCE = [
    ("hazard", "hazard has no choices to optimise; use dicelab exact"),
    ("lcr --objective 0", "lcr has no choices"),
    (
        "tossup --players 4 --against one_roll --against one_roll",
        "tossup has 4 seats: give one strategy for the others or 3",
    ),
    ("tossup --against one_roll --against one_roll", "tossup has 2 seats: give one strategy for the others or 1"),
    ("tossup --seat 2", "seat: 2 is not allowed; it takes a whole number, 0 to 1"),
    ("tossup --seat 2 --against one_roll", "seat: 2 is not allowed; it takes a whole number, 0 to 1"),
    ("tossup --seat -1", "seat: -1 is not allowed"),
    ("tossup --seat x", "seat: 'x' is not a whole number"),
    ("tossup --seat 0.5", "seat: '0.5' is not a whole number"),
    ("tossup --against zzz", "no strategy of tossup 'zzz'"),
    ("tossup --against best", "no strategy of tossup 'best'"),
    ("tossup --against bank_over:x", "strategy 'bank_over:x'"),
    ("tossup --objective turns", "no objective of tossup 'turns'; did you mean 'most:turns'?"),
    ("tossup --objective 2 --against one_roll", "no objective of tossup '2'"),
    ("tossup --objective most:turn --against one_roll", "no tally of tossup 'turn'; did you mean 'turns'?"),
    ("tossup --objective most: --against one_roll", "no objective of tossup 'most:'"),
    ("tossup --objective least:turns --against one_roll", "no objective of tossup 'least:turns'"),
    ("tossup --objective '' --against one_roll", "no objective of tossup ''"),
    ("tossup --objective fewest:turns", "with several optimised seats, objective must be win"),
    ("tossup --objective 1", "with several optimised seats, objective must be win"),
    ("tossup --target 0", "target: '0' is not allowed"),
    ("tossup --memory x", "memory: 'x' is not an amount of memory"),
    ("tossup --memory 0", "memory: '0' is not an amount of memory"),
    ("tossup --against policy:none.npz", "none.npz: there is no such file; dicelab solve --out FILE writes one"),
    ("tossup --strategy one_roll", "--strategy"),
    ("tossup extra", "extra"),
    ("zzz", "no game 'zzz'"),
    (
        "craps",
        "give an objective, one of ruined, behind, even, ahead, avoid:OUTCOME, most:TALLY, fewest:TALLY (throws,",
    ),
    (f"{ALONE} --objective win", "no objective of pig-alone 'win'"),
    (f"{ALONE} --objective reached --against hold_at", "pig-alone has one seat, so against has no effect"),
    (f"{ALONE} --objective reached --seat 1", "seat: 1 is not allowed; it takes a whole number, 0 to 0"),
    (f"{ROOT}/tests/games/martingale.py --objective most:most", "most is a Peak"),
]


@pytest.mark.usefixtures("nothing_is_computed")
@pytest.mark.cases(("words", "sentence"), AT_ONCE, ids=[words.replace(str(ROOT), "") for words, _ in AT_ONCE])
def test_what_can_not_be_solved_is_refused_at_once(dicelab, words, sentence):
    dicelab("solve", *words.replace("''", "").split(" ")).must_refuse(2, sentence)


@pytest.mark.slow
def test_what_does_not_fit_says_what_would_help(dicelab):
    dicelab("solve", "tossup", "--memory", "1M").must_refuse(1, "tossup: the chain does not fit into 1.0 MiB")


FORCED = ("if self.rolled:", "if self.rolled and self.points < 6:")
"""Nobody is asked who has 6 points or more."""


def test_a_game_that_never_ends_is_refused(dicelab, tiny):
    endless = tiny("self.points += face", "self.points += face if self.points < 6 else 0", *FORCED)
    dicelab("solve", endless).must_refuse(1, "tiny: from some states the game never ends")


@pytest.mark.slow_cases("scores=0,,0-at: 'scores=0,,0' is not allowed")
@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ("score=0", "piglet has no score in its state; it has player, heads, flipped, scores[0], scores[1]"),
        ("scores=0,0,0", "piglet has no scores[2] in its state"),
        ("scores[7]=0", "piglet has no scores[7] in its state"),
        ("heads=4", "the policy has no choice in a state with heads 4"),
        ("heads=-1", "the policy has no choice in a state with heads -1"),
        ("heads=99999999999999999999999999", "the policy has no choice in a state with heads 9"),
        ("flipped=0", "the policy has no choice in a state with flipped 0"),
        ("scores=3,0", "the policy has no choice in a state with scores[0] 3, scores[1] 0"),
        ("heads", "at: 'heads' is not allowed; it is written NAME=NUMBER or NAME=NUMBER,NUMBER"),
        ("heads=", "at: 'heads=' is not allowed"),
        ("heads=one", "at: 'heads=one' is not allowed"),
        ("=1", "at: '=1' is not allowed"),
        ("heads==1", "at: 'heads==1' is not allowed"),
        ("scores=0,,0", "at: 'scores=0,,0' is not allowed"),
        ("scores[x]=0", "at: 'scores[x]=0' is not allowed"),
        ("policy=1", "piglet has no policy in its state"),
        ("self=1", "piglet has no self in its state"),
    ],
)
def test_positions_that_nobody_solved(dicelab, kept, at, sentence):
    dicelab("policy", PIGLET, kept(PIGLET, "--target", "3"), "--at", at).must_refuse(2, sentence)


@pytest.mark.parametrize(
    "words",
    [
        ("exact", "-s"),
        ("simulate", "--games", "20", "--seed", "1", "-s"),
        ("simulate", "--games", "1e5", "--seed", "1", "-s"),
        ("play", "--seed", "1", "-s"),
        ("solve", "--against"),
    ],
    ids=["exact", "few games", "many games", "play", "solve"],
)
def test_a_position_that_the_policy_does_not_know(dicelab, pig, kept, words):
    """Solved against who never holds before winning, it knows of no points that the other holds."""
    file = kept(pig, "--target", "12", "--against", "hold_at:12", "--seat", "1")
    command, *more = words
    beside = [] if command == "solve" else ["-s", "hold_at:2"]
    lineup = [*more[:-1], *beside, more[-1], f"policy:{file}"]
    said = dicelab(command, pig, "--target", "12", *lineup)
    assert "Traceback" not in said.err
    assert said.status == 1
    assert f"{file} has no move for this state; it was solved for player 2, win, against hold_at:12" in said.err
    assert re.search(r"state \{'scores': \[\d+, \d+\], 'player': 1", said.err)


AGAIN = "; solve again: dicelab solve GAME ... --out "
COMMANDS = [
    ("exact", "-s", "policy:FILE"),
    ("simulate", "-s", "policy:FILE"),
    ("policy", "FILE"),
    ("policy", "FILE", "--rule"),
    ("play", "-s", "policy:FILE"),
    ("compare", "-s", "policy:FILE"),
    ("sweep", "-s", "policy:FILE", "--over", "target=3,4"),
    ("solve", "--against", "policy:FILE"),
    ("learn", "--against", "policy:FILE"),
]
COMMAND_IDS = [" ".join(words).replace("policy:FILE", "").replace("FILE", "") for words in COMMANDS]


def asked_of(dicelab, game, command, file, *more):
    """What a command says of a game when it is given a policy."""
    name, *words = command
    return dicelab(name, game, *more, *(word.replace("FILE", file) for word in words))


@pytest.mark.slow_cases("policy ")
@pytest.mark.parametrize("command", COMMANDS[:3], ids=COMMAND_IDS[:3])
def test_a_policy_of_another_game_or_none(dicelab, kept, tmp_path, command):
    file = kept(PIGLET, "--target", "3")
    asked_of(dicelab, "tossup", command, file).must_refuse(2, "is a policy of piglet, not of tossup")
    gone = str(tmp_path / "gone.npz")
    asked_of(dicelab, PIGLET, command, gone).must_refuse(2, f"{gone}: there is no such file")


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] != "sweep"], ids=lambda words: " ".join(words))
def test_a_policy_of_other_parameters(dicelab, kept, command):
    file = kept(PIGLET, "--target", "3")
    said = asked_of(dicelab, PIGLET, command, file, "--target", "4")
    said.must_refuse(2, f"{file} was solved for other parameters: target 3 (not 4){AGAIN}{file}")


@pytest.mark.slow_cases("learn --against ")
@pytest.mark.parametrize("command", COMMANDS, ids=COMMAND_IDS)
def test_a_policy_of_rules_that_were_edited(dicelab, kept, tmp_path, command):
    game = tmp_path / "piglet.py"
    game.write_text(Path(PIGLET).read_text())
    file = kept(str(game), "--target", "3")
    assert dicelab("policy", str(game), file).status == 0
    game.write_text(game.read_text().replace("self.heads += 1", "self.heads += 2"))
    assert game.read_text() != Path(PIGLET).read_text()
    said = asked_of(dicelab, str(game), command, file)
    said.must_refuse(2, f"{file} was solved for other rules of piglet than those it has now{AGAIN}{file}")


def test_rules_whose_source_can_not_be_read_are_not_taken_for_the_same(kept):
    """As for a game that was typed at the prompt."""
    file = kept(PIGLET, "--target", "3")
    typed = {"__name__": "typed"}
    exec(Path(PIGLET).read_text(), typed)
    with pytest.raises(InputError, match="the source of piglet can't be read"):
        load(file, typed["Piglet"](target=3))


def arrays_of(file):
    with np.load(file) as arrays:
        return dict(arrays)


def written(file, **changed):
    """The policy in a file, written anew with some of its arrays changed or left out, and the checksum of these."""
    arrays = {**arrays_of(file), **changed}
    kept = {name: array for name, array in arrays.items() if array is not None and name != "checksum"}
    with open(file, "wb") as out:
        np.savez_compressed(out, checksum=changed.get("checksum", checksum(kept)), **kept)


def told(file, **changed):
    """What a policy tells about itself, written anew with something changed, or left out."""
    about = {**json.loads(bytes(arrays_of(file)["about"])), **changed}
    text = json.dumps({name: value for name, value in about.items() if value is not None})
    written(file, about=np.frombuffer(text.encode(), np.uint8))


def one_array():
    out = BytesIO()
    np.save(out, np.arange(3))
    return out.getvalue()


def first_format(file):
    """As files were written before they had a hash of the rules and a checksum."""
    about = json.loads(bytes(arrays_of(file)["about"]))
    text = json.dumps({"format": 1, **{name: about[name] for name in about if name not in ("format", "source_hash")}})
    arrays = {name: array for name, array in arrays_of(file).items() if name not in ("about", "checksum")}
    with open(file, "wb") as out:
        np.savez_compressed(out, about=np.frombuffer(text.encode(), np.uint8), **arrays)


def flipped(file):
    """One bit is another, in the middle of the largest array."""
    content = bytearray(Path(file).read_bytes())
    content[len(content) // 2] ^= 1
    Path(file).write_bytes(content)


def another_worth(file, worth):
    arrays = arrays_of(file)
    arrays["worth"][1] = worth
    written(file, worth=arrays["worth"])


DAMAGED = "is not a policy that dicelab wrote, or is damaged ("
CHANGED = f"{DAMAGED}its content does not match its checksum)"
SHAPE = f"{DAMAGED}the array keys does not have the declared shape)"
UNFIT = "has arrays that do not fit the rules of piglet"
DAMAGES = {
    "empty": (lambda f: Path(f).write_bytes(b""), DAMAGED),
    "text": (lambda f: Path(f).write_text("hello\n"), DAMAGED),
    "half": (lambda f: Path(f).write_bytes(Path(f).read_bytes()[:900]), DAMAGED),
    "all but one byte": (lambda f: Path(f).write_bytes(Path(f).read_bytes()[:-1]), DAMAGED),
    "bytes in the middle": (lambda f: Path(f).write_bytes(Path(f).read_bytes().replace(b"\x00", b"\xff")), DAMAGED),
    "a flipped bit": (flipped, DAMAGED),
    "another worth": (
        lambda f: written(f, worth=arrays_of(f)["worth"] / 2, checksum=arrays_of(f)["checksum"]),
        CHANGED,
    ),
    "no checksum": (lambda f: written(f, checksum=None), DAMAGED),
    "one array": (lambda f: Path(f).write_bytes(one_array()), DAMAGED),
    "other arrays": (lambda f: np.savez(f, other=np.arange(3)), DAMAGED),
    "no keys": (lambda f: written(f, keys=None), DAMAGED),
    "objects": (lambda f: written(f, keys=np.array([[None]])), SHAPE),
    "keys of another shape": (lambda f: written(f, keys=arrays_of(f)["keys"][:, 0]), SHAPE),
    "keys of another type": (lambda f: written(f, keys=arrays_of(f)["keys"].astype(np.int64)), SHAPE),
    "a list": (lambda f: written(f, about=np.frombuffer(b"[1]", np.uint8)), DAMAGED),
    "no JSON": (lambda f: written(f, about=np.frombuffer(b"{", np.uint8)), DAMAGED),
    "no parameters": (lambda f: told(f, parameters=None), "is not a policy of piglet"),
    "nothing told": (lambda f: told(f, solved=None), "is not a policy of piglet"),
    "no hash": (lambda f: told(f, source_hash=None), "was solved for other rules of piglet than those it has now"),
    "too few moves": (lambda f: written(f, best=arrays_of(f)["best"][:3]), UNFIT),
    "moves out of reach": (lambda f: written(f, best=arrays_of(f)["best"] + 1000), UNFIT),
    "not a number": (lambda f: another_worth(f, np.nan), "has a move whose worth is not a finite number"),
    "infinite": (lambda f: another_worth(f, -np.inf), "has a move whose worth is not a finite number"),
    "an earlier version": (
        first_format,
        "was written by another version of dicelab, in format 1, which this version can't read",
    ),
    "a later version": (lambda f: told(f, format=99), "was written by another version of dicelab, in format 99"),
}


@pytest.mark.slow_cases("exact-a list", "exact-no hash", "policy-nothing told")
@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("command", [COMMANDS[0], COMMANDS[2]], ids=["exact", "policy"])
def test_a_damaged_policy(dicelab, kept, command, how):
    file = kept(PIGLET, "--target", "3")
    damage, sentence = DAMAGES[how]
    damage(file)
    said = asked_of(dicelab, PIGLET, command, file, "--target", "3")
    said.must_refuse(2, f"{file} {sentence}")
    assert said.error.endswith(f"{AGAIN}{file}")


@pytest.mark.slow_cases(
    "policy -an earlier version", "solve --against -an earlier version", "solve --against -not a number"
)
@pytest.mark.parametrize("how", ["a flipped bit", "not a number", "an earlier version"])
@pytest.mark.parametrize("command", COMMANDS, ids=COMMAND_IDS)
def test_every_command_refuses_a_damaged_policy(dicelab, kept, command, how):
    file = kept(PIGLET, "--target", "3")
    damage, sentence = DAMAGES[how]
    damage(file)
    more = [] if command[0] == "sweep" else ["--target", "3"]
    asked_of(dicelab, PIGLET, command, file, *more).must_refuse(2, f"{file} {sentence}")


@pytest.mark.slow
def test_any_flipped_bit_is_refused_or_changes_nothing(kept):
    """What is not read, such as the time of a member of the archive, may be anything."""
    file = Path(kept(PIGLET, "--target", "2"))
    content, (about, arrays) = file.read_bytes(), read(file)
    refused = 0
    for place in range(len(content)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :])
        try:
            same, others = read(file)
        except InputError:
            refused += 1
        else:
            assert same == about
            assert all((others[name] == arrays[name]).all() for name in arrays)
    assert refused > len(content) * 0.6


def test_a_file_that_declares_more_than_it_can_hold_is_not_unpacked(kept):
    """Ten thousand million numbers, in a header that is all there is of them."""
    file = kept(PIGLET, "--target", "3")
    with ZipFile(file) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    header = BytesIO()
    write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**10,)})
    members["worth.npy"] = header.getvalue()
    with ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(InputError, match="the array worth does not have the declared shape"):
        read(file)
    directory = bytearray(Path(file).read_bytes())
    size = struct.pack("<I", len(members["worth.npy"]))
    at = directory.rindex(size + size, 0, directory.rindex(b"worth.npy"))
    directory[at + 4 : at + 8] = struct.pack("<I", 2**32 - 2)
    Path(file).write_bytes(directory)
    with pytest.raises(InputError, match="declares more numbers than it can hold"):
        read(file)


def test_a_folder_is_no_policy(dicelab, tmp_path):
    dicelab("policy", PIGLET, str(tmp_path)).must_refuse(2, f"{tmp_path} can't be read as a policy: Is a directory")
    dicelab("exact", PIGLET, "-s", f"policy:{tmp_path}").must_refuse(2, "can't be read as a policy: Is a directory")


def test_rules_that_were_changed_make_no_wrong_moves(dicelab, tiny, kept):
    """With another range the same position has another key."""
    file = kept(tiny())
    said = dicelab("exact", tiny("Int(0, 30", "Int(-5, 300"), "-s", f"policy:{file}", "--json")
    said.must_refuse(2, f"{file} was solved for other rules of tiny")


# Games in which one may wait ------------------------------------------------------------------------------------------

WAIT = '''
from dicelab.rules import D6, OVER, Game, Int, Tally, ask, chosen, strategy, throw, thrown

class Patience(Game):
    """Wait, or throw a die: a six wins, a one loses."""
    name = "patience"
    source = "made for the tests"
    outcomes = ("win", "lose")
    at = Int(0, 3, "0 choose, 1 throw, 2 won, 3 lost")
    waits = Tally("waits")
    throws = Tally("throws")
    def next(self):
        if self.at >= 2:
            return OVER
        return ask(self.wait, 0) if self.at == 0 else throw(self.die)
    @chosen((0, 1))
    def wait(self, move):
        if move == 0:
            self.waits += 1
        else:
            self.at = 1
    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        self.at = 2 if face == 6 else 3 if face == 1 else 0
    def outcome(self):
        return self.at - 2

@strategy(Patience)
def now(game):
    return 1
'''


@pytest.fixture
def patience(tmp_path):
    file = tmp_path / "patience.py"
    file.write_text(WAIT)
    return str(file)


def test_waiting_for_nothing_is_no_loss(dicelab, patience):
    data = dicelab("solve", patience, "--json").json
    assert data["value"] == pytest.approx(1 / 2, abs=1e-12)


def test_waiting_forever_is_no_way_to_end(dicelab, patience, tmp_path):
    """The policy must come to an end, as all throws do."""
    said = dicelab("solve", patience, "--out", str(tmp_path / "best.npz"))
    assert said.status == 0
    exact = dicelab("exact", patience, "-s", f"policy:{tmp_path / 'best.npz'}", "--json").json
    assert exact["outcomes"]["win"]["fraction"] == "1/2"


def test_the_most_throws_where_one_may_wait(dicelab, patience):
    """A third of all throws are the last."""
    assert dicelab("solve", patience, "--objective", "most:throws", "--json").json["value"] == pytest.approx(
        3, abs=1e-9
    )


def test_ever_more_can_be_gained(dicelab, patience):
    dicelab("solve", patience, "--objective", "most:waits").must_refuse(1, "patience: ")


def test_no_throw_at_all_in_a_game_that_never_ends(dicelab, patience):
    """To wait for ever is no way to need few throws: nobody comes to an end by it."""
    assert dicelab("solve", patience, "--objective", "fewest:throws", "--json").json["value"] == pytest.approx(3)


# Turn by turn --------------------------------------------------------------------------------------------------------

BOX = str(ROOT / "verification" / "yahtzee_box.py")


@pytest.fixture
def by_turns(limits):
    """Solve all games turn by turn."""
    limits(many=0, many_with_policy=0)


@pytest.mark.slow
def test_a_distribution_comes_with_a_game_solved_turn_by_turn(dicelab, by_turns):
    words = "solve", BOX, "--box", "9", "--objective", "most:score", "--histogram", "score"
    lines = dicelab(*words).out.splitlines()[2:]  # after the answer in a sentence
    assert lines[2] == ""
    assert re.split("  +", lines[3]) == ["tally", "mean", "sd", "min", "p10", "p50", "p90"]
    assert re.match(r"score +9\.07207\d* +12\.0207\d* +0 +0 +0 +25$", lines[4])
    assert re.match(r"25 +0\.362883 +█+", lines[-1])
    found = json.loads(dicelab(*words, "--json").out)
    assert found["tallies"]["score"]["sd"] == pytest.approx(12.020786553849)
    assert found["histogram"]["values"] == [0, 25]
    assert found["histogram"]["probabilities"] == pytest.approx([0.637117, 0.362883], abs=1e-6)
    assert dicelab(*words, "--csv").out.startswith("score,probability\n0,0.637117")


@pytest.mark.slow
def test_why_there_is_no_distribution(dicelab, limits):
    pig = "solve", str(ROOT / "verification" / "pig_alone.py"), "--target", "5", "--objective", "fewest:turns"
    said = dicelab(*pig, "--histogram", "turns")
    assert said.status == 0
    assert "fewest:turns" in said.out
    assert "no distribution of turns: all states were solved; dicelab exact GAME -s policy:FILE" in said.err
    limits(many=0)
    said = dicelab(*pig, "--histogram", "turns")
    assert "no distribution of turns: turns can repeat" in said.out
    assert "no distribution of turns: turns can repeat" in said.err


def test_only_the_tally_that_is_optimised_has_a_distribution(dicelab, nothing_is_computed):
    said = dicelab("solve", BOX, "--objective", "most:score", "--histogram", "rolls")
    assert said.status == 2
    assert "--histogram shows the tally that is optimised" in said.err


@pytest.mark.slow
def test_a_policy_of_turns_is_asked_and_played(dicelab, kept, by_turns):
    pig = str(ROOT / "examples" / "pig.py")
    file = kept(pig, "--target", "20")
    said = dicelab("policy", pig, file, "--at", "scores=3,9", "--at", "points=7")
    assert said.status == 0
    assert "player 1 and player 2, win; at" in said.out
    said = dicelab("policy", pig, file, "--rule")
    assert said.status == 2
    assert "not the moves in every state" in said.err
    played = dicelab("simulate", pig, "--target", "20", "-s", f"policy:{file}", "--games", "20", "--seed", "1")
    assert played.status == 0
    assert "reference engine" in played.out


def test_a_policy_without_choices_is_written_and_says_so(dicelab, tmp_path):
    rules, file = tmp_path / "unasked.py", tmp_path / "unasked.npz"
    rules.write_text(UNASKED)
    assert dicelab("solve", str(rules), "--out", str(file)).status == 0
    dicelab("policy", str(rules), str(file)).must_refuse(
        2, "the policy makes no choice: in unasked, no seat that was solved ever chooses"
    )


def test_a_policy_file_names_its_game(dicelab, tmp_path):
    solved, own = str(tmp_path / "best.npz"), str(tmp_path / "own.npz")
    dicelab("solve", "tossup", "--target", "5", "--out", solved)
    assert dicelab("policy", solved).out == dicelab("policy", "tossup", solved).out
    assert dicelab("policy", "--at", "points=2", solved).status == 0
    dicelab("policy", solved, "--target", "6").must_refuse(2, "solved for other parameters")
    dicelab("policy", str(tmp_path / "missing.npz")).must_refuse(2, "there is no such file")
    dicelab("solve", str(ROOT / "verification" / "piglet.py"), "--target", "3", "--out", own)
    dicelab("policy", own).must_refuse(2, f"name it: dicelab policy FILE.py {own}")
