"""Yahtzee without jokers, written in other ways than the included game: as large to the solver, and as fast.

The open boxes are a row or a bit mask; the dice are counts of faces, or lie in order; the kept ones are chosen by
`@kept`, or by a bit mask.
"""

from __future__ import annotations

from time import process_time

import pytest

from dicelab.questions.policies import plan as plans
from dicelab.rules import (
    COUNTS,
    D6,
    FACES,
    OVER,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Tally,
    ask,
    chosen,
    kept,
    strategy,
    throw,
    thrown,
)
from dicelab.solver.turns.solve import TurnByTurn


def worth(box: int, counts: tuple[int, ...]) -> int:
    if box < 6:
        return (box + 1) * counts[box]
    total = sum((i + 1) * n for i, n in enumerate(counts))
    if box == 6:
        return total if max(counts) >= 3 else 0
    if box == 7:
        return total if max(counts) >= 4 else 0
    return total


class RowAndCounts(Game):
    """Counts of dice, `@kept`, a row of open boxes."""

    name = "row-and-counts"
    boxes = Param(8, 1, 8, "boxes on the card")
    open = Ints(boxes, 0, 1, "open boxes", start=1)
    upper = Int(0, 63, "points in the upper boxes")
    dice = Ints(6, 0, 5, "dice kept")
    rolls = Int(0, 3, "rolls made in this turn")
    rolled = Flag("the dice lie on the table")
    score = Tally("points")

    def next(self) -> int:
        if not any(self.open):
            return OVER
        if not self.rolled:
            return throw(self.cup, 5 - sum(self.dice))
        return ask(self.keep, 0) if self.rolls < 3 else ask(self.fill, 0)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.rolls += 1
        self.rolled = True
        for i in range(6):
            self.dice[i] += shown[i]

    @kept(5, D6, dice)
    def keep(self, *kept: int) -> None:
        for i in range(6):
            self.dice[i] = kept[i]
        self.rolled = sum(self.dice) == 5
        if self.rolled:
            self.rolls = 3

    def is_open(self, box: int) -> bool:
        return self.open[box] == 1

    @chosen(boxes, legal=is_open)
    def fill(self, box: int) -> None:
        points = worth(box, (self.dice[0], self.dice[1], self.dice[2], self.dice[3], self.dice[4], self.dice[5]))
        self.score += points
        if box < 6:
            if self.upper < 63 <= self.upper + points:
                self.score += 35
            self.upper = min(63, self.upper + points)
        self.open[box] = 0
        self.rolls = 0
        self.rolled = False
        for i in range(6):
            self.dice[i] = 0


class MaskOfKeptDice(Game):
    """Dice in order, a mask of kept dice; how open boxes are written is left open."""

    boxes = Param(8, 1, 8, "boxes on the card")
    upper = Int(0, 63, "points in the upper boxes")
    dice = Ints(5, 0, 6, "dice in order, 0 for one that is to be rolled")
    rolls = Int(0, 3, "rolls made in this turn")
    rolled = Flag("the dice lie on the table")
    score = Tally("points")

    @thrown(5, D6, FACES)
    def cup(self, *faces: int) -> None:
        self.rolls += 1
        self.rolled = True
        at = 0
        for i in range(5):
            if self.dice[i] == 0:
                self.dice[i] = faces[at]
                at += 1

    @chosen(32)
    def keep(self, mask: int) -> None:
        for i in range(5):
            if (mask >> i) % 2 == 0:
                self.dice[i] = 0
        self.rolled = mask == 31
        if self.rolled:
            self.rolls = 3

    def score_in(self, box: int) -> None:
        dice = self.dice
        one, two, three = dice.count(1), dice.count(2), dice.count(3)
        points = worth(box, (one, two, three, dice.count(4), dice.count(5), dice.count(6)))
        self.score += points
        if box < 6:
            if self.upper < 63 <= self.upper + points:
                self.score += 35
            self.upper = min(63, self.upper + points)
        self.rolls = 0
        self.rolled = False
        for i in range(5):
            self.dice[i] = 0


class RowAndMask(MaskOfKeptDice):
    """A row of open boxes."""

    name = "row-and-mask"
    open = Ints(MaskOfKeptDice.boxes, 0, 1, "open boxes", start=1)

    def next(self) -> int:
        if not any(self.open):
            return OVER
        if not self.rolled:
            return throw(self.cup, self.dice.count(0))
        return ask(self.keep, 0) if self.rolls < 3 else ask(self.fill, 0)

    def is_open(self, box: int) -> bool:
        return self.open[box] == 1

    @chosen(MaskOfKeptDice.boxes, legal=is_open)
    def fill(self, box: int) -> None:
        self.score_in(box)
        self.open[box] = 0


class BitsAndMask(MaskOfKeptDice):
    """A bit mask of open boxes."""

    name = "bits-and-mask"
    closed = Int(0, 255, "closed boxes, a bit each")

    def next(self) -> int:
        if self.closed == (1 << self.boxes) - 1:
            return OVER
        if not self.rolled:
            return throw(self.cup, self.dice.count(0))
        return ask(self.keep, 0) if self.rolls < 3 else ask(self.fill, 0)

    def is_open(self, box: int) -> bool:
        return (self.closed >> box) % 2 == 0

    @chosen(MaskOfKeptDice.boxes, legal=is_open)
    def fill(self, box: int) -> None:
        self.score_in(box)
        self.closed |= 1 << box


@strategy(RowAndCounts)
def keep_all(game: RowAndCounts) -> int | list[int]:
    return game.dice if game.rolls < 3 else game.open.index(1)


@strategy(RowAndMask)
def keep_all_five(game: RowAndMask) -> int:
    return 31 if game.rolls < 3 else game.open.index(1)


@strategy(BitsAndMask)
def keep_every_die(game: BitsAndMask) -> int:
    return 31 if game.rolls < 3 else next(box for box in range(8) if (game.closed >> box) % 2 == 0)


def solved(game: str | type[Game], boxes: int) -> TurnByTurn:
    """The game with its first boxes, turn by turn."""
    given = {"boxes": (1 << boxes) - 1, "joker": "none"} if game == "yahtzee" else {"boxes": boxes}
    plan = plans.planned(game, (), 0, "most:score", None, given)
    return plan.turn_by_turn(lambda found, done: None)[0]


def seconds(game: str | type[Game], boxes: int) -> float:
    """Processor time, rules compiled before."""
    began = process_time()
    solved(game, boxes)
    return process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("game", [RowAndCounts, RowAndMask, BitsAndMask])
def test_the_value_does_not_depend_on_how_the_rules_are_written(game: type[Game]) -> None:
    mine, included = solved(game, 3), solved("yahtzee", 3)
    assert abs(mine.value - included.value) <= mine.error + included.error < 1e-9
    assert mine.beginnings == included.beginnings


@pytest.mark.slow
@pytest.mark.parametrize("game", [RowAndCounts, RowAndMask, BitsAndMask])
def test_other_ways_of_writing_take_at_most_twice_the_time(game: type[Game]) -> None:
    mine, included = solved(game, 7), solved("yahtzee", 7)
    assert abs(mine.value - included.value) <= mine.error + included.error < 1e-9
    assert mine.beginnings == included.beginnings
    took = [(seconds(game, 7), seconds("yahtzee", 7)) for _ in range(2)]
    other, own = (min(column) for column in zip(*took, strict=True))
    assert other < 2.0 * own
