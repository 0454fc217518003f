"""Craps: one round of the pass line bet.

Source: "The Pass Line Bet", McGill University COMP 202, assignment 2, question 1. The payout is 1:1.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Game, Int, Numbers, Param, Rulebook, Tally, Words, throw, thrown

UNDECIDED, WON, LOST = 0, 1, 2


class PassLine(Game):
    """One round of craps with a bet on the pass line, paid 1:1."""

    name = "pass-line"
    source = "McGill University, COMP 202, assignment 2: The Pass Line Bet"
    outcomes = ("win", "lose")

    words = Words(
        players=("shooter",),
        names={"come_out": "come-out roll", "throw_again": "roll", "throws": "rolls"},
        hidden=("result",),
        values={"point": {0: "off"}},
        board=(Numbers(("stake", "point")),),
        news={
            "point": "{total}: the point is set",
            "result 1": "{total}: the pass line wins {stake}",
            "result 2": "{total}: the pass line loses {stake}",
        },
        rulebook=Rulebook(
            goal="The pass line wins if the shooter does.",
            turn="The come-out roll of two dice wins at once with 7 or 11 and loses with 2, 3 or 12. Every other total "
            "is the point: the shooter then rolls until the point comes, and wins, or a 7, and loses.",
            end="The bet is paid 1 to 1.",
        ),
    )

    stake = Param(1, 1, 1_000_000, "money on the pass line, in whole units")

    point = Int(0, 10, "the point; 0 before the come-out roll sets one")
    result = Int(UNDECIDED, LOST, "0 undecided, 1 won, 2 lost")
    throws = Tally("rolls of the two dice")
    money = Tally("net win; negative for a loss")

    def next(self) -> int:
        if self.result != UNDECIDED:
            return OVER
        if self.point == 0:
            return throw(self.come_out)
        return throw(self.throw_again)

    @thrown(2, D6)
    def come_out(self, total: int) -> None:
        """Take the come-out roll: 7 and 11 win, 2, 3 and 12 lose, any other total becomes the point."""
        self.throws += 1
        if total == 7 or total == 11:
            self.win()
        elif total == 2 or total == 3 or total == 12:
            self.lose()
        else:
            self.point = total

    @thrown(2, D6)
    def throw_again(self, total: int) -> None:
        """Take a roll of the second stage: the point wins, 7 loses."""
        self.throws += 1
        if total == self.point:
            self.win()
        elif total == 7:
            self.lose()

    def win(self) -> None:
        self.result = WON
        self.money += self.stake

    def lose(self) -> None:
        self.result = LOST
        self.money -= self.stake

    def outcome(self) -> int:
        return self.result - WON
