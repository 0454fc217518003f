"""Poker dice, two players: up to three rolls each, then hands are compared."""

from collections import Counter

from dicelab.rules import COUNTS, D6, OVER, Game, Int, Ints, Param, Seat, Tally, ask, kept, strategy, throw, thrown

NAMES = {(5,): 8, (4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}


def value(dice):
    """A hand as one number: its kind, then its faces by how often they show."""
    counts = Counter({face: n for face, n in enumerate(dice) if n})
    shape = tuple(n for _, n in counts.most_common())
    if len(shape) == 5:
        kind = 4 if 0 in counts and 5 in counts else 5
        if kind == 4:
            kind = 0
    else:
        kind = NAMES[shape]
    order = sorted(counts, key=lambda face: (counts[face], face), reverse=True)
    result = kind
    for place in range(5):
        result = result * 6 + (order[place] if place < len(order) else 0)
    return result


class PokerDice(Game):
    """Aces high."""

    name = "poker-dice"
    source = "Hoyle's Rules of Games"

    throws = Param(3, 1, 3, "rolls that each may take")
    seats = 2
    outcomes = (2, "draw")

    dice = Ints(6, 0, 5, "dice that show each face")
    results = Ints(2, -1, 9 * 6**5, "hands", start=-1, by_seat=True)
    used = Int(0, throws, "rolls of this player")
    player = Seat(2, "who rolls")
    rolls = Tally("rolls")

    def next(self):
        if self.results[1] >= 0:
            return OVER
        if (missing := 5 - sum(self.dice)) > 0:
            return throw(self.cup, missing)
        return ask(self.keep, self.player)

    @thrown(5, D6, COUNTS)
    def cup(self, *counts):
        self.rolls += 1
        self.used += 1
        for face, n in enumerate(counts):
            self.dice[face] += n
        if self.used == self.throws:
            self.stand()

    @kept(5, D6, dice)
    def keep(self, *counts):
        if sum(counts) == 5:
            self.stand()
        else:
            self.dice[:] = counts

    def stand(self):
        self.results[self.player] = value(self.dice)
        self.dice[:] = [0] * 6
        self.used = 0
        self.player = 1 - self.player

    def outcome(self):
        first, second = self.results
        return 2 if first == second else 0 if first > second else 1


@strategy(PokerDice)
def most_common(game):
    """Keep the face that shows most often."""
    best = max(range(6), key=lambda face: (game.dice[face], face))
    return tuple(n if face == best else 0 for face, n in enumerate(game.dice))


@strategy(PokerDice)
def pairs(game):
    """Keep everything that shows at least twice; without a pair, the highest."""
    keep = [n if n >= 2 else 0 for n in game.dice]
    if not any(keep):
        keep[max(face for face, n in enumerate(game.dice) if n)] = 1
    return tuple(keep)
