"""Shut the small box: six tiles and one die; shut tiles that sum to the roll until none fits.

How often are all six shut by the best play? 145/1944 = 7.46 %.

Source: The Fiddler, "Can you shut the box?", 13 September 2024, thefiddler.substack.com/p/can-you-shut-the-box; the
answer at vamshij.com/books/fiddler/read/84.
"""

from __future__ import annotations

from dicelab.rules import (
    D6,
    OVER,
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
    for n in range(6):
        if tiles >> n & 1:
            total += n + 1
    return total


class SixTiles(Game):
    """Shut the Box with six tiles and one die."""

    name = "six-tiles"
    source = "thefiddler.substack.com/p/can-you-shut-the-box"
    outcomes = ("shut", "stuck")

    words = Words(
        names={"open": "tiles", "shut": "shut tiles", "face": "roll", "die": "roll", "standing": "points that stand"},
        values={"open": Bits("123456"), "shut": Bits("123456"), "face": {0: "none yet"}},
        objective="shut",
        board=(Track("open"), Numbers(("face",))),
        news={"shut": "{player} shut {move}"},
        endings={"shut": "All tiles are shut", "stuck": "No open tiles fit: {standing} points stand"},
        rulebook=Rulebook(
            goal="Shut all {tiles} tiles.",
            turn="Roll a die. Shut any open tiles whose sum is the roll.",
            end="The game is over when no open tiles fit the roll, or all are shut.",
        ),
    )

    tiles = Param(6, 1, 6, "tiles")

    open = Int(0, 63, "tiles that stand, tile n being bit n - 1")
    face = Int(0, 6, "the roll that tiles must match; 0 before it")

    throws = Tally("rolls")
    standing = Tally("points that stand at the end")

    def start(self) -> None:
        self.open = (1 << self.tiles) - 1

    def next(self) -> int:
        if self.open == 0 or (self.face > 0 and not self.any_fits()):
            return OVER
        return ask(self.shut, 0) if self.face > 0 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        self.face = face
        if not self.any_fits():
            self.standing += total_of(self.open)

    def fits(self, tiles: int) -> bool:
        return tiles & self.open == tiles and total_of(tiles) == self.face

    def any_fits(self) -> bool:
        tiles = 63
        while tiles > 0 and not self.fits(tiles):
            tiles -= 1
        return tiles > 0

    @chosen((1, 63), legal=fits)
    def shut(self, tiles: int) -> None:
        """Shut open tiles whose sum is the roll."""
        self.open -= tiles
        self.face = 0

    def outcome(self) -> int:
        return 0 if self.open == 0 else 1


@strategy(SixTiles)
def highest(game: SixTiles) -> int:
    """Shut the set of tiles with the highest tile."""
    tiles = 63
    while not game.fits(tiles):
        tiles -= 1
    return tiles
