"""Shut the Box: nine tiles; shut tiles that sum to the roll until none fits. How often are all shut by the best play?

7.1432 % when two dice are rolled always, 9.7614 % when one die is rolled as soon as the tiles that stand sum to 6 or
less, and 7.4194 % when, besides, no roll may shut more than two tiles. To be free to roll one die or two as soon as
7, 8 and 9 are shut does not help: again 956177159/9795520512.

Sources: Bill Butler, "Shut the Box Analysis", durangobill.com/ShutTheBox.html and ShutTheBoxExtra/STBstats.txt (the
three figures; there the player maximises the chance to shut them all). The fraction: github.com/UnaryPlus/
shut-the-box-strategy. The free choice: The Riddler, fivethirtyeight.com, 13 April 2018.
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


def number_of(tiles: int) -> int:
    """How many tiles a set has."""
    number = 0
    for n in range(9):
        number += tiles >> n & 1
    return number


class ShutTheBox(Game):
    """Shut the Box: one player, nine tiles."""

    name = "shut-the-box-alone"
    source = "Bill Butler, durangobill.com/ShutTheBox.html"
    outcomes = ("shut", "stuck")

    words = Words(
        names={
            "open": "tiles",
            "shut": "shut tiles",
            "total": "roll",
            "points_left": "points that stand",
            "throw_dice": "roll",
            "throws": "rolls",
            "standing": "points that stand at the end",
        },
        hidden=("dice",),
        values={"open": Bits("123456789"), "shut": Bits("123456789"), "total": {0: "none yet"}},
        moves={"how_many": "{dice} dice"},
        objective="shut",
        board=(Track("open"), Numbers(("total", "points_left"))),
        news={"shut": "{player} shut {move}"},
        endings={"shut": "All tiles are shut", "stuck": "No open tiles fit: {standing} points stand"},
        rulebook=Rulebook(
            goal="Shut all nine tiles.",
            turn="Roll two dice. Shut any open tiles whose sum is the roll.",
            end="The game is over when no open tiles fit the roll, or all are shut.",
            scoring="The tiles that stand at the end count against you.",
            options={
                "one_die 1": "With 6 points or less that stand, one die is rolled.",
                "one_die 2": "When 7, 8 and 9 are shut, you may roll one die or two.",
                "most": "One roll may shut {most} tiles at most.",
            },
        ),
    )

    one_die = Param(1, 0, 2, "0: never; 1: always when 6 points or less stand; 2: as the player likes, without 7, 8, 9")
    most = Param(9, 1, 9, "tiles that one roll may shut")

    open = Int(0, 511, "tiles that stand, tile n being bit n - 1", start=511)
    dice = Int(0, 2, "dice to roll; 0 before the player has said")
    total = Int(0, 12, "the roll that tiles must match; 0 before it")

    throws = Tally("rolls")
    standing = Tally("points that stand at the end")

    def next(self) -> int:
        if self.open == 0 or (self.total > 0 and not self.any_fits()):
            return OVER
        if self.total > 0:
            return ask(self.shut, 0)
        if self.one_die == 0 or self.dice == 2:
            return throw(self.throw_dice, 2)
        if self.one_die == 1:
            return throw(self.throw_dice, 1 if total_of(self.open) <= 6 else 2)
        if self.dice == 1:
            return throw(self.throw_dice, 1)
        return ask(self.how_many, 0) if self.open < 64 else throw(self.throw_dice, 2)

    @chosen((1, 2))
    def how_many(self, dice: int) -> None:
        self.dice = dice

    @thrown(2, D6, SUM)
    def throw_dice(self, total: int) -> None:
        self.throws += 1
        self.dice = 0
        self.total = total
        if not self.any_fits():
            self.standing += total_of(self.open)

    def points_left(self) -> int:
        return total_of(self.open)

    def fits(self, tiles: int) -> bool:
        return tiles & self.open == tiles and total_of(tiles) == self.total and number_of(tiles) <= self.most

    def any_fits(self) -> bool:
        tiles = 511
        while tiles > 0 and not self.fits(tiles):
            tiles -= 1
        return tiles > 0

    @chosen((1, 511), legal=fits)
    def shut(self, tiles: int) -> None:
        """Shut open tiles whose sum is the roll."""
        self.open -= tiles
        self.total = 0

    def outcome(self) -> int:
        return 0 if self.open == 0 else 1


@strategy(ShutTheBox)
def highest(game: ShutTheBox) -> int:
    """Shut the set of tiles with the highest tile; roll one die when allowed."""
    if game.total == 0:
        return 1
    tiles = 511
    while not game.fits(tiles):
        tiles -= 1
    return tiles
