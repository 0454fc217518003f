"""Hearts (Hearts Due): six dice, the longest run from 1 scores."""

from dicelab.rules import COUNTS, D6, OVER, Game, Int, Ints, Param, Seat, Tally, left_of, throw, thrown

POINTS = {0: 0, 1: 5, 2: 10, 3: 15, 4: 20, 5: 25, 6: 35}


def run(counts):
    """How far 1, 2, 3, ... goes without a gap."""
    return next((face for face, count in enumerate(counts) if count == 0), len(counts))


class Hearts(Game):
    """Three ones wipe out all points."""

    name = "hearts"
    source = "Reiner Knizia, Dice Games Properly Explained, 1999"

    players = Param(2, 2, 6, "players")
    goal = Param(100, 20, 200, "points that win")
    seats = players

    points = Ints(players, 0, goal + 40, "points", by_seat=True)
    player = Seat(players, "who rolls")
    wiped = Tally("times that all points were lost")
    turns = Tally("turns")

    def next(self):
        if any(points >= self.goal for points in self.points):
            return OVER
        return throw(self.dice)

    @thrown(6, D6, COUNTS)
    def dice(self, *counts):
        self.turns += 1
        ones = counts[0]
        if ones >= 3:
            self.points[self.player] = 0
            self.wiped += 1
        else:
            self.points[self.player] += POINTS[run(counts)]
        if self.points[self.player] < self.goal:
            self.player = left_of(self.player, self.players)

    def outcome(self):
        return self.player
