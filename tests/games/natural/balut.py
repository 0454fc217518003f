"""Balut, a simplified solo version with one row for each category."""

from collections import Counter, defaultdict

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flag,
    Flags,
    Game,
    Int,
    Ints,
    Param,
    Tally,
    ask,
    chosen,
    kept,
    strategy,
    throw,
    thrown,
)

CATEGORIES = ("fours", "fives", "sixes", "straight", "full house", "choice", "balut")
STRAIGHTS = [{1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}]


def score(category, counts):
    numbers = [face for face, count in enumerate(counts, 1) for _ in range(count)]
    total = sum(numbers)
    kind = CATEGORIES[category]
    if kind in ("fours", "fives", "sixes"):
        face = 4 + category
        return face * numbers.count(face)
    if kind == "straight":
        return total if set(numbers) in STRAIGHTS else 0
    if kind == "full house":
        return total if sorted(Counter(numbers).values()) == [2, 3] else 0
    if kind == "balut":
        return 20 + total if len(set(numbers)) == 1 else 0
    return total


class Balut(Game):
    """Balut: five dice, three rolls, seven categories."""

    name = "balut"
    source = "Balut, Copenhagen rules"
    outcomes = ()

    open = Flags(7, "categories that are open", start=1)
    dice = Ints(6, 0, 5, "dice on the table")
    rolls = Int(0, 3, "rolls of this turn")
    waiting = Int(0, 5, "dice to roll", start=5)

    points = Tally("points")
    baluts = Tally("baluts")

    def next(self):
        if not any(self.open):
            return OVER
        if self.waiting:
            return throw(self.cup, self.waiting)
        if self.rolls < 3:
            return ask(self.keep, 0)
        return ask(self.fill, 0)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown):
        self.dice[:] = [old + new for old, new in zip(self.dice, shown)]
        self.rolls += 1
        self.waiting = 0

    @kept(5, D6, dice)
    def keep(self, *some):
        self.waiting = 5 - sum(some)
        self.dice[:] = some
        if not self.waiting:
            self.rolls = 3

    def is_open(self, category):
        return self.open[category]

    @chosen(7, legal=is_open)
    def fill(self, category):
        self.points += score(category, self.dice)
        self.baluts += max(self.dice) == 5
        self.open[category] = False
        self.dice[:] = [0] * 6
        self.rolls, self.waiting = 0, 5

    def outcome(self):
        return 0


@strategy(Balut)
def greedy(game):
    """Keep what there is most of; fill what is worth most."""
    if game.rolls < 3:
        best = max(range(6), key=lambda i: (game.dice[i], i))
        return tuple(count if i == best else 0 for i, count in enumerate(game.dice))
    worths = defaultdict(int)
    for category, is_open in enumerate(game.open):
        if is_open:
            worths[category] += score(category, game.dice)
    return max(worths, key=lambda category: (worths[category], -category))
