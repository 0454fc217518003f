"""Tests of rolls: their faces, pairs of dice, and the sequence of rolls.

Tests are exact, or chi-square where there are many rolls; all else is tested by shuffling the rolls (or rolling fair
dice), always with the same random numbers, so that the same file has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from dicelab.questions.judging.goodness import LEAST_EXPECTED, MOST_TABLES, counts_p
from dicelab.questions.rolled.rolls import Grid, Rolls
from dicelab.results.rows import Progress

MOST_WORK = 40_000_000
"""Limit of the rolls in all shuffled files together: of long files there are fewer."""
MANY = 200
"""Rolls from which on the number of repeats is close to normal."""
SEED = 43
"""Seed of all shuffles: the same file has the same answer."""

Pair = tuple[Grid, Grid]


class Limits(NamedTuple):
    """What decides how rolls are tested.

    Attributes
    ----------
    shuffles, fewest
        Shuffled files, or files of fair dice, that are compared with the rolls; and how many there are at least.
    expected
        Rolls expected of each face for a chi-square test; with fewer, fair dice are rolled.
    in_table
        Pairs expected in each cell of a table for its chi-square test; with fewer, the rolls are shuffled.
    """

    shuffles: int = 3999
    fewest: int = 999
    expected: float = LEAST_EXPECTED
    in_table: float = 5.0

    def files(self, places: Grid) -> int:
        """Return how many shuffled files rolls are compared with."""
        return max(self.fewest, min(self.shuffles, MOST_WORK // places.size))


LIMITS = Limits()


class Test(NamedTuple):
    """One test: what it compares, how, its statistic and p-value.

    Examples
    --------
    >>> Test("faces", "chi-squared", 3.2, 0.67).p
    0.67
    """

    name: str
    how: str
    statistic: float
    p: float


def all_tests(
    rolls: Rolls, progress: Progress = lambda done, total: None, limits: Limits = LIMITS
) -> tuple[list[Test], list[str]]:
    """Return the tests that rolls allow, and why others are missing."""
    found, missing = [faces(rolls, limits)], list[str]()
    if rolls.rows is None:
        return found, ["only counts are known, so neither pairs nor sequences of rolls are tested"]
    if rolls.dice > 1:
        kinds = {"dice alike": _by_die, "pairs": _pairs}
        found += [tables(rolls, name, pairs, progress, limits) for name, pairs in kinds.items()]
    else:
        missing.append("a roll is of one die, so no pairs of dice are tested")
    if len(rolls.rows) < 3:
        return found, [*missing, "two rolls are no sequence"]
    sequence = tables(rolls, "sequence", _followers, progress, limits)
    return [*found, sequence, repeats(rolls, progress, limits)], missing


def faces(rolls: Rolls, limits: Limits = LIMITS) -> Test:
    """Return whether the faces are as frequent as those of a fair die: exact, chi-square, or by rolling fair dice."""
    chances = [float(p) for p in rolls.chances]
    expected = rolls.number * np.array(chances)
    cells = len(chances)
    exact = cells == 2 or comb(rolls.number + cells - 1, cells - 1) <= MOST_TABLES
    if exact or expected.min() >= limits.expected:
        how, square, p = counts_p(rolls.counts, chances)
        return Test("faces", how, square, p)
    square = float(((np.array(rolls.counts) - expected) ** 2 / expected).sum())
    files = np.random.default_rng(SEED).multinomial(rolls.number, chances, size=5 * limits.shuffles)
    squares = ((files - expected) ** 2 / expected).sum(axis=1)
    p = (1 + int((squares >= square - 1e-9).sum())) / (1 + len(files))
    return Test("faces", f"chi-square, {len(files):,} files of fair dice", square, p)


def tables(rolls: Rolls, name: str, pairs: Callable[[Grid], list[Pair]], progress: Progress, limits: Limits) -> Test:
    """Return whether pairs of numbers depend on each other, by their tables: chi-square, or with few rolls by
    shuffling.
    """
    places = rolls.places
    found = [_table(*pair) for pair in pairs(places)]
    square, degrees = sum(one for one, _, _ in found), sum(free for _, free, _ in found)
    if min(least for _, _, least in found) >= limits.in_table:
        return Test(name, f"chi-square, {degrees} degrees", square, float(stats.chi2.sf(square, max(1, degrees))))
    random, files = np.random.default_rng(SEED), limits.files(places)
    above = 1
    for at in range(files):
        progress(at, files)
        if pairs is _followers:
            other = places[random.permutation(len(places))]
        else:
            other = random.permuted(places, axis=1 if pairs is _by_die else 0)
        above += sum(_table(*pair)[0] for pair in pairs(other)) >= square - 1e-9
    return Test(name, f"chi-square, {files:,} shuffled files", square, above / (files + 1))


def repeats(rolls: Rolls, progress: Progress = lambda done, total: None, limits: Limits = LIMITS) -> Test:
    """Return whether dice show what they showed before too often or too rarely, as in shuffled rolls; two-sided."""
    places = rolls.places
    seen = int((places[1:] == places[:-1]).sum())
    mean, variance = _repeats_shuffled(places)
    if len(places) >= MANY and variance > 0:  # close to normal, so that small p-values are known as well
        return Test("repeats", "normal", seen, float(2 * stats.norm.sf(abs(seen - mean) / sqrt(variance))))
    random, files = np.random.default_rng(SEED), limits.files(places)
    others = np.empty(files)
    for at in range(files):
        progress(at, files)
        other = places[random.permutation(len(places))]
        others[at] = (other[1:] == other[:-1]).sum()
    tail = min((others >= seen).sum(), (others <= seen).sum())
    return Test("repeats", f"{files:,} shuffled files", seen, min(1.0, 2 * (1 + int(tail)) / (files + 1)))


def _repeats_shuffled(places: Grid) -> tuple[float, float]:
    """Return mean and variance of the number of repeats, over all orders of the rolls.

    With s(i, j) the number of dice that rolls i and j have in common, the number of repeats is the sum of s over
    neighbours, and its square a sum over pairs of neighbours: the same pair, pairs with one roll in common, and others.
    """
    number, columns = len(places), places.T
    alike = sum(np.bincount(column)[column] - 1 for column in columns)  # for each roll, the sum of s over all others
    together, shared = int(alike.sum()), int((alike**2).sum())
    width = int(places.max()) + 1
    cells = (np.unique(a * width + b, return_counts=True)[1] for a in columns for b in columns)
    squares = sum(int((counts**2).sum()) - number for counts in cells)  # the sum of s squared
    apart = together**2 - 4 * shared + 2 * squares
    second = Fraction(squares, number) + Fraction(2 * (shared - squares) + apart, number * (number - 1))
    return together / number, float(second - Fraction(together, number) ** 2)


def _table(one: Grid, other: Grid) -> tuple[float, int, float]:
    """Of the table of pairs of numbers: the chi-square statistic, its degrees, and the smallest expected cell."""
    sizes = int(one.max()) + 1, int(other.max()) + 1
    table = np.bincount(one * sizes[1] + other, minlength=sizes[0] * sizes[1]).reshape(sizes).astype(float)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    square = float(((table - expected) ** 2 / expected).sum())
    return square, (table.shape[0] - 1) * (table.shape[1] - 1), float(expected.min())


def _by_die(places: Grid) -> list[Pair]:
    """Return which of the dice it is, and what it shows."""
    return [(np.broadcast_to(np.arange(places.shape[1]), places.shape).ravel(), places.ravel())]


def _pairs(places: Grid) -> list[Pair]:
    """Return two dice of one roll, for all pairs of columns."""
    dice = range(places.shape[1])
    return [(places[:, a], places[:, b]) for a in dice for b in dice if a < b]


def _followers(places: Grid) -> list[Pair]:
    """Return what a die shows, and what it shows next, for all columns."""
    return [(column[:-1], column[1:]) for column in places.T]
