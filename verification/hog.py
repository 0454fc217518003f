"""Hog: one turn. Roll as many dice as you like at once; any 1, and the turn scores nothing.

How many dice? The mean score of n dice is 4 n (5/6)^n: 5 and 6 are equally good, with 8.0376.

Source: Larry Feldman and Fred Morgan, "The Pedagogy and Probability of the Dice Game HOG", Journal of Statistics
Education 11(2), 2003 (jse.amstat.org). The formula and the figure are quoted from memory: a die that is no 1 shows 4
on average.
"""

from __future__ import annotations

from dicelab.rules import COUNTS, D6, OVER, Flag, Game, Numbers, Param, Rulebook, Tally, Words, throw, thrown


class Hog(Game):
    """Hog: one turn with so many dice."""

    name = "hog"
    source = "Feldman and Morgan, Journal of Statistics Education 11(2), 2003"
    outcomes = ("scored", "nothing")

    words = Words(
        names={"cup": "roll"},
        hidden=("done", "scored"),
        board=(Numbers(("dice",)),),
        endings={"scored": "The turn scores {score} points", "nothing": "A 1: the turn scores nothing"},
        rulebook=Rulebook(
            goal="Score as many points as you can in one turn.",
            turn="Roll {dice} dice at once. If any shows a 1 the turn scores nothing, else the sum of the dice.",
            end="The turn is over after one roll.",
        ),
    )

    dice = Param(5, 1, 20, "dice rolled at once")

    done = Flag("the dice have been rolled")
    scored = Flag("no die showed a 1")

    score = Tally("points of the turn")

    def next(self) -> int:
        return OVER if self.done else throw(self.cup, self.dice)

    @thrown(dice, D6, COUNTS)
    def cup(self, ones: int, twos: int, threes: int, fours: int, fives: int, sixes: int) -> None:
        self.done = True
        if ones == 0:
            self.scored = True
            self.score += 2 * twos + 3 * threes + 4 * fours + 5 * fives + 6 * sixes

    def outcome(self) -> int:
        return 0 if self.scored else 1
