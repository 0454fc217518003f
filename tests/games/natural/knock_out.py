"""Knock Out: who rolls his own number is out."""

from dicelab.rules import D6, OVER, SUM, Game, Int, Flags, Param, Seat, Tally, throw, thrown

NUMBERS = (6, 7, 8, 9)


class KnockOut(Game):
    """Each of four players picks 6, 7, 8 or 9; in turn they roll two dice; your number knocks you out."""

    name = "knock-out"
    source = "Skip Frey, How to Win at Dice Games, 1975"

    players = Param(4, 2, 4, "players")
    seats = players

    out = Flags(players, "who is out", by_seat=True)
    player = Seat(players, "who rolls")
    rolls = Tally("rolls")

    def next(self):
        return throw(self.dice) if sum(not gone for gone in self.out) > 1 else OVER

    @thrown(2, D6, SUM)
    def dice(self, total):
        self.rolls += 1
        if NUMBERS[self.player] == total:
            self.out[self.player] = True
        self.player = next(
            seat % self.players
            for seat in range(self.player + 1, self.player + 1 + self.players)
            if not self.out[seat % self.players]
        )

    def outcome(self):
        [winner] = [seat for seat in range(self.players) if not self.out[seat]]
        return winner
