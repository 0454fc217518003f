"""One turn of Yahtzee for five of a kind: three rolls, keeping what shows most often. Choices that fewer dice follow.

How often? 4.60 %: keeping the most frequent number (and changing over to a new one that is more frequent) is best.

Source: 347897/7558272 = 4.6029 % is quoted from memory; it is worked out in many places, such as joseph-bartlo.net,
"any Yahtzee", whose reasoning has the same rule of what to keep.
"""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Dice,
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


class YahtzeeTurn(Game):
    """One turn of Yahtzee: keep one number, roll the other dice again."""

    name = "yahtzee-turn"
    source = "M. Bradley, Yahtzee, 1956"
    outcomes = ("yahtzee", "none")

    words = Words(
        names={"left": "rolls left", "counts": "dice", "cup": "roll", "keep": "keep all dice with"},
        hidden=("kept",),
        objective="yahtzee",
        board=(Numbers(("left",)), Dice("counts")),
        news={"keep": "{player} kept the {number}s"},
        endings={"yahtzee": "Yahtzee!", "none": "No Yahtzee: {same} dice show the same"},
        rulebook=Rulebook(
            goal="Get five dice that show the same number.",
            turn="Roll five dice. Keep all that show one number, and roll the others again; there are "
            "{throws_in_turn} rolls.",
            end="The turn is over with a Yahtzee, or after the last roll.",
        ),
    )

    throws_in_turn = Param(3, 1, 10, "rolls in the turn")

    left = Int(0, throws_in_turn, "rolls left", start=throws_in_turn)
    counts = Ints(6, 0, 5, "dice that show each number")
    kept = Int(0, 5, "dice set aside")

    same = Tally("dice that show the most frequent number at the end")

    def next(self) -> int:
        if max(self.counts) == 5 or (self.left == 0 and self.kept == 0):
            return OVER
        if sum(self.counts) == 5:
            return ask(self.keep, 0)
        return throw(self.cup, 5 - self.kept)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.left -= 1
        self.kept = 0
        for i in range(6):
            self.counts[i] += shown[i]
        if self.left == 0 or max(self.counts) == 5:
            self.same += max(self.counts)

    def shows(self, number: int) -> bool:
        return self.counts[number - 1] > 0

    @chosen((1, 6), legal=shows)
    def keep(self, number: int) -> None:
        """Set the dice with this number aside."""
        self.kept = self.counts[number - 1]
        for i in range(6):
            if i != number - 1:
                self.counts[i] = 0

    def outcome(self) -> int:
        return 0 if max(self.counts) == 5 else 1


@strategy(YahtzeeTurn)
def most_frequent(game: YahtzeeTurn) -> int:
    """Keep what shows most often; of equals the lowest."""
    best = 1
    for number in range(2, 7):
        if game.counts[number - 1] > game.counts[best - 1]:
            best = number
    return best
