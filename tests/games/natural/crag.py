"""Crag: three dice, two rolls, thirteen boxes."""

from dataclasses import dataclass

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Game,
    Grid,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    kept,
    right_of,
    strategy,
    throw,
    thrown,
)


@dataclass(frozen=True)
class Box:
    name: str
    points: int
    dice: tuple = ()


BOXES = (
    *(Box(name, 0) for name in ("ones", "twos", "threes", "fours", "fives", "sixes")),
    Box("odd straight", 20, (1, 3, 5)),
    Box("even straight", 20, (2, 4, 6)),
    Box("low straight", 20, (1, 2, 3)),
    Box("high straight", 20, (4, 5, 6)),
    Box("three of a kind", 25),
    Box("thirteen", 26),
    Box("crag", 50),
)


class Crag(Game):
    """Crag: thirteen with a pair is the best."""

    name = "crag"
    source = "Reiner Knizia, Dice Games Properly Explained: Crag"

    players = Param(2, 1, 5, "players")

    seats = players

    filled = Grid(players, 13, 0, 1, "boxes that are filled", by_seat=True, grows=True)
    scores = Ints(players, 0, 244, "points", by_seat=True, grows=True)
    dice = Ints(6, 0, 3, "dice that show each number")
    rolls = Int(0, 2, "rolls in this turn")
    player = Seat(players, "whose turn it is")

    crags = Tally("crags")
    zeros = Tally("boxes filled with nothing")
    points = Tally("points of the winner")

    def next(self):
        if all(all(line) for line in self.filled):
            return OVER
        missing = 3 - sum(self.dice)
        if missing:
            return throw(self.cup, missing)
        return ask(self.keep if self.rolls == 1 else self.fill, self.player)

    @thrown(3, D6, COUNTS)
    def cup(self, *shown):
        for face, count in enumerate(shown):
            self.dice[face] += count
        self.rolls += 1

    @kept(3, D6, dice)
    def keep(self, *kept):
        """Keep some of the dice and roll the others; all: don't roll again."""
        for face, count in enumerate(kept):
            self.dice[face] = count
        if sum(kept) == 3:
            self.rolls = 2

    def shown(self):
        """The dice as a sorted tuple of numbers."""
        return tuple(face for face, count in enumerate(self.dice, start=1) for _ in range(count))

    def value(self, box):
        dice = self.shown()
        name, points = BOXES[box].name, BOXES[box].points
        if box < 6:
            return dice.count(box + 1) * (box + 1)
        if BOXES[box].dice:
            return points if dice == BOXES[box].dice else 0
        different = len(set(dice))
        if name == "three of a kind":
            fits = different == 1
        elif name == "thirteen":
            fits = sum(dice) == 13
        else:
            fits = sum(dice) == 13 and different == 2
        return points if fits else 0

    def is_open(self, box):
        return not self.filled[self.player][box]

    @chosen(13, legal=is_open)
    def fill(self, box):
        points = self.value(box)
        self.scores[self.player] += points
        self.filled[self.player][box] = 1
        if not points:
            self.zeros += 1
        elif BOXES[box].name == "crag":
            self.crags += 1
        for face in range(6):
            self.dice[face] = 0
        self.rolls = 0
        self.player = right_of(self.player, self.players)

    def outcome(self):
        self.points += max(self.scores)
        return self.scores.index(max(self.scores))


@strategy(Crag, enough=Param(20, 1, 50, "don't roll again for this many points"))
def pairs(game, enough):
    """Fill a good box at once; otherwise keep a pair, or the highest die."""
    available = [box for box in range(13) if game.is_open(box)]
    best = max(available, key=lambda box: (game.value(box), -box))
    if game.rolls == 2:
        return best
    if game.value(best) >= enough:
        return tuple(game.dice)
    pair = [face for face in range(6) if game.dice[face] == 2]
    number = pair[0] if pair else max(face for face in range(6) if game.dice[face])
    return tuple(count if face == number else 0 for face, count in enumerate(game.dice))
