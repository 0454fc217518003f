"""Estimates beside exact numbers: the same questions have the same names, and the intervals hold what they promise."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import inf, isfinite, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import dicelab
from dicelab.results.numbers.estimates import Average, Chance, Distribution, Proportion, shown_fraction
from dicelab.results.numbers.intervals import at_rank, clopper_pearson, percentile, percentile_interval, ranks
from dicelab.solver.solution.distribution import Spread
from dicelab.solver.value import MOST_DIGITS

SPREAD = Spread(np.array([-3, 0, 4]), np.array([[0.25, 0.0], [0.0, 0.5], [0.125, 0.125]]), 0.0)
AVERAGE = Average(Counter({-3: 2, 0: 4, 4: 2}))
DISTRIBUTION = Distribution(0.25, 2.48746859276655, Fraction(1, 4), 1e-15, SPREAD)


def public(kind):
    names = {name for name in dir(kind) if not name.startswith("_")}
    return names | set(getattr(kind, "__dataclass_fields__", {}))


def finite(data):
    """Is everything in plain data plain, and every number a number?"""
    if isinstance(data, dict):
        return all(isinstance(key, str) for key in data) and all(map(finite, data.values()))
    if isinstance(data, list):
        return all(map(finite, data))
    return data is None or type(data) in (str, bool, int) or (type(data) is float and isfinite(data))


# The same names -------------------------------------------------------------------------------------------------------


def test_a_chance_answers_what_a_proportion_answers():
    assert public(Proportion) & public(Chance) >= {"probability", "interval", "to_dict"}
    assert public(Proportion) - public(Chance) == {"count", "games", "level"}
    assert public(Chance) - public(Proportion) == {"fraction", "error"}


def test_a_distribution_answers_what_an_average_answers():
    shared = {"mean", "sd", "interval", "probabilities", "percentile", "percentile_interval", "to_dict"}
    assert public(Average) & public(Distribution) >= shared
    assert public(Average) - public(Distribution) <= {"histogram", "games", "moments", "level", "bounds", "is_open"}
    for one, other in ((AVERAGE, DISTRIBUTION),):
        assert list(one.probabilities) == list(other.probabilities) == [-3, 0, 4]
        assert one.probabilities == other.probabilities == {-3: 0.25, 0: 0.5, 4: 0.25}
        for p in (0.1, 0.25, 0.26, 0.75, 0.76, 1.0):
            assert one.percentile(p) == other.percentile(p)
            low, high = one.percentile_interval(p)
            first, last = other.percentile_interval(p)
            assert low <= first == other.percentile(p) <= last <= high
            assert first == last or p in (0.25, 0.75, 1.0)  # a running sum itself: rounding might say either
    assert AVERAGE.mean == DISTRIBUTION.mean == 0.25


def test_what_is_not_known_leaves_an_interval():
    assert Chance(0.25, Fraction(1, 4)).interval == (0.25, 0.25)
    assert Chance(0.25, None, 0.125).interval == (0.125, 0.375)
    assert Chance(0.0, None, 0.125).interval == (0.0, 0.125)
    assert Chance(1.0, None, 0.125).interval == (0.875, 1.0)
    assert Distribution(3.0, 1.0, None, 0.5, None).interval == (2.5, 3.5)
    assert Proportion(30, 120).interval == clopper_pearson(30, 120)
    assert Proportion(0, 0).probability == 0
    assert Proportion(0, 0).interval == (0, 1)


def test_a_distribution_that_was_not_kept():
    one = Distribution(3.0, 1.0, Fraction(3), 0.0, None)
    assert (one.probabilities, one.left) == ({}, 1.0)
    assert (one.percentile(0.5), one.percentile_interval(0.5)) == (None, None)
    assert one.to_dict() == {"mean": 3.0, "sd": 1.0, "fraction": "3"}


# Plain data -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "one",
    [
        Proportion(3, 10),
        Proportion(0, 0),
        Chance(0.5, Fraction(1, 2)),
        Chance(1.0, None, 1e-9),
        AVERAGE,
        Average(Counter({7: 1})),
        Average(Counter()),
        Average(Counter({2**62: 10**12, -(2**62): 10**12})),
        DISTRIBUTION,
        Distribution(3.0, 1.0, None, 0.0, None),
    ],
    ids=map(str, range(10)),
)
def test_plain_data_is_json(one):
    data = one.to_dict()
    assert finite(data)
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.parametrize(
    ("game", "strategies", "given"),
    [
        ("hazard", (), {}),
        ("hazard-caster", (), {"losses": 1}),
        ("lcr", (), {"players": 2, "coins": 1}),
        ("pass-line", (), {"stake": 10**6}),
        ("tossup", ("bank_over:1",), {"dice": 2, "target": 3}),
    ],
)
@pytest.mark.parametrize("fractions", [True, False])
def test_an_exact_result_is_json(game, strategies, given, fractions):
    result = dicelab.exact(game, strategies, fractions=fractions, **given)
    data = result.to_dict()
    assert finite({**data, "exact": {**data["exact"], "error": float(data["exact"]["error"])}})
    assert json.loads(json.dumps(json.loads(result.to_json()), allow_nan=False)) == json.loads(result.to_json())
    assert all(("fraction" in p) <= fractions for p in data["outcomes"].values())
    assert data["exact"]["arithmetic"] == ("fractions" if fractions else "floats")


def test_both_kinds_of_results_have_outcomes_and_tallies_of_the_same_names():
    exact, played = (
        dicelab.exact("tossup", "one_roll", target=5),
        dicelab.simulate("tossup", "one_roll", target=5, games=50),
    )
    one, other = exact.to_dict(), played.to_dict()
    assert one.keys() ^ other.keys() == {"exact", "engine", "threads"}
    assert one["outcomes"].keys() == other["outcomes"].keys()
    assert one["tallies"].keys() == other["tallies"].keys()
    assert one["fairness"].keys() == other["fairness"].keys()
    for name in one["tallies"]:
        assert {"mean", "sd", "min", "percentiles"} <= one["tallies"][name].keys() & other["tallies"][name].keys()


def test_fractions_of_many_digits_are_not_shown():
    longest = Fraction(10**19, 10**19 + 1)
    assert len(str(longest)) == 41
    assert shown_fraction(longest) == {"fraction": str(longest)}
    assert shown_fraction(-longest) == {"fraction": str(-longest)}, "neither slash nor sign is a digit"
    assert shown_fraction(Fraction(10**20 + 1, 10**19)) == {}
    assert shown_fraction(Fraction(10 ** (MOST_DIGITS - 1))) == {"fraction": "1" + "0" * (MOST_DIGITS - 1)}
    assert shown_fraction(Fraction(10**MOST_DIGITS)) == {}
    assert shown_fraction(None) == {}
    assert shown_fraction(Fraction(0)) == {"fraction": "0"}
    assert "fraction" not in Chance(0.5, Fraction(10**30 + 1, 10**31)).to_dict()


# Percentiles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99])
def test_the_interval_of_a_percentile_is_no_wider_than_need_be(p):
    """Coverage itself is for `tests/statistical`: here each end is as near as 2.5 % on its side allow."""
    for n in [*range(1, 400, 7), 1000, 4321, 10**5, 10**9]:
        low, high = ranks(n, p)
        assert binom.cdf(low - 1, n, p) <= 0.025 < binom.cdf(low, n, p), n
        assert binom.sf(high - 1, n, p) <= 0.025 or high == n + 1, n
        assert binom.sf(high - 2, n, p) > 0.025, n


@given(st.dictionaries(st.integers(-50, 50), st.integers(1, 30), min_size=1), st.floats(0, 1))
def test_a_percentile_is_in_its_interval_and_finite_ends_are_values_that_occurred(histogram, p):
    low, high = percentile_interval(histogram, p)
    assert low <= percentile(histogram, p) <= high
    assert {end for end in (low, high) if isfinite(end)} <= set(histogram)


def test_the_interval_of_a_percentile_of_few_games():
    assert percentile_interval({5: 1}, 0.5) == (-inf, inf)
    assert percentile_interval({1: 5}, 0.5) == (-inf, inf)
    assert percentile_interval({1: 3, 9: 3}, 0.5) == (1, 9)
    assert percentile_interval({1: 4, 9: 1}, 0.9) == (1, inf)
    assert percentile_interval({1: 1, 9: 4}, 0.1) == (-inf, 9)
    assert percentile_interval({1: 10**9, 2: 1}, 0.5) == (1, 1)
    assert percentile_interval({1: 3, 9: 3}, 1.0) == (9, inf), "there may be more"


def test_ranks_count_from_one():
    histogram = {3: 2, -1: 1, 10: 1}
    assert [at_rank(histogram, rank) for rank in (1, 2, 3, 4)] == [-1, 3, 3, 10]
    with pytest.raises(ValueError, match="no games"):
        at_rank({}, 1)


def test_an_average_of_no_and_of_one_game():
    assert Average(Counter()).to_dict() == {}
    assert Average(Counter()).interval == (-inf, inf)
    one = Average(Counter({7: 1}))
    assert (one.mean, one.sd, one.games) == (7, 0, 1)
    assert one.to_dict()["percentile_intervals"] == {"p10": [None] * 2, "p50": [None] * 2, "p90": [None] * 2}


def test_exact_percentiles_rise():
    tally = dicelab.exact("lcr", players=3).tallies["turns"]
    found = [tally.percentile(p / 100) for p in range(1, 101)]
    assert all(a <= b for a, b in pairwise(found))
    running = 0.0
    for value, p in tally.probabilities.items():
        if running < 0.9 <= running + p:
            assert tally.percentile(0.9) == value
        running += p


def test_the_deviation_of_an_average_is_that_of_a_sample():
    assert AVERAGE.sd == pytest.approx(sqrt(sum(n * (v - 0.25) ** 2 for v, n in AVERAGE.histogram.items()) / 7))
