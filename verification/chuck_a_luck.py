"""Chuck-a-luck: bet on a number, throw three dice, and win as often as it shows. A game without choices, in one throw.

How much does the house keep? Of a unit staked 17/216, 7.87 %; where three of a kind pays 10 to 1, 1/21.6, 4.63 %.

Source: Michael Shackleford's pay tables of chuck-a-luck, as copied on user-casino.com ("Chuck a Luck"): 7.87 % where
three pay 3 to 1, 4.63 % where they pay 10 to 1. The fractions follow from the 75, 15 and 1 of 216 throws with one,
two and three of the number, which stand there too.
"""

from __future__ import annotations

from dicelab.rules import COUNTS, D6, OVER, Flag, Game, Param, Tally, throw, thrown


class ChuckALuck(Game):
    """Chuck-a-luck: one unit on a number against three dice."""

    name = "chuck-a-luck"
    source = "pay tables of M. Shackleford, as copied on user-casino.com"
    outcomes = ("win", "lose")

    number = Param(6, 1, 6, "the number that is bet on")
    triple = Param(3, 1, 100, "what three dice with the number pay to one")

    done = Flag("the dice have been thrown")
    won = Flag("the number showed")

    money = Tally("units won; lost where negative")

    def next(self) -> int:
        return OVER if self.done else throw(self.cage)

    @thrown(3, D6, COUNTS)
    def cage(self, *counts: int) -> None:
        self.done = True
        hits = counts[self.number - 1]
        self.won = hits > 0
        if hits == 0:
            self.money -= 1
        elif hits == 3:
            self.money += self.triple
        else:
            self.money += hits

    def outcome(self) -> int:
        return 0 if self.won else 1
