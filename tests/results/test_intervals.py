"""Intervals, means and percentiles against scipy and numpy."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest
from scipy.stats import beta, binom, norm, skew
from scipy.stats import t as student

from dicelab.results.numbers.intervals import (
    at_least,
    clopper_pearson,
    largest_by_chance,
    lattice_step,
    mean_interval,
    moments,
    percentile,
    skewness,
    z_of,
)

VALUES = [0, 0, 1, 1, 1, 2, 3, 5, 8, 8, 13, -4]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999999])
def test_z_is_the_quantile_of_the_normal_distribution(level):
    assert z_of(level) == pytest.approx(norm.ppf((1 + level) / 2), rel=1e-9)


COUNTS = [(1, 2), (50, 100), (3, 1000), (999, 1000), (17, 23), (123_456, 1_000_000), (4, 10**9), (3 * 10**11, 10**12)]


@pytest.mark.cases("level", [0.8, 0.95, 0.999])
@pytest.mark.cases(("count", "n"), COUNTS)
def test_intervals_of_proportions_are_those_of_scipy(count, n, level):
    miss = (1 - level) / 2
    expected = beta.ppf(miss, count, n - count + 1), beta.isf(miss, count + 1, n - count)
    assert clopper_pearson(count, n, level) == pytest.approx(expected, rel=3e-8)


@pytest.mark.parametrize("n", [1, 7, 1000, 10**12])
def test_intervals_of_proportions_at_the_ends(n):
    low, high = clopper_pearson(0, n)
    assert low == 0
    assert high == pytest.approx(-np.expm1(np.log(0.025) / n), rel=1e-12)
    assert clopper_pearson(n, n) == (pytest.approx(1 - high, rel=1e-12), 1)


@pytest.mark.cases("n", [1, 2, 10, 1000, 10**6, 10**12])
@pytest.mark.cases("p", [0.003, 0.1, 0.5, 0.9, 0.999])
def test_tails_of_binomial_distributions_are_those_of_scipy(n, p):
    for away in (-3, -2, -1, 0, 1, 2, 3):
        k = round(n * p + away * sqrt(n * p * (1 - p)))
        assert at_least(k, n, p) == pytest.approx(binom.sf(k - 1, n, p), rel=3e-8, abs=1e-15)


def test_tails_of_sure_things():
    assert [at_least(k, 5, 1.0) for k in (0, 5, 6)] == [1, 1, 0]
    assert [at_least(k, 5, 0.0) for k in (0, 1, 5)] == [1, 0, 0]


def test_nothing_is_known_before_the_first_game():
    assert clopper_pearson(0, 0) == (0, 1)
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


def test_skewness_and_steps_are_those_of_scipy_and_numpy():
    assert skewness(Counter(VALUES)) == pytest.approx(skew(VALUES))
    assert skewness({10**15 + value: count for value, count in Counter(VALUES).items()}) == pytest.approx(skew(VALUES))
    assert (skewness({}), skewness({7: 3})) == (0, 0)
    assert [lattice_step(values) for values in ([], [5], [3, 8, 18], [-1, 35], VALUES)] == [0, 0, 5, 36, 1]


def test_the_interval_of_a_mean_is_nearly_the_normal_one():
    for level in (0.9, 0.95, 0.99):
        low, high = mean_interval(10, 2, 10_000, level)
        assert (low, high) == pytest.approx(norm.interval(level, 10, 0.02), rel=1e-6)
        assert high - low > 2 * norm.interval(level, 0, 0.02)[1]


def test_without_skewness_it_is_that_of_student():
    for n in (30, 100, 1000):
        low, high = mean_interval(10, 2, n)
        assert (low, high) == pytest.approx(student.interval(0.95, n - 1, 10, 2 / sqrt(n)), rel=1e-2 / n)


def test_an_end_is_open_where_the_sample_is_too_small_for_its_skewness():
    assert mean_interval(10, 2, 18) == (-inf, inf)
    assert inf not in mean_interval(10, 2, 19)
    assert mean_interval(10, 0, 10**6) == (-inf, inf), "nothing varies yet"
    low, high = mean_interval(10, 2, 100, skew=3)
    assert (-low < 0, high) == (True, inf)
    assert mean_interval(-10, 2, 100, skew=-3) == (-inf, -low)
    assert inf not in mean_interval(10, 2, 1000, skew=3)


def test_bounds_close_an_end():
    """Hoeffding's bound holds for any distribution; of two values it is a little wider than the exact interval."""
    for count in (0, 1, 10, 39, 40):
        low, high = mean_interval(count / 40, (count / 40 * (1 - count / 40)) ** 0.5, 15, bounds=(0, 1))
        exact = clopper_pearson(round(count / 40 * 15), 15) if count in (0, 40) else (low, high)
        assert 0 <= low <= count / 40 <= high <= 1
        assert (low, high) == pytest.approx(exact)
    low, high = mean_interval(0.3, 0.1, 10, bounds=(0, 1))
    for end in (low, high):
        assert 10 * (0.3 * np.log(0.3 / end) + 0.7 * np.log(0.7 / (1 - end))) == pytest.approx(np.log(40))
    assert mean_interval(3, 0.8, 10, bounds=(-10, 10)) == pytest.approx(
        tuple(10 * end for end in mean_interval(0.3, 0.08, 10, bounds=(-1, 1)))
    )
    assert mean_interval(5, 0, 10, bounds=(5, 5)) == (5, 5)
    assert mean_interval(5, 0, 10, bounds=(0, inf)) == (0, inf)
    assert mean_interval(0.1, 8, 10_000, bounds=(0, 1))[0] == 0


@pytest.mark.slow_cases("1000")
@pytest.mark.parametrize("scores", [1, 12, 1000])
def test_the_largest_of_many_scores(scores):
    mean, most = largest_by_chance(scores)
    drawn = np.abs(np.random.default_rng(1).standard_normal((20_000, scores))).max(axis=1)
    assert mean == pytest.approx(drawn.mean(), rel=0.02)
    assert norm.cdf(most, 0, 1) * 2 - 1 == pytest.approx(0.95 ** (1 / scores))


@pytest.mark.cases("p", [0.01, 0.1, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 0.99, 1])
@pytest.mark.cases("values", [VALUES, [5], [1, 2], list(range(1, 11)), list(range(1, 101))], ids=len)
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
