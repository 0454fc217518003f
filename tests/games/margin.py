"""Two players who throw one die or two, a few times: how it ended is counted in `outcome`.

Source: made for the tests. Most games count while they are played; this one also when it is over.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import D6, OVER, Game, Int, Ints, Param, Seat, Tally, ask, chosen, strategy, throw, thrown


class Dice(IntEnum):
    ONE = 1
    TWO = 2


class Margin(Game):
    """Most points after some throws; two dice below 6 count nothing, and after a 6 with one die the turn goes on."""

    name = "margin"
    source = "made for the tests"
    seats = 2

    rounds = Param(2, 1, 4, "pairs of throws")

    scores = Ints(2, 0, 24 * rounds, "points", by_seat=True)
    player = Seat(2, "whose turn it is", alike=True)
    left = Int(0, 2 * rounds, "throws left", start=2 * rounds)
    dice = Int(0, 2, "dice to throw; 0 before they are chosen")

    throws = Tally("throws")
    ties = Tally("games in which both have as many points")
    margin = Tally("points of the other seat minus points of the seat whose turn it is")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return throw(self.roll, self.dice) if self.dice > 0 else ask(self.choose, self.player)

    @chosen(Dice)
    def choose(self, dice: int) -> None:
        self.dice = dice

    @thrown(2, D6)
    def roll(self, total: int) -> None:
        self.throws += 1
        if self.dice == 1 or total >= 6:
            self.scores[self.player] += total
        if self.dice == 2 or total < 6:
            self.player = 1 - self.player
        self.dice = 0
        self.left -= 1

    def outcome(self) -> int:
        """Of two with as many points the one wins whose turn it is."""
        ahead = self.scores[1 - self.player] - self.scores[self.player]
        self.count(ahead)
        return 1 - self.player if ahead > 0 else self.player

    def count(self, ahead: int) -> None:
        self.margin += ahead
        if ahead == 0:
            self.ties += 1


@strategy(Margin)
def two(game: Margin) -> int:
    """Throw two dice."""
    return Dice.TWO


@strategy(Margin, points=Param(3, 0, 50, "lead with which one die is thrown"))
def cautious(game: Margin, points: int) -> int:
    """Throw one die when so many points ahead."""
    return Dice.ONE if game.scores[game.player] - game.scores[1 - game.player] >= points else Dice.TWO
