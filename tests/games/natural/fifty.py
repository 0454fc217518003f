from dicelab.rules import D6, FACES, OVER, Game, Ints, Param, Seat, Tally, right_of, throw, thrown


class Fifty(Game):
    """Only doubles count: 5 points, a double six 25, a double three takes all points away. First to fifty."""

    name = "fifty"
    source = "R. C. Bell, Board and Table Games from Many Civilizations"

    players = Param(2, 2, 6, "players")
    target = Param(50, 5, 200, "points that win")
    seats = players

    scores = Ints(players, 0, target + 25, "points of each player", by_seat=True)
    player = Seat(players, "whose turn it is")
    wiped = Tally("times that somebody lost all points")

    def next(self):
        return OVER if any(score >= self.target for score in self.scores) else throw(self.pair)

    @thrown(2, D6, FACES)
    def pair(self, *faces):
        worth = {(n, n): 5 for n in range(1, 6) if n != 3} | {(6, 6): 25}
        match faces:
            case (3, 3):
                if self.scores[self.player]:
                    self.wiped += 1
                self.scores[self.player] = 0
            case (a, b) if a == b:
                self.scores[self.player] += worth[faces]
        if self.scores[self.player] < self.target:
            self.player = right_of(self.player, self.players)

    def outcome(self):
        return max(range(self.players), key=lambda p: self.scores[p])
