"""One box of Yahtzee: three rolls, keeping any dice in between, played for this box only.

What is each box worth by optimal play? Ones to sixes 2.106481 for each point of the face; three of a kind 15.194661,
four of a kind 5.611263, Yahtzee 2.301432, chance 70/3; and, if five of a kind count as full house and straight, too
(`--joker yes`), full house 9.153620, small straight 18.480750, large straight 10.612742.

Source: wizardofvegas.com/forum, "Yahtzee strategy", thread 35276, page 2, has all thirteen to six decimals, the last
three of them with the joker.
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
    Switch,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)

BOXES = (
    *("aces", "twos", "threes", "fours", "fives", "sixes", "three of a kind", "four of a kind", "full house"),
    *("small straight", "large straight", "yahtzee", "chance"),
)


class YahtzeeBox(Game):
    """One turn of Yahtzee for one box."""

    name = "yahtzee-box"
    source = "M. Bradley, Yahtzee, 1956"
    outcomes = ("scored", "nothing")

    words = Words(
        names={"box_name": "box", "left": "rolls left", "counts": "dice", "face": "number to decide on", "cup": "roll"},
        hidden=("worth",),
        values={"face": {0: "none"}},
        moves={"keep": "{dice} dice with {face}"},
        objective="most:score",
        board=(Numbers(("box_name", "left", "face")), Dice("counts")),
        news={"keep": "{player} kept {move}"},
        endings={"scored": "The box scores {score}", "nothing": "The box scores nothing"},
        rulebook=Rulebook(
            goal="Score as much as you can in one box.",
            turn="Roll five dice. Keep any of them, one number after the other, and roll the others again; there are "
            "{throws_in_turn} rolls.",
            end="The dice are scored after the last roll, or when all are kept.",
            options={"joker": "Five of a kind are a full house and a straight, too."},
        ),
    )

    box = Param(13, 1, 13, "1-6 that number; 7, 8 three, four alike; 9 full house; 10, 11 straights; 12 five; 13 any")
    throws_in_turn = Param(3, 1, 10, "rolls in the turn")
    joker = Switch(False, "five of a kind are a full house and a straight, too")

    left = Int(0, throws_in_turn, "rolls left", start=throws_in_turn)
    counts = Ints(6, 0, 5, "dice that show each number, those not kept left out")
    face = Int(0, 6, "number about which the player has to decide; 0 when dice are to be rolled")
    worth = Int(0, 50, "what the box is worth with these dice")

    score = Tally("points in the box")

    def next(self) -> int:
        if self.face > 0:
            return ask(self.keep, 0)
        if self.left == 0:
            return OVER
        return throw(self.cup, 5 - sum(self.counts))

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.left -= 1
        for i in range(6):
            self.counts[i] += shown[i]
        if self.left == 0:
            self.end()
        else:
            self.to_face(1)

    def box_name(self) -> str:
        return BOXES[self.box - 1]

    def to_face(self, face: int) -> None:
        """Ask next about this number, or the lowest higher one that some dice show."""
        while face <= 6 and self.counts[face - 1] == 0:
            face += 1
        self.face = face if face <= 6 else 0

    def may(self, dice: int) -> bool:
        return dice <= self.counts[self.face - 1]

    @chosen((0, 5), legal=may)
    def keep(self, dice: int) -> None:
        """Keep so many of the dice with this number; the others are rolled again."""
        self.counts[self.face - 1] = dice
        self.to_face(self.face + 1)
        if self.face == 0 and sum(self.counts) == 5:
            self.end()

    def end(self) -> None:
        self.left = 0
        self.worth = self.value()
        self.score += self.worth
        for i in range(6):
            self.counts[i] = 0

    def value(self) -> int:
        """What the five dice are worth in the box."""
        if self.box <= 6:
            return self.box * self.counts[self.box - 1]
        most = max(self.counts)
        wild = self.joker and most == 5
        if self.box == 9:
            return 25 if wild or (most == 3 and self.number_of(2) == 1) else 0
        if self.box == 10:
            return 30 if wild or self.in_a_row() >= 4 else 0
        if self.box == 11:
            return 40 if wild or self.in_a_row() == 5 else 0
        if self.box == 12:
            return 50 if most == 5 else 0
        if (self.box == 7 and most < 3) or (self.box == 8 and most < 4):
            return 0
        total = 0
        for i in range(6):
            total += (i + 1) * self.counts[i]
        return total

    def number_of(self, dice: int) -> int:
        """How many numbers are shown by exactly this many dice."""
        number = 0
        for i in range(6):
            if self.counts[i] == dice:
                number += 1
        return number

    def in_a_row(self) -> int:
        """Length of the longest sequence."""
        longest = 0
        length = 0
        for i in range(6):
            length = length + 1 if self.counts[i] > 0 else 0
            longest = max(longest, length)
        return longest

    def outcome(self) -> int:
        return 0 if self.worth > 0 else 1


@strategy(YahtzeeBox)
def high(game: YahtzeeBox) -> int:
    """Keep fours, fives and sixes."""
    return game.counts[game.face - 1] if game.face >= 4 else 0
