"""p-values: how probable is a sample at least this far from what the rules say, if it was played by these rules?

Every p-value is exact, or from the usual approximation where that is good. With several tests the p-values are adjusted
by Holm's method (S. Holm, Scand. J. Statist. 6, 1979, p. 65-70), which holds however the tests depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import ceil, comb, exp, floor, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import gammaln, xlogy

from dicelab.questions.judging.sample import Mean
from dicelab.results.numbers.estimates import Distribution
from dicelab.runtime.arrays import Floats

LEAST_EXPECTED = 10.0
"""Games expected in each cell of a chi-square test; cells with fewer are pooled."""
MOST_TABLES = 100_000
"""Limit of the tables of counts that an exact multinomial test compares."""
MOST_TOTALS = 1 << 20
"""Limit of the totals of a tally whose distribution is computed exactly."""
SMALLEST = 1e-9
"""Smallest p-value that is given for a total: the transform has rounding errors."""


def pooled(expected: Sequence[float], *, adjacent: bool, least: float = LEAST_EXPECTED) -> list[list[int]]:
    """Return groups of cells, by number, with at least `least` games expected in each; one group if there are too few.

    Parameters
    ----------
    expected
        Games expected in each cell.
    adjacent
        Whether only neighbours may be pooled, as for the values of a tally; otherwise the smallest cells are.

    Examples
    --------
    >>> pooled([3, 20, 8, 30], adjacent=False)
    [[0, 2], [1], [3]]
    >>> pooled([3, 20, 8, 30], adjacent=True)
    [[0, 1], [2, 3]]
    """
    order = range(len(expected)) if adjacent else sorted(range(len(expected)), key=lambda cell: expected[cell])
    groups, total = [list[int]()], 0.0
    for cell in order:
        if total >= least:
            groups.append([])
            total = 0.0
        groups[-1].append(cell)
        total += expected[cell]
    if total < least and len(groups) > 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def counts_p(observed: Sequence[int], chances: Sequence[float]) -> tuple[str, float, float]:
    """Test counts against probabilities: the name of the test, the chi-square statistic, and the p-value.

    The test is exact (multinomial; for two cells binomial) where there are at most `MOST_TABLES` tables of counts, and
    otherwise chi-square. The exact p-value is the probability of all tables that are no more probable than this one.

    >>> counts_p([9, 1], [0.5, 0.5])[2] == 22 / 1024
    True
    >>> name, _, p = counts_p([2, 2, 0], [1 / 3, 1 / 3, 1 / 3])
    >>> name, round(p, 6)
    ('exact multinomial', 0.555556)
    """
    games, cells = sum(observed), len(observed)
    weights = np.asarray(chances, np.float64) / sum(chances)
    expected = games * weights
    square = float(((np.asarray(observed) - expected) ** 2 / expected).sum())
    if cells == 2:
        return "exact binomial", square, float(stats.binomtest(observed[0], games, float(weights[0])).pvalue)
    if comb(games + cells - 1, cells - 1) > MOST_TABLES:
        return f"chi-square, {cells} cells", square, float(stats.chi2.sf(square, cells - 1))
    logs = logs_of(np.vstack([tables_of(games, cells), [list(observed)]]), games, weights)
    return "exact multinomial", square, min(1.0, float(np.exp(logs[:-1][logs[:-1] <= logs[-1] + 1e-9]).sum()))


def tables_of(games: int, cells: int) -> NDArray[np.int64]:
    """Return all tables of counts of so many games, a row for each."""
    bars = np.array(list(combinations(range(games + cells - 1), cells - 1)), np.int64)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, games + cells - 1)))
    return np.diff(edges, axis=1) - 1


def logs_of(tables: NDArray[np.int64], games: int, weights: Floats) -> Floats:
    """Return the logarithms of the multinomial probabilities of tables of counts."""
    logs: Floats = gammaln(games + 1) + (xlogy(tables, weights) - gammaln(tables + 1)).sum(axis=1)
    return logs


def total_p(low: float, high: float, games: int, values: NDArray[np.int64], chances: Floats) -> float | None:
    """Test the total of a tally over all games, known to lie from `low` to `high`, against its exact distribution.

    Returns
    -------
    float or None
        Twice the smaller tail, from `SMALLEST` to 1; None where the total has too many possible values.

    Examples
    --------
    >>> round(total_p(2, 2, 2, np.array([1, 2]), np.array([0.5, 0.5])), 12)
    0.5
    """
    running = totals(games, values, chances)
    if running is None:
        return None
    first, step, sums = running
    below = _at(sums, floor((high - first) / step + 1e-6))
    above = 1.0 - _at(sums, ceil((low - first) / step - 1e-6) - 1)
    return min(1.0, max(SMALLEST, 2 * min(below, above)))


def _at(sums: Floats, place: int) -> float:
    return 0.0 if place < 0 else float(sums[min(len(sums) - 1, place)])


def totals(games: int, values: NDArray[np.int64], chances: Floats) -> tuple[int, int, Floats] | None:
    """Return the distribution of the total of a tally over all games, by a discrete Fourier transform.

    Returns
    -------
    tuple of int, int and array, or None
        The smallest total, the step to the next, and the probability of a total up to each; None where the total has
        too many possible values.
    """
    start = int(values[0])
    step = max(1, int(np.gcd.reduce(values - start)))
    places = (int(values[-1]) - start) // step
    if games * places >= MOST_TOTALS:
        return None
    size = 1 << (games * places).bit_length()
    once = np.zeros(size)
    once[(values - start) // step] = chances / chances.sum()
    return games * start, step, np.cumsum(np.maximum(0.0, np.fft.irfft(np.fft.rfft(once) ** games, size)))


def deviation_p(
    low: float, high: float, games: int, values: NDArray[np.int64], chances: Floats
) -> tuple[str, float] | None:
    """Test the standard deviation of a tally, known to lie from `low` to `high`, against its exact distribution.

    The standard deviation is that of the games played, the root of the mean squared deviation. With two values it
    depends only on how many games had the second one, a binomial number; with more values the tables of counts are
    added up.

    Returns
    -------
    tuple of str and float, or None
        The name of the test, and twice the smaller tail, from `SMALLEST` to 1; None where a tally of three or more
        values has more than `MOST_TABLES` tables of counts.

    Examples
    --------
    >>> deviation_p(0.4, 0.4, 5, np.array([0, 1]), np.array([0.5, 0.5]))  # 1 or 4 games of 5
    ('exact binomial', 0.75)
    """
    slack = 1e-11 * float(np.abs(values).max())  # what the program may have lost by rounding
    low, high = low - slack, high + slack
    weights = chances / chances.sum()
    if len(values) == 2:
        name, step = "exact binomial", float(values[1] - values[0])
        below = _up_to(floor(_rarer(high / step, games)), games, float(weights[1]))
        above = 1.0 - _up_to(ceil(_rarer(low / step, games)) - 1, games, float(weights[1]))
    elif comb(games + len(values) - 1, len(values) - 1) > MOST_TABLES:
        return None
    else:
        name, tables = "exact multinomial", tables_of(games, len(values))
        probabilities, shares = np.exp(logs_of(tables, games, weights)), tables / games
        squares = (values - (shares @ values)[:, None]) ** 2
        deviations = np.sqrt((shares * squares).sum(axis=1))
        below, above = probabilities[deviations <= high].sum(), probabilities[deviations >= low].sum()
    return name, min(1.0, max(SMALLEST, 2 * float(min(below, above))))


def _rarer(sd: float, games: int) -> float:
    """Return the number of games with the rarer of two values, 0 and 1, that gives a standard deviation; half of them
    at most.
    """
    if sd <= 0:
        return 0.0 if sd == 0 else -1.0
    return games * 2 * sd**2 / (1 + sqrt(1 - 4 * sd**2)) if sd < 0.5 else games / 2 if sd == 0.5 else games


def _up_to(rarer: int, games: int, chance: float) -> float:
    """Return the probability that the rarer of two values comes up in at most `rarer` games."""
    if 2 * rarer >= games:
        return 1.0
    return float(stats.binom.cdf(rarer, games, chance) + stats.binom.sf(games - rarer - 1, games, chance))


def relative_variance(games: int, fourth: float) -> float:
    """Return the variance of the sample variance of so many games, divided by the square of its mean.

    Parameters
    ----------
    games
        At least 2.
    fourth
        The fourth central moment divided by the squared variance.
    """
    return (fourth - (games - 3) / (games - 1)) / games


def variance_bound(ratio: float, games: int, fourth: float) -> float:
    """Return an upper bound on the p-value of a sample variance that is `ratio` times the right one, for any
    distribution.

    Twice a bound on one tail: Cantelli's inequality; below, also the bound of A. Maurer (J. Inequal. Pure Appl. Math.
    4, 2003, 15) on means of nonnegative numbers, here half the squared differences of pairs of games.

    Examples
    --------
    >>> round(variance_bound(10.0, 100, 3.0), 6), round(variance_bound(0.01, 100, 3.0), 6)
    (0.000499, 0.000567)
    """
    relative, off = relative_variance(games, fourth), ratio - 1
    bound = relative / (relative + off**2)
    return min(1.0, 2 * (bound if off > 0 else min(bound, exp(-(games // 2) * off**2 / (fourth + 3)))))


def holm(p: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for their number; the smallest is the joint p-value.

    >>> holm([0.01, 0.5, 0.04])
    [0.03, 0.5, 0.08]
    """
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=lambda place: p[place])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = largest
    return adjusted


