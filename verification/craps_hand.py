"""The shooter's hand at craps: rolls until a 7 follows a point. A chance of one in billions, exactly.

How long is a hand? 1671/196 = 8.5255 rolls on average. In 2009 Patricia DeMauro rolled 154 times, the seven-out
included: a hand of 154 rolls or more has one chance in 5.59 billion.

Source: S. N. Ethier and F. M. Hoppe, "A World Record in Atlantic City and the Length of the Shooter's Hand at Craps",
The Mathematical Intelligencer 32(4), 2010 (arXiv 0906.1545), which says 5.59; the mean is quoted from memory.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Flag, Game, Int, Numbers, Param, Rulebook, Tally, Words, throw, thrown


class CrapsHand(Game):
    """The shooter's hand: come-out rolls and points until the shooter sevens out."""

    name = "craps-hand"
    source = "Ethier and Hoppe, The Mathematical Intelligencer 32(4), 2010"
    outcomes = ("record", "short of it")

    words = Words(
        players=("shooter",),
        names={"come_out": "come-out roll", "throw_again": "roll", "throws": "rolls"},
        hidden=("over", "count"),
        values={"point": {0: "off"}},
        board=(Numbers(("point", "throws", "points_made")),),
        news={
            "point": "{total}: the point is set",
            "points_made": "{total}: the point is made",
            "over": "Seven out: the hand is over",
        },
        endings={
            "record": "The hand lasted {throws} rolls, as long as the record",
            "short of it": "The hand lasted {throws} rolls; the record is {record}",
        },
        rulebook=Rulebook(
            goal="Roll as long as possible.",
            turn="The come-out roll of two dice sets the point, unless it is 2, 3, 7, 11 or 12. When the point comes "
            "again it is made, and the next roll is a come-out.",
            end="A 7 before the point ends the hand.",
        ),
    )

    record = Param(154, 1, 1000, "rolls, the seven-out included, that equal the record")

    count = Int(0, record, "rolls so far; the record, once it is reached", grows=True)
    point = Int(0, 10, "the point; 0 before a come-out roll")
    over = Flag("the shooter has sevened out")

    throws = Tally("rolls of the two dice")
    points_made = Tally("points made")

    def next(self) -> int:
        if self.over:
            return OVER
        return throw(self.come_out) if self.point == 0 else throw(self.throw_again)

    def count_throw(self) -> None:
        self.throws += 1
        self.count = min(self.count + 1, self.record)

    @thrown(2, D6)
    def come_out(self, total: int) -> None:
        """Naturals (7, 11) and craps (2, 3, 12) decide bets, but the shooter rolls on."""
        self.count_throw()
        if 4 <= total <= 10 and total != 7:
            self.point = total

    @thrown(2, D6)
    def throw_again(self, total: int) -> None:
        self.count_throw()
        if total == self.point:
            self.point = 0
            self.points_made += 1
        elif total == 7:
            self.over = True

    def outcome(self) -> int:
        return 0 if self.count == self.record else 1
