"""Klondike: poker hands of five dice against the bank."""

from enum import IntEnum

from dicelab.rules import COUNTS, D6, OVER, Casino, Int, Param, Tally, throw, thrown


class Hand(IntEnum):
    NOTHING = 0
    PAIR = 1
    TWO_PAIRS = 2
    THREE = 3
    FULL_HOUSE = 4
    FOUR = 5
    FIVE = 6


def hand(counts):
    """What five dice are worth, with the faces that decide between equal hands."""
    pattern = sorted((n for n in counts if n), reverse=True)
    match pattern:
        case [5]:
            return Hand.FIVE
        case [4, 1]:
            return Hand.FOUR
        case [3, 2]:
            return Hand.FULL_HOUSE
        case [3, *_]:
            return Hand.THREE
        case [2, 2, 1]:
            return Hand.TWO_PAIRS
        case [2, *_]:
            return Hand.PAIR
    return Hand.NOTHING


def rank(counts):
    """Hands in order: the kind, then the faces, those with most dice first; ones are high."""
    faces = sorted(((n, 7 if face == 1 else face) for face, n in enumerate(counts, 1) if n), reverse=True)
    best = max(faces)
    return hand(counts), best[1]


class Klondike(Casino):
    """The bank rolls first, then the player; the bank wins ties."""

    name = "klondike"
    source = "John Scarne, Scarne on Dice, 1974"

    bank = Int(-1, 6, "the hand of the bank", start=-1)
    high = Int(0, 7, "the face that decides")
    done = Int(0, 1, "whether both have rolled")
    won = Int(0, 1, "whether the player has won")
    outcomes = ("win", "lose")
    money = Tally("won or lost", low=-1, high=1)

    def next(self):
        return OVER if self.done else throw(self.dice)

    @thrown(5, D6, COUNTS)
    def dice(self, *counts):
        kind, face = rank(counts)
        if self.bank < 0:
            self.bank, self.high = kind, face
        else:
            self.won = (kind, face) > (self.bank, self.high)
            self.done = 1

    def outcome(self):
        self.money += 1 if self.won else -1
        return 0 if self.won else 1
