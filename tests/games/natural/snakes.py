"""Snakes and ladders on the board of 1998's Milton Bradley edition."""

from dicelab.rules import D6, OVER, Game, Int, Ints, Param, Tally, throw, thrown

JUMPS = {
    1: 38,
    4: 14,
    9: 31,
    21: 42,
    28: 84,
    36: 44,
    51: 67,
    71: 91,
    80: 100,
    16: 6,
    47: 26,
    49: 11,
    56: 53,
    62: 19,
    64: 60,
    87: 24,
    93: 73,
    95: 75,
    98: 78,
}
SNAKES = {start for start, end in JUMPS.items() if end < start}
LADDERS = [start for start, end in JUMPS.items() if end > start]


class Snakes(Game):
    """Snakes and ladders: who lands on 100 first wins; too much is not moved."""

    name = "snakes"
    source = "Milton Bradley, Chutes and Ladders"

    players = Param(2, 1, 4, "players")
    seats = players

    squares = Ints(players, 0, 100, "where each is", by_seat=True)
    player = Int(0, players - 1, "who rolls")

    rolls = Tally("rolls")
    bitten = Tally("snakes")
    climbed = Tally("ladders")

    def next(self):
        return OVER if 100 in self.squares else throw(self.die)

    @thrown(1, D6)
    def die(self, number):
        self.rolls += 1
        here = self.squares[self.player] + number
        if here <= 100:
            self.bitten += here in SNAKES
            if here in LADDERS:
                self.climbed += 1
            self.squares[self.player] = JUMPS.get(here, here)
        if 100 not in self.squares:
            self.player = (self.player + 1) % self.players

    def outcome(self):
        return self.squares.index(100)
