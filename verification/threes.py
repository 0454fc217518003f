"""Threes: five dice; after each roll set one or more aside and roll the others again. Threes count nothing, the other
dice what they show, and the lowest total wins.

What is the mean total by optimal play? 3.000 with one die, 4.389 with two, 5.234, 5.834, and 6.254 with five.

Sources: "The dice game of threes", math.stackexchange.com/questions/4482277; the five figures from the notebook
game_of_threes.ipynb in github.com/HighDiceRoller/icepool.
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


class Threes(Game):
    """Threes: keep at least one die of every roll; threes count nothing, and the lowest total wins."""

    name = "threes"
    source = "math.stackexchange.com, question 4482277"
    outcomes = ()

    words = Words(
        names={"counts": "to decide", "again": "to roll again", "cup": "roll", "number": "the number to decide on"},
        hidden=("aside",),
        moves={"keep": "{dice} dice with {number}"},
        objective="fewest:total",
        board=(Dice("counts"), Numbers(("number", "again", "total"))),
        news={"keep": "{player} set aside {move}"},
        endings={"": "The total is {total}"},
        rulebook=Rulebook(
            goal="Have the lowest total.",
            turn="Roll {dice} dice. Set at least one die of every roll aside; the others are rolled again. The "
            "numbers of a roll are decided on one after the other.",
            end="The game is over when no dice are left to roll.",
            scoring="The dice count what they show, threes nothing.",
        ),
    )

    dice = Param(5, 1, 6, "dice in the first roll")

    again = Int(0, dice, "dice to be rolled again", start=dice)
    counts = Ints(6, 0, dice, "dice that show each number, about which the player has yet to decide")
    aside = Flag("a die of this roll is set aside")

    total = Tally("total of the dice; threes count nothing")

    def next(self) -> int:
        if sum(self.counts) > 0:
            return ask(self.keep, 0)
        return throw(self.cup, self.again) if self.again > 0 else OVER

    @thrown(dice, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.again = 0
        for i in range(6):
            self.counts[i] = shown[i]

    def face(self) -> int:
        """The lowest number about which the player has yet to decide."""
        face = 1
        while self.counts[face - 1] == 0:
            face += 1
        return face

    def number(self) -> str:
        return str(self.face()) if sum(self.counts) > 0 else "none"

    def may(self, dice: int) -> bool:
        """At most as many as there are, and at least one die of every roll."""
        here = self.counts[self.face() - 1]
        last = here == sum(self.counts)
        return dice <= here and (dice > 0 or self.aside or not last)

    @chosen((0, dice), legal=may)
    def keep(self, dice: int) -> None:
        """Set so many dice with the lowest number left aside; the others are rolled again."""
        face = self.face()
        self.again += self.counts[face - 1] - dice
        self.counts[face - 1] = 0
        self.aside = (self.aside or dice > 0) and sum(self.counts) > 0
        if face != 3:
            self.total += face * dice


@strategy(Threes)
def low(game: Threes) -> int:
    """Keep ones, twos and threes; if there are none, one die of the lowest number."""
    face = game.face()
    if face <= 3:
        return game.counts[face - 1]
    return 0 if game.aside else 1
