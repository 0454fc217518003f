"""Skunk: five rounds, all players play the same two dice at once."""

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Flag,
    Flags,
    Game,
    Int,
    Ints,
    Param,
    Tally,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)

LETTERS = "SKUNK"


class Move(IntEnum):
    STAND = 0
    SIT = 1


class Skunk(Game):
    """Skunk: whoever stands gets the dice, until a one is rolled."""

    name = "skunk"
    source = "Dan Brutlag, Mathematics Teaching in the Middle School, 1994"

    players = Param(2, 2, 4, "players")
    seats = players

    letter = Int(0, len(LETTERS), "rounds played")
    standing = Flags(players, "who stands", start=1, by_seat=True)
    points = Int(0, 300, "points of this round")
    scores = Ints(players, 0, 1500, "points of each", by_seat=True)
    asked = Int(0, players, "players who have decided")
    deciding = Flag("players decide now")

    rolls = Tally("rolls")

    def waiting(self):
        return [seat for seat, stands in enumerate(self.standing) if stands and seat >= self.asked]

    def next(self):
        if self.letter == len(LETTERS):
            return OVER
        if self.deciding and self.waiting():
            first, *_ = self.waiting()
            return ask(self.stand_or_sit, first)
        return throw(self.dice)

    @thrown(2, D6, FACES)
    def dice(self, one, two):
        self.rolls += 1
        self.asked = 0
        self.deciding = True
        if 1 in (one, two):
            for seat in range(self.players):
                if self.standing[seat] and one == two:
                    self.scores[seat] = 0
            self.new_round()
            return
        total = one + two
        self.points = min(300, self.points + total)
        for seat, stands in enumerate(self.standing):
            if stands:
                self.scores[seat] = min(1500, self.scores[seat] + total)

    @chosen(Move)
    def stand_or_sit(self, move):
        seat = self.waiting()[0]
        self.asked = seat + 1
        if move == Move.SIT:
            self.standing[seat] = False
        if not any(self.standing):
            self.new_round()

    def new_round(self):
        self.letter += 1
        self.points = self.asked = 0
        self.deciding = False
        for seat in range(self.players):
            self.standing[seat] = True

    def outcome(self):
        places = {seat: score for seat, score in enumerate(self.scores)}
        return max(places, key=places.get)


@strategy(Skunk, enough=Param(24, 1, 100, "sit with at least this many points in the round"))
def sit_at(game, enough):
    return Move.SIT if game.points >= enough else Move.STAND
