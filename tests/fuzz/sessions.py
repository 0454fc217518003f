"""Writes random sessions: money that is staked by choice until it is gone, with the most ever won, over many rounds.

They have more states than other random games, so that exact answers keep their money out of the states.
"""

from __future__ import annotations

import random

TEXT = """from dicelab.rules import (
    D6, OVER, Casino, Flag, Int, Memory, Param, Peak, Seat, Tally, ask, chosen, d, strategy, throw, thrown,
)


class Fuzzed(Casino):
    name = "fuzzed"
    source = "random"
    outcomes = ("ruined", "left")
    ruin = "ruined"

    bankroll = Param(BANKROLL, 1, 100, "money")
    until_rounds = Param(ROUNDS, 1, 1000, "rounds")
    most = Param(MOST, 1, 1000, "largest stake")
    purse = Int(0, bankroll + most * until_rounds * 3, start=bankroll)
    left = Int(0, until_rounds, start=until_rounds)
    stake = Int(0, most)
    won = Flag()
    money = Tally("money won")
    throws = Tally("throws")
    peak = Peak("the most won")

    def next(self):
        if self.stake > 0:
            return throw(self.roll)
        if self.left == 0 or self.purse == 0:
            return OVER
        return ask(self.bet, 0)

    def may_bet(self, amount):
        return amount <= self.purse

    @chosen((1, most), legal=may_bet)
    def bet(self, amount):
        self.stake = amount

    @thrown(DICE)
    def roll(self, total):
        self.throws += 1
        self.won = total TEST
        gain = self.stake * PAYS if self.won else -self.stake
        self.purse += gain
        self.money += gain
        self.peak = max(self.peak, self.purse - self.bankroll)
        self.stake = 0
        self.left -= 1

    def outcome(self):
        COUNTED
        return 0 if self.purse == 0 else 1


class Losses(Memory):
    row = Int(0, 3)


@strategy(Fuzzed, memory=Losses, unit=Param(1, 1, 10, "first stake"))
def double(game, mine, unit):
    mine.row = 0 if game.won else min(mine.row + 1, 3)
    return min(unit << mine.row, game.purse, game.most)


@strategy(Fuzzed, unit=Param(UNIT, 1, 10, "stake"))
def flat(game, unit):
    return min(unit, game.purse, game.most)
"""


def session(source: random.Random) -> str:
    """The file of a random session."""
    dice, test = source.choice([("1, D6", ">= 4"), ("2, d(3)", "< 4"), ("1, d(4)", "== 2"), ("1, d(2)", "!= 1")])
    parts = {
        "BANKROLL": str(source.randint(5, 20)),
        "ROUNDS": str(source.randint(6, 30)),
        "MOST": str(source.choice([3, 40, 50])),  # from 32 on, stakes too may be kept out of the states
        "DICE": dice,
        "TEST": test,
        "PAYS": source.choice(["1", "1", "2"]),
        "COUNTED": source.choice(["pass", "self.money -= self.won", "self.throws += 2"]),
        "UNIT": str(source.randint(1, 2)),
    }
    text = TEXT
    for name, value in parts.items():
        text = text.replace(name, value)
    return text
