"""Starter: roll dice, then roll some of them again, once, so as to reach a total. Change this roll into yours.

`dicelab solve FILE --objective reached` finds how probable the total is if the right dice are rolled again, and
`dicelab policy FILE --objective reached` which dice these are.
"""

from __future__ import annotations

from dicelab.rules import COUNTS, D6, OVER, Flag, Game, Ints, Param, Tally, ask, kept, strategy, throw, thrown


class Starter(Game):
    """Roll dice, roll up to `again` of them once more, and reach the target or not."""

    name = "starter"
    source = "made up as an example"
    outcomes = ("reached", "missed")

    dice = Param(3, 1, 6, "dice")
    again = Param(2, 0, 6, "dice that may be rolled again")
    target = Param(15, 1, 36, "total that is to be reached")

    shown = Ints(6, 0, dice, "dice that show 1, 2, ..., 6")
    rolled = Flag("the dice were rolled")
    chosen = Flag("it was chosen which dice to keep")

    total = Tally("total of the dice")

    def next(self) -> int:
        """Roll all dice, choose which to keep, roll the others."""
        if not self.rolled:
            return throw(self.cup, self.dice)
        if not self.chosen:
            return ask(self.keep, 0)
        return OVER if sum(self.shown) == self.dice else throw(self.cup, self.dice - sum(self.shown))

    @thrown(dice, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        """Dice were rolled."""
        self.rolled = True
        for i in range(6):
            self.shown[i] += shown[i]
        if self.chosen:
            self.total += self.sum()

    def few_again(self, *kept: int) -> bool:
        """Return whether few enough dice are rolled again."""
        return sum(kept) + self.again >= self.dice

    @kept(dice, D6, shown, legal=few_again)
    def keep(self, *kept: int) -> None:
        """Keep some of the dice; the others are rolled again."""
        for i in range(6):
            self.shown[i] = kept[i]
        self.chosen = True
        if sum(self.shown) == self.dice:
            self.total += self.sum()

    def sum(self) -> int:
        """Total of the dice on the table."""
        total = 0
        for i in range(6):
            total += (i + 1) * self.shown[i]
        return total

    def outcome(self) -> int:
        """Return whether the total is reached."""
        return 0 if self.sum() >= self.target else 1


@strategy(Starter)
def lowest_again(game: Starter) -> tuple[int, ...]:
    """Roll dice below 4 again, the lowest first."""
    shown = game.shown
    ones = min(shown[0], game.again)
    twos = min(shown[1], game.again - ones)
    threes = min(shown[2], game.again - ones - twos)
    return shown[0] - ones, shown[1] - twos, shown[2] - threes, shown[3], shown[4], shown[5]
