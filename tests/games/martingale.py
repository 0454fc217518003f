"""A player's bets on the pass and don't pass lines of craps, with a bankroll: choices of two numbers, and strategies
that remember.

Source: made for the tests. The Martingale (double after a loss) is the oldest betting system in print; Labouchère's
keeps a line of numbers and stakes the sum of its ends.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    OVER,
    Flag,
    Game,
    Int,
    Ints,
    Memory,
    Param,
    Peak,
    Tally,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class Bet(IntEnum):
    PASS = 0
    DONT_PASS = 1
    DONE = 2


class LineBets(Game):
    """Craps with a bankroll: bet on the lines until the rounds are played or the money is gone."""

    name = "line-bets"
    source = "made for the tests"
    outcomes = ("ruined", "solvent")

    bankroll = Param(20, 1, 1000, "money at the start")
    rounds = Param(10, 1, 100, "rounds played at the most")

    money = Int(0, bankroll + 1000 * rounds, "money not on the table", start=bankroll)
    left = Int(0, rounds, "rounds left", start=rounds)
    stakes = Ints(2, 0, 1000, "money on pass and don't pass")
    betting = Flag("bets may be placed")
    point = Int(0, 10, "the point; 0 when off")
    won = Flag("the last round won money")

    throws = Tally("throws")
    net = Tally("money won or lost")
    most = Peak("largest stake on one line")

    def start(self) -> None:
        self.betting = True

    def next(self) -> int:
        if self.left == 0 or (self.betting and self.money + self.stakes[0] + self.stakes[1] == 0):
            return OVER
        if self.betting:
            return ask(self.bet, 0)
        return throw(self.roll)

    def may_bet(self, bet: int, amount: int) -> bool:
        if bet == Bet.DONE:
            return amount == 0
        return 1 <= amount <= self.money and self.stakes[bet] + amount <= 1000

    @chosen(Bet, (0, 1000), legal=may_bet)
    def bet(self, bet: int, amount: int) -> None:
        """Bets are placed one by one until done."""
        if bet == Bet.DONE:
            self.betting = False
        else:
            self.money -= amount
            self.stakes[bet] += amount
            self.most = max(self.most, self.stakes[bet])

    @thrown(2, D6)
    def roll(self, total: int) -> None:
        self.throws += 1
        if self.point == 0:
            if total == 7 or total == 11:
                self.pay(Bet.PASS)
            elif total == 12:
                self.push()
            elif total <= 3:
                self.pay(Bet.DONT_PASS)
            else:
                self.point = total
        elif total == self.point:
            self.pay(Bet.PASS)
        elif total == 7:
            self.pay(Bet.DONT_PASS)

    def pay(self, side: int) -> None:
        gain = self.stakes[side] - self.stakes[1 - side]
        self.net += gain
        self.money += 2 * self.stakes[side]
        self.won = gain > 0
        self.clear()

    def push(self) -> None:
        """The 12 of a come-out roll: pass loses, don't pass is returned."""
        self.net -= self.stakes[0]
        self.money += self.stakes[1]
        self.won = False
        self.clear()

    def clear(self) -> None:
        self.stakes[0] = 0
        self.stakes[1] = 0
        self.point = 0
        self.left -= 1
        self.betting = True

    def outcome(self) -> int:
        return 1 if self.money + self.stakes[0] + self.stakes[1] > 0 else 0


class Losses(Memory):
    in_a_row = Int(0, 100, "rounds lost since the last one won")
    staked = Flag("a bet of mine is on the table")


@strategy(LineBets, memory=Losses, unit=Param(1, 1, 100, "first stake"))
def martingale(game: LineBets, mine: Losses, unit: int) -> tuple[int, int]:
    """Double the stake after every loss, as far as the money goes."""
    if game.stakes[0] > 0:
        return Bet.DONE, 0
    if mine.staked:
        mine.in_a_row = 0 if game.won else mine.in_a_row + 1
    mine.staked = True
    return Bet.PASS, min(unit << min(mine.in_a_row, 8), game.money, 1000)


class Line(Memory):
    numbers = Ints(40, 0, 2000, "the line")
    length = Int(0, 40, "numbers in it")
    staked = Flag("a bet of mine is on the table")


@strategy(LineBets, memory=Line)
def labouchere(game: LineBets, mine: Line) -> tuple[int, int]:
    """Stake the sum of the ends of a line; a win strikes both, a loss adds the stake."""
    if game.stakes[1] > 0:
        return Bet.DONE, 0
    if mine.staked and game.won and mine.length > 0:
        mine.numbers[0] = 0
        for i in range(1, mine.length):
            mine.numbers[i - 1] = mine.numbers[i]
        mine.length = max(0, mine.length - 2)
    elif mine.staked and mine.length < 40:
        last = mine.numbers[0] + mine.numbers[max(mine.length - 1, 0)]
        mine.numbers[mine.length] = min(last, 2000)
        mine.length += 1
    if mine.length == 0:
        for i in range(4):
            mine.numbers[i] = i + 1
        mine.length = 4
    mine.staked = True
    stake = mine.numbers[0] + mine.numbers[mine.length - 1]
    return Bet.DONT_PASS, max(1, min(stake, game.money, 1000))


@strategy(LineBets)
def flat(game: LineBets) -> tuple[int, int]:
    """One unit on pass, one on don't pass."""
    if game.stakes[0] == 0:
        return Bet.PASS, 1
    if game.stakes[1] == 0 and game.money > 0:
        return Bet.DONT_PASS, 1
    return Bet.DONE, 0
