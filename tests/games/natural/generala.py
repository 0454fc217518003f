"""Generala, the Latin American game of five dice."""

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flag,
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


class Box(IntEnum):
    ONES = 0
    TWOS = 1
    THREES = 2
    FOURS = 3
    FIVES = 4
    SIXES = 5
    STRAIGHT = 6
    FULL_HOUSE = 7
    POKER = 8
    GENERALA = 9
    DOUBLE_GENERALA = 10


OPEN = -1
SERVED = 5  # more points for a combination in the first roll
WORTH = {Box.STRAIGHT: 20, Box.FULL_HOUSE: 30, Box.POKER: 40, Box.GENERALA: 50, Box.DOUBLE_GENERALA: 100}
STRAIGHTS = ({1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}, {3, 4, 5, 6, 1})


class Generala(Game):
    """Generala: fill eleven boxes; a generala in the first roll wins at once."""

    name = "generala"
    source = "Generala, rules sheet of a set of dice from Argentina"

    players = Param(2, 1, 4, "players")

    seats = players

    card = Grid(players, len(Box), OPEN, 100, "points in each box; -1: open", start=OPEN, by_seat=True)
    dice = Ints(6, 0, 5, "dice that show each number")
    rolls = Int(0, 3, "rolls in this turn")
    kept_now = Int(0, 1, "the player has said which dice stay")
    served = Flag("the player rolled a generala in the first roll")
    player = Seat(players, "whose turn it is")

    points = Tally("points of the winner")
    generalas = Tally("games that a served generala ended")

    def next(self):
        if self.served or all(OPEN not in line for line in self.card):
            return OVER
        if sum(self.dice) < 5:
            return throw(self.cup, 5 - sum(self.dice))
        if self.rolls < 3 and not self.kept_now:
            return ask(self.keep, self.player)
        return ask(self.fill, self.player)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown):
        self.rolls += 1
        for face, count in enumerate(shown):
            self.dice[face] += count
        if self.rolls == 1 and 5 in self.dice:
            self.served = True

    @kept(5, D6, dice)
    def keep(self, *kept):
        """Keep some dice; who keeps all of them fills a box."""
        for face, count in enumerate(kept):
            self.dice[face] = count
        self.kept_now = sum(kept) == 5

    def made(self, box):
        """Whether the dice show what the box demands."""
        counts = sorted((count for count in self.dice if count), reverse=True)
        match box:
            case Box.STRAIGHT:
                return {face for face, count in enumerate(self.dice, start=1) if count} in STRAIGHTS
            case Box.FULL_HOUSE:
                return counts == [3, 2]
            case Box.POKER:
                return counts[0] >= 4
            case Box.GENERALA:
                return counts[0] == 5
            case Box.DOUBLE_GENERALA:
                return counts[0] == 5 and self.card[self.player][Box.GENERALA] > 0
            case _:
                return True

    def value(self, box):
        if box <= Box.SIXES:
            return (box + 1) * self.dice[box]
        if not self.made(box):
            return 0
        bonus = SERVED if self.rolls == 1 and box < Box.GENERALA else 0
        return WORTH[box] + bonus

    def is_open(self, box):
        return self.card[self.player][box] == OPEN

    @chosen(Box, legal=is_open)
    def fill(self, box):
        self.card[self.player][box] = self.value(box)
        for face in range(6):
            self.dice[face] = 0
        self.rolls = 0
        self.kept_now = 0
        self.player = right_of(self.player, self.players)

    def total(self, seat):
        return sum(points for points in self.card[seat] if points != OPEN)

    def outcome(self):
        if self.served:
            self.generalas += 1
            return self.player
        totals = [self.total(seat) for seat in range(self.players)]
        self.points += max(totals)
        return totals.index(max(totals))


@strategy(Generala)
def same_numbers(game):
    """Collect the most frequent number, fill the best box."""
    if sum(game.dice) == 5 and game.rolls < 3 and not game.kept_now:
        if any(game.is_open(box) and game.made(box) for box in Box if box > Box.SIXES):
            return tuple(game.dice)
        best = max(range(6), key=lambda face: (game.dice[face], face))
        return tuple(count if face == best else 0 for face, count in enumerate(game.dice))
    return max((box for box in Box if game.is_open(box)), key=lambda box: (game.value(box), -box))
