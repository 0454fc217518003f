"""The power of tests: the smallest difference that so many games, or rolls, show four times out of five."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, floor, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from dicelab.questions.judging.goodness import LEAST_EXPECTED, MOST_TABLES, logs_of, tables_of, totals
from dicelab.questions.judging.sample import Mean
from dicelab.results.numbers.estimates import Distribution
from dicelab.runtime.arrays import Floats

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
        found: Floats = ((counts - expected) ** 2 / expected).sum(axis=1)
        return found

    few = expected.min() < LEAST_EXPECTED
    limit = np.quantile(squares(weights), 1 - level) if few else stats.chi2.isf(level, len(weights) - 1)
    return lambda true: float((squares(true) > limit).mean())
