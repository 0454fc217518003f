"""What many games add up to: exact, in any order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dicelab.runtime.scheduler import Tallied


def tallied(*games, outcomes=3, tallies=2):
    total = Tallied.empty(outcomes, tallies)
    for outcome, *values in games:
        total.count(outcome, values)
    return total


A = [(0, 1, 5), (1, 1, -7), (0, 2, 5)]
B = [(2, 0, 0)]
C = [(1, 1, -7), (0, 1, 2**62), (2, -(2**62), 3), (2, 10**30, 3)]


def merged(*parts):
    total = tallied()
    for part in parts:
        total.merge(part)
    return total


def test_games_are_counted_by_outcome_and_value():
    total = tallied(*A)
    assert total.games == 3
    assert total.counts == [2, 1, 0]
    assert total.histograms == [
        [Counter({1: 1, 2: 1}), Counter({5: 2})],
        [Counter({1: 1}), Counter({-7: 1})],
        [Counter(), Counter()],
    ]
    assert total.histogram(0) == Counter({1: 2, 2: 1})
    assert total.histogram(1) == Counter({5: 2, -7: 1})


def test_no_games_are_no_games():
    assert Tallied.empty(2, 1).games == 0
    assert Tallied.empty(2, 1).histogram(0) == Counter()
    assert merged(tallied(*A), tallied()) == tallied(*A)


def test_merging_is_counting_all():
    assert merged(tallied(*A), tallied(*B), tallied(*C)) == tallied(*A, *B, *C)


def test_merging_is_associative_and_commutative():
    a, b, c = (tallied(*part) for part in (A, B, C))
    assert merged(merged(a, b), c) == merged(a, merged(b, c)) == merged(c, a, b) == merged(b, merged(c, a))


def test_merging_leaves_the_other_as_it_was():
    total, other = tallied(*A), tallied(*B)
    total.merge(other)
    total.merge(other)
    assert other == tallied(*B)
    assert total == tallied(*A, *B, *B)


def test_counts_and_values_are_exact_however_large():
    one = tallied((0, 2**62, -(2**62)))
    for _ in range(100):  # doubles the games each time: 2**100 of them
        one = merged(one, one)
    assert one.games == 2**100
    assert one.histogram(0) == Counter({2**62: 2**100})
    assert one.histogram(1) == Counter({-(2**62): 2**100})


def test_what_a_kernel_counted_is_added():
    total = tallied(*A)
    counts = np.array([1, 0, 2], np.int64)
    histograms = np.zeros((3, 2, 4), np.int64)  # values -1, 0, 1, 2
    histograms[0, 0, 2] = 1
    histograms[2, 0, 0] = 2
    histograms[2, 1, 3] = 1
    others = np.array([[0, 1, 2**62], [2, 1, -500]], np.int64)
    total.add(counts, histograms, -1, others)
    assert total == tallied(*A, (0, 1, 2**62), (2, -1, 2), (2, -1, -500))
    assert {type(v) for v in [*total.counts, *total.histogram(0), *total.histogram(1)]} == {int}


def test_a_game_has_a_value_for_every_tally():
    with pytest.raises(ValueError, match="zip"):
        Tallied.empty(1, 2).count(0, [1])
