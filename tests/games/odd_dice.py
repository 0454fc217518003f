"""Odd dice: different dice in one roll, a bag without replacement, and a ball whose chances depend on the others."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    D6,
    FACES,
    OVER,
    Die,
    Game,
    Int,
    Ints,
    Param,
    Tally,
    ask,
    chosen,
    d,
    drawn,
    mixed,
    strategy,
    throw,
    thrown,
    weighted,
)

CHOOSE = 0
"""What comes next is a choice."""


class Step(IntEnum):
    """What is rolled or drawn next."""

    TOTAL = 1
    ORDER = 2
    COUNTED = 3
    DRAW = 4
    BALL = 5
    PLAIN = 6


class OddDice(Game):
    """Odd dice: choose between different dice, a draw from a bag, and a ball; nine points or more win."""

    name = "odd-dice"
    source = "made for the tests"
    outcomes = ("won", "lost")

    fours = Param(1, 1, 2, "dice with four faces in the first roll")

    step = Int(0, 6, "what comes next")
    left = Int(0, 4, "choices left", start=3)
    bag = Ints(3, 0, 3, "what is left in the bag: worth 0, 1 and 5", start=2)
    red = Int(0, 6, "red balls, of six", start=3)
    points = Int(0, 120, "points")

    draws = Tally("things drawn")
    reds = Tally("red balls")

    def next(self) -> int:
        if self.step == Step.TOTAL:
            return throw(self.total, d4=self.fours, d6=1 if self.left > 1 else 2)
        if self.step == Step.ORDER:
            return throw(self.order, d3=self.left % 2, d2=1)
        if self.step == Step.COUNTED:
            return throw(self.counted)
        if self.step == Step.DRAW:
            return throw(self.draw)
        if self.step == Step.BALL:
            return throw(self.ball)
        if self.step == Step.PLAIN:
            return throw(self.plain)
        return ask(self.choose, 0) if self.left > 0 else OVER

    def possible(self, what: int) -> bool:
        return what != Step.DRAW or sum(self.bag) > 1

    @chosen(Step, legal=possible)
    def choose(self, what: int) -> None:
        self.left -= 1
        self.step = what

    @mixed(d4=(2, d(4)), d6=(2, D6))
    def total(self, sum: int) -> None:
        self.points += sum
        self.step = CHOOSE

    @mixed(FACES, d3=(1, d(3)), d2=(1, Die.of(1, 1, 2)))
    def order(self, three: int, two: int) -> None:
        self.points += 3 * two - three
        self.step = CHOOSE

    @mixed(COUNTS, coin=(2, Die(tails=1, heads=2)), d3=(1, d(3)))
    def counted(self, *shown: int) -> None:
        self.points += 2 * shown[1] + shown[4]
        self.step = CHOOSE

    @drawn(bag, Die.of(0, 1, 5))
    def draw(self, worth: int) -> None:
        self.points += worth
        self.draws += 1
        self.step = CHOOSE if worth > 0 or sum(self.bag) == 0 else Step.DRAW

    def colours(self) -> tuple[int, int]:
        return self.red, 6 - self.red

    @weighted(Die(red=1, blue=1), colours, 6)
    def ball(self, colour: int) -> None:
        if colour == 0:
            self.reds += 1
            self.red -= 1
            self.points += 4
        elif self.red < 6:
            self.red += 1
        self.step = CHOOSE

    @thrown(1, D6)
    def plain(self, face: int) -> None:
        self.points += face
        self.step = CHOOSE

    def outcome(self) -> int:
        return 0 if self.points >= 9 else 1


@strategy(OddDice, first=Param(1, 1, 6, "what is chosen first"))
def in_turn(game: OddDice, first: int) -> int:
    """Choose one after the other."""
    what = (first + game.left) % 6 + 1
    return what if game.possible(what) else 1
