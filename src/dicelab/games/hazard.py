"""Hazard, a dice game of medieval England: one round, and a caster's rounds until the dice pass on.

Source: "Example: A Game of Chance", section 1.7 of *Computer Science with Applications* (University of Chicago).
As in that text, the chance is any total of the come-out roll that neither wins nor loses.
"""

from __future__ import annotations

from dataclasses import replace

from dicelab.rules import D6, OVER, Game, Int, Numbers, Param, Rulebook, Tally, Words, throw, thrown

UNDECIDED, WON, LOST = 0, 1, 2


class Hazard(Game):
    """One round of Hazard: the caster's main against the chance."""

    name = "hazard"
    source = "Computer Science with Applications, University of Chicago, section 1.7"
    outcomes: tuple[str, ...] = ("win", "lose")

    words = Words(
        players=("caster",),
        names={"come_out": "first roll", "throw_again": "roll", "throws": "rolls"},
        hidden=("result",),
        values={"chance": {0: "none yet"}},
        board=(Numbers(("main", "chance")),),
        news={
            "chance": "{player} plays for a chance of {chance}",
            "result 1": "{total} wins for {player}",
            "result 2": "{total} loses for {player}",
        },
        rulebook=Rulebook(
            goal="The caster wins a round by rolling the chance before the main.",
            setup="The caster names a main, 5 to 9.",
            turn="The first roll of two dice wins at once with the main, with 11 if the main is 7, and with 12 if it "
            "is 6 or 8. It loses with 2, 3, and any other 11 or 12. Every other total is the chance: the caster then "
            "rolls until the chance comes, and wins, or the main, and loses.",
            end="The round is over when it is won or lost.",
        ),
    )

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
        """Take the first roll of a round."""
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
        """Take a later roll: the chance wins, the main loses, and any other total is rolled again."""
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

    words = replace(
        Hazard.words,
        names={**Hazard.words.names, "in_a_row": "losses in a row"},
        board=(Numbers(("main", "chance", "in_a_row", "rounds_won", "rounds")),),
        news={
            "chance": "The chance is {chance}",
            "rounds_won": "{total} wins the round",
            "in_a_row": "{total} loses the round",
        },
        endings={"": "After {losses} losses in a row the dice pass on: {rounds_won} of {rounds} rounds were won"},
        rulebook=replace(
            Hazard.words.rulebook,
            goal="Win as many rounds as you can, by rolling the chance before the main.",
            end="After {losses} losses in a row the dice pass on.",
        ),
    )

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
