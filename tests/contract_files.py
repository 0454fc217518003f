"""Rules files that tests write."""

from __future__ import annotations

from pathlib import Path

GAME = '''
import functools
import itertools
import math
import operator
import random
import time
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

from dicelab.rules import (
    D6, FACES, OVER, Choice, Flag, Game, Int, Ints, Memory, Param, Peak, Tally, ask, chosen, strategy, throw, thrown,
)

KEPT = []
NAMES = {"a": 1}
PAYS = (3, 1, 4, 1, 5, 9, 2)
BOUND = frozenset({2, 3})


class Move(IntEnum):
    STOP = 0
    GO = 1


class Pair(NamedTuple):
    low: int
    high: int


@dataclass(frozen=True)
class Row:
    name: str
    pays: int

    def worth(self, times):
        return self.pays * times


ROWS = (Row("a", 2), Row("b", 3))
LIMITS = Pair(1, 6)
counter = itertools.count()
TOP


class Losses(Memory):
    in_a_row = Int(0, 50)
    line = Ints(3, 0, 50)


class Sample(Game):
    """A game for tests of the contract."""

    outcomes = ("low", "high")
    bonus = Param(1, 0, 5, "a bonus")
    row = Ints(4, -1000, 1000)
    x = Int(-1000, 100_000)
    flag = Flag()
    rolled = Flag()
    left = Int(0, 20, start=4)
    total = Tally("what is counted")
    best = Peak("the largest")
    MEMBERS

    def start(self):
        START

    def next(self):
        NEXT
        if self.left == 0:
            return OVER
        return ask(self.choose, 0) if self.rolled else throw(self.die)

    @thrown(3, D6, FACES)
    def die(self, *faces):
        self.rolled = True
        self.total += 1
        ROLL

    def allowed(self, move):
        LEGAL
        return True

    def worth(self, move):
        SENSIBLE
        return True

    def why(self, move):
        BECAUSE
        return ""

    @chosen(Move, legal=allowed, sensible=worth, because=why)
    def choose(self, move):
        self.rolled = False
        self.left -= 1
        CHOOSE

    def outcome(self):
        OUTCOME
        return 1 if self.x > 20 else 0


@strategy(Sample, memory=Losses, points=Param(2, 0, 9, "points"))
def plain(game, mine, points):
    """A strategy."""
    STRATEGY
    return Move.GO
'''


HOLES = ["TOP", "MEMBERS", "START", "NEXT", "ROLL", "LEGAL", "SENSIBLE", "BECAUSE", "CHOOSE", "OUTCOME", "STRATEGY"]


def written(folder: Path, **filled: str) -> Path:
    """The file with its holes filled."""
    lines = []
    for line in GAME.splitlines():
        word = line.strip()
        if word in HOLES:
            indent = line[: len(line) - len(word)]
            text = filled.get(word, "" if word in ("TOP", "MEMBERS") else "pass")
            lines += [indent + part for part in text.splitlines()] or [""]
        else:
            lines.append(line)
    file = folder / "sample.py"
    file.write_text("\n".join(lines))
    return file
