"""Mexico: two dice, up to three rolls; the lowest score of a round loses a life."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

MEXICO = 21
"""The best score, of a 2 and a 1; then come doubles, 66 to 11, then other pairs, 65 to 31."""


SCORES = (
    "none",
    *(f"{high}{low}" for high in range(3, 7) for low in range(1, high)),
    *(f"{n}{n}" for n in range(1, 7)),
    "Mexico",
)
"""The scores by their rank."""


class Move(IntEnum):
    ROLL = 0
    STAND = 1


class Mexico(Game):
    """Mexico: roll up to three times, the others as often as the first at most; the lowest score loses a life."""

    name = "mexico"
    source = "https://en.wikipedia.org/wiki/Mexico_(game); of equal scores the later one loses"

    words = Words(
        names={
            "leader": "began the round",
            "worst": "lowest so far",
            "score": "on the table",
            "lowest": "lowest score",
            "rolls": "roll",
            "most": "rolls allowed",
            "dice": "roll",
        },
        values={"score": SCORES, "lowest": SCORES},
        board=(Places("lives"), Numbers(("score", "rolls", "most")), Numbers(("lowest", "worst", "leader"))),
        news={
            "mexicos": "Mexico!",
            "rounds": "The round is over: the lowest score loses a life",
        },
        rulebook=Rulebook(
            goal="Be the last player who has lives.",
            setup="Everybody has {life} lives.",
            turn="Roll two dice, up to three times, and stand with the last roll; the others may roll as often as the "
            "first player of the round did. The larger die counts tens: a 6 and a 1 are 61. A 2 and a 1 are Mexico, "
            "the best roll; then come doubles, from 66 down to 11, then all others, from 65 down to 31.",
            end="The lowest score of a round loses a life; of equal ones, the later. Without lives you are out.",
        ),
    )

    players = Param(2, 2, 4, "players at the table")
    life = Param(2, 1, 6, "lives of each")

    seats = players

    lives = Ints(players, 0, life, "lives left", start=life, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    leader = Seat(players, "who began the round")
    worst = Seat(players, "who has the lowest score, or nobody yet", nobody=True)
    lowest = Int(0, 21, "the lowest score: its rank among the 21")
    score = Int(0, 21, "the rank of the dice on the table, 0 before the first roll")
    rolls = Int(0, 3, "rolls made in this turn")
    most = Int(1, 3, "rolls that are allowed in this round", start=3)

    rounds = Tally("rounds")
    mexicos = Tally("turns that end with Mexico")

    def next(self) -> int:
        if max(self.lives) == sum(self.lives):
            return OVER
        return throw(self.dice) if self.score == 0 else ask(self.roll_or_stand, self.player)

    def rank(self, first: int, second: int) -> int:
        """The rank of two dice, 1 to 21: other pairs, doubles, Mexico."""
        high, low = max(first, second), min(first, second)
        if high == low:
            return 14 + high
        if high == 2:
            return MEXICO
        return (high - 1) * (high - 2) // 2 + low - 1

    @thrown(2, D6, FACES)
    def dice(self, first: int, second: int) -> None:
        self.rolls += 1
        self.score = self.rank(first, second)

    def has_rolls(self, move: int) -> bool:
        return move == Move.STAND or self.rolls < self.most

    @chosen(Move, legal=has_rolls)
    def roll_or_stand(self, move: int) -> None:
        """Roll both dice again, or stand."""
        if move == Move.ROLL:
            self.score = 0
            return
        if self.score == MEXICO:
            self.mexicos += 1
        if self.player == self.leader:
            self.most = self.rolls
        if self.worst < 0 or self.score <= self.lowest:
            self.lowest = self.score
            self.worst = self.player
        self.rolls = 0
        self.score = 0
        self.player = self.after(self.player)
        if self.player == self.leader:
            self.settle()

    def after(self, seat: int) -> int:
        """The next seat with lives."""
        seat = right_of(seat, self.players)
        while self.lives[seat] == 0:
            seat = right_of(seat, self.players)
        return seat

    def settle(self) -> None:
        """The lowest score loses a life and begins the next round."""
        self.rounds += 1
        self.lives[self.worst] -= 1
        self.player = self.worst if self.lives[self.worst] > 0 else self.after(self.worst)
        self.leader = self.player
        self.worst = -1
        self.lowest = 0
        self.most = 3

    def outcome(self) -> int:
        return self.lives.index(max(self.lives))


@strategy(Mexico, score=Param(10, 1, 21, "rank with which the first stands: 10 is a 6 and a 1"))
def stand_at(game: Mexico, score: int) -> Move:
    """The first stands at a rank; the others once they are not the lowest."""
    enough = score if game.worst < 0 else game.lowest + 1
    return Move.STAND if game.score >= enough or game.rolls == game.most else Move.ROLL
