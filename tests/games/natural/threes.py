"""Threes: five dice, at least one is kept after each roll; threes count nothing, the lowest total wins."""

from dicelab.rules import COUNTS, D6, OVER, Game, Int, Ints, Param, Tally, ask, kept, strategy, throw, thrown

VALUES = (1, 2, 0, 4, 5, 6)


class Threes(Game):
    name = "threes"
    source = "pub game"

    players = Param(2, 2, 4, "players")
    seats = players

    player = Int(0, players, "who rolls")
    left = Int(0, 5, "dice to roll", start=5)
    dice = Ints(6, 0, 5, "the roll")
    totals = Ints(players, 0, 30, "total of each", by_seat=True)

    perfect = Tally("totals of 0")

    def next(self):
        if self.player >= self.players:
            return OVER
        if sum(self.dice) > 0:
            return ask(self.keep, self.player)
        return throw(self.cup, self.left)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown):
        for face in range(len(shown)):
            self.dice[face] = shown[face]

    def at_least_one(self, *some):
        return sum(some) >= 1

    @kept(5, D6, dice, legal=at_least_one)
    def keep(self, *some):
        self.totals[self.player] += sum(value * many for value, many in zip(VALUES, some))
        self.left -= sum(some)
        for face in range(6):
            self.dice[face] = 0
        if self.left == 0:
            if self.totals[self.player] == 0:
                self.perfect += 1
            self.player += 1
            self.left = 5

    def outcome(self):
        lowest = min(self.totals)
        return min(seat for seat, total in enumerate(self.totals) if total == lowest)


@strategy(Threes, most=Param(2, 0, 6, "keep dice of at most this value"))
def low(game, most):
    """Keep all dice worth at most `most`, or the lowest one."""
    some = [many if value <= most else 0 for value, many in zip(VALUES, game.dice)]
    if sum(some) == 0:
        lowest = min((face for face in range(6) if game.dice[face]), key=VALUES.__getitem__)
        some[lowest] = 1
    return tuple(some)
