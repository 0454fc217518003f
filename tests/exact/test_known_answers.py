"""The exact engine against values known otherwise: derived here from the rules of the sources, in fractions and without
dicelab, by closed forms or by programs written otherwise. Figures published elsewhere stand beside them.

The same games are simulated in ``tests/statistical``: three ways to every number.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, sqrt

import pytest

import dicelab
from support import GAMES, ROOT

TOTALS = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


def exact(game, strategies=(), **more):
    return dicelab.exact(GAMES.get(game, game), strategies, **more)


def same_distribution(tally, expected, within=1e-13):
    """Every probability is as expected, and no other value is listed; what is left out is left out at the end."""
    found = tally.probabilities
    assert tally.left < 1e-12
    assert set(found) <= set(expected)
    for value, p in expected.items():
        assert found.get(value, 0.0) == pytest.approx(float(p), abs=within), value


def percentile(expected, p):
    """Smallest value with a share of at least `p` at or below it."""
    seen = Fraction(0)
    for value in sorted(expected):
        seen += expected[value]
        if seen >= p:
            return value
    raise AssertionError


def mean_and_variance(distribution):
    mean = sum(value * p for value, p in distribution.items())
    return mean, sum(value * value * p for value, p in distribution.items()) - mean**2


# Two dice: Hazard and craps -------------------------------------------------------------------------------------------

NICKS = {5: {5}, 6: {6, 12}, 7: {7, 11}, 8: {8, 12}, 9: {9}}  # win at once, by main
CRABS = {5: {2, 3, 11, 12}, 6: {2, 3, 11}, 7: {2, 3, 12}, 8: {2, 3, 11}, 9: {2, 3, 11, 12}}  # lose at once


def round_of(main, longest=400):
    """Chance to win a round; mean and variance of its throws; chances of (throws, won) up to `longest` throws."""
    win = once = square = Fraction(0)
    joint = Counter()
    for total, p in TOTALS.items():
        if total in NICKS[main] | CRABS[main]:
            won = total in NICKS[main]
            win, once, square = win + p * won, once + p, square + p
            joint[1, won] += p
            continue
        decided = TOTALS[total] + TOTALS[main]
        win += p * TOTALS[total] / decided
        more, more_square = 1 / decided, (2 - decided) / decided**2  # of a geometric number of further throws
        once += p * (1 + more)
        square += p * (1 + 2 * more + more_square)
        waiting = p
        for n in range(2, longest):
            joint[n, True] += waiting * TOTALS[total]
            joint[n, False] += waiting * TOTALS[main]
            waiting *= 1 - decided
    return win, once, square - once**2, joint


PUBLISHED = {5: Fraction(1396, 2835), 6: Fraction(6961, 14256), 7: Fraction(244, 495)}


@pytest.mark.parametrize("main", [5, 6, 7, 8, 9])
def test_a_round_of_hazard(main):
    win, mean, variance, joint = round_of(main, 200)
    result = exact("hazard", main=main)
    assert result.outcomes["win"].fraction == win == PUBLISHED[min(main, 14 - main)]
    assert result.outcomes["lose"].fraction == 1 - win
    throws = result.tallies["throws"]
    assert throws.fraction == mean
    assert throws.sd == pytest.approx(sqrt(variance), rel=1e-14)
    same_distribution(throws, {n: joint[n, True] + joint[n, False] for n in range(1, 200)})
    for n, chances in result.joint("throws"):
        assert chances == pytest.approx([float(joint[n, True]), float(joint[n, False])], abs=1e-15)


def test_the_pass_line():
    win, mean, variance, joint = round_of(7)
    assert (win, mean) == (Fraction(244, 495), Fraction(557, 165))
    result = exact("pass-line", stake=5)
    assert result.outcomes["win"].fraction == win
    assert result.tallies["throws"].fraction == mean
    assert result.tallies["throws"].sd**2 == pytest.approx(float(variance), rel=1e-14)
    by_throws = {n: joint[n, True] + joint[n, False] for n in range(1, 400)}
    same_distribution(result.tallies["throws"], by_throws)
    for p in (0.1, 0.25, 0.5, 0.9, 0.99, 0.9999):
        assert result.tallies["throws"].percentile(p) == percentile(by_throws, p)
    money = result.tallies["money"]
    assert money.fraction == Fraction(-5 * 7, 495)  # an edge of 7/495 of the stake
    assert money.sd == pytest.approx(5 * sqrt(1 - (7 / 495) ** 2), rel=1e-14)
    same_distribution(money, {5: win, -5: 1 - win})
    assert [chances for _, chances in result.joint("money")] == [
        pytest.approx([0, float(1 - win)]),
        pytest.approx([float(win), 0]),
    ]


@pytest.mark.parametrize(("main", "losses"), [(6, 1), (7, 2), (5, 2), (9, 3)])
def test_a_caster_wins_a_geometric_number_of_rounds(main, losses):
    """With q the chance to lose a round, P(k won) = s (1 - s)^k, s = q^losses: every win begins anew."""
    win, throws, _, _ = round_of(main)
    stop = (1 - win) ** losses
    result = exact("hazard-caster", main=main, losses=losses)
    won = result.tallies["rounds_won"]
    assert won.fraction == (1 - stop) / stop
    assert won.sd**2 == pytest.approx(float((1 - stop) / stop**2), rel=1e-13)
    same_distribution(won, {k: float(stop) * float(1 - stop) ** k for k in range(1000)})
    rounds = result.tallies["rounds"]
    assert rounds.fraction == sum((1 - win) ** -k for k in range(1, losses + 1))
    chances = Counter()  # of the rounds: a program that throws rounds one by one
    in_a_row = {0: 1.0}
    for n in range(1, 1500):
        after = Counter({0: float(win) * sum(in_a_row.values())})
        for k, p in in_a_row.items():
            if k + 1 == losses:
                chances[n] += p * float(1 - win)
            else:
                after[k + 1] += p * float(1 - win)
        in_a_row = after
    same_distribution(rounds, chances)
    assert result.tallies["throws"].fraction == rounds.fraction * throws  # Wald


# LCR: a linear system in fractions -------------------------------------------------------------------------------------


def solve(matrix, right):
    """Gauss and Jordan in fractions; `matrix` and `right` are lists of rows."""
    rows = [[*row, *extra] for row, extra in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(r for r in range(i, len(rows)) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i] != 0:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[len(rows) :] for row in rows]


@cache
def two_player_lcr(coins, dice):
    """Seats' chances, means and second moments of turns and of throws, solved for one total of coins after another.

    The mover holds `mine`, the other `theirs`; a die sends a coin over with chance 1/3 (left and right are the same
    player), to the center with 1/6.
    """
    worth = {}
    for total in range(1, 2 * coins + 1):
        layer = [(mine, total - mine) for mine in range(total + 1) if mine != total and mine != 0]
        matrix, right = [], []
        for mine, theirs in layer:
            n = min(mine, dice)
            row, constant = [Fraction(x == (mine, theirs)) for x in layer], [Fraction(0)] * 6
            for over in range(n + 1):
                for center in range(n + 1 - over):
                    ways = comb(n, over) * comb(n - over, center) * 2**over * 3 ** (n - over - center)
                    p = Fraction(ways, 6**n)
                    after = theirs + over, mine - over - center  # as the next mover sees it
                    if after in layer:
                        row[layer.index(after)] += p  # the other one's loss is my win: see below
                    if after[1] == 0:  # all coins are with the other one
                        known = [Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(1)]
                    else:
                        known = worth.get(after, [Fraction(0)] * 5)
                    constant[4] += p * (1 if after[1] == 0 else 0)
                    constant[0] += p * known[0]
            matrix.append(row)
            right.append(constant)
    raise NotImplementedError


