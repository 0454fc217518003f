"""Tests of rolls: their faces, pairs of dice, and the sequence of rolls; and what so many rolls would notice.

Tests are exact, or chi-square where there are many rolls; all else is tested by shuffling the rolls (or rolling fair
dice), always with the same random numbers, so that the same file has the same answer. What is noticed four times out of
five: a face, dice that go together, a die that repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, sqrt
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from dicelab.questions.judging.goodness import LEAST_EXPECTED, LEVEL, MOST_TABLES, POWER, counts_p, noticeable_chance
from dicelab.questions.rolled.rolls import Grid, Rolls
from dicelab.results.rows import Progress
from dicelab.runtime.arrays import Floats

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
    tests, missing = [faces(rolls, limits)], list[str]()
    if rolls.rows is None:
        return tests, ["only counts are known, so neither pairs nor sequences of rolls are tested"]
    if rolls.dice > 1:
        kinds = {"dice alike": _by_die, "pairs": _pairs}
        tests += [tables(rolls, name, pairs, progress, limits) for name, pairs in kinds.items()]
    else:
        missing.append("a roll is of one die, so no pairs of dice are tested")
    if len(rolls.rows) < 3:
        return tests, [*missing, "two rolls are no sequence"]
    sequence = tables(rolls, "sequence", _followers, progress, limits)
    return [*tests, sequence, repeats(rolls, progress, limits)], missing


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
    pairs_of_columns = [_table(*pair) for pair in pairs(places)]
    square, degrees = sum(one for one, _, _ in pairs_of_columns), sum(free for _, free, _ in pairs_of_columns)
    if min(least for _, _, least in pairs_of_columns) >= limits.in_table:
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


FILES = 4000
"""Files of rolls simulated for each probability that is tried, at most."""
CELLS = 1_000_000
"""Limit of the cells in the tables of all files."""
MOST_CELLS = 4000
"""Limit of the cells in the tables of one file."""
MANY_FACES = 1000
"""Rolls of single dice from which on the number of repeats is close to binomial."""
SEED_OF_FILES = 44
"""Seed of the files: the same rolls have the same answer."""


def noticeable_face(rolls: Rolls, tests: int) -> tuple[int, float] | None:
    """Return the value whose probability is largest, and to what it must rise to be noticed four times out of five.

    The others keep their proportions. None where even a die that always shows this value would not be noticed.

    Parameters
    ----------
    tests
        Number of tests that share the level of 0.05.
    """
    chances = [float(p) for p in rolls.chances]
    at = int(np.argmax(chances))
    chance = noticeable_chance(chances, at, rolls.number, tests)
    return None if chance is None else (rolls.faces[at], chance)


def same(rolls: Rolls) -> float:
    """Return the probability that two fair dice show the same."""
    return float(sum(p * p for p in rolls.chances))


def noticeable_repeats(rolls: Rolls, tests: int) -> float | None:
    """Return the share of rolls that repeat the roll before, of each die, which is noticed four times out of five.

    Each die sometimes copies what it showed before. Of few rolls the power of the test is simulated, because such rolls
    also have more of some faces than of others, which the test allows for; of many it is binomial.
    """
    if rolls.rows is None or len(rolls.rows) < 3:
        return None
    (number, dice), chance, level = rolls.rows.shape, same(rolls), LEVEL / tests
    if number * dice > MANY_FACES:
        return noticeable_chance([chance, 1 - chance], 0, (number - 1) * dice, tests)
    limit = float(np.quantile(_repeated(rolls, 0.0, 4), 1 - level / 2, method="higher"))

    def noticed(copied: float) -> float:
        return float((_repeated(rolls, copied) > limit).mean()) - POWER

    enough = next(
        (part for part in np.arange(1, 10) / 10 if noticed(part) >= 0), None
    )  # one that only copies isn't noticed
    if enough is None:
        return None
    copied = float(optimize.brentq(noticed, 0.0, enough, xtol=1e-4))
    return copied + (1 - copied) * chance


def _repeated(rolls: Rolls, copied: float, times: int = 1) -> Floats:
    """Return, by simulated file, how far the number of repeats is from that of shuffled rolls, in standard deviations.

    The variance is that of the number of runs (D. E. Barton and F. N. David, Biometrika 44, 1957, p. 168-178).

    Parameters
    ----------
    copied
        Probability that a die copies what it showed before.
    times
        There are so many times the usual number of files.
    """
    assert rolls.rows is not None
    (number, dice), random = rolls.rows.shape, np.random.default_rng(SEED_OF_FILES)
    shape = times * min(FILES, CELLS // (number * dice)), dice, number
    fresh = random.choice(len(rolls.faces), p=[float(p) for p in rolls.chances], size=shape)
    last = np.where(random.random(shape) < copied, 0, np.arange(number))
    shown = np.take_along_axis(fresh, np.maximum.accumulate(last, axis=2), axis=2)
    faces, dies = len(rolls.faces), np.arange(shape[0] * dice).reshape(-1, dice, 1)
    counts = np.bincount((dies * faces + shown).ravel(), minlength=dies.size * faces).reshape(-1, dice, faces)
    two, three = (counts.astype(float) ** 2).sum(axis=2), (counts.astype(float) ** 3).sum(axis=2)
    variance = (two * (two + number * (number + 1)) - 2 * number * three - number**3) / (number**2 * (number - 1))
    apart = (shown[:, :, 1:] == shown[:, :, :-1]).sum(axis=(1, 2)) - (two / number - 1).sum(axis=1)
    return np.asarray(apart / np.sqrt(np.maximum(variance.sum(axis=1), 1e-9)))


def cells_of_pairs(rolls: Rolls) -> int:
    """Return the number of cells in the tables of all pairs of dice."""
    return rolls.dice * (rolls.dice - 1) // 2 * len(rolls.faces) ** 2


def noticeable_pairs(rolls: Rolls, tests: int) -> float | None:
    """Return the share of rolls in which two of the dice show the same that is noticed four times out of five.

    One of the two sometimes copies the other. The power of the test of pairs is simulated, always with the same random
    numbers. None where not even dice that always show the same are noticed, and where the tables are too large.
    """
    if rolls.rows is None or rolls.dice < 2 or cells_of_pairs(rolls) > MOST_CELLS:
        return None
    number, fair = len(rolls.rows), np.array([float(p) for p in rolls.chances])
    faces, pairs = len(fair), rolls.dice * (rolls.dice - 1) // 2
    files, apart = min(FILES, CELLS // (pairs * faces**2)), np.outer(fair, fair)
    random = np.random.default_rng(SEED_OF_FILES)
    others = sum((_squares(random, apart, number, files) for _ in range(pairs - 1)), np.zeros(files))

    def squares(copied: float) -> Floats:
        law = copied * np.diag(fair) + (1 - copied) * apart
        return others + _squares(np.random.default_rng(SEED_OF_FILES + 1), law, number, files)

    level, many = LEVEL / tests, number * float(fair.min()) ** 2 >= LIMITS.in_table
    limit = stats.chi2.isf(level, pairs * (faces - 1) ** 2) if many else np.quantile(squares(0.0), 1 - level)

    def noticed(copied: float) -> float:
        return float((squares(copied) > limit).mean()) - POWER

    if noticed(1.0) < 0:
        return None
    copied = float(optimize.brentq(noticed, 0.0, 1.0, xtol=1e-4))
    return copied + (1 - copied) * same(rolls)


def _squares(random: np.random.Generator, law: Floats, number: int, files: int) -> Floats:
    """Return the chi-square statistics of the tables of pairs in so many files of rolls."""
    tables = random.multinomial(number, law.ravel() / law.sum(), size=files).reshape(files, *law.shape)
    expected = tables.sum(axis=2)[:, :, None] * tables.sum(axis=1)[:, None, :] / number
    squares: Floats = np.divide((tables - expected) ** 2, expected, out=np.zeros(expected.shape), where=expected > 0)
    return np.asarray(squares.sum(axis=(1, 2)))
