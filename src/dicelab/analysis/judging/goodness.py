"""p-values: how probable is a sample at least this far from what the rules say, if it was played by these rules?

Every p-value is exact, or from the usual approximation where that is good. With several tests the p-values are adjusted
by Holm's method (S. Holm, Scand. J. Statist. 6, 1979, p. 65-70), which holds however the tests depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil, comb, floor, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln, xlogy

LEAST_EXPECTED = 10.0
"""Games expected in each cell of a chi-square test; cells with fewer are pooled."""
MOST_TABLES = 100_000
"""Limit of the tables of counts that an exact multinomial test compares."""
MOST_TOTALS = 1 << 20
"""Limit of the totals of a tally whose distribution is computed exactly."""
SMALLEST = 1e-9
"""Smallest p-value that is given for a total: the transform has rounding errors."""
POWER = 0.8
"""Probability with which a difference that is called noticeable is noticed."""

Numbers = NDArray[np.float64]


def pooled(expected: Sequence[float], *, adjacent: bool, least: float = LEAST_EXPECTED) -> list[list[int]]:
    """Groups of cells, by number, with at least `least` games expected in each; one group if there are too few.

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
    bars = np.array(list(combinations(range(games + cells - 1), cells - 1)), np.int64)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, games + cells - 1)))
    tables = np.vstack([np.diff(edges, axis=1) - 1, [list(observed)]])
    logs = gammaln(games + 1) + (xlogy(tables, weights) - gammaln(tables + 1)).sum(axis=1)
    return "exact multinomial", square, min(1.0, float(np.exp(logs[:-1][logs[:-1] <= logs[-1] + 1e-9]).sum()))


def total_p(low: float, high: float, games: int, values: NDArray[np.int64], chances: Numbers) -> float | None:
    """Test the total of a tally over all games, known to lie from `low` to `high`, against its exact distribution.

    The distribution of the total is computed by a discrete Fourier transform.

    Returns
    -------
    float or None
        Twice the smaller tail, from `SMALLEST` to 1; None where the total has too many possible values.

    Examples
    --------
    >>> round(total_p(2, 2, 2, np.array([1, 2]), np.array([0.5, 0.5])), 12)
    0.5
    """
    start = int(values[0])
    step = max(1, int(np.gcd.reduce(values - start)))
    places = (int(values[-1]) - start) // step
    if games * places >= MOST_TOTALS:
        return None
    size = 1 << (games * places).bit_length()
    once = np.zeros(size)
    once[(values - start) // step] = chances / chances.sum()
    running = np.cumsum(np.maximum(0.0, np.fft.irfft(np.fft.rfft(once) ** games, size)))
    first, last = ((total - games * start) / step for total in (low, high))

    def up_to(place: float) -> float:
        return 0.0 if place < 0 else float(running[min(size - 1, floor(place))])

    below, above = up_to(last + 1e-6), 1.0 - up_to(ceil(first - 1e-6) - 1)
    return min(1.0, max(SMALLEST, 2 * min(below, above)))


def holm(p: Sequence[float]) -> list[float]:
    """p-values adjusted for their number; the smallest is the joint p-value.

    >>> holm([0.01, 0.5, 0.04])
    [0.03, 0.5, 0.08]
    """
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=lambda place: p[place])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = largest
    return adjusted


def noticeable(sd: float, games: int, tests: int) -> float:
    """Smallest difference of a mean that one of several tests notices, at level 0.05, with probability `POWER`.

    >>> round(noticeable(0.5, 2000, 1), 4)
    0.0313
    """
    return float(stats.norm.isf(0.025 / tests) + stats.norm.ppf(POWER)) * sd / sqrt(games)
