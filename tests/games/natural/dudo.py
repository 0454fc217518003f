"""Dudo: one round of Perudo. Everybody rolls two dice in secret; bids go up until somebody doubts the last one."""

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Game,
    Grid,
    Int,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

ACES = 1


class Dudo(Game):
    """One round of Dudo with two dice each, aces wild: who is wrong about the last bid loses, the rest share nothing."""

    name = "dudo"
    source = "Perudo, the rules of the box, one round"

    players = Param(2, 2, 4, "players")
    seats = players
    outcomes = ("first bid too high", "bid raised too high", "doubted in vain")

    rolled = Int(0, players, "cups that are rolled")
    cups = Grid(players, 6, 0, 2, "how many dice under each cup show each face", by_seat=True, private=True)
    player = Seat(players, "whose turn it is")
    many = Int(0, 2 * players, "dice of the last bid")
    face = Int(0, 6, "face of the last bid")
    raises = Int(0, 12 * players, "bids made")
    done = Int(0, 3, "1 + how the round ended; 0 not yet")

    shown = Tally("dice that showed the bid")

    def next(self):
        if self.done:
            return OVER
        if self.rolled < self.players:
            return throw(self.cup)
        return ask(self.bid, self.player)

    @thrown(2, D6, COUNTS)
    def cup(self, *counts):
        self.cups[self.rolled][:] = counts
        self.rolled += 1

    def bids(self):
        """A doubt, written as no dice; or more dice, or as many of a higher face."""
        if self.raises:
            yield 0, 1
        for many in range(1, 2 * self.players + 1):
            for face in range(2, 7):
                if (many, face) > (self.many, self.face):
                    yield many, face

    @chosen((0, 2 * players), (1, 6), moves=bids)
    def bid(self, many, face):
        if many:
            self.many, self.face = many, face
            self.raises += 1
            self.player = right_of(self.player, self.players)
            return
        fitting = sum(cup[self.face - 1] + cup[ACES - 1] for cup in self.cups)
        self.shown += fitting
        self.done = 3 if fitting >= self.many else 1 if self.raises == 1 else 2

    def outcome(self):
        return self.done - 1


@strategy(Dudo, hope=Param(1, 0, 4, "dice of others that are expected to fit"))
def counting(game, hope):
    """Bid what the own dice and some of the others' show, and doubt what is more."""
    mine = game.cups[game.player]
    fitting = [count + mine[ACES - 1] for count in mine[1:]]
    if game.raises and game.many > fitting[game.face - 2] + hope:
        return 0, 1
    best = max(range(2, 7), key=lambda face: fitting[face - 2])
    if best > game.face:
        return max(1, game.many), best
    return (game.many + 1, best) if game.many < 2 * game.players else (0, 1)
