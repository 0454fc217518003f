"""A Ludo race: four pieces for each of two players, with captures."""

from dicelab.rules import D6, OVER, Game, Grid, Int, Param, Tally, ask, chosen, strategy, throw, thrown

SAFE = frozenset({0, 8, 13})
START = [0, 13]


class Ludo(Game):
    """Ludo: a six enters a piece, pieces are sent home, all pieces must reach the end exactly."""

    name = "ludo"
    source = "Ludo, British rules, shortened"

    pieces = Param(2, 1, 4, "pieces of each")
    length = Param(26, 26, 26, "squares around the board")
    seats = 2

    at = Grid(2, pieces, 0, length + 2, "steps of each piece; 0: at home", by_seat=True)
    player = Int(0, 1, "whose turn it is")
    roll = Int(0, 6, "what was rolled; 0 before")

    rolls = Tally("rolls")
    captures = Tally("captures")

    def square(self, seat, steps):
        return (START[seat] + steps - 1) % self.length

    def finished(self, seat):
        return all(steps == self.length + 1 for steps in self.at[seat])

    def movable(self):
        own = self.at[self.player]
        return [
            i
            for i, steps in enumerate(own)
            if (steps == 0 and self.roll == 6) or (0 < steps and steps + self.roll <= self.length + 1)
        ]

    def next(self):
        if any(self.finished(seat) for seat in range(2)):
            return OVER
        return ask(self.move, self.player) if self.roll else throw(self.die)

    @thrown(1, D6)
    def die(self, number):
        self.rolls += 1
        self.roll = number
        if not self.movable():
            self.end_turn()

    def can_move(self, piece):
        return piece in self.movable()

    @chosen(pieces, legal=can_move)
    def move(self, piece):
        mine = self.at[self.player]
        steps = 1 if mine[piece] == 0 else mine[piece] + self.roll
        self.at[self.player][piece] = steps
        if steps <= self.length:
            here = self.square(self.player, steps)
            other = 1 - self.player
            hit = [
                i
                for i, theirs in enumerate(self.at[other])
                if 0 < theirs <= self.length and self.square(other, theirs) == here
            ]
            if hit and here not in SAFE:
                for i in hit:
                    self.at[other][i] = 0
                    self.captures += 1
        self.end_turn()

    def end_turn(self):
        if self.roll != 6:
            self.player = 1 - self.player
        self.roll = 0

    def outcome(self):
        return [self.finished(0), self.finished(1)].index(True)


@strategy(Ludo)
def runner(game):
    """Move the piece that is farthest on."""
    return max(game.movable(), key=lambda piece: game.at[game.player][piece])
