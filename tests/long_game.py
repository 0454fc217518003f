"""A game that can be long."""

from __future__ import annotations

LONG = '''
from dicelab.rules import *


class Long(Game):
    """A list that is too long for compiled code where twelve is rolled."""

    left = Int(0, 3, start=3)
    points = Tally("points")

    def next(self):
        return throw(self.roll) if self.left else OVER

    @thrown(2, D6)
    def roll(self, total):
        self.left -= 1
        found = [i % 3 for i in range(total * 12) if i >= 0]
        self.points += sum(found)
'''
