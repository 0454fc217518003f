"""Choices by bit masks and ranges: solved turn by turn as kept dice are, and told which kind would be faster."""

from __future__ import annotations

import pytest

import dicelab
from dicelab.conformance.file_check import check_game
from dicelab.questions.policies.solve import slow_choices
from dicelab.rules import (
    COUNTS,
    OVER,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Tally,
    ask,
    chosen,
    d,
    kept,
    strategy,
    throw,
    thrown,
)
from support import SetLimits


class ByMasks(Game):
    """Three four-sided dice are rolled up to three times; three of a kind score 10, a pair its sum, a straight 7."""

    name = "by-masks"
    source = "made for the tests"
    rounds = Param(2, 1, 4, "rounds")
    dice = Ints(4, 0, 3, "dice that show each number")
    rolled = Flag("the dice are on the table")
    rolls = Int(0, 3, "rolls in this round")
    turn = Int(0, rounds, "rounds played", grows=True)
    score = Tally("points")

    def next(self) -> int:
        if self.turn == self.rounds:
            return OVER
        lie = self.dice[0] + self.dice[1] + self.dice[2] + self.dice[3]
        return ask(self.keep, 0) if self.rolled else throw(self.cup, 3 - lie)

    @thrown(3, d(4), COUNTS)
    def cup(self, *shown: int) -> None:
        for i in range(4):
            self.dice[i] += shown[i]
        self.rolls += 1
        self.rolled = True
        if self.rolls == 3:
            self.end()

    def is_one(self, mask: int, never: int) -> bool:
        """Bit i stands for the i-th of the sorted dice; the second number was needed for another choice."""
        return never == 0 and mask < 8

    @chosen((0, 15), (0, 31), legal=is_one)
    def keep(self, mask: int, never: int) -> None:
        die = 0
        for face in range(4):
            left = 0
            for _ in range(self.dice[face]):
                left += mask >> die & 1
                die += 1
            self.dice[face] = left
        self.rolled = False
        if mask == 7:
            self.end()

    def end(self) -> None:
        """Count the points of a round."""
        points, single = 0, 0
        for face in range(4):
            if self.dice[face] == 3:
                points = 10
            elif self.dice[face] == 2:
                points = 2 * (face + 1)
            elif self.dice[face] == 1:
                single += 1
            self.dice[face] *= 1
        if single == 3 and (self.dice[0] == 0 or self.dice[3] == 0):
            points = 7
        self.score += points
        self.turn += 1
        self.rolls = 0
        self.rolled = False
        for face in range(4):
            self.dice[face] = 0


class ByKeeping(ByMasks):
    """The same with kept dice."""

    name = "by-keeping"
    dice = Ints(4, 0, 3, "dice that show each number")

    @kept(3, d(4), dice)
    def keep(self, *kept: int) -> None:  # type: ignore[override]
        all_kept = 0
        for face in range(4):
            self.dice[face] = kept[face]
            all_kept += kept[face]
        self.rolled = False
        if all_kept == 3:
            self.end()


@strategy(ByMasks)
def keep_all(game: ByMasks) -> tuple[int, int]:
    """Keep everything."""
    return 7, 0


WORTH = 7.575592041015625  # of a round, by a recursion over kept dice in fractions


@pytest.mark.slow
@pytest.mark.parametrize("turn_by_turn", [False, True])
def test_masks_are_solved_as_kept_dice_are(turn_by_turn: bool, limits: SetLimits) -> None:
    if turn_by_turn:
        limits(many=0)
    for game in (ByMasks, ByKeeping):
        found = dicelab.solve(game, objective="most:score", policy=False)
        assert found.value == pytest.approx(2 * WORTH, abs=found.error + 1e-13)
        told = turn_by_turn and game is ByMasks
        assert ("keep tries 512 combinations of values in each state, and about 8 are allowed" in str(found)) == told


def test_games_are_told_of_choices_that_try_many_combinations() -> None:
    (said,) = slow_choices(ByMasks())
    assert "moves=, or @kept for dice, would be faster (docs/moves.md)" in said
    assert slow_choices(ByKeeping()) == []


@pytest.mark.slow
def test_check_tells_games_of_them() -> None:
    (said,) = slow_choices(ByMasks())
    assert slow_choices(dicelab.find("craps")()) == []
    notes = [finding.say for finding in check_game(ByMasks) if finding.step == "strategies"]
    assert said in notes
