"""Shut the Box: the player chooses how many dice to throw and which tiles to shut. Two kinds of choices, one of them
among many with most of them illegal.

Source: the traditional game; rules as in bgs.rec.games "Shut the Box", one player, tiles 1 to 9; one die may be thrown
when 7, 8 and 9 are shut.
"""

from __future__ import annotations

from dicelab.rules import (
    D6,
    OVER,
    SUM,
    Bits,
    Game,
    Int,
    Numbers,
    Param,
    Rulebook,
    Tally,
    Track,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


def total_of(tiles: int) -> int:
    """Sum of a set of tiles, tile n being bit n - 1."""
    total = 0
    for n in range(9):
        if tiles >> n & 1:
            total += n + 1
    return total


class ShutTheBox(Game):
    """Shut the Box: shut tiles that sum to the throw until none fits; the fewer points stand, the better."""

    name = "shut-the-box"
    source = "traditional, nine tiles, one player"
    outcomes = ("shut", "stuck")

    words = Words(
        names={
            "open": "tiles",
            "shut": "shut tiles",
            "total": "roll",
            "throw_dice": "roll",
            "throws": "rolls",
            "standing": "points that stand",
        },
        hidden=("dice",),
        values={"open": Bits("123456789"), "shut": Bits("123456789"), "total": {0: "none yet"}},
        objective="fewest:standing",
        board=(Track("open"), Numbers(("total",))),
        news={"shut": "{player} shut {move}"},
        rulebook=Rulebook(
            goal="Shut all nine tiles.",
            turn="Roll two dice, or one die when 7, 8 and 9 are shut. Shut any open tiles whose sum is the roll.",
            end="The game is over when no open tiles fit the roll, or all are shut.",
            scoring="The tiles that stand at the end count against you.",
        ),
    )

    one_die_from = Param(6, 0, 9, "one die may be thrown when no tile above this stands")

    open = Int(0, 511, "tiles that stand, tile n being bit n - 1", start=511)
    dice = Int(0, 2, "dice to throw; 0 before the player has said")
    total = Int(0, 12, "the throw that tiles must match; 0 before it")

    throws = Tally("throws")
    standing = Tally("points that stand at the end")

    def next(self) -> int:
        if self.open == 0 or (self.total > 0 and not self.any_fits()):
            return OVER
        if self.total > 0:
            return ask(self.shut, 0)
        if self.dice > 0:
            return throw(self.throw_dice, self.dice)
        return ask(self.how_many, 0)

    def may_throw(self, dice: int) -> bool:
        return dice == 2 or (dice == 1 and self.open < 1 << self.one_die_from)

    @chosen((1, 2), legal=may_throw)
    def how_many(self, dice: int) -> None:
        self.dice = dice

    @thrown(2, D6, SUM)
    def throw_dice(self, total: int) -> None:
        self.throws += 1
        self.total = total
        if not self.any_fits():
            self.standing += total_of(self.open)

    def fits(self, tiles: int) -> bool:
        return tiles & self.open == tiles and total_of(tiles) == self.total

    def any_fits(self) -> bool:
        for tiles in range(1, 512):
            if self.fits(tiles):
                return True
        return False

    @chosen((1, 511), legal=fits)
    def shut(self, tiles: int) -> None:
        self.open -= tiles
        self.total = 0
        self.dice = 0

    def outcome(self) -> int:
        return 0 if self.open == 0 else 1


@strategy(ShutTheBox)
def highest(game: ShutTheBox) -> int:
    """Shut the set of tiles with the highest tile; throw one die when allowed."""
    if game.total == 0:
        return 1 if game.open < 1 << game.one_die_from else 2
    tiles = 511
    while not game.fits(tiles):
        tiles -= 1
    return tiles
