"""Dice and their exact distributions, against enumeration and against scipy."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb, prod

import pytest
from scipy.stats import multinomial

from dicelab.errors import RulesError
from dicelab.rules import COUNTS, D6, FACES, SUM, Die, Game, Param, d
from dicelab.rules.dice import outcome_count, outcomes

TOSS = Die(red=1, yellow=2, green=3)
LCR = Die(left=1, center=1, right=1, dot=3)
HEAVY = Die.of(2, 2, 4, 4, 4, 9)

POOLS = [
    (D6, 2, SUM),
    (D6, 4, COUNTS),
    (D6, 3, FACES),
    (TOSS, 5, COUNTS),
    (TOSS, 4, SUM),
    (LCR, 3, COUNTS),
    (LCR, 4, FACES),
    (HEAVY, 4, SUM),
    (HEAVY, 3, COUNTS),
    (HEAVY, 3, FACES),
]
IDS = [f"{count} {die} {view.value}" for die, count, view in POOLS]


class Table(Game):
    """A game that only has parameters."""

    heavy = Param(4, 0, 10, "weight of a face")


def weights_of(die, game=None):
    return die.weights(game or Table())


def width_of(die, count, view):
    return {SUM: 1, COUNTS: len(die.faces), FACES: count}[view]


def listed(die, count, view):
    return outcomes(die, weights_of(die), count, view, width_of(die, count, view))


def by_enumeration(die, count, view):
    """The same distribution from every ordered throw of single dice."""
    weights = weights_of(die)
    table = Counter()
    for faces in product(range(len(die.faces)), repeat=count):
        values = tuple(die.faces[i].value for i in faces)
        seen = {
            SUM: (sum(values),),
            COUNTS: tuple(faces.count(i) for i in range(len(die.faces))),
            FACES: values,
        }[view]
        table[seen] += prod(weights[i] for i in faces)
    return table


@pytest.mark.parametrize(("die", "count", "view"), POOLS, ids=IDS)
def test_outcomes_are_those_of_enumeration(die, count, view):
    found = listed(die, count, view)
    assert {o.seen: o.weight for o in found} == by_enumeration(die, count, view)
    assert len({o.seen for o in found}) == len(found)


@pytest.mark.parametrize(("die", "count", "view"), POOLS, ids=IDS)
def test_weights_sum_to_the_power_of_one_die(die, count, view):
    assert sum(o.weight for o in listed(die, count, view)) == sum(weights_of(die)) ** count


@pytest.mark.parametrize(("die", "count", "view"), POOLS, ids=IDS)
def test_outcomes_rise_in_the_documented_order(die, count, view):
    seen = [o.seen for o in listed(die, count, view)]
    assert seen == sorted(seen)


@pytest.mark.parametrize(("die", "count", "view"), POOLS, ids=IDS)
def test_the_number_of_outcomes_has_a_bound_known_in_advance(die, count, view):
    values = [face.value for face in die.faces]
    assert len(listed(die, count, view)) <= outcome_count(len(values), count, view, max(values) - min(values))


def test_two_d6_make_the_totals_everyone_knows():
    weights = {2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 5, 9: 4, 10: 3, 11: 2, 12: 1}
    assert [(o.seen, o.weight) for o in listed(D6, 2, SUM)] == [((t,), w) for t, w in weights.items()]


def test_ten_toss_up_dice():
    found = listed(TOSS, 10, COUNTS)
    assert len(found) == comb(12, 2) == 66
    assert sum(o.weight for o in found) == 6**10
    assert found[0].seen == (0, 0, 10)
    assert found[1].seen == (0, 1, 9)
    assert found[-1].seen == (10, 0, 0)
    by_hand = {  # multinomial coefficient times 1**red 2**yellow 3**green
        (0, 0, 10): 3**10,
        (10, 0, 0): 1,
        (0, 10, 0): 2**10,
        (1, 3, 6): 10 * 84 * 2**3 * 3**6,
    }
    assert {o.seen: o.weight for o in found if o.seen in by_hand} == by_hand


@pytest.mark.parametrize(("die", "count"), [(TOSS, 10), (TOSS, 12), (LCR, 3), (LCR, 8), (HEAVY, 7)])
def test_counts_are_multinomial(die, count):
    weights = weights_of(die)
    independent = multinomial(count, [w / sum(weights) for w in weights])
    for outcome in listed(die, count, COUNTS):
        assert outcome.weight / sum(weights) ** count == pytest.approx(independent.pmf(outcome.seen), rel=1e-9)


def test_weights_stay_exact_beyond_floating_point():
    big = Die(one=10**9, other=10**9 + 1)
    found = outcomes(big, (10**9, 10**9 + 1), 12, COUNTS, 2)
    assert sum(o.weight for o in found) == (2 * 10**9 + 1) ** 12
    assert {o.seen: o.weight for o in found}[5, 7] == comb(12, 5) * 10**45 * (10**9 + 1) ** 7


def test_faces_are_listed_die_by_die_and_filled_up_with_zeros():
    found = outcomes(d(3), (1, 1, 1), 2, FACES, 4)
    assert [o.seen for o in found] == [(a, b, 0, 0) for a in (1, 2, 3) for b in (1, 2, 3)]
    assert {o.weight for o in found} == {1}


def test_named_faces_count_from_zero_in_the_order_written():
    assert [(f.label, f.value) for f in Die(low=1, high=2).faces] == [("low", 0), ("high", 1)]
    assert [o.seen for o in listed(Die(low=1, high=2), 1, COUNTS)] == [(0, 1), (1, 0)]


def test_a_repeated_value_is_a_heavier_face():
    die = Die.of(9, 2, 4, 2, 9, 9)
    assert [(f.value, f.weight) for f in die.faces] == [(2, 2), (4, 1), (9, 3)]
    assert weights_of(die) == (2, 1, 3)


def test_d_is_fair():
    assert [(f.value, f.weight) for f in d(4).faces] == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert D6.faces == d(6).faces


@pytest.mark.parametrize(
    ("view", "seen"),
    [
        (SUM, [(0,), (2,), (4,)]),
        (COUNTS, [(0, 0, 2), (1, 0, 1), (2, 0, 0)]),
        (FACES, [(0, 0), (0, 2), (2, 0), (2, 2)]),
    ],
)
def test_a_face_without_weight_never_shows_and_keeps_its_place(view, seen):
    found = listed(Die(a=1, never=0, c=3), 2, view)
    assert [o.seen for o in found] == seen
    assert sum(o.weight for o in found) == 4**2


def test_weights_may_be_parameters():
    die = Die(light=1, heavy=Table.heavy)
    assert weights_of(die) == (1, 4)
    assert weights_of(die, Table(heavy=0)) == (1, 0)
    assert weights_of(die, Table(heavy="7")) == (1, 7)


@pytest.mark.parametrize(
    ("die", "told"), [(Die(a=1, b=-2), "a 1, b -2"), (Die(a=0, b=0), "a 0, b 0"), (Die(), "none"), (Die.of(), "none")]
)
def test_a_die_that_cannot_be_thrown_is_refused_with_its_weights(die, told):
    with pytest.raises(RulesError, match=told):
        weights_of(die)
