"""Toss Up!: set greens aside, then bank their points or roll the remaining dice.

Source: "Simulating the dice game Toss Up! in R", the blog *Statistical Odds & Ends*; the last turn for the others is
the retail rule, which that text leaves out. Each green is a point and is set aside, and when no dice remain the whole
cup is rolled again; so the turn's points modulo the dice are the dice set aside, and need no field of their own.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Switch,
    Tally,
    Words,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

MOST_POINTS = 2000


class Move(IntEnum):
    """What a player may do after a roll."""

    ROLL = 0
    BANK = 1


class TossUp(Game):
    """Toss Up!: first to bank the target wins; a roll without green but with a red loses the turn's points."""

    name = "tossup"
    source = "Statistical Odds & Ends: Simulating the dice game “Toss Up!” in R"

    words = Words(
        names={
            "points": "points of this turn",
            "to_roll": "dice to roll",
            "cup": "roll",
            "throws": "rolls",
            "busts": "turns lost",
            "leader": "reached the target",
        },
        hidden=("rolled", "over"),
        scores=("scores", "points"),
        board=(Places("scores"), Numbers(("points", "to_roll", "leader"))),
        news={
            "busts": "{player} rolled red and no green [and lost {points} points; and lost nothing]",
            "scores": "{player} banked {scores} points",
        },
        rulebook=Rulebook(
            goal="Bank {target} points before the others do.",
            turn="Roll all {dice} dice. Each green is a point and is put aside; then bank your points, or roll the "
            "dice that are left for more. When all dice are green, you may go on with all of them. A roll without "
            "green but with a red ends your turn, and its points are lost; yellow alone does nothing.",
            end="Who reaches {target} banked points first has won.",
            options={
                "last_turn": "When somebody has reached {target}, everybody else has one more turn to beat that score."
            },
        ),
    )

    players = Param(2, 2, 8, "players at the table")
    dice = Param(10, 1, 40, "dice in the cup")
    red = Param(1, 0, 1000, "weight of a die's red face")
    yellow = Param(2, 0, 1000, "weight of a die's yellow face")
    green = Param(3, 0, 1000, "weight of a die's green face")
    target = Param(100, 1, 1000, "banked points that win")
    last_turn = Switch(False, "when a player reaches the target, the others get one more turn to beat that score")

    seats = players

    scores = Ints(players, 0, target + MOST_POINTS, "points banked by each seat", grows=True, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    points = Int(0, MOST_POINTS, "points of this turn, including the greens of the last roll")
    rolled = Flag("the player has rolled and may choose")
    leader = Seat(players, "seat that reached the target first", nobody=True)
    over = Flag("the game is over")

    turns = Tally("turns, including lost ones")
    throws = Tally("rolls of the cup")
    busts = Tally("turns lost to a roll without green but with a red")

    def refuse(self) -> str:
        return "" if self.green > 0 else "green must weigh more than 0, otherwise no player can score"

    def next(self) -> int:
        if self.over:
            return OVER
        if self.rolled:
            return ask(self.roll_or_bank, self.player)
        return throw(self.cup, self.to_roll())

    def to_roll(self) -> int:
        """Return dice that are left to roll."""
        return self.dice - self.points % self.dice

    @thrown(dice, Die(red=red, yellow=yellow, green=green), COUNTS)
    def cup(self, reds: int, yellows: int, greens: int) -> None:
        self.throws += 1
        if greens == 0 and reds > 0:
            self.busts += 1
            self.end_turn()
        else:
            self.points += greens
            self.rolled = True

    def worth_a_thought(self, move: int) -> bool:
        """Return whether it is worth a thought: rolling on is not sensible when banking wins: at the target, or ahead
        of all others in the very last turn.

        With a last turn, banking at the target does not win yet, and a larger lead is harder to beat. Rolling on is
        then sensible up to ten points for each die above the target; further on the chances change by less than 1e-8.
        """
        if move == Move.BANK:
            return True
        if self.leader < 0:
            most = self.target + 10 * self.dice if self.last_turn else self.target
            return self.scores[self.player] + self.points < most
        return right_of(self.player, self.players) != self.leader or not self.banking_wins()

    @chosen(Move, sensible=worth_a_thought)
    def roll_or_bank(self, move: int) -> None:
        self.rolled = False
        if move == Move.BANK:
            self.scores[self.player] += self.points
            if self.leader < 0 and self.scores[self.player] >= self.target:
                self.leader = self.player
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.points = 0
        self.player = right_of(self.player, self.players)
        if self.leader >= 0 and (not self.last_turn or self.player == self.leader):
            self.over = True

    def best(self) -> int:
        """Return the leading seat; among equals, the first one in the order of play from the seat that reached the
        target.
        """
        best = max(self.leader, 0)
        seat = right_of(best, self.players)
        for _ in range(self.players - 1):
            if self.scores[seat] > self.scores[best]:
                best = seat
            seat = right_of(seat, self.players)
        return best

    def outcome(self) -> int:
        return self.best()

    def banking_wins(self) -> bool:
        """Return whether banking now would reach the target or, in a last turn, beat the leader."""
        total = self.scores[self.player] + self.points
        if self.leader < 0:
            return total >= self.target
        return total > self.scores[self.best()]


POINTS = Param(20, 0, 1000, "bank with more points than this")


@strategy(TossUp, points=POINTS)
def bank_over(game: TossUp, points: int) -> Move:
    """Bank as soon as the turn is worth more than `points`, even if banking earlier would win."""
    return Move.BANK if game.points > points else Move.ROLL


@strategy(TossUp)
def one_roll(game: TossUp) -> Move:
    """Bank after the first roll, even if it is worth nothing."""
    return Move.BANK


@strategy(TossUp, points=POINTS)
def bank_over_or_win(game: TossUp, points: int) -> Move:
    """Bank as soon as the turn is worth more than `points`, or as soon as banking wins."""
    return Move.BANK if game.points > points or game.banking_wins() else Move.ROLL
