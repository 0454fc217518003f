"""Keep the last throw: a die, thrown up to three times; stop when you like, and the last throw is what you are paid.

What is the game worth? 14/3 with three throws, 1709/324 = 5.2747 with six: throw on exactly when the throw is less than
what the throws left are worth.

Source: math.stackexchange.com/questions/1157086 (three throws, 4.6667), and "Best strategy for a die game" (six throws,
1709/324), also at newbetuts.com/14297-best-strategy-for-a-die-game; an exercise of many books on probability.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    OVER,
    Dice,
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


class Move(IntEnum):
    THROW = 0
    KEEP = 1


class LastThrow(Game):
    """Throw a die up to so many times; the last throw counts."""

    name = "last-throw"
    source = "math.stackexchange.com, question 1157086"
    outcomes = ()

    words = Words(
        names={"last": "on the table", "left": "throws left", "die": "throw", "throws_at_most": "throws allowed"},
        hidden=("done",),
        scores=("paid",),
        board=(Dice("last"), Numbers(("left",))),
        endings={"": "You are paid {paid}"},
        rulebook=Rulebook(
            goal="Be paid as much as possible.",
            turn="Throw a die; keep what it shows, or throw again. There are {throws_at_most} throws.",
            end="You are paid what the last throw shows.",
        ),
    )

    throws_at_most = Param(3, 1, 100, "throws allowed")

    left = Int(0, throws_at_most, "throws left", start=throws_at_most)
    last = Int(0, 6, "the last throw; 0 before the player throws (again)")
    done = Flag("the throw is kept")

    paid = Tally("the throw that counts")

    def next(self) -> int:
        if self.done:
            return OVER
        if self.last > 0:
            return ask(self.keep_or_throw, 0)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        if self.left == 0:
            self.keep(face)
        else:
            self.last = face

    @chosen(Move)
    def keep_or_throw(self, move: int) -> None:
        if move == Move.KEEP:
            self.keep(self.last)
        self.last = 0

    def keep(self, face: int) -> None:
        self.paid += face
        self.done = True


@strategy(LastThrow, face=Param(4, 1, 6, "keep this or more"))
def keep_from(game: LastThrow, face: int) -> Move:
    """Keep `face` or more."""
    return Move.KEEP if game.last >= face else Move.THROW
