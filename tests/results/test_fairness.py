"""Measures of fairness: what they are, and laws that hold for any chances."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dicelab
from dicelab.results.numbers.estimates import MEASURES, fairness

chances = (
    st.lists(st.integers(0, 10**6), min_size=1, max_size=8)
    .filter(any)
    .map(lambda shares: [n / sum(shares) for n in shares])
)


def test_by_hand():
    found = fairness([0.5, 0.3, 0.2])
    assert list(found) == list(MEASURES)
    assert found["gap"] == pytest.approx(0.3)
    assert found["total_variation"] == pytest.approx(1 / 6)
    assert found["ratio"] == pytest.approx(2.5)


@pytest.mark.parametrize("seats", [1, 2, 3, 7, 50])
def test_equal_shares_are_fair(seats):
    assert fairness([1 / seats] * seats) == pytest.approx({"gap": 0, "total_variation": 0, "ratio": 1})


def test_one_seat_that_always_wins():
    assert fairness([1.0, 0.0]) == {"gap": 1.0, "total_variation": 0.5, "ratio": inf}
    assert fairness([0.0, 0.0])["ratio"] == 1.0


@pytest.mark.slow
@given(chances, st.randoms(use_true_random=False))
def test_the_order_of_the_seats_does_not_matter(shares, random):
    other = list(shares)
    random.shuffle(other)
    assert fairness(other) == pytest.approx(fairness(shares))


@given(chances)
def test_the_measures_stay_in_their_ranges(shares):
    found = fairness(shares)
    assert 0 <= found["gap"] <= 1
    assert 0 <= found["total_variation"] <= 1 - 1 / len(shares) + 1e-12
    assert found["ratio"] >= 1
    assert found["total_variation"] <= found["gap"] * len(shares) / 4 + 1e-12
    assert found["gap"] <= 2 * found["total_variation"] + 1e-12
    assert (found["gap"] == 0) == (found["ratio"] == 1)


@given(chances, st.floats(0, 1))
def test_chances_nearer_to_equal_shares_are_fairer(shares, by):
    assume(len(shares) > 1)
    fair = 1 / len(shares)
    nearer = [by * fair + (1 - by) * p for p in shares]
    one, other = fairness(shares), fairness(nearer)
    assert other["gap"] == pytest.approx((1 - by) * one["gap"], abs=1e-12)
    assert other["total_variation"] == pytest.approx((1 - by) * one["total_variation"], abs=1e-12)
    assert other["ratio"] <= one["ratio"] * (1 + 1e-9)


@given(chances, chances)
def test_distance_from_equal_shares_is_the_largest_advantage_of_any_group_of_seats(shares, others):
    best = sum(max(0.0, p - 1 / len(shares)) for p in shares)
    assert fairness(shares)["total_variation"] == pytest.approx(best, abs=1e-12)


def test_the_fairness_of_lcr():
    """With more players largest and smallest draw together, while the distance from equal shares does not vanish."""
    exact = {players: dicelab.exact("lcr", players=players, coins=2, dice=2) for players in (2, 3, 4)}
    assert exact[2].fairness["gap"] > 0
    for result in exact.values():
        found = [p.probability for p in result.outcomes.values()]
        assert result.fairness == fairness(found)
        assert result.fairness["gap"] == max(found) - min(found)
    played = dicelab.simulate("lcr", players=3, coins=2, dice=2, games=2000, seed=9)
    assert played.fairness["gap"] == pytest.approx(exact[3].fairness["gap"], abs=0.1)


def test_games_that_seats_do_not_win_have_no_fairness():
    assert dicelab.exact("hazard").fairness == {}
    assert "fairness" not in dicelab.exact("hazard").to_dict()


def test_a_ratio_without_end_is_null_in_json():
    result = dicelab.exact("tossup", ["one_roll", "bank_over:50"], dice=1, target=2, red=0, yellow=0, green=1)
    assert result.fairness["ratio"] == inf
    assert result.to_dict()["fairness"]["ratio"] is None
    assert '"ratio": null' in result.to_json()


def test_the_seats_are_compared_where_all_play_the_same():
    """Of different strategies a difference says nothing about the seats."""
    same, different = (
        str(dicelab.simulate("tossup", strategies, target=5, games=20, seed=1, engine="reference"))
        for strategies in (["one_roll"], ["one_roll", "bank_over"])
    )
    assert "fairness:" in same
    assert "fairness:" not in different
