"""Yacht, the game from which Yahtzee was made."""

from collections import Counter
from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flags,
    Game,
    Int,
    Ints,
    Tally,
    ask,
    chosen,
    kept,
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
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    LITTLE_STRAIGHT = 8
    BIG_STRAIGHT = 9
    CHOICE = 10
    YACHT = 11


def score(box, counts):
    """What five dice are worth in a box."""
    total = sum(face * count for face, count in enumerate(counts, start=1))
    match box:
        case Box.FULL_HOUSE:
            return total if sorted(counts)[-2:] == [2, 3] else 0
        case Box.FOUR_OF_A_KIND:
            return next((4 * face for face, count in enumerate(counts, 1) if count >= 4), 0)
        case Box.LITTLE_STRAIGHT:
            return 30 if all(counts[:5]) else 0
        case Box.BIG_STRAIGHT:
            return 30 if all(counts[1:]) else 0
        case Box.CHOICE:
            return total
        case Box.YACHT:
            return 50 if max(counts) == 5 else 0
        case _:
            return counts[box] * (box + 1)


class Yacht(Game):
    """Yacht for one player: twelve boxes, three rolls for each."""

    name = "yacht"
    source = "Hoyle: Yacht"
    outcomes = ()

    used = Flags(len(Box), "boxes that are filled")
    dice = Ints(6, 0, 5, "dice that show each number")
    rolls = Int(0, 3, "rolls in this turn")

    points = Tally("points")
    zeros = Tally("boxes filled with nothing")
    yachts = Tally("yachts")

    def next(self):
        if all(self.used):
            return OVER
        if (missing := 5 - sum(self.dice)) > 0:
            return throw(self.cup, missing)
        return ask(self.keep if self.rolls < 3 else self.fill, 0)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown):
        self.rolls += 1
        for face, count in enumerate(shown):
            self.dice[face] += count

    @kept(5, D6, dice)
    def keep(self, *kept):
        """Keep some of the dice; all of them: no more rolls."""
        for face, count in enumerate(kept):
            self.dice[face] = count
        if sum(kept) == 5:
            self.rolls = 3

    def unused(self, box):
        return not self.used[box]

    @chosen(Box, legal=unused)
    def fill(self, box):
        won = score(box, self.dice)
        self.points += won
        if not won:
            self.zeros += 1
        if box == Box.YACHT and won:
            self.yachts += 1
        self.used[box] = True
        for face in range(6):
            self.dice[face] = 0
        self.rolls = 0


def open_boxes(game):
    return [box for box in Box if not game.used[box]]


def best_box(game):
    return max(open_boxes(game), key=lambda box: (score(box, game.dice), -box))


@strategy(Yacht)
def greedy(game):
    """Keep a made combination, otherwise the number with the most dice that is of use."""
    if game.rolls == 3:
        return best_box(game)
    if score(best_box(game), game.dice) >= 25:
        return tuple(game.dice)
    useful = [box for box in open_boxes(game) if box <= Box.SIXES] or list(range(6))
    number = max(useful, key=lambda box: (game.dice[box], box))
    return tuple(count * (face == number) for face, count in enumerate(game.dice))


@strategy(Yacht)
def straights_first(game):
    """Collect different numbers as long as a straight is open."""
    if game.rolls == 3:
        return best_box(game)
    wanted = [
        numbers
        for box, numbers in ((Box.LITTLE_STRAIGHT, range(5)), (Box.BIG_STRAIGHT, range(1, 6)))
        if not game.used[box]
    ]
    if not wanted:
        return greedy(game)
    numbers = max(wanted, key=lambda them: sum(game.dice[face] > 0 for face in them))
    keep = Counter(face for face in numbers if game.dice[face])
    return tuple(keep[face] for face in range(6))
