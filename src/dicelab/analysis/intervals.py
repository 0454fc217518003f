"""Intervals around what a simulation estimates.

Proportions: Wilson's score interval (E. B. Wilson, JASA 22, 1927), which stays in 0..1 and is right near its ends.
Means: the normal interval with the exact standard deviation of the games played.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, sqrt
from statistics import NormalDist

LEVEL = 0.95


def z_of(level: float = LEVEL) -> float:
    """Half-width of the central `level` of a normal distribution, in standard deviations.

    >>> round(z_of(0.95), 6)
    1.959964
    """
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(count: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval for a proportion of `count` in `n`.

    >>> low, high = wilson(50, 100)
    >>> round(low, 4), round(high, 4)
    (0.4038, 0.5962)
    """
    if n == 0:
        return 0.0, 1.0
    z = z_of(level)
    p = count / n
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if count == 0 else max(0.0, center - half)
    return low, 1.0 if count == n else min(1.0, center + half)


def moments(histogram: Mapping[int, int]) -> tuple[float, float]:
    """Mean and standard deviation (divisor n - 1) of a histogram, from exact integer sums."""
    n = sum(histogram.values())
    total = sum(value * count for value, count in histogram.items())
    squares = sum(value * value * count for value, count in histogram.items())
    if n < 2:
        return (float(total) if n else 0.0), 0.0
    return total / n, sqrt((n * squares - total * total) / (n * (n - 1)))


def mean_interval(mean: float, sd: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Normal interval for a mean."""
    half = z_of(level) * sd / sqrt(n) if n else float("inf")
    return mean - half, mean + half


def percentile(histogram: Mapping[int, int], p: float) -> int:
    """Smallest value t with a share of at least `p` at or below it.

    >>> percentile({1: 5, 2: 4, 10: 1}, 0.9)
    2
    """
    return at_rank(histogram, max(1, ceil(p * sum(histogram.values()) - 1e-9)))


def percentile_interval(histogram: Mapping[int, int], p: float, level: float = LEVEL) -> tuple[int, int]:
    """Interval for a percentile, from the order statistics: it holds for any distribution.

    The number of games at or below the true percentile is binomial with probability `p` at least; the interval goes
    from the value at its lower quantile to the value after its upper one (W. J. Conover, *Practical Nonparametric
    Statistics*, 3rd edition, section 3.2). The quantiles are those of the normal distribution, half a game wider.

    >>> percentile_interval(dict.fromkeys(range(1, 101), 1), 0.5)
    (40, 61)
    """
    n = sum(histogram.values())
    half = z_of(level) * sqrt(n * p * (1 - p)) + 0.5
    low, high = max(1, floor(n * p - half) + 1), min(n, ceil(n * p + half))
    return at_rank(histogram, low), at_rank(histogram, high)


def at_rank(histogram: Mapping[int, int], rank: int) -> int:
    """The value that is number `rank`, counted from 1, when all are sorted."""
    seen = 0
    for value in sorted(histogram):
        seen += histogram[value]
        if seen >= rank:
            return value
    raise ValueError("a percentile of no games")