# The power of tests: the smallest difference that so many games, or rolls, show four times out of five ----------------


POWER = 0.8
"""Probability with which a difference that is called noticeable is noticed."""
LEVEL = 0.05
"""Level of all tests together, for which their power is given."""
FILES = 10_000
"""Samples simulated for each probability that is tried, at most."""
CELLS = 1_000_000
"""Limit of the counts in all samples together: with many cells there are fewer samples."""
SEED = 80
"""Seed of the samples: the same question has the same answer."""

Chance = Callable[[float], float]


def noticeable_mean(tally: Distribution, mean: Mean, games: int, tests: int) -> float:
    """Smallest difference of the mean of a tally, up or down, that one of several tests, at level 0.05 together,
    notices with probability `POWER`: if each game had so much more, or less.

    From the distribution of the total of all games, or where it has too many values the normal one, as the test itself.
    """
    level, spread = LEVEL / tests, tally.spread
    if tally.sd == 0:
        return 0.0
    running = None if spread is None else totals(games, spread.values, spread.chances)
    if running is None:
        sd = tally.sd if isfinite(tally.sd) else mean.sd or 0.0
        return float(stats.norm.isf(level / 2) + stats.norm.ppf(POWER)) * sd / sqrt(games) + mean.half
    _, step, sums = running
    up, down = 1 - np.append(0.0, sums[:-1]), sums  # a total at least, and at most, as large as at each place
    over = int((up >= level / 2).sum()) - (int((up >= POWER).sum()) - 1)
    under = int((down >= POWER).argmax()) - (int((down >= level / 2).argmax()) - 1)
    return max(over, under) * step / games + mean.half


