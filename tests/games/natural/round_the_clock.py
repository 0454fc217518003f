"""Round the Clock: from 1 to 12 in order with two dice."""

from dicelab.rules import D6, FACES, OVER, Game, Ints, Param, Seat, Tally, left_of, throw, thrown


class RoundTheClock(Game):
    """1 to 6 may come from either die or the sum, 7 to 12 only from the sum; up to two numbers a roll."""

    name = "round-the-clock"
    source = "Reiner Knizia, Dice Games Properly Explained, 1999"

    players = Param(2, 1, 6, "players")
    seats = players
    at = Ints(players, 0, 12, "last number of each", by_seat=True, grows=True)
    player = Seat(players, "who rolls")
    rolls = Tally("rolls")

    def next(self):
        return OVER if 12 in self.at else throw(self.dice)

    @thrown(2, D6, FACES)
    def dice(self, first, second):
        self.rolls += 1
        usable = [first, second, first + second]
        me = self.player
        while self.at[me] + 1 in usable:
            usable.remove(self.at[me] + 1)
            self.at[me] += 1
            if self.at[me] == 12:
                return
        self.player = left_of(me, self.players)

    def outcome(self):
        return [i for i, n in enumerate(self.at) if n == 12][0]
