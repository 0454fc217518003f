"""Outcomes given a tally: groups, and what they add up to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.results.histogram import GROUPS
from dicelab.results.histogram import given as grouped
from dicelab.results.numbers.estimates import Chance, Proportion

COUNTS = [(2, [3, 1]), (3, [0, 4]), (7, [5, 0]), (8, [1, 1])]

joints = st.dictionaries(st.integers(-30, 60), st.tuples(*[st.integers(0, 50)] * 3), min_size=1).map(
    lambda table: [(value, list(row)) for value, row in sorted(table.items())]
)


def counted(joint):
    """What a simulation has: only values that occurred."""
    return [(value, row) for value, row in joint if any(row)]


def test_groups_of_a_width_begin_at_the_smallest_value():
    rows = grouped(COUNTS, ("a", "b"), 3, None)
    assert [(row.low, row.high, row.probability) for row in rows] == [(2, 3, 8 / 15), (7, 7, 5 / 15), (8, 8, 2 / 15)]
    assert [row.outcomes["a"] for row in rows] == [Proportion(3, 8), Proportion(5, 5), Proportion(1, 2)]
    assert [row.outcomes["b"] for row in rows] == [Proportion(5, 8), Proportion(0, 5), Proportion(1, 2)]


def test_a_width_of_one_takes_every_value_by_itself():
    rows = grouped(COUNTS, ("a", "b"), 1, None)
    assert [(row.low, row.high) for row in rows] == [(2, 2), (3, 3), (7, 7), (8, 8)]


def test_a_large_width_takes_all_together():
    (row,) = grouped(COUNTS, ("a", "b"), 1000, None)
    assert (row.low, row.high, row.probability) == (2, 8, 1.0)
    assert row.outcomes == {"a": Proportion(9, 15), "b": Proportion(6, 15)}


def test_chances_are_conditional_and_their_bound_grows():
    (rare, often) = grouped([(0, [0.001, 0.003]), (1, [0.4, 0.596])], ("a", "b"), 1, 1e-6)
    assert rare.outcomes["a"] == Chance(pytest.approx(0.25), None, pytest.approx(2e-6 / 0.004))
    assert often.outcomes["b"].error == pytest.approx(2e-6 / 0.996)
    (none,) = grouped([(0, [1e-9, 1e-9])], ("a", "b"), 1, 1e-6)
    assert none.outcomes["a"].error == 1.0
    assert none.outcomes["a"].interval == (0.0, 1.0)


@given(joints.filter(counted), st.none() | st.integers(1, 40))
def test_weights_add_up_and_give_the_marginals_back(joint, width):
    joint = counted(joint)
    names = ("a", "b", "c")
    total = sum(sum(row) for _, row in joint)
    rows = grouped(joint, names, width, None)
    assert sum(row.probability for row in rows) == pytest.approx(1)
    for k, name in enumerate(names):
        assert sum(row.outcomes[name].probability for row in rows) >= 0
        back = sum(row.probability * row.outcomes[name].probability for row in rows)
        assert back == pytest.approx(sum(weights[k] for _, weights in joint) / total)
        assert sum(row.outcomes[name].count for row in rows) == sum(weights[k] for _, weights in joint)
    for row in rows:
        assert sum(p.probability for p in row.outcomes.values()) == pytest.approx(1)
        inside = [value for value, _ in joint if row.low <= value <= row.high]
        assert (inside[0], inside[-1]) == (row.low, row.high)
        assert {p.games for p in row.outcomes.values()} == {round(row.probability * total)}
    assert sum(sum(row.low <= value <= row.high for row in rows) for value, _ in joint) == len(joint), "each in one"
    assert [row.low for row in rows] == sorted(row.low for row in rows)
    if width:
        assert all(row.high - row.low < width for row in rows)
        assert all((row.low - joint[0][0]) // width == (row.high - joint[0][0]) // width for row in rows)
    else:
        assert len(rows) <= min(GROUPS, len(joint))


@given(joints.filter(counted))
def test_groups_of_equal_weight_are_no_larger_than_a_share_and_one_value(joint):
    joint = counted(joint)
    total = sum(sum(row) for _, row in joint)
    largest = max(sum(row) for _, row in joint)
    for row in grouped(joint, ("a", "b", "c"), None, None):
        assert row.probability <= 1 / GROUPS + largest / total + 1e-12


def test_values_of_no_weight_make_no_group():
    assert grouped([(0, [0.0, 0.0]), (1, [0.5, 0.5])], ("a", "b"), 1, 0.0)[0].low == 1


def test_the_last_groups_are_one_where_they_hardly_weigh_anything():
    joint = [(0, [0.5, 0.5 - 3e-6]), (1, [2e-6, 0.0]), (2, [0.0, 5e-7]), (5, [3e-7, 0.0]), (9, [1e-8, 9e-8])]
    rows = grouped(joint, ("a", "b"), 1, 0.0)
    assert [(row.low, row.high) for row in rows] == [(0, 0), (1, 1), (2, 9)]
    assert rows[-1].probability == pytest.approx(9e-7, rel=1e-5)
    assert rows[-1].outcomes["a"].probability == pytest.approx(31 / 90)
    assert [(row.low, row.high) for row in grouped(joint[:3], ("a", "b"), 1, 0.0)] == [(0, 0), (1, 1), (2, 2)]


@pytest.mark.slow
def test_games_of_lcr_by_length():
    exact = dicelab.exact("lcr", players=3)
    for width in (None, 1, 3, 100):
        rows = exact.given("turns", width)
        assert sum(row.probability for row in rows) == pytest.approx(1)
        for seat, p in exact.outcomes.items():
            back = sum(row.probability * row.outcomes[seat].probability for row in rows)
            assert back == pytest.approx(p.probability, abs=1e-12)
    # The mover never wins on its own turn.
    for row in exact.given("turns", 1):
        assert row.outcomes[str((row.low - 1) % 3)].probability == 0 or row.low < row.high
    played = dicelab.simulate("lcr", players=3, games=4000, seed=3)
    joint = dict(played.joint("turns"))
    assert sum(map(sum, joint.values())) == 4000
    for row in played.given("turns", 1):
        assert row.outcomes["0"].games == sum(joint[row.low]) == played.tallies["turns"].histogram[row.low]
    json.dumps([row.to_dict() for row in (*played.given("turns"), *exact.given("turns"))], allow_nan=False)


@pytest.mark.parametrize("method", ["exact", "simulate"])
def test_what_can_not_be_given_is_refused(method):
    def answer(game):
        return dicelab.exact(game) if method == "exact" else dicelab.simulate(game, games=50, seed=1)

    result = answer("hazard")
    with pytest.raises(UnknownNameError, match="no tally of hazard 'throw'; did you mean 'throws'"):
        result.given("throw")
    for width in (0, -1):
        with pytest.raises(ParameterError, match="width"):
            result.given("throws", width)
    with pytest.raises(ParameterError, match="hazard-caster has no outcomes"):
        answer("hazard-caster").given("throws")
