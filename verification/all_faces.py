"""All faces: roll a die until every face has shown. The coupon collector's problem; a set of faces kept in bits.

How many rolls? 6/6 + 6/5 + 6/4 + 6/3 + 6/2 + 6/1 = 14.7 on average.

Source: William Feller, An Introduction to Probability Theory and Its Applications, volume 1, chapter IX (waiting times
in sampling); the formula is quoted from memory.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Bits, Game, Int, Numbers, Rulebook, Tally, Track, Words, throw, thrown

ALL = 63


class AllFaces(Game):
    """All faces: rolls until each of the six has shown."""

    name = "all-faces"
    source = "W. Feller, An Introduction to Probability Theory and Its Applications"
    outcomes = ()

    words = Words(
        names={"seen": "faces seen", "die": "roll", "throws": "rolls"},
        values={"seen": Bits("123456")},
        board=(Track("seen"), Numbers(("throws",))),
        endings={"": "All faces have shown after {throws} rolls"},
        rulebook=Rulebook(
            goal="See every face of a die.", turn="Roll the die.", end="The game is over when all six have shown."
        ),
    )

    seen = Int(0, ALL, "the faces seen, face n being bit n - 1", grows=True)

    throws = Tally("rolls of the die")

    def next(self) -> int:
        return OVER if self.seen == ALL else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        self.seen |= 1 << (face - 1)
