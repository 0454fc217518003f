"""Freeze: four dice; after each roll freeze one or more and roll the others again. The higher the sum the better.

What can one expect? 18.84 with four dice.

Source: The Riddler, "Are you clever enough?", fivethirtyeight.com, 13 August 2021. The figure is quoted from memory;
davidyding.com finds about 18.77 by a strategy that is not quite optimal. An intermediate result, 8.236 with two dice,
is at humanrickshaw.github.io/Riddler.
"""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Dice,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Rulebook,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class Freeze(Game):
    """Freeze at least one die of every roll; the sum counts."""

    name = "freeze"
    source = "The Riddler, fivethirtyeight.com, 13 August 2021"
    outcomes = ()

    words = Words(
        names={"counts": "to decide", "again": "to roll again", "cup": "roll", "number": "the number to decide on"},
        hidden=("frozen",),
        moves={"freeze": "{dice} dice with {number}"},
        objective="most:total",
        board=(Dice("counts"), Numbers(("number", "again", "total"))),
        news={"freeze": "{player} froze {move}"},
        endings={"": "The sum is {total}"},
        rulebook=Rulebook(
            goal="Have the highest sum.",
            turn="Roll {dice} dice. Freeze at least one die of every roll; the others are rolled again. The "
            "numbers of a roll are decided on one after the other.",
            end="The game is over when no dice are left to roll.",
            scoring="The frozen dice count what they show.",
        ),
    )

    dice = Param(4, 1, 10, "dice in the first roll")

    again = Int(0, dice, "dice to be rolled again", start=dice)
    counts = Ints(6, 0, dice, "dice that show each number, about which the player has yet to decide")
    frozen = Flag("a die of this roll is frozen")

    total = Tally("sum of the dice")

    def next(self) -> int:
        if sum(self.counts) > 0:
            return ask(self.freeze, 0)
        return throw(self.cup, self.again) if self.again > 0 else OVER

    @thrown(dice, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.again = 0
        for i in range(6):
            self.counts[i] = shown[i]

    def face(self) -> int:
        """The highest number about which the player has yet to decide."""
        face = 6
        while self.counts[face - 1] == 0:
            face -= 1
        return face

    def number(self) -> str:
        return str(self.face()) if sum(self.counts) > 0 else "none"

    def may(self, dice: int) -> bool:
        """At most as many as there are, and at least one die of every roll."""
        here = self.counts[self.face() - 1]
        last = here == sum(self.counts)
        return dice <= here and (dice > 0 or self.frozen or not last)

    @chosen((0, dice), legal=may)
    def freeze(self, dice: int) -> None:
        """Freeze so many dice with the highest number left; the others are rolled again."""
        face = self.face()
        self.again += self.counts[face - 1] - dice
        self.counts[face - 1] = 0
        self.total += face * dice
        self.frozen = (self.frozen or dice > 0) and sum(self.counts) > 0


@strategy(Freeze)
def sixes(game: Freeze) -> int:
    """Freeze sixes; without sixes, one die of the highest number."""
    face = game.face()
    if face == 6:
        return game.counts[5]
    return 0 if game.frozen else 1
