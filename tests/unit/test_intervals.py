"""Intervals, means and percentiles against scipy and numpy."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from dicelab.analysis.intervals import mean_interval, moments, percentile, wilson, z_of

VALUES = [0, 0, 1, 1, 1, 2, 3, 5, 8, 8, 13, -4]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999999])
def test_z_is_the_quantile_of_the_normal_distribution(level):
    assert z_of(level) == pytest.approx(norm.ppf((1 + level) / 2), rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("count", "n"), [(1, 2), (50, 100), (3, 1000), (999, 1000), (17, 23), (123_456, 1_000_000)])
def test_wilson_is_that_of_scipy(count, n, level):
    expected = binomtest(count, n).proportion_ci(level, method="wilson")
    assert wilson(count, n, level) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_wilson_at_the_ends(n):
    low, high = wilson(0, n)
    assert low == 0
    assert high == pytest.approx(binomtest(0, n).proportion_ci(method="wilson").high)
    low, high = wilson(n, n)
    assert low == pytest.approx(binomtest(n, n).proportion_ci(method="wilson").low)
    assert high == 1


def test_nothing_is_known_before_the_first_game():
    assert wilson(0, 0) == (0, 1)
    assert moments({}) == (0, 0)
    assert mean_interval(0, 0, 0) == (-inf, inf)
    with pytest.raises(ValueError, match="no games"):
        percentile({}, 0.5)


def test_moments_are_those_of_numpy():
    assert moments(Counter(VALUES)) == pytest.approx((np.mean(VALUES), np.std(VALUES, ddof=1)))


def test_one_value_has_no_spread():
    assert moments({7: 1}) == (7, 0)
    assert moments({7: 1000}) == (7, 0)


def test_moments_do_not_cancel_far_from_zero():
    far = 10**15
    near = Counter(VALUES)
    mean, sd = moments({far + value: count for value, count in near.items()})
    assert mean == float(far + Fraction(sum(VALUES), len(VALUES)))
    assert sd == pytest.approx(moments(near)[1], rel=1e-12)


def test_moments_of_the_largest_tallies():
    mean, sd = moments({2**62: 10**12, -(2**62): 10**12})
    assert mean == 0
    assert sd == pytest.approx(2.0**62, rel=1e-9)


def test_the_interval_of_a_mean():
    mean, sd = moments(Counter(VALUES))
    low, high = mean_interval(mean, sd, len(VALUES))
    assert (low, high) == pytest.approx(norm.interval(0.95, mean, sd / sqrt(len(VALUES))))
    low, high = mean_interval(10, 2, 400, level=0.99)
    assert (low, high) == pytest.approx(norm.interval(0.99, 10, 0.1))


@pytest.mark.parametrize("p", [0.01, 0.1, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 0.99, 1])
@pytest.mark.parametrize("values", [VALUES, [5], [1, 2], list(range(1, 11)), list(range(1, 101))], ids=len)
def test_percentiles_are_those_of_numpy(values, p):
    assert percentile(Counter(values), p) == np.quantile(values, p, method="inverted_cdf")


def test_a_percentile_is_the_smallest_value_that_reaches_the_share():
    histogram = {1: 5, 2: 4, 10: 1}
    assert [percentile(histogram, p) for p in (0.1, 0.5, 0.51, 0.9, 0.91, 1)] == [1, 1, 2, 2, 10, 10]


@pytest.mark.parametrize("p", [0.07, 0.14, 0.28, 0.55, 0.56, 0.57, 0.58])
def test_a_share_reached_exactly_is_reached(p):
    share = round(100 * p)
    assert 100 * p != share, "chosen so that rounding errors matter"
    assert percentile({1: share, 2: 100 - share}, p) == 1
    assert percentile({1: share - 1, 2: 101 - share}, p) == 2


def test_percentiles_of_very_many_games():
    histogram = {1: 3 * 10**11, 2: 10**12 - 3 * 10**11}
    assert [percentile(histogram, p) for p in (0.3, 0.300001)] == [1, 2]