def noticeable_chance(chances: Sequence[float], at: int, games: int, tests: int, *, fall: bool = False) -> float | None:
    """Return the probability of a cell that one of several tests, that of the counts, notices with probability `POWER`.

    The other cells keep their proportions. The power is exact where the test is; otherwise it is simulated, always with
    the same random numbers.

    Parameters
    ----------
    chances
        The probability of each cell by the rules; none is 0.
    at
        The cell.
    games
        Number of games.
    tests
        Number of tests that share the level of 0.05.
    fall
        Whether the cell is less probable than by the rules; otherwise it is more probable.

    Returns
    -------
    float or None
        None where not even a cell that always (with `fall`, never) comes up is noticed.

    Examples
    --------
    >>> round(noticeable_chance([0.5, 0.5], 0, 100, 1), 3)
    0.645
    """
    weights = np.asarray(chances, np.float64) / sum(chances)
    start, end, level = float(weights[at]), float(not fall), LEVEL / tests
    if len(weights) == 2:
        noticed = _binomial(games, start, level)
    else:
        of_all = _multinomial if comb(games + len(weights) - 1, len(weights) - 1) <= MOST_TABLES else _simulated
        power = of_all(games, weights, level)

        def noticed(chance: float) -> float:
            others = weights * (1 - chance) / (1 - start)
            others[at] = chance
            return power(others)

    if noticed(end) < POWER:
        return None
    return float(optimize.brentq(lambda chance: noticed(chance) - POWER, start, end, xtol=1e-5))


