"""When a sample is too far from what is known: exact tests that share one chance of failing although all is right."""

from __future__ import annotations

from itertools import count
from math import sqrt

from scipy.stats import binomtest, chi2, norm

FAILURE_BUDGET = 1e-6
COMPARISONS = 1000
"""No more comparisons than this are made; see `significant`."""
SEED = 1654  # Pascal writes to Fermat

compared = count(1)


def significant(p):
    """Is a p-value too small to be chance, given that it is one of `COMPARISONS`?"""
    assert next(compared) <= COMPARISONS
    return p < FAILURE_BUDGET / COMPARISONS


def share_differs(k, n, probability):
    """Is `k` of `n` far from a known probability? Exact, both sides."""
    return significant(binomtest(k, n, float(probability)).pvalue)


def mean_differs(histogram, mean, variance):
    """Is the mean of a histogram far from a known mean, its variance being known too?"""
    games = sum(histogram.values())
    total = sum(value * n for value, n in histogram.items())
    return sum_differs(total - games * float(mean), games * float(variance))


def sum_differs(excess, variance):
    """Is a sum of many terms far from what is expected of it?"""
    return significant(2 * norm.sf(abs(excess) / sqrt(variance)))


def distribution_differs(observed, probabilities, least=50):
    """Is a histogram far from known probabilities? Values expected less than `least` times are taken together."""
    n = sum(observed.values())
    if not set(observed) <= {value for value, p in probabilities.items() if p > 0}:
        return True
    cells = sorted((n * float(p), observed[value]) for value, p in probabilities.items())
    table = [[0.0, 0]]
    for expected, seen in cells:
        if table[-1][0] >= least:
            table.append([0.0, 0])
        table[-1][0] += expected
        table[-1][1] += seen
    square = sum((seen - expected) ** 2 / expected for expected, seen in table)
    return significant(chi2.sf(square, len(table) - 1))
