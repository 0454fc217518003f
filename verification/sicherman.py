"""Sicherman dice: two dice with other numbers and the same distribution of totals. Two kinds of dice in one game.

Can they be distinguished from ordinary dice? Not by totals; but doubles come 4 times of 36 instead of 6.

Source: Martin Gardner, "Mathematical Games", Scientific American, February 1978; the faces and the equal totals also on
futilitycloset.com ("Sicherman Dice", 2012). The doubles are counted here.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Die, Game, Int, Numbers, Rulebook, Switch, Tally, Words, throw, thrown


class Sicherman(Game):
    """Sicherman dice: one roll of both, one after the other."""

    name = "sicherman"
    source = "M. Gardner, Scientific American, February 1978"
    outcomes = ("doubles", "different")

    words = Words(
        names={
            "one": "first die",
            "other": "second die",
            "ordinary_die": "die",
            "small": "first die",
            "large": "second die",
        },
        values={"one": {0: "not rolled yet"}, "other": {0: "not rolled yet"}},
        board=(Numbers(("one", "other", "total")),),
        endings={"doubles": "Doubles: the total is {total}", "different": "The total is {total}"},
        rulebook=Rulebook(
            goal="Roll doubles.",
            setup="One die has the numbers 1, 2, 2, 3, 3, 4, the other one 1, 3, 4, 5, 6, 8.",
            turn="Roll one die, then the other.",
            end="The game is over after one roll of both.",
            options={"ordinary": "Both are ordinary dice instead."},
        ),
    )

    ordinary = Switch(False, "ordinary dice instead")

    one = Int(0, 6, "the first die; 0 before it is rolled")
    other = Int(0, 8, "the second die; 0 before it is rolled")

    total = Tally("total of both dice")

    def next(self) -> int:
        if self.one == 0:
            return throw(self.ordinary_die) if self.ordinary else throw(self.small)
        if self.other == 0:
            return throw(self.ordinary_die) if self.ordinary else throw(self.large)
        return OVER

    @thrown(1, D6)
    def ordinary_die(self, face: int) -> None:
        self.fell(face)

    @thrown(1, Die.of(1, 2, 2, 3, 3, 4))
    def small(self, face: int) -> None:
        self.fell(face)

    @thrown(1, Die.of(1, 3, 4, 5, 6, 8))
    def large(self, face: int) -> None:
        self.fell(face)

    def fell(self, face: int) -> None:
        self.total += face
        if self.one == 0:
            self.one = face
        else:
            self.other = face

    def outcome(self) -> int:
        return 0 if self.one == self.other else 1
