"""Hazard, a dice game of medieval England: one round, and a caster's rounds until the dice pass on.

Source: "Example: A Game of Chance", section 1.7 of *Computer Science with Applications* (University of Chicago).
As in that text, the chance is any total of the come-out roll that neither wins nor loses.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Game, Int, Param, Tally, throw, thrown

UNDECIDED, WON, LOST = 0, 1, 2


class Hazard(Game):
    """One round of Hazard: the caster's main against the chance."""

    name = "hazard"
    source = "Computer Science with Applications, University of Chicago, section 1.7"
    outcomes: tuple[str, ...] = ("win", "lose")

    main = Param(7, 5, 9, "the total that the caster calls before rolling")

    chance = Int(0, 10, "the chance; 0 before the come-out roll")
    result = Int(UNDECIDED, LOST, "0 undecided, 1 won, 2 lost")
    throws = Tally("rolls of the two dice")

    def next(self) -> int:
        if self.result != UNDECIDED:
            return OVER
        if self.chance == 0:
            return throw(self.come_out)
        return throw(self.throw_again)

    @thrown(2, D6)
    def come_out(self, total: int) -> None:
        """The first roll of a round."""
        self.throws += 1
        if total == self.main:
            self.end_round(True)
        elif total <= 3:
            self.end_round(False)
        elif total >= 11:
            if self.main == 5 or self.main == 9:
                self.end_round(False)
            elif self.main == 7:
                self.end_round(total == 11)
            else:
                self.end_round(total == 12)
        else:
            self.chance = total

    @thrown(2, D6)
    def throw_again(self, total: int) -> None:
        """Every later roll: the chance wins, the main loses, and any other total is rolled again."""
        self.throws += 1
        if total == self.chance:
            self.end_round(True)
        elif total == self.main:
            self.end_round(False)

    def end_round(self, won: bool) -> None:
        self.result = WON if won else LOST

    def outcome(self) -> int:
        return self.result - WON


class HazardCaster(Hazard):
    """A caster's rounds of Hazard, until two losses in a row pass the dice on."""

    name = "hazard-caster"
    outcomes = ()

    losses = Param(2, 1, 10, "losses in a row that pass the dice on; older sources say 3")

    in_a_row = Int(0, losses, "rounds lost since the last one won")
    rounds_won = Tally("rounds won")
    rounds = Tally("rounds played")

    def next(self) -> int:
        if self.in_a_row == self.losses:
            return OVER
        if self.chance == 0:
            return throw(self.come_out)
        return throw(self.throw_again)

    def end_round(self, won: bool) -> None:
        self.chance = 0
        self.rounds += 1
        if won:
            self.rounds_won += 1
            self.in_a_row = 0
        else:
            self.in_a_row += 1
