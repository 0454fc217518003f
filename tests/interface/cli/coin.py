"""A small session: a unit on a coin again and again, until all is lost, enough is won, or the rounds are over.

Source: made for the tests. What it comes to is the gambler's ruin of the textbooks.
"""

from __future__ import annotations

from dicelab.rules import OVER, Casino, Die, Int, Param, Peak, Switch, Tally, throw, thrown

HEADS = 1


class Coin(Casino):
    """A unit on heads, again and again."""

    name = "coin"
    source = "made for the tests"
    outcomes = ("broke", "away")
    ruin = "broke"

    bankroll = Param(3, 1, 50, "money at the start")
    stop_win = Param(4, 0, 50, "win with which one leaves; 0 for none")
    until_rounds = Param(0, 0, 100, "rounds after which one leaves; 0 for no such end")
    heads = Param(9, 1, 20, "how likely heads are, beside tails")
    tails = Param(10, 1, 20, "how likely tails are, beside heads")
    falls = Switch(False, "follow how far the money falls")

    purse = Int(0, 1000, "money", start=bankroll)
    highest = Int(0, 1000, "the most money so far", start=bankroll)
    played = Int(0, 100, "rounds so far, where there is an end to them")

    money = Tally("money won")
    staked = Tally("money bet")
    rounds = Tally("rounds")
    peak = Peak("the most ever won")
    fall = Peak("the deepest fall")

    def refuse(self) -> str:
        return "" if self.stop_win + self.until_rounds > 0 else "there must be an end to it"

    def next(self) -> int:
        enough = self.stop_win > 0 and self.purse >= self.bankroll + self.stop_win
        if self.purse == 0 or enough or self.played == self.until_rounds > 0:
            return OVER
        return throw(self.coin)

    @thrown(1, Die(tails=tails, heads=heads))
    def coin(self, side: int) -> None:
        won = 1 if side == HEADS else -1
        self.purse += won
        self.money += won
        self.staked += 1
        self.rounds += 1
        self.played += 1 if self.until_rounds > 0 else 0
        self.peak = max(self.peak, self.purse - self.bankroll)
        if self.falls:
            self.highest = max(self.highest, self.purse)
            self.fall = max(self.fall, self.highest - self.purse)

    def outcome(self) -> int:
        return 0 if self.purse == 0 else 1
