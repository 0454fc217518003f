"""Leaves of turns are one if they do the same with the outer fields, in whatever way the rules read the inner ones."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dicelab.errors import RangeError
from dicelab.rules import D6, OVER, Flag, Game, Int, Ints, Tally, ask, chosen, throw, thrown
from dicelab.rules.game import fresh
from dicelab.solver.turns.parts import StateParts
from dicelab.solver.turns.residuals import Residuals
from support import SetLimits

TABLE = (5, 5, 2, 2, 9)


@cache
def larger(a: int, b: int) -> int:
    return a if a > b else b


class Reads(Game):
    """A choice among ways to read three dice."""

    name = "reads"
    upper = Int(0, 60, "what belongs to the beginning of a turn")
    dice = Ints(3, 0, 4, "what belongs to a turn")
    marked = Flag("a second field that does")
    score = Tally("points")

    def next(self) -> int:
        return ask(self.read, 0) if self.upper < 60 else throw(self.roll, 1) if self.marked else OVER

    @thrown(1, D6)
    def roll(self, face: int) -> None:
        self.upper = face

    def even(self, way: int) -> bool:
        return way != 16 or sum(self.dice) % 2 == 0

    @chosen(20, legal=even)
    def read(self, way: int) -> None:  # noqa: C901 (a branch for each way)
        dice = self.dice
        points = 0
        if way == 0:
            points = dice.count(2)
        elif way == 1:
            points = sum(dice)
        elif way == 2:
            points = max(dice) - min(dice)
        elif way == 3:
            points = sorted(dice)[1]
        elif way == 4:
            points = 7 if 3 in dice or dice[0] == dice[1] == dice[2] else 0
        elif way == 5:
            points = dice.index(dice[1])
        elif way == 6:
            points = dice[dice[0] - 1]  # fails for 0
        elif way == 7:
            x = 12 // dice[0]  # fails for 0, whether or not it is used
            if dice[1] > 2:
                points = x
        elif way == 8:
            points = TABLE[dice[1]]
        elif way == 9:
            points = dice[2] + larger(dice[0], dice[1]) + larger(dice[1], dice[2])
        elif way == 10:
            self.upper = min(60, self.upper + dice[0] * dice[1])
        elif way == 11:
            counts = [0] * 5
            for die in dice:
                counts[die] += 1
            points = max(counts)
        elif way == 12:
            points = 3 if not self.marked else -self.marked + 2 * self.marked
        elif way == 13:
            self.upper = dice[0] - dice[1]  # fails below 0
        elif way == 14:
            points = (dice[0] % 3) ^ dice[1] if abs(dice[0] - dice[2]) >= 2 else dice[0] << 1 | 1
        elif way == 15:
            points = 1 if dice[0] * 2**40 * 2**40 > 0 else 0
        elif way == 16:
            points = self.upper if dice[2] < self.upper else 4
        elif way == 19:
            if not isinstance(dice[1], int):
                raise RangeError("a number that isn't one")
            points = dice[1]
        elif way == 17:
            points = {0: 3, 1: 3, 4: 8}.get(dice[0], 0) + len({*dice})
        else:
            for k in range(dice[0]):
                dice[k % 3] += 1  # fails at 5
            points = dice[0]
        self.score += points
        if way != 18:
            dice[0] = dice[1] = dice[2] = 0
        self.marked = False


def some_states() -> tuple[Any, StateParts, np.ndarray[Any, Any]]:
    game = fresh(Reads())
    parts = StateParts.of(game, ("upper",))
    cells = np.stack(
        np.meshgrid(np.arange(5), np.arange(5), np.arange(3), np.arange(2), indexing="ij"), axis=-1
    ).reshape(-1, 4)
    return game, parts, np.column_stack((np.zeros(len(cells), np.int64), cells[:, 3], cells[:, :3]))


def same_sets(these: list[int], those: list[int]) -> bool:
    return len({*zip(these, those, strict=True)}) == len({*these}) == len({*those})


class WithNumbers(Residuals):
    """Residuals that are found with the numbers themselves, and not with stand-ins for them."""

    def _known(self, numbers: Any, i: int) -> Any:
        return numbers[i]


class Counting(Residuals):
    """Residuals that count how often rules are run."""

    runs = 0

    def _residual(self, *given: Any) -> Any:
        self.runs += 1
        return super()._residual(*given)


@pytest.mark.slow_cases("-1")
@pytest.mark.parametrize("order", [1, -1])
def test_leaves_have_the_same_residual_as_when_each_is_run_with_its_numbers(order: int, limits: SetLimits) -> None:
    game, parts, numbers = some_states()
    given = SimpleNamespace(game=game, tally="score", outcome=None)
    ways = np.repeat(np.arange(20), len(numbers))
    numbers = np.tile(numbers[::order], (20, 1))
    steps = np.full(len(ways), game.next())
    together, alone = (kind(given, parts) for kind in (Residuals, WithNumbers))  # type: ignore[arg-type]
    together.vain = alone.vain = -(10**6)
    limits(residual_runs=10**6)
    found = together.numbers(numbers, steps, ways)
    plain = np.empty(len(ways), np.int64)
    for i in range(len(ways)):
        alone.paths.clear()
        plain[i : i + 1] = alone.numbers(numbers[i : i + 1], steps[i : i + 1], ways[i : i + 1])
    for way in range(20):
        assert same_sets(found[ways == way].tolist(), plain[ways == way].tolist()), way
    assert same_sets(found.tolist(), plain.tolist())


def test_rules_that_read_a_sum_or_a_count_are_run_once_for_each_value() -> None:
    game, parts, numbers = some_states()
    residuals = Counting(SimpleNamespace(game=game, tally="score", outcome=None), parts)  # type: ignore[arg-type]
    for way, values in ((0, 4), (1, 11), (8, 3)):
        residuals.runs = 0
        found = residuals.numbers(numbers, np.full(len(numbers), game.next()), np.full(len(numbers), way))
        assert len({*found.tolist()}) == values
        assert residuals.runs <= 5 if way == 8 else residuals.runs == values
