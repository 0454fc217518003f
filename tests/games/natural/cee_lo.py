"""Cee-lo: three dice, and the best combination takes the pot."""

from collections import Counter

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Tally, throw, thrown

NOTHING, INSTANT_LOSS, POINT, TRIPLE, INSTANT_WIN = range(5)


def combination(dice):
    """What three dice are, and how high: 4-5-6, a triple, a point (a pair and a third die), or 1-2-3."""
    shown = tuple(sorted(dice))
    if shown == (4, 5, 6):
        return INSTANT_WIN, 0
    if shown == (1, 2, 3):
        return INSTANT_LOSS, 0
    counts = Counter(shown)
    if len(counts) == 1:
        return TRIPLE, shown[0]
    if len(counts) == 2:
        return POINT, next(face for face, many in counts.items() if many == 1)
    return NOTHING, 0


class CeeLo(Game):
    """Cee-lo without a bank: everybody rolls until something counts; those who tie for the best roll again."""

    name = "cee_lo"
    source = "Cee-lo, street rules"

    players = Param(3, 2, 6, "players")
    seats = players

    player = Int(0, players, "who rolls; as many as there are players: all have rolled")
    kinds = Ints(players, 0, 4, "what each rolled", by_seat=True)
    heights = Ints(players, 0, 6, "how high it is", by_seat=True)
    out = Ints(players, 0, 1, "1: out of the round", by_seat=True)

    rolls = Tally("rolls")
    ties = Tally("rounds that had to be played again")

    def best(self):
        ranks = [(kind, height) for kind, height in zip(self.kinds, self.heights)]
        top = max(rank for seat, rank in enumerate(ranks) if not self.out[seat])
        return [seat for seat, rank in enumerate(ranks) if rank == top and not self.out[seat]]

    def next(self):
        return throw(self.dice) if self.player < self.players else OVER

    def advance(self):
        self.player += 1
        while self.player < self.players and self.out[self.player]:
            self.player += 1

    @thrown(3, D6, FACES)
    def dice(self, *faces):
        self.rolls += 1
        kind, height = combination(faces)
        if kind == NOTHING:
            return
        self.kinds[self.player], self.heights[self.player] = kind, height
        self.advance()
        if self.player == self.players and len(self.best()) > 1:
            self.ties += 1
            again = self.best()
            for seat in range(self.players):
                self.out[seat] = int(seat not in again)
            self.player = -1 + 1
            if self.out[self.player]:
                self.advance()

    def outcome(self):
        (winner,) = self.best()
        return winner
