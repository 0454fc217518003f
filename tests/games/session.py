"""A session at the pass line: money that is bet until it is gone, doubled, or the rounds are over.

Source: made for the tests. Money and rounds are numbers of a wide range that the rules only add to and compare.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Flag, Game, Int, Memory, Param, Tally, ask, chosen, strategy, throw, thrown


class Session(Game):
    """A session at the pass line of craps, with a bankroll and a goal."""

    name = "session"
    source = "made for the tests"
    outcomes = ("ruined", "reached", "time is up")

    bankroll = Param(100, 1, 100_000, "money at the start")
    goal = Param(150, 1, 200_000, "money with which one leaves")
    rounds = Param(70, 1, 100_000, "rounds at the most")
    most = Param(100, 1, 1000, "largest bet that the house takes")

    money = Int(0, bankroll + goal + 2 * most, "money not on the table", start=bankroll)
    left = Int(0, rounds, "rounds left", start=rounds)
    stake = Int(0, most, "money on the pass line")
    asked = Flag("the player has said what to bet")
    point = Int(0, 10, "the point; 0 when off")
    won = Flag("the last round was won")

    throws = Tally("throws")
    net = Tally("money won or lost")

    def refuse(self) -> str:
        return "" if self.goal > self.bankroll else "the goal must be more than the bankroll"

    def next(self) -> int:
        if self.stake > 0:
            return throw(self.roll)
        if self.asked or self.left == 0 or self.money >= self.goal:
            return OVER
        return ask(self.bet, 0)

    def may_bet(self, amount: int) -> bool:
        """Who goes home bets nothing, but not before the first round."""
        return amount <= self.money and (amount > 0 or self.left < self.rounds)

    @chosen((0, most), legal=may_bet)
    def bet(self, amount: int) -> None:
        """Nothing is bet by who goes home."""
        self.asked = True
        self.stake = amount
        self.money -= amount

    @thrown(2, D6)
    def roll(self, total: int) -> None:
        self.throws += 1
        if self.point == 0:
            if total == 7 or total == 11:
                self.win()
            elif total == 2 or total == 3 or total == 12:
                self.done(False)
            else:
                self.point = total
        elif total == self.point:
            self.win()
        elif total == 7:
            self.done(False)

    def win(self) -> None:
        self.money += 2 * self.stake
        self.net += 2 * self.stake
        self.done(True)

    def done(self, won: bool) -> None:
        self.net -= self.stake
        self.won = won
        self.stake = 0
        self.point = 0
        self.left -= 1
        self.asked = False

    def outcome(self) -> int:
        if self.money >= self.goal:
            return 1
        return 2 if self.left == 0 else 0


@strategy(Session, unit=Param(5, 1, 1000, "the bet"))
def flat(game: Session, unit: int) -> int:
    """Bet the same each round, or what there is."""
    return min(unit, game.money, game.most)


class Losses(Memory):
    in_a_row = Int(0, 12, "rounds lost since the last one won")
    begun = Flag("there was a bet")


@strategy(Session, memory=Losses, unit=Param(5, 1, 1000, "first bet"))
def martingale(game: Session, mine: Losses, unit: int) -> int:
    """Double the bet after every loss, as far as house and money go."""
    if mine.begun:
        mine.in_a_row = 0 if game.won else min(mine.in_a_row + 1, 12)
    mine.begun = True
    return min(unit << mine.in_a_row, game.money, game.most)


@strategy(Session, share=Param(10, 2, 100, "one part in so many"))
def part(game: Session, share: int) -> int:
    """Bet a part of the money, one at least."""
    return min(max(game.money // share, 1), game.money, game.most)