def noticeable_difference(chances: Sequence[float], games: int, tests: int) -> float:
    """Smallest difference of the probability of an outcome, up or down, that the test of the counts notices with
    probability `POWER`.

    It is that of the outcome whose probability is closest to 1/2, which is the largest. 0 where there is one outcome
    only, or too few games to notice any.

    >>> round(noticeable_difference([0.5, 0.5], 100, 1), 3)
    0.145
    """
    if len(chances) == 1:
        return 0.0
    at = min(range(len(chances)), key=lambda cell: abs(chances[cell] - 0.5))
    up, down = (noticeable_chance(chances, at, games, tests, fall=fall) for fall in (False, True))
    if up is None and down is None:
        return 0.0
    return max((1.0 if up is None else up) - chances[at], chances[at] - (down or 0.0))


def _binomial(games: int, chance: float, level: float) -> Chance:
    """Return the power of the exact binomial test, as a function of the true probability."""

    def kept(count: int) -> bool:
        return 0 <= count <= games and stats.binomtest(count, games, chance).pvalue >= level

    low = high = min(games, floor((games + 1) * chance))  # the most probable count; p-values fall on both sides of it
    for bit in reversed(range(games.bit_length())):
        low -= kept(low - (1 << bit)) << bit
        high += kept(high + (1 << bit)) << bit
    return lambda true: float(stats.binom.cdf(low - 1, games, true) + stats.binom.sf(high, games, true))


def _multinomial(games: int, weights: Floats, level: float) -> Callable[[Floats], float]:
    """Return the power of the exact multinomial test, as a function of the true probabilities."""
    tables = tables_of(games, len(weights))
    logs = logs_of(tables, games, weights)
    rising = np.sort(logs)
    p = np.cumsum(np.exp(rising))[np.searchsorted(rising, logs + 1e-9, side="right") - 1]
    noticed = tables[p < level]
    return lambda true: float(np.exp(logs_of(noticed, games, true)).sum())


def _simulated(games: int, weights: Floats, level: float) -> Callable[[Floats], float]:
    """Return the power of the chi-square test, as a function of the true probabilities, by simulation.

    With few games in a cell the test compares the statistic with that of simulated samples, and so is its limit.
    """
    expected, samples = games * weights, min(FILES, CELLS // len(weights))

    def squares(true: Floats) -> Floats:
        counts: NDArray[np.int64] = np.random.default_rng(SEED).multinomial(games, true, size=samples)
        sums: Floats = ((counts - expected) ** 2 / expected).sum(axis=1)
        return sums

    few = expected.min() < LEAST_EXPECTED
    limit = np.quantile(squares(weights), 1 - level) if few else stats.chi2.isf(level, len(weights) - 1)
    return lambda true: float((squares(true) > limit).mean())
