"""Edges of one throw of a die, whatever its faces pay, are those of arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab
from dicelab.rules import D6, OVER, Int, Param, Tally, throw, thrown
from dicelab.rules.game import Game


class Faces(Game):
    """Each face pays what it pays, as long as a face is thrown that says throw again."""

    one = Param(0, -9, 9, "what a one pays")
    two = Param(0, -9, 9, "what a two pays")
    three = Param(0, -9, 9, "what a three pays")
    again = Param(0, 0, 5, "so many of the highest faces are thrown again")
    stake = Param(1, 1, 9, "the stake")

    face = Int(0, 6, "what was thrown")
    throws = Tally("throws")
    money = Tally("money")

    def next(self):
        return throw(self.die) if self.face == 0 else OVER

    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        if face > 6 - self.again:
            return
        self.face = face
        if face == 1:
            self.money += self.one
        elif face == 2:
            self.money += self.two
        elif face == 3:
            self.money += self.three


pays = st.integers(-9, 9)


@pytest.mark.slow
@settings(max_examples=60)
@given(pays, pays, pays, st.integers(0, 5), st.integers(1, 9))
def test_edges_are_those_of_arithmetic(one, two, three, again, stake):
    row = dicelab.edges(Faces, one=one, two=two, three=three, again=again, stake=stake).rows[0]
    paid = [one, two, three, 0, 0, 0][: 6 - again]
    count = len(paid)
    mean = Fraction(sum(paid), count)
    win, lose, push = (Fraction(sum(fits), count) for fits in zip(*((p > 0, p < 0, p == 0) for p in paid), strict=True))
    assert (row.win.fraction, row.lose.fraction, row.push.fraction) == (win, lose, push)
    assert row.edge.fraction == -mean / stake
    assert row.throws.fraction == Fraction(6, count)
    assert row.edge_per_throw.fraction == -mean / stake / Fraction(6, count)
    assert (row.edge_resolved is None) == (push == 1)
    if push < 1:
        assert row.edge_resolved.fraction == -mean / stake / (1 - push)
    variance = Fraction(sum(p * p for p in paid), count) - mean**2
    assert row.sd == pytest.approx(sqrt(variance) / stake, abs=1e-12)
