"""Laws that hold for any dice, seen in any way."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from dicelab.rules import COUNTS, FACES, SUM, Die
from dicelab.rules.dice import outcome_count, outcomes


@st.composite
def dice(draw):
    """A die and the weights of its faces: named faces, or values of which some are repeated."""
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any))
        die = Die(**{f"face{i}": weight for i, weight in enumerate(weights)})
    else:
        values = draw(st.lists(st.integers(-5, 9), min_size=1, max_size=6))
        die = Die.of(*values)
        assert [face.weight for face in die.faces] == [values.count(face.value) for face in die.faces]
        weights = [values.count(value) for value in sorted(set(values))]
    return die, tuple(weights)


counts = st.integers(1, 4)
views = st.sampled_from([SUM, COUNTS, FACES])


def distribution(die, weights, count, view, width=None):
    width = width or {SUM: 1, COUNTS: len(die.faces), FACES: count}[view]
    return [(o.seen, o.weight) for o in outcomes(die, weights, count, view, width)]


def seen_as(view, faces, die):
    """How a view shows single dice, given the numbers of their faces."""
    values = tuple(die.faces[i].value for i in faces)
    if view is SUM:
        return (sum(values),)
    return values if view is FACES else tuple(faces.count(i) for i in range(len(die.faces)))


@settings(max_examples=150)
@given(dice(), counts, views)
def test_a_distribution_is_that_of_every_ordered_throw(one, count, view):
    die, weights = one
    expected = Counter()
    for faces in product(range(len(weights)), repeat=count):
        expected[seen_as(view, faces, die)] += prod(weights[i] for i in faces)
    assert dict(distribution(die, weights, count, view)) == {seen: w for seen, w in expected.items() if w}


@settings(max_examples=100)
@given(dice(), st.integers(1, 9), st.sampled_from([SUM, COUNTS]))
def test_weights_are_positive_and_sum_to_the_power_of_one_die(one, count, view):
    die, weights = one
    found = [weight for _, weight in distribution(die, weights, count, view)]
    assert min(found) > 0
    assert sum(found) == sum(weights) ** count


@settings(max_examples=100)
@given(dice(), counts, views)
def test_outcomes_rise_and_none_is_listed_twice(one, count, view):
    seen = [s for s, _ in distribution(*one, count, view)]
    assert all(a < b for a, b in pairwise(seen))


@settings(max_examples=100)
@given(dice(), counts)
def test_all_views_are_of_the_same_throw(one, count):
    die, weights = one
    faces = distribution(die, weights, count, FACES)
    by_counts, sums, sums_of_counts = Counter(), Counter(), Counter()
    for seen, weight in faces:
        by_counts[tuple(seen.count(face.value) for face in die.faces)] += weight
        sums[(sum(seen),)] += weight
    for seen, weight in distribution(die, weights, count, COUNTS):
        sums_of_counts[(sum(n * face.value for n, face in zip(seen, die.faces, strict=True)),)] += weight
    assert by_counts == dict(distribution(die, weights, count, COUNTS))
    assert sums == sums_of_counts == dict(distribution(die, weights, count, SUM))


@settings(max_examples=100)
@given(dice(), st.integers(1, 5), st.integers(1, 5))
def test_more_dice_are_a_convolution(one, few, more):
    expected = Counter()
    for (a,), v in distribution(*one, few, SUM):
        for (b,), w in distribution(*one, more, SUM):
            expected[(a + b,)] += v * w
    assert dict(distribution(*one, few + more, SUM)) == expected


@settings(max_examples=50)
@given(dice(), counts, st.integers(0, 3))
def test_places_of_dice_not_thrown_show_zero(one, count, missing):
    full = distribution(*one, count, FACES)
    padded = distribution(*one, count, FACES, count + missing)
    assert padded == [(seen + (0,) * missing, weight) for seen, weight in full]


@settings(max_examples=100)
@given(dice(), counts, views)
def test_the_number_of_outcomes_is_bounded_without_listing_them(one, count, view):
    die, weights = one
    values = [face.value for face in die.faces]
    bound = outcome_count(len(values), count, view, max(values) - min(values))
    assert len(distribution(die, weights, count, view)) <= bound
