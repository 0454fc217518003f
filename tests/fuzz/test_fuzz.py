"""The fuzzer itself: a small sample of its games, what its parts say of games with a known answer, and the defects."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from fuzz.case import plain_game
from fuzz.chances import Table, best, ends, expected, graph
from fuzz.defects import DEFECTS
from fuzz.forms import of_forms
from fuzz.games import GameText, made
from fuzz.shrink import shrunk
from support import ROOT

SEED = 1
"""Seed of the sample; others are for `make fuzz`."""

COIN = """
from dicelab.rules import D6, OVER, Flag, Game, Int, Tally, ask, chosen, strategy, throw, thrown


class Fuzzed(Game):
    outcomes = ("win", "lose")
    points = Int(0, 6)
    asked = Flag()
    rolls = Tally("rolls")

    def next(self):
        if self.points == 0:
            return throw(self.roll)
        return OVER if self.asked else ask(self.keep, 0)

    @thrown(1, D6)
    def roll(self, face):
        self.rolls += 1
        self.points = face if face > 1 else 0

    @chosen(2)
    def keep(self, move):
        if move == 1 and self.rolls_left():
            self.points = 0
        else:
            self.asked = True

    def rolls_left(self):
        return self.points < 4

    def outcome(self):
        return 0 if self.points > 4 else 1


@strategy(Fuzzed)
def never(game):
    return 0
"""
"""A six-sided die; ones are rolled again, and so may be twos and threes. With five and six one wins."""


def fuzz(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the fuzzer as a process of its own: kernels are not compiled in it."""
    command = [sys.executable, "-m", "fuzz", "--jobs", "1", "--seed", str(SEED), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    return subprocess.run(command, env=environment, cwd=ROOT, text=True, capture_output=True, check=False)


@pytest.mark.quick
def test_a_sample_of_games(tmp_path: Path) -> None:
    done = fuzz("--games", "3", "--compiled", "0", "--folder", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    for compared in ("compiled", "table", "memo", "enumerations", "exact", "solve", "policies", "refused", "hidden"):
        assert f" {compared} " in done.stdout


@pytest.mark.slow
def test_a_defect_is_found_and_told_with_a_small_file(tmp_path: Path) -> None:
    defect = "what outcome counts is lost by the memo engine"
    given = ("--games", "12", "--compiled", "0", "--folder", str(tmp_path), "--defect", defect, "--stop")
    done = fuzz(*given)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "memo plays as reference" in done.stdout
    assert "again: make fuzz N=1 SEED=1 FIRST=" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFECTS)
def test_every_defect_of_the_past_is_found(name: str) -> None:
    done = fuzz("--jobs", "2", "--games", "2000", "--defects", name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_seed_makes_the_same_games() -> None:
    assert made(5) == made(5)
    assert len({made(seed).text for seed in range(50)}) == 50


@pytest.mark.slow
def test_names_that_collided_once_and_what_was_lost_once_are_written() -> None:
    texts = [made(seed).text for seed in range(400)]
    wanted = ["FULL_HOUSE = Int", "DONE_x = ", "WRONG_x = ", "b_c = Int(", "def a_b(", "Peak(", "money = Tally("]
    wanted += [">> (abs(", "~(", "[-1]", "[:]", "from fuzzed_helper", "sorted(faces", "by=BY", "STAKE = 10**18"]
    wanted += [
        "ask(self.bet",
        "legal=",
        "sensible=",
        "moves=",
        "match ",
        "COUNTS)",
        "FACES)",
        "player = Seat(",
        *(" any(", " for v", "defaultdict(list)", "case [", ".sort(", ":=", "most_common", "def f", "default="),
    ]
    for part in wanted:
        assert any(part in text for text in texts), part
    assert any("self.money" in text.partition("def outcome")[2] for text in texts)


def test_trying_everything_comes_to_what_is_known() -> None:
    """Without choices a five or six of the faces above one wins; with them a two or three is rolled again."""
    table = Table(plain_game(GameText(COIN))(), ["never"])
    assert ends(table) is None  # a one may come for ever
    first, states = graph(table)
    assert expected(states, lambda end, counted: Fraction(end == 0))[first[0]] == Fraction(2, 5)
    assert expected(states, lambda end, counted: Fraction(counted[0]))[first[0]] == Fraction(6, 5)
    table = Table(plain_game(GameText(COIN))(), [None])
    first, states = graph(table)
    assert best(states, lambda end, counted: end == 0, [1])[first[0]] == pytest.approx(2 / 3)
    assert best(states, lambda end, counted: end == 0, [-1])[first[0]] == pytest.approx(2 / 5)


def test_a_file_becomes_small() -> None:
    small = shrunk(GameText(COIN), lambda game: "self.rolls += 1" in game.text and "class Fuzzed" in game.text, 20.0)
    assert len(small.text.splitlines()) <= 6
    assert "self.rolls += 1" in small.text


@pytest.mark.slow
def test_games_of_the_newer_kinds_have_each_of_them() -> None:
    texts = [of_forms(random.Random(seed)) for seed in range(60)]
    for words in (
        "@kept(",
        "@mixed(",
        "@weighted(",
        "@drawn(",
        "Grid(",
        "Flags(",
        "moves=places",
        "private=True",
        '"draw": (',
    ):
        assert any(words in text for text in texts), words
    assert sum("kept, mixed" in made(seed).text for seed in range(100)) > 10
