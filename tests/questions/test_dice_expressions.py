"""Dice expressions: distributions beside those found by listing every roll, the grammar, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dicelab
from dicelab.errors import InputError, ParameterError
from dicelab.questions.notation.evaluate import MOST_DIGITS, MOST_STEPS
from dicelab.questions.notation.parse import DEEPEST, LONGEST
from dicelab.questions.notation.parts import ExpressionError
from dicelab.results.base import SCHEMA


def listed(worth, *faces):
    """The distribution of a function of dice, by listing every roll."""
    rolls = [worth(*roll) for roll in product(*(range(1, n + 1) for n in faces))]
    return {value: Fraction(cases, len(rolls)) for value, cases in sorted(Counter(rolls).items())}


def highest(n):
    return lambda *roll: sum(sorted(roll)[-n:])


def lowest(n):
    return lambda *roll: sum(sorted(roll)[:n])


LISTED = [
    ("7", listed(lambda: 7)),
    ("d6", listed(lambda a: a, 6)),
    ("1d1", {1: 1}),
    ("1000000d1", {1_000_000: 1}),
    ("3d6", listed(lambda *roll: sum(roll), 6, 6, 6)),
    ("7d3", listed(lambda *roll: sum(roll), *[3] * 7)),
    ("4d6 keep highest 3", listed(highest(3), *[6] * 4)),
    ("4d6 drop lowest", listed(highest(3), *[6] * 4)),
    ("4d6 drop lowest 2", listed(highest(2), *[6] * 4)),
    ("4d6 keep lowest 3", listed(lowest(3), *[6] * 4)),
    ("4d6 drop highest 3", listed(lowest(1), *[6] * 4)),
    ("4d6 keep highest 4", listed(lambda *roll: sum(roll), *[6] * 4)),
    ("4d6 drop lowest drop highest", listed(lambda *roll: sum(sorted(roll)[1:3]), *[6] * 4)),
    ("5d4 highest 4 lowest 2", listed(lambda *roll: sum(sorted(roll)[1:3]), *[4] * 5)),
    ("2d20 lowest + 5", listed(lambda a, b: min(a, b) + 5, 20, 20)),
    ("2d20 highest", listed(max, 20, 20)),
    ("3d10 highest", listed(max, 10, 10, 10)),
    ("d6 + d8", listed(lambda a, b: a + b, 6, 8)),
    ("d6 - d8 - 1", listed(lambda a, b: a - b - 1, 6, 8)),
    ("2 + d4 * d6", listed(lambda a, b: 2 + a * b, 4, 6)),
    ("(2 + d4) * d6", listed(lambda a, b: (2 + a) * b, 4, 6)),
    ("10 - (d4 - d6)", listed(lambda a, b: 10 - (a - b), 4, 6)),
    ("5d6 >= 5", listed(lambda *roll: sum(one >= 5 for one in roll), *[6] * 5)),
    ("5d6 > 4", listed(lambda *roll: sum(one > 4 for one in roll), *[6] * 5)),
    ("5d6 <= 2", listed(lambda *roll: sum(one <= 2 for one in roll), *[6] * 5)),
    ("5d6 < 2", listed(lambda *roll: sum(one < 2 for one in roll), *[6] * 5)),
    ("5d6 = 6", listed(lambda *roll: sum(one == 6 for one in roll), *[6] * 5)),
    ("5d6 > 6", {0: 1}),
    ("4d6 keep highest 3 >= 5", listed(lambda *roll: sum(one >= 5 for one in sorted(roll)[1:]), *[6] * 4)),
    ("(3d6) >= 12", listed(lambda *roll: int(sum(roll) >= 12), 6, 6, 6)),
    ("2d6 + 1 >= 8", listed(lambda a, b: int(a + b + 1 >= 8), 6, 6)),
    ("(3d6 >= 5) + d4", listed(lambda a, b, c, d: (a >= 5) + (b >= 5) + (c >= 5) + d, 6, 6, 6, 4)),
    ("3d6 vs 2d8", listed(lambda a, b, c, d, e: a + b + c - d - e, 6, 6, 6, 8, 8)),
    ("2d20 highest vs d20 + 3", listed(lambda a, b, c: max(a, b) - c - 3, 20, 20, 20)),
    ("4d6kh3", listed(highest(3), *[6] * 4)),
    ("4d6k3", listed(highest(3), *[6] * 4)),
    ("4d6dl1", listed(highest(3), *[6] * 4)),
    ("4d6dh1", listed(lowest(3), *[6] * 4)),
    ("2d20kl1", listed(min, 20, 20)),
    ("2d6+3", listed(lambda a, b: a + b + 3, 6, 6)),
    ("d%", listed(lambda a: a, 100)),
    ("4dF", listed(lambda *roll: sum(roll) - 8, 3, 3, 3, 3)),
    ("3dFkh2", listed(lambda *roll: highest(2)(*roll) - 4, 3, 3, 3)),
    ("2d{1,1,2,3}", listed(lambda a, b: max(1, a - 1) + max(1, b - 1), 4, 4)),
    ("d{-2..0, 5:2}", {-2: Fraction(1, 5), -1: Fraction(1, 5), 0: Fraction(1, 5), 5: Fraction(2, 5)}),
    ("5d10>=8", listed(lambda *roll: sum(one >= 8 for one in roll), *[10] * 5)),
    ("5d10>7f1", listed(lambda *roll: sum((one > 7) - (one == 1) for one in roll), *[10] * 5)),
    ("4d6kh3 >= 4 f <= 2", listed(lambda *r: sum((x >= 4) - (x <= 2) for x in sorted(r)[1:]), *[6] * 4)),
    ("max(2d6, d12)", listed(lambda a, b, c: max(a + b, c), 6, 6, 12)),
    ("min(d6, d4 + 1, 5) * 2", listed(lambda a, b: 2 * min(a, b + 1, 5), 6, 4)),
    ("max(d6, d6) - min(d4, 3)", listed(lambda a, b, c: max(a, b) - min(c, 3), 6, 6, 4)),
    ("2d6r1", listed(lambda a, b: a + b + 2, 5, 5)),
    ("2d6r<3r6", listed(lambda a, b: a + b + 4, 3, 3)),
    ("d6ro<3", listed(lambda a, b: b if a < 3 else a, 6, 6)),
    ("(d3)d4", {v: sum(listed(lambda *r: sum(r), *[4] * n).get(v, 0) for n in (1, 2, 3)) / 3 for v in range(1, 13)}),
    ("(d3 - 1)d2 >= 2", {0: Fraction(7, 12), 1: Fraction(1, 3), 2: Fraction(1, 12)}),
    ("3d6 >= 4 vs 4", listed(lambda *roll: sum(one >= 4 for one in roll) - 4, 6, 6, 6)),
]


@pytest.mark.cases(("expression", "expected"), LISTED)
def test_the_distribution_is_that_of_listing_every_roll(expression, expected):
    result = dicelab.dice(expression)
    assert result.probabilities == expected
    assert list(result.probabilities) == sorted(expected)
    assert result.mean == sum(value * p for value, p in expected.items())
    variance = sum((value - result.mean) ** 2 * p for value, p in expected.items())
    assert result.sd == pytest.approx(sqrt(variance), abs=1e-12)
    assert result.at_least(5) == sum((p for value, p in expected.items() if value >= 5), Fraction(0))


def exploded(faces, depth):
    """The distribution of an exploding die, face by face."""
    found, reached = Counter(), Fraction(1)
    for explosion in range(depth + 1):
        for face in range(1, faces + (explosion == depth)):
            found[explosion * faces + face] += reached / faces
        reached /= faces
    return dict(sorted(found.items())), reached


@pytest.mark.cases(("faces", "depth"), [(6, 10), (6, 0), (6, 1), (2, 7), (10, 3), (4, 100)])
def test_an_exploding_die_is_rolled_again_at_its_highest_face_up_to_the_depth(faces, depth):
    result = dicelab.dice(f"d{faces} exploding", depth=depth)
    assert (result.probabilities, result.cut_off) == exploded(faces, depth)


def test_what_exploding_dice_leave_out_is_for_all_dice_together():
    single, reached = exploded(6, 2)
    result = dicelab.dice("d6 exploding + 2d6 exploding highest", depth=2)
    assert result.cut_off == 1 - (1 - reached) ** 3
    expected = Counter()
    for roll in product(single, repeat=3):
        expected[roll[0] + max(roll[1:])] += single[roll[0]] * single[roll[1]] * single[roll[2]]
    assert result.probabilities == expected
    assert dicelab.dice("3d6").cut_off == 0


def rolled(dice, explodes, depth, *, sides=6):
    """Every way in which dice explode: the values of the dice in the order in which they fall, and its probability."""
    if dice == 0:
        yield (), Fraction(1)
        return
    for rest, chance in rolled(dice - 1, explodes, depth, sides=sides):
        chains = [((), Fraction(1))]
        for explosion in range(depth + 1):
            for chain, p in [pair for pair in chains if len(pair[0]) == explosion and all(map(explodes, pair[0]))]:
                chains.remove((chain, p))
                chains += [((*chain, face), p / sides) for face in range(1, sides + 1)]
        for chain, p in chains:
            yield (*rest, chain), chance * p


@pytest.mark.cases(
    ("expression", "explodes", "worth"),
    [
        ("2d6!", lambda face: face == 6, lambda chains: sum(map(sum, chains))),
        ("2d6!>4", lambda face: face > 4, lambda chains: sum(map(sum, chains))),
        ("2d6!!>=5", lambda face: face > 4, lambda chains: sum(map(sum, chains))),
        ("2d6!=1", lambda face: face == 1, lambda chains: sum(map(sum, chains))),
        ("2d6!!kh1", lambda face: face == 6, lambda chains: max(map(sum, chains))),
        ("2d6!>4>=6", lambda face: face > 4, lambda chains: sum(face >= 6 for chain in chains for face in chain)),
        ("2d6!>4>=6f1", lambda f: f > 4, lambda chains: sum((f == 6) - (f == 1) for chain in chains for f in chain)),
        ("2d6!!>4>=6", lambda face: face > 4, lambda chains: sum(sum(chain) >= 6 for chain in chains)),
        ("2d6 exploding >= 8", lambda face: face == 6, lambda chains: sum(sum(chain) >= 8 for chain in chains)),
    ],
)
def test_exploding_dice_are_those_of_listing_every_chain(expression, explodes, worth):
    depth, expected = 2, Counter()
    for chains, chance in rolled(2, explodes, depth):
        expected[worth(chains)] += chance
    result = dicelab.dice(expression, depth=depth)
    assert result.probabilities == dict(sorted(expected.items()))
    stopped = Fraction(sum(map(explodes, range(1, 7))), 6) ** (depth + 1)
    assert result.cut_off == 1 - (1 - stopped) ** 2


def test_what_dice_leave_out_that_are_as_many_as_others_say():
    result = dicelab.dice("(d2)d6!", depth=1)
    single = dicelab.dice("d6!", depth=1).cut_off
    assert result.cut_off == (single + 1 - (1 - single) ** 2) / 2


@pytest.mark.slow
@pytest.mark.cases("expression", ["100d100", "1000d6", "40d{0,7,1000}", "3 * 100d6 - 200d6", "(6d20)d10"])
def test_large_sums_have_the_mean_and_the_deviation_that_add_up(expression):
    """Sums are multiplied as large numbers; moments are known without them, and all probabilities add up to one."""
    result = dicelab.dice(expression)
    known = {"100d100": (5050, 100 * Fraction(9999, 12)), "1000d6": (3500, 1000 * Fraction(35, 12))}
    spread = Fraction(49 + 1000**2, 3) - Fraction(1007, 3) ** 2
    known |= {"40d{0,7,1000}": (Fraction(40 * 1007, 3), 40 * spread)}
    known |= {"3 * 100d6 - 200d6": (350, 1100 * Fraction(35, 12))}
    # the variance of a random number of dice: mean count * variance of one + variance of the count * squared mean
    known |= {"(6d20)d10": (Fraction(693, 2), 63 * Fraction(99, 12) + 6 * Fraction(399, 12) * Fraction(11, 2) ** 2)}
    mean, variance = known[expression]
    assert result.mean == mean
    assert result.sd == pytest.approx(float(variance) ** 0.5, rel=1e-12)
    assert sum(result.probabilities.values()) == 1


def test_large_sums_are_those_of_pairs():
    from dicelab.questions.notation import evaluate as sums

    die = sums.repeated(sums.repeated(dicelab_die([-3, 0, 0, 5]), 40), 3)
    expected = dicelab_die([0])
    for _ in range(120):
        expected += dicelab_die([-3, 0, 0, 5])
    assert die == expected


def dicelab_die(faces):
    import icepool

    return icepool.Die(faces)


@pytest.mark.cases(
    ("program", "expression"),
    [
        ("output [highest 3 of 4d6]", '"4d6 keep highest 3"'),
        ('output 3d6 named "three"\noutput d20 + 5 named "attack"', '"3d6" "d20 + 5"'),
        ("output 3d6 > 10", '"(3d6) > 10"'),
        ("output [count {5,6} in 10d6]", '"10d6 >= 5"'),
        ("output [highest of d20 and 2d6]", '"max(d20, 2d6)"'),
        ("output [explode d6]", '"d6 exploding", with --depth 2'),
        ("output 3d{1..4}", '"3d{1..4}"'),
        ("X: 3d6\noutput X", '"3d6"'),
        ("X: 3d6 output [highest 2 of X]", '"3d6 keep highest 2"'),
        ("[highest 3 of 4d6]", '"4d6 keep highest 3"'),
        ("function: f X:n { result: X }", "no expression says the same"),
        ("function: f X:n { result: X }\noutput [f 3]", "no expression says the same"),
        ("output 1@3d6", '"3d6 keep highest 1"'),
        ("output 2@3d6", '"3d6 keep highest 2 keep lowest 1"'),
        ("output {1..3}@4d6", '"4d6 keep highest 3"'),
        ("output [middle 2 of 4d6]", '"4d6 drop highest 1 drop lowest 1"'),
        ("output [middle 2 of 5d6]", "no expression says the same"),
        ("output [count 6 in 5d6]", '"5d6 = 6"'),
        ("output [count {1..2} in 5d6]", '"5d6 <= 2"'),
        ("output [count {1,6} in 5d6]", '"5d{0:4,1,1}"'),
        ("output [count {5,6} in 5d6] >= 2", '"((5d6 >= 5)) >= 2"'),
        ("output [count {1..4} in 5d6] + 1", '"(5d6 <= 4) + 1"'),
        ("output {1,2,3}@4d6", '"4d6 keep highest 3"'),
        ("output {1,3}@4d6", "no expression says the same"),
        ("output d6 != 3", "no expression says the same"),
        ("output !d6", "no expression says the same"),
        ('set "explode depth" to 4\noutput [explode d10]', '"d10 exploding", with --depth 4'),
        ("\\ an attack \\ output d20+5", '"d20+5"'),
        ("N: 5\noutput Nd6", '"5d6"'),
        ("POOL: 4d6\noutput [highest 3 of POOL]", '"4d6 keep highest 3"'),
        ("X: d6+1\nY: X+X\noutput 2*Y", '"2*((d6+1)+(d6+1))"'),
        ("X: 1\nX: 2\noutput Xd6", "no expression says the same"),
        ("X: {1,2}\noutput X", "no expression says the same"),
        ("output 3d[explode d6]", '"3d6 exploding", with --depth 2'),
        ("output 2d6 > d12", '"2d6 vs d12"'),
        ("output 8d6 / 2", '"8d6 // 2"'),
        ("output (2d6 - 7) / 2", "no expression says the same"),
        ("output [explode 2d6]", "no expression says the same"),
        ("loop N over {1..3} { output Nd6 }", "no expression says the same"),
    ],
)
def test_a_program_of_anydice_is_answered_with_the_nearest_expression(program, expression):
    with pytest.raises(ExpressionError) as refused:
        dicelab.dice(program)
    assert refused.value.sentence.startswith("this is a program of AnyDice")
    assert expression in refused.value.sentence


@pytest.mark.cases("typed", ["2d6 [fire] + 1", "2d6[cold damage]"])
def test_labels_of_virtual_tables_are_no_program_of_anydice(typed):
    with pytest.raises(ExpressionError) as refused:
        dicelab.dice(typed)
    assert "labels and brackets are left out" in refused.value.sentence


def test_several_expressions_have_the_answers_of_each():
    both = dicelab.dice("3d6", "4d6kh3", at_least=15, at_most=9)
    assert [one.probabilities for one in both.results] == [dicelab.dice(e).probabilities for e in ("3d6", "4d6kh3")]
    assert [list(row)[3:5] for row in both.to_dict()["rows"]] == [["at_least", "at_most"]] * 2
    assert both.to_frame()["at_most"][0] == float(both.results[0].at_most(9))
    assert "4d6kh3" in both._repr_html_()
    assert repr(both) == "<DiceCompared 3d6 and 4d6kh3: 2 rows>"


def test_symbols_of_word_processors_and_signs_are_read():
    for typed, written in (
        ("3d6 \u2212 2", "3d6 - 2"),
        ("2d6\u00d710", "2d6 * 10"),
        ("5d10 ≥ 8", "5d10>=8"),
        ("d6==6", "d6 = 6"),
    ):
        assert dicelab.dice(typed).probabilities == dicelab.dice(written).probabilities
    assert dicelab.dice("-1d4 + 2").probabilities == dicelab.dice("+2 - d4").probabilities
    assert dicelab.dice("3d6!5").probabilities == dicelab.dice("3d6!=5").probabilities
    assert dicelab.dice("3d6ro<7").probabilities == dicelab.dice("3d6").probabilities


def test_totals_are_divided_and_rounded_down():
    halves = Counter(sum(faces) // 2 for faces in product(range(1, 7), repeat=3))
    assert dicelab.dice("3d6 // 2").probabilities == {n: Fraction(halves[n], 216) for n in sorted(halves)}
    assert dicelab.dice("(d6 - 4) // 2 * 3").probabilities[-6] == Fraction(1, 6)


def test_notes_say_where_others_read_the_same_text_otherwise():
    assert dicelab.dice("5d10>=8").notes == ()
    assert "7 or more" in dicelab.dice("5d10>7f1").notes[0]
    assert "5 or more" in dicelab.dice("3d6!>5").notes[0]
    assert "2 or less" in dicelab.dice("3d6r<2").notes[0]
    assert "unequal" in dicelab.dice("3d6!=5").notes[0]
    assert "whole sum" in dicelab.dice("2d6 + 10d6 >= 40").notes[0]
    assert dicelab.dice("2d6 + 3 >= 8").notes == dicelab.dice("(3d6) > 12").notes == ()


PUBLISHED = [  # the expression, and the mean and deviation that AnyDice gives it
    ("4d6 drop lowest", "12.2446", "2.85"),
    ("2d20 highest", "13.825", "4.71"),
    ("2d20 lowest", "7.175", "4.71"),
    ("3d6", "10.5", "2.96"),
    # n (n + 1) / (2 (n - 1)), known for dice that explode without end
    ("d6 exploding", "4.2", "3.26"),
]


@pytest.mark.cases(("expression", "mean", "sd"), PUBLISHED)
def test_published_means_and_deviations(expression, mean, sd):
    result = dicelab.dice(expression)
    for number, published in ((float(result.mean), mean), (result.sd, sd)):
        assert number == pytest.approx(float(published), abs=0.501 * 10.0 ** -len(published.partition(".")[2]))


def test_published_chances():
    assert dicelab.dice("4d6 drop lowest").probabilities[18] == Fraction(21, 1296)  # 1.62 %: AnyDice
    pool = dicelab.dice("10d6 >= 5").probabilities
    assert pool == {k: comb(10, k) * Fraction(1, 3) ** k * Fraction(2, 3) ** (10 - k) for k in range(11)}


def test_two_expressions_are_compared():
    versus = dicelab.dice("d6 vs d6").versus
    assert versus == {"first higher": Fraction(5, 12), "tie": Fraction(1, 6), "second higher": Fraction(5, 12)}
    assert dicelab.dice("6 vs d6").versus["first higher"] == Fraction(5, 6)
    assert dicelab.dice("6 - d6").versus == {}


# A part of an expression, and the least and largest value it can have.
parts = st.deferred(lambda: st.one_of(numbers, dice, joined))
numbers = st.integers(0, 20).map(str)
dice = st.builds(
    lambda count, faces, exploding, rest: f"{count}d{faces}{exploding}{rest}",
    st.integers(1, 5),
    st.integers(2, 8),
    st.sampled_from(["", " exploding", "!!", "ro1"]),
    st.sampled_from(["", " highest", "kl1", " >= 3", " = 2f1"]),
).map(lambda text: f"({text})")
joined = st.builds(lambda a, sign, b: f"({a} {sign} {b})", parts, st.sampled_from("+-*"), parts)


@pytest.mark.slow
@given(st.one_of(parts, st.builds(lambda a, b: f"{a} vs {b}", parts, parts)), st.integers(0, 3))
def test_probabilities_add_up_to_one_or_the_expression_is_refused(expression, depth):
    try:
        result = dicelab.dice(expression, depth=depth)
    except ExpressionError as error:
        refused = error.sentence
    else:
        refused = ""
    if refused:
        known = "too much|not allowed|at most|no d2 shows (>= )?3|not 'f'"  # in 1d2!! = 2f1 the 2 belongs to !!
        assert re.search(known, refused)
        return
    assert sum(result.probabilities.values()) == 1
    assert all(p > 0 for p in result.probabilities.values())
    assert list(result.probabilities) == sorted(result.probabilities)
    assert sum(result.versus.values()) == (" vs " in expression)
    assert 0 <= result.cut_off < 1
    assert result.at_least(min(result.probabilities)) == 1
    assert json.loads(result.to_json())["rows"][0]["value"] == min(result.probabilities)


@pytest.mark.slow
@given(st.text(alphabet="0123456789d+-*()<>=%!{},:. keephighestlowestdropexplodingvsmaxkFr\t\nß²", max_size=30))
def test_any_text_is_answered_or_refused_with_a_caret_in_it(text):
    try:
        dicelab.dice(text)
    except ExpressionError as error:
        if error.place:
            shown, caret = error.place.split("\n")
            assert caret.strip() == "^"
            assert 2 <= caret.index("^") <= len(shown) + 1


BAD = [  # the expression, a part of the sentence, and the place
    ("", "empty", None),
    (" \t", "empty", None),
    ("d", "the number of faces, %, F or { }, not the end", 1),
    ("3d", "the number of faces", 2),
    ("0d6", "at least one die", 0),
    ("d0", "at least one face", 1),
    ("3d6 >= 10", "no d6 shows 10, and each die is compared; for the total write (...) >= 10", 0),
    ("d6 + 2d0", "at least one face", 7),
    ("-d0", "at least one face", 2),
    ("d6 // 0", "// divides by a whole number above 0", 3),
    ("d6 // d6", "// divides by a whole number above 0", 3),
    ("3d6 != 10", "no d6 shows 10, so nothing explodes", 4),
    ("2d6!!>=8", "no d6 shows >= 8, so nothing explodes; 2d6!!6>=8 explodes at 6, then counts", 3),
    ("8d10>=7!", "8d10!10 >= 7 explodes at 10, then counts 7 or more", 7),
    ("1d20 > 1d20", "A vs B compares two totals", 7),
    ("4d6 keep", "highest or lowest, not the end", 8),
    ("4d6 keep 3", "highest or lowest, not '3'", 9),
    ("4d6 keep highest 5", "5 of 4 dice can't be kept", 17),
    ("4d6 keep highest 0", "0 of 4 dice can't be kept", 17),
    ("4d6 drop lowest 4", "4 of 4 dice can't be dropped", 16),
    ("d6 drop lowest", "1 of 1 die can't be dropped", 14),
    ("4d6 drop lowest 2 drop highest 2", "2 of 2 dice can't be dropped", 31),
    ("4d6 keep highest 3 exploding", "right after the dice, once", 19),
    ("d6 exploding exploding", "right after the dice, once", 13),
    ("d1 exploding", "without end", 3),
    ("4d6 kepe highest", "'kepe' is not a word", 4),
    ("4d6 ≠ 3", "'≠' is not part", 4),
    ("日本 + d6", "'日' is not part", 0),
    ("d\N{FULLWIDTH DIGIT SIX}", "is not part of a dice expression", 1),
    ("d6\u3000日", "'日' is not part", 3),
    ("d6 +", "dice, a number or '(', not the end", 4),
    ("d6 d6", "write + to add more dice, and parentheses to roll as many dice as others show: (...)d6", 3),
    ("(d6", "')' or an operator, not the end", 3),
    ("d6)", "not ')'", 2),
    ("()", "not ')'", 1),
    ("(d6 + 1) highest", "not 'highest'", 9),
    ("3d6 >= d6", "a number to compare with (A vs B compares two totals), not 'd'", 7),
    ("3d6 >= 4 >= 2", "not '>='", 9),
    ("3d6 vs", "not the end", 6),
    ("d6 vs d6 vs d6", "not 'vs'", 9),
    ("(d6 vs d6) + 1", "')' or an operator, not 'vs'", 4),
    ("d6 ** 2", "not '*'", 4),
    ("1e6d6", "'e' is not a word", 1),
    ("1000001", "numbers above 1,000,000", 0),
    ("d" + "9" * 900, "numbers above 1,000,000", 1),
    ("d6+" * 500 + "d6", f"1,502 characters; at most {LONGEST:,}", None),
    ("(" * (DEEPEST + 1) + "d6" + ")" * (DEEPEST + 1), f"at most {DEEPEST} parentheses", DEEPEST),
    ("1000000d6", f"would have about 778,151 digits; at most {MOST_DIGITS:,}", 0),
    ("10d1000000", f"would take about 122,000,000 steps; at most {MOST_STEPS:,}", 0),
    ("5 + 500d6 highest 20", "500d6, some of them kept, is too much", 4),
    ("2000d6 + 2000d6", "too much", 9),
    ("4d6d1", "dl1 drops the lowest dice", 3),
    ("4d6 reroll up to 2", "dicelab new NAME --like reroll", 4),
    ("3d6 reroll 2 to reach 15", "dicelab new NAME --like reroll", 4),
    ("3d6 reroll 1 so that 15 is reached", "dicelab new NAME --like reroll", 4),
    ("rerolling two of 3d6", "dicelab new NAME --like reroll", 0),
    ("4d6kh5", "5 of 4 dice can't be kept", 5),
    ("3d6!kh2", "with !! each die and what it explodes to count as one die", 4),
    ("3d6kh2!", "! is written right after the dice, once", 6),
    ("3d6!r1", "r is written right after the dice, before explosions", 4),
    ("3d6!!!", "! is written right after the dice, once", 5),
    ("d6!>0", "a die that explodes at every face would explode without end", 2),
    ("d6r>0", "every face would be rolled again, without end", 2),
    ("d6ro<3r4", "ro stands alone", 6),
    ("d6r<4r>3", "every face would be rolled again, without end", 5),
    ("d2r1!", "a die that explodes at every face", 4),
    ("3d6f1", "not 'f'", 3),
    ("2d6+1>=8f1", "f subtracts dice that fail, and only dice are counted", 8),
    ("5d10>=8f", "a number, or a comparison such as <= 2, not the end", 8),
    ("(2d6)d8kh3", "only out of a fixed number of dice", 7),
    ("(d6 - 3)d8", "can't be negative, but it can be -2", 0),
    ("(d6!)d6!", "dice that explode can't be as many as dice that explode say", 0),
    ("d{}", "the value of a face, not '}'", 2),
    ("d{1,2", "',' or '}', not the end", 5),
    ("d{3..1}", "a range goes upwards", 2),
    ("d{1:0}", "a face stands there once or more", 2),
    ("d{1..10001}", "at most 10,000 faces may be listed", 2),
    ("d{1:9000,2:9000}", "at most 10,000 faces may be listed", 1),
    ("max 2d6", "expected '(', not '2'", 4),
    ("max(2d6", "')', ',' or an operator, not the end", 7),
    ("max()", "dice, a number or '(', not ')'", 4),
    ("2d251 lowest", "at most 250 values, not 251", 0),
    ("+".join(["100d6"] * 100), "too much", None),
    ("*".join(["1000000"] * 3), "values above 1,000,000,000,000", 15),
    ("100d100 exploding", "too much", 0),
]

BAD += [  # as people write it for other programs
    ("/roll 2d20kh1+5", "write only the dice", 0),
    ("d20 advantage", "advantage is written 2d20kh1", 4),
    ("1d20dis", "disadvantage is written 2d20kl1", 4),
    ("3W6", "dice are written d", 1),
    ("8d6/2", "// divides and rounds down", 3),
    ("floor(8d6/2)", "// divides and rounds down", 0),
    ("3d6!p", "penetrating dice", 4),
    ("4d6rr<3kh3", "r1 rolls a face again until it is something else", 3),
    ("4d6mi2", "4d{2,2..6}", 3),
    ("4d6e6", "3d6!5", 3),
    ("1d20cs>19", "marks of critical rolls change no total", 4),
    ("6#4d6kh3", "every repetition has the same distribution", 1),
    ("{4d6,3d8}k1", "max(4d6, 3d8)", 0),
    ("3[fire] + 1d4[cold]", "labels and brackets are left out", 1),
    ("[[2d6+3]]", "labels and brackets are left out", 0),
    ("1d20 + @{strength}", "write the number", 7),
    ("best of 2d20", "4d6kh3", 0),
    ("3d6 at least 10", "(1d20 + 5) >= 15", 4),
    ("3d6; 2d8", "several expressions are given one by one", 3),
    ("2d6^2", "powers", 3),
]


@pytest.mark.slow
@pytest.mark.cases(("expression", "sentence", "at"), BAD)
def test_a_bad_expression_is_refused_with_a_caret_below_the_place(expression, sentence, at):
    with pytest.raises(ExpressionError) as refused:
        dicelab.dice(expression)
    assert sentence in refused.value.sentence
    if at is not None:
        shown, caret = str(refused.value).split("\n")[1:]
        place = caret.index("^")
        after = expression.rstrip()[at : at + 20]
        assert shown[place:].startswith(after) or not shown.isascii()
        assert place == at + 2 or len(expression) > 30
    assert isinstance(refused.value, InputError)


def test_the_caret_is_below_the_place_where_the_text_is_long():
    with pytest.raises(ExpressionError) as refused:
        dicelab.dice("d6 + " * 40 + "? + " + "d6 + " * 40 + "d6")
    shown, caret = refused.value.place.split("\n")
    assert shown[caret.index("^")] == "?"
    assert len(shown) < 80


@pytest.mark.cases(
    ("expression", "more", "sentence"),
    [
        ("d6", {"depth": -1}, "depth: -1 is not allowed; it takes a whole number, 0 to 100"),
        ("d6", {"depth": 101}, "depth: 101"),
        ("d6", {"depth": 2.5}, "depth: 2.5"),
        ("d6", {"depth": None}, "depth: None"),
        ("d6", {"at_least": 2.5}, "at least: 2.5 is not a whole number"),
        (6, {}, "a dice expression is a text"),
        (None, {}, "a dice expression is a text"),
    ],
)
def test_other_bad_input_is_refused(expression, more, sentence):
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        dicelab.dice(expression, **more)


@pytest.mark.cases(
    ("written", "same"),
    [
        (" 4D6   Keep\tHighest 3\n", "4d6 keep highest 3"),
        ("4d6\u00a0keep\u3000highest 3", "4d6 keep highest 3"),
        ("4d6keep highest3", "4d6 keep highest 3"),
        ("3d6vs2d8", "3d6 vs 2d8"),
        ("1d20", "d20"),
        ("((d6))", "d6"),
    ],
)
def test_space_and_capitals_do_not_matter(written, same):
    assert dicelab.dice(written).probabilities == dicelab.dice(same).probabilities


def test_a_result_has_the_forms_of_all_results():
    result = dicelab.dice("3d6 vs 2d8", at_least=5)
    data = json.loads(result.to_json())
    assert list(data)[:3] == ["schema", "method", "game"]
    assert (data["game"], data["expression"]) == (None, "3d6 vs 2d8")
    assert (data["schema"], data["method"]) == (SCHEMA, "dice")
    percentiles = {"p10": -4, "p50": 1, "p90": 7}
    value = {"mean": 1.5, "fraction": "3/2", "sd": result.sd, "min": -13, "max": 16, "percentiles": percentiles}
    assert data["tallies"] == {"value": value}
    assert data["outcomes"]["tie"] == {"probability": 1153 / 13824, "fraction": "1153/13824"}
    means = "the value is 5 or more"
    assert data["events"] == {"at_least": {"means": means, "probability": 875 / 3456, "fraction": "875/3456"}}
    assert len(data["rows"]) == 30
    frame = result.to_frame()
    assert list(frame["value"]) == list(result.probabilities)
    assert frame["probability"].sum() == pytest.approx(1)
    assert dicelab.dice("3d6")._repr_html_().count("linear-gradient") == 2 * 16  # exactly, and at least
    assert result._repr_html_().count("linear-gradient") == 3 + 15 - 1  # by pairs of values
    assert repr(result) == "<Dice 3d6 vs 2d8: mean 1.5, 30 values>"
    assert dicelab.dice("d6 exploding", depth=1).to_dict()["exploding"] == {"depth": 1, "cut_off": 1 / 36}
    assert not {"outcomes", "events", "exploding"} & dicelab.dice("d6").to_dict().keys()


def test_percentiles_are_the_smallest_values_that_are_reached():
    die = dicelab.dice("d10")
    assert [die.percentile(p) for p in (0, 0.05, 0.5, 1)] == [1, 1, 5, 10]
    assert die.percentile(0.51) == 6
    with pytest.raises(ParameterError):
        die.percentile(2)


def test_percentiles_at_shares_that_floats_round_upwards():
    """0.1 and 0.9 as floats are more than 1/10 and 9/10; nine of the ten faces are still at most 9."""
    die = dicelab.dice("d10")
    assert [die.percentile(n / 10) for n in range(1, 11)] == list(range(1, 11))
    assert die.to_dict()["tallies"]["value"]["percentiles"] == {"p10": 1, "p50": 5, "p90": 9}
    assert [dicelab.dice("d6").percentile(n / 6) for n in range(1, 7)] == [1, 2, 3, 4, 5, 6]
    assert [dicelab.dice("d100").percentile(n / 100) for n in range(1, 101)] == list(range(1, 101))
    assert dicelab.dice("30d6").percentile(1) == 180


def test_fractions_that_are_too_long_to_read_are_left_out():
    text = str(dicelab.dice("20d6 highest 3"))
    assert "fraction" not in text.partition("value")[2]
    assert all(p.denominator for p in dicelab.dice("20d6 highest 3").probabilities.values())
    assert "fraction" in str(dicelab.dice("10d6 >= 5")).partition("value")[2]
    assert "fraction" not in dicelab.dice("100d6").to_dict()["rows"][0]


@pytest.mark.cases(
    "expression", ["d20", "20d6 highest 3", "3d6 vs 2d8", "100000 * 20d6", "10d6 exploding", "5d6 >= 5", "7"]
)
def test_the_text_is_at_most_80_columns_wide(expression):
    text = str(dicelab.dice(expression, at_least=7))
    assert max(map(len, text.splitlines())) <= 80
    assert "█" * 10 in text


def test_icepool_is_imported_only_when_dice_are_asked_about():
    program = "import sys, dicelab, dicelab.interface.cli.main; dicelab.dice; assert 'icepool' not in sys.modules; "
    program += "dicelab.dice('d6'); assert 'icepool' in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize(
    ("expressions", "how", "said"),
    [
        (["4d6kh3"], {}, "The mean of 4d6kh3 is 12.2; at least four rolls in five give 8 to 16."),
        (
            ["2d6 - 2d6"],
            {"at_least": 1, "at_most": -10},
            "With 2d6 - 2d6, 44.4 % of rolls are 1 or more and 0.0772 % of rolls are -10 or less.",
        ),
        (["1d1 + 4"], {}, "1d1 + 4 is always 5."),
        (["3d6 vs 2d8"], {}, "3d6 is higher than 2d8 in 58.7 % of rolls, and lower in 32.9 %."),
        (["2d8 vs 3d6"], {}, "3d6 is higher than 2d8 in 58.7 % of rolls, and lower in 32.9 %."),
        (["3d6 vs 3d6"], {}, "3d6 and 3d6 are higher equally often: 45.4 % of rolls each."),
        (["3d6", "4d6kh3", "d20"], {}, "4d6kh3 has the highest mean: 12.2, against 10.5 for 3d6."),
        (["3d6", "d20"], {"at_least": 18}, "d20 is 18 or more most often: 15.0 %, against 0.463 % for 3d6."),
        (
            ["3d6", "3d6 + 0"],
            {"at_least": 18},
            "3d6 and 3d6 + 0 are 18 or more equally often, and most often: 0.463 % of rolls.",
        ),
    ],
)
def test_the_answer_is_a_sentence(expressions, how, said):
    found = dicelab.dice(*expressions, **how)
    assert found.summary == said
    assert str(found).replace("\n", " ").startswith(said[:60])
    assert found.to_dict()["summary"] == said
