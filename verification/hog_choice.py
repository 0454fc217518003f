"""Hog with its choice: the player says how many dice to roll at once; any 1, and the turn scores nothing.

How many dice are best? 5 or 6, which score 15625/1944 = 8.0376 on average; `hog.py` has the numbers for each.

Source: Larry Feldman and Fred Morgan, "The Pedagogy and Probability of the Dice Game HOG", Journal of Statistics
Education 11(2), 2003 (jse.amstat.org); quoted from memory: a die that is no 1 shows 4 on average, so that n dice score
4 n (5/6)^n.
"""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flag,
    Game,
    Int,
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


class HogChoice(Game):
    """Hog: one turn, with as many dice as the player likes."""

    name = "hog-choice"
    source = "Feldman and Morgan, Journal of Statistics Education 11(2), 2003"
    outcomes = ("scored", "nothing")

    words = Words(
        names={"cup": "roll", "how_many": "dice"},
        hidden=("done", "scored"),
        values={"dice": {0: "not chosen yet"}},
        moves={"how_many": "{dice} dice"},
        objective="most:score",
        board=(Numbers(("dice",)),),
        news={"how_many": "{player} rolled {dice} dice"},
        endings={"scored": "The turn scores {score} points", "nothing": "A 1: the turn scores nothing"},
        rulebook=Rulebook(
            goal="Score as many points as you can in one turn.",
            turn="Say how many dice you roll at once, {most} at most. If any shows a 1 the turn scores nothing, else "
            "the sum of the dice.",
            end="The turn is over after one roll.",
        ),
    )

    most = Param(10, 1, 20, "dice there are")

    dice = Int(0, most, "dice to roll; 0 before the player has said")
    done = Flag("the dice have been rolled")
    scored = Flag("no die showed a 1")

    score = Tally("points of the turn")

    def next(self) -> int:
        if self.done:
            return OVER
        return throw(self.cup, self.dice) if self.dice > 0 else ask(self.how_many, 0)

    @chosen((1, most))
    def how_many(self, dice: int) -> None:
        self.dice = dice

    @thrown(most, D6, COUNTS)
    def cup(self, ones: int, twos: int, threes: int, fours: int, fives: int, sixes: int) -> None:
        self.done = True
        if ones == 0:
            self.scored = True
            self.score += 2 * twos + 3 * threes + 4 * fours + 5 * fives + 6 * sixes

    def outcome(self) -> int:
        return 0 if self.scored else 1


@strategy(HogChoice, dice=Param(5, 1, 20, "dice to roll"))
def always(game: HogChoice, dice: int) -> int:
    """Roll `dice` dice, or all there are."""
    return min(dice, game.most)
