"""Chuck-a-luck: bet on a number, roll three dice, and win as often as it shows. A game without choices, in one roll.

What is the house edge? 17/216, 7.87 %; if three of a kind pays 10 to 1, 1/21.6, 4.63 %.

Source: Michael Shackleford's pay tables of chuck-a-luck, as copied on user-casino.com ("Chuck a Luck"): 7.87 % if
three pay 3 to 1, 4.63 % if they pay 10 to 1. The fractions follow from the 75, 15 and 1 of 216 rolls with one, two and
three of the number, which are given there too.
"""

from __future__ import annotations

from dicelab.rules import COUNTS, D6, OVER, Flag, Game, Numbers, Param, Rulebook, Tally, Words, throw, thrown


class ChuckALuck(Game):
    """Chuck-a-luck: one unit on a number against three dice."""

    name = "chuck-a-luck"
    source = "pay tables of M. Shackleford, as copied on user-casino.com"
    outcomes = ("win", "lose")

    words = Words(
        names={"cage": "roll", "number": "number bet on"},
        hidden=("done", "won"),
        board=(Numbers(("number",)),),
        endings={"win": "The number showed: the bet wins {money}", "lose": "The number did not show: the bet loses 1"},
        rulebook=Rulebook(
            goal="Bet 1 on a number.",
            turn="Roll three dice. The bet pays 1 for each die that shows the number.",
            end="One roll decides the bet.",
            options={"triple": "Three dice with the number pay {triple}."},
        ),
    )

    number = Param(6, 1, 6, "the number that is bet on")
    triple = Param(3, 1, 100, "what three dice with the number pay to one")

    done = Flag("the dice have been rolled")
    won = Flag("the number showed")

    money = Tally("net win in units; negative for a loss")

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
