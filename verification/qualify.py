"""1-4-24: six dice; after each roll keep one or more and roll the others again. Without a 1 and a 4 among the dice
kept the hand is worth nothing.

What is a hand worth? 23.46, where all six dice count.

Source: Peter Sisak, Scott Hemphill and David Bevan, "Optimization problem for a dice game", mathgroup (comp.soft-sys.
math.mathematica), May 2010: all six dice count, so that 29 is the most. In bars the 1 and the 4 do not, and the most is
24: `--all-count no`.
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
    Switch,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class Qualify(Game):
    """1-4-24: keep at least one die of every roll; a 1 and a 4 must be among them."""

    name = "qualify"
    source = "mathgroup, comp.soft-sys.math.mathematica, May 2010"
    outcomes = ("qualified", "nothing")

    words = Words(
        names={
            "counts": "to decide",
            "again": "to roll again",
            "cup": "roll",
            "number": "the number to decide on",
            "one": "a 1",
            "four": "a 4",
            "points": "sum kept",
        },
        hidden=("kept",),
        moves={"keep": "{dice} dice with {number}"},
        objective="most:score",
        board=(Dice("counts"), Numbers(("number", "again")), Numbers(("points", "one", "four"))),
        news={"keep": "{player} kept {move}"},
        endings={"qualified": "The hand is worth {score}", "nothing": "Without a 1 and a 4 the hand is worth nothing"},
        rulebook=Rulebook(
            goal="Have the highest sum, with a 1 and a 4 among the dice.",
            turn="Roll {dice} dice. Keep at least one die of every roll; the others are rolled again. The numbers of a "
            "roll are decided on one after the other.",
            end="The game is over when no dice are left to roll.",
            scoring="The hand is worth the sum of all dice; without a 1 and a 4 it is worth nothing.",
            options={"all_count no": "Here the 1 and the 4 do not count."},
        ),
    )

    dice = Param(6, 2, 6, "dice in the first roll")
    all_count = Switch(True, "the 1 and the 4 count, too")

    again = Int(0, dice, "dice to be rolled again", start=dice)
    counts = Ints(6, 0, dice, "dice that show each number, about which the player has yet to decide")
    kept = Flag("a die of this roll is kept")
    one = Flag("a 1 is kept")
    four = Flag("a 4 is kept")
    points = Int(0, 36, "sum of the dice kept", grows=True)

    score = Tally("what the hand is worth")

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
        return dice <= here and (dice > 0 or self.kept or not last)

    @chosen((0, dice), legal=may)
    def keep(self, dice: int) -> None:
        """Keep so many dice with the highest number left; the others are rolled again."""
        face = self.face()
        self.again += self.counts[face - 1] - dice
        self.counts[face - 1] = 0
        self.points += face * dice
        if dice > 0:
            self.kept = True
            if face == 1:
                self.one = True
            if face == 4:
                self.four = True
        if sum(self.counts) == 0:
            self.kept = False
            if self.again == 0 and self.one and self.four:
                self.score += self.points if self.all_count else self.points - 5

    def outcome(self) -> int:
        return 0 if self.one and self.four else 1


@strategy(Qualify)
def plain(game: Qualify) -> int:
    """Keep sixes, the first 4 and the first 1; if there are none, one die of the lowest number."""
    face = game.face()
    here = game.counts[face - 1]
    if face == 6:
        return here
    if (face == 4 and not game.four) or (face == 1 and not game.one):
        return 1
    return 0 if game.kept or here < sum(game.counts) else 1
