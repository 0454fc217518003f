"""Outcomes of a roll that do the same to the game are followed as one."""

from __future__ import annotations

import numpy as np
import pytest

from dicelab.games.tossup import TossUp
from dicelab.rules import COUNTS, D6, FACES, OVER, SUM, Game, Int, Tally, throw, thrown
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration import enumerate_python
from dicelab.solver.enumeration.enumerate_python import different_outcomes
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.model import all_outcomes


class Reader(Game):
    """Kinds of roll whose rules use their numbers in different ways."""

    name = "reader"
    source = "made for the tests"
    outcomes = ("over",)
    last = Int(0, 100, "what was noted last")
    rolls = Tally("rolls")

    def next(self) -> int:
        return OVER if self.last else throw(self.high)

    @thrown(2, D6)
    def high(self, total: int) -> None:
        self.last = 1 if 7 <= total < 11 or total in (2, 3) else 0

    @thrown(2, D6, COUNTS)
    def changed(self, ones: int, twos: int, threes: int, fours: int, fives: int, sixes: int) -> None:
        ones += twos
        self.last = 1 if ones > 1 else 0

    @thrown(2, D6, FACES)
    def faces(self, *shown: int) -> None:
        self.last = 1 if shown[0] > 3 else 0

    @thrown(1, D6, SUM)
    def guarded(self, face: int) -> None:
        if face != 3:
            self.last = 6 // (face - 3)

    @thrown(1, D6)
    def hidden(self, face: int) -> None:
        self.last = max(face > 2 for face in (1, face))


def kept(name: str) -> list[tuple[tuple[int, ...], int]]:
    game = Reader()
    kind = game.declared.throws[[t.name for t in game.declared.throws].index(name)]
    return [(o.seen, o.weight) for o in different_outcomes(game, kind, pool(game, kind, 0))]


def test_outcomes_of_which_a_rule_asks_the_same_are_one():
    assert kept("high") == [((2,), 3 + 18), ((4,), 36 - 21)]


@pytest.mark.parametrize("name", ["changed", "faces", "guarded", "hidden"])
def test_where_that_is_not_known_all_outcomes_are_kept(name):
    game = Reader()
    kind = game.declared.throws[[t.name for t in game.declared.throws].index(name)]
    assert kept(name) == [(o.seen, o.weight) for o in all_outcomes(game, kind, pool(game, kind, 0))]


def test_ten_dice_of_toss_up_have_twelve_different_outcomes():
    game = TossUp()
    (kind,) = game.declared.throws
    dice = pool(game, kind, 0)
    found = different_outcomes(game, kind, dice)
    assert len(all_outcomes(game, kind, dice)) == 66
    assert len(found) == 12
    assert sum(o.weight for o in found) == dice.weight == 6**10


class TwoRules(Game):
    """Two kinds of roll of the same die: one adds its face, the other asks only whether it is high."""

    name = "two_rules"
    source = "made for the tests"
    outcomes = ("low", "high")
    phase = Int(0, 2, "rolls so far")
    high = Int(0, 1, "whether the second roll is high")
    points = Tally("the face of the first roll")

    def next(self) -> int:
        if self.phase == 2:
            return OVER
        return throw(self.adding) if self.phase == 0 else throw(self.asking)

    @thrown(1, D6)
    def adding(self, face: int) -> None:
        self.points += face
        self.phase = 1

    @thrown(1, D6)
    def asking(self, face: int) -> None:
        self.high = 1 if face > 3 else 0
        self.phase = 2

    def outcome(self) -> int:
        return self.high


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_kinds_of_roll_of_the_same_dice_share_no_outcomes_that_one_of_them_tells_apart(engine):
    found = graph_of(Run(TwoRules(), ()), engine=engine)
    assert found.changes[found.change[found.label[:6]]].tolist() == [[face] for face in range(1, 7)]
    assert found.weight[found.label].tolist() == [1] * 6 + [3, 3]


@pytest.mark.slow
def test_the_chain_is_the_same_as_from_all_outcomes(monkeypatch):
    run = Run.of("tossup", target=20, dice=4)
    found = graph_of(run, (0, 1), engine="reference", turned=True)
    monkeypatch.setattr(enumerate_python, "different_outcomes", all_outcomes)
    other = graph_of(run, (0, 1), engine="reference", turned=True)
    for name in ("keys", "row", "target", "weight", "total", "change", "changes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(other, name))
