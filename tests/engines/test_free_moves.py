"""Moves that cost nothing and lead back: they must not hold a value up, nor put a game off for ever."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

import pytest

import dicelab
from dicelab.engines.compiled import Compiled
from dicelab.errors import RangeError
from dicelab.runtime.lineup import Run

ROUND = '''
"""Thrown: won 1, lost 1, to and fro 198 in 200. To or fro: change places, or throw again."""

from dicelab.rules import COUNTS, OVER, Die, Game, Int, ask, chosen, strategy, throw, thrown


class Round(Game):
    """Round and round."""

    outcomes = ("win", "lose")
    at = Int(0, 4, "0 throw, 1 to, 2 fro, 3 won, 4 lost")

    def next(self):
        if self.at >= 3:
            return OVER
        return ask(self.go, 0) if self.at else throw(self.die)

    @thrown(1, Die(win=1, lose=1, to=100, fro=98), COUNTS)
    def die(self, win, lose, to, fro):
        self.at = 3 * win + 4 * lose + to + 2 * fro

    @chosen(2)
    def go(self, move):
        self.at = 3 - self.at if move == 0 else 0

    def outcome(self):
        return self.at - 3


@strategy(Round)
def again(game):
    return 1
'''

LOST = '''
"""A seventh of the first throws wins; after that one may roll on or quit, which is all the same."""

from dicelab.rules import OVER, Flag, Game, Int, Tally, ask, chosen, d, strategy, throw, thrown


class Lost(Game):
    """Roll on or quit."""

    outcomes = ("win", "lose")
    face = Int(0, 7, "what was thrown")
    lost = Flag("it is lost")
    over = Int(0, 2, "1 lost, 2 won")
    throws = Tally("throws")

    def next(self):
        if self.over:
            return OVER
        return ask(self.go, 0) if self.face else throw(self.die)

    @thrown(1, d(7))
    def die(self, face):
        self.throws += 1
        if face == 7 and not self.lost:
            self.over = 2
        else:
            self.face = face
            self.lost = True

    @chosen(2)
    def go(self, quit):
        if quit:
            self.over = 1
        else:
            self.face = 0

    def outcome(self):
        return 2 - self.over


@strategy(Lost)
def leave(game):
    return 1
'''

WIDTHS = '''
"""Two kinds of choices, of one number and of two."""

from dicelab.rules import D6, OVER, Flag, Game, Int, ask, chosen, strategy, throw, thrown


class Widths(Game):
    """Say which face."""

    outcomes = ("win", "lose")
    stage = Int(0, 3, "what is next")
    face = Int(0, 6, "what was thrown")
    won = Flag("won")

    def next(self):
        if self.stage == 0:
            return throw(self.die)
        return OVER if self.stage == 3 else ask(self.one if self.stage == 1 else self.two, 0)

    @thrown(1, D6)
    def die(self, face):
        self.face = face
        self.stage = 1

    @chosen(2)
    def one(self, move):
        self.stage = 2 + move
        self.won = move == 1 and self.face == 3

    @chosen(2, (-1, 1))
    def two(self, move, more):
        self.stage = 3
        self.won = move + more == self.face

    def outcome(self):
        return 0 if self.won else 1


@strategy(Widths)
def first(game):
    return (0, 0)
'''

LOOP = '''
"""A helper that loops for ever on what stands outside the row."""

from dicelab.rules import D6, OVER, Flag, Game, Ints, throw, thrown


def steps(number):
    count = 0
    while number != 1:
        number = number // 2
        count += 1
    return count


class Loop(Game):
    """Throw once."""

    outcomes = ("even", "odd")
    row = Ints(3, 0, 9, "numbers", start=1)
    over = Flag("over")

    def next(self):
        return OVER if self.over else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.row[0] = 0
        self.row[1] = steps(self.row[face])
        self.over = True

    def outcome(self):
        return 0
'''


def written(folder: Path, text: str) -> str:
    (folder / "game.py").write_text(text)
    return str(folder / "game.py")


def test_a_circle_of_free_moves_holds_no_value_up(tmp_path: Path) -> None:
    found = dicelab.solve(written(tmp_path, ROUND))
    assert found.value == pytest.approx(1 / 2, abs=1e-9)
    assert not isfinite(found.error) or abs(found.value - 1 / 2) <= found.error


def test_where_rolling_on_is_all_the_same_the_policy_ends(tmp_path: Path) -> None:
    game = written(tmp_path, LOST)
    found = dicelab.solve(game)
    assert found.value == pytest.approx(1 / 7, abs=1e-9)
    assert found.error >= 0
    assert found.steps < 100
    assert found.policy is not None
    found.policy.save(tmp_path / "best.npz")
    played = dicelab.exact(game, f"policy:{tmp_path / 'best.npz'}")
    assert played.outcomes["win"].probability == pytest.approx(1 / 7)


def test_choices_of_different_widths(tmp_path: Path) -> None:
    game = written(tmp_path, WIDTHS)
    found = dicelab.solve(game)
    assert found.value == pytest.approx(1 / 2)
    assert found.policy is not None
    found.policy.save(tmp_path / "best.npz")
    played = dicelab.exact(game, f"policy:{tmp_path / 'best.npz'}")
    assert played.outcomes["win"].fraction == pytest.approx(1 / 2)


@pytest.mark.slow
def test_a_helper_that_loops_stops_where_an_index_was_outside(tmp_path: Path) -> None:
    run = Run.of(written(tmp_path, LOOP))
    with pytest.raises(RangeError, match=r"row\[[3-6]\]: the index must be 0 to 2"):
        Compiled(run.game, run.calls).play(1, 0, 50)
