"""Are my dice fair? Reading rolls, the tests beside exact values and simulations, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations, product
from math import factorial, prod
from time import process_time

import numpy as np
import pytest
from scipy import stats

import dicelab
from dicelab.errors import ParameterError
from dicelab.questions.judging.goodness import holm
from dicelab.questions.notation.parts import ExpressionError
from dicelab.questions.rolled import checks
from dicelab.questions.rolled import checks as noticed
from dicelab.questions.rolled.checks import _repeats_shuffled, all_tests
from dicelab.questions.rolled.rolls import rolls_of

LOADED = [0.10, 0.16, 0.16, 0.16, 0.16, 0.26]


def rolled(seed, size, chances=None):
    return np.random.default_rng(seed).choice(np.arange(1, 7), p=chances, size=size).tolist()


@pytest.mark.cases(
    ("text", "die", "counts", "dice"),
    [
        ("3\n6\n6\n1\n", "d6", (1, 0, 1, 0, 0, 2), 1),
        ("die\n3\n6\n", "d6", (0, 0, 1, 0, 0, 1), 1),
        ("red;blue\n3;6\n1;2\n", "d6", (1, 1, 1, 0, 0, 1), 2),
        ("# evening\n3 6\n\n1\t2\n", "d6", (1, 1, 1, 0, 0, 1), 2),
        ("3, 6, 6, 1", "d6", (1, 0, 1, 0, 0, 2), 1),
        ('"face","count"\n1,10\n2,9\n4,8\n', "d4", (10, 9, 0, 8), 1),
        ("\ufeff7\n8\n", "d8", (0, 0, 0, 0, 0, 0, 1, 1), 1),
        ("sep=;\nred;blue\n3;6\n1;2\n", "d6", (1, 1, 1, 0, 0, 1), 2),
    ],
)
def test_a_file_has_a_line_for_each_roll_or_for_each_face(text, die, counts, dice, tmp_path_factory):
    file = tmp_path_factory.mktemp("rolls") / "rolls.csv"
    file.write_text(text)
    rolls = rolls_of(str(file))
    assert (rolls.die, rolls.counts, rolls.dice, rolls.assumed) == (die, counts, dice, True)


def test_counts_are_of_the_values_of_the_die_in_their_order():
    assert rolls_of("5,6,7").faces == (1, 2, 3)
    totals = rolls_of("3,5,9,11,14,16,13,12,8,6,4", "2d6")
    assert (totals.faces[0], totals.counts[0], totals.chances[5]) == (2, 3, pytest.approx(1 / 6))


@pytest.mark.cases(
    ("given", "die", "sentence"),
    [
        ("nowhere.csv", None, "nowhere.csv can't be read: No such file"),
        ("1,2,3", "d6", "3 counts are given, and d6 has 6 values"),
        ("0,0,0", None, "there are no rolls"),
        ("9" * 20 + ",1", None, "at most 1,000,000,000,000 are allowed"),
        ([7, 1], "d6", "7 was rolled, and d6 doesn't show that"),
        ([0, 9], None, "no usual die has the values 0 to 9; say which one it is, such as d{0..9}"),
        ([[1, 2], [3]], None, "roll 2 has 1 dice, and the first roll has 2"),
        ([], None, "there are no rolls"),
        ([5, 5], "d{5}", "d{5} always shows the same"),
        ([5, 5], "d5000", "dice with at most 1,000 can be tested"),
    ],
)
def test_rolls_that_make_no_sense_are_refused(given, die, sentence):
    with pytest.raises(ParameterError) as refused:
        dicelab.fair(given, die=die)
    assert sentence in str(refused.value)


@pytest.mark.cases(
    ("text", "sentence"),
    [
        ("", "there are no rolls in"),
        ("die\n", "there are no rolls in"),
        ("3\nsix\n", "line 2: 'six' is not the value of a die"),
        ("3\n2.5\n", "line 2: '2.5' is not"),
        ("1,2\n3\n", "line 2 has 1 dice, and the first roll has 2"),
        (
            "n,die\n" + "".join(f"{n},{n % 6 + 1}\n" for n in range(1, 20)),
            "a column goes 1, 2, 3, ..., as line numbers",
        ),
        ("face,count\n1,3\n1,4\n", "a face stands there twice"),
        (
            "red,blue,both\n" + "".join(f"{n % 6 + 1},{n % 5 + 1},{n % 6 + n % 5 + 2}\n" for n in range(10)),
            "column 3 is the sum of the others; leave it out",
        ),
    ],
)
def test_a_file_that_is_no_rolls_is_refused_with_its_line(text, sentence, tmp_path_factory):
    file = tmp_path_factory.mktemp("rolls") / "rolls.csv"
    file.write_text(text)
    with pytest.raises(ParameterError) as refused:
        dicelab.fair(file)
    assert sentence in str(refused.value)


@pytest.mark.slow
def test_a_die_assumed_because_of_a_slip_says_so():
    slip = dicelab.fair([*rolled(1, 120), 7]).text()
    assert "d8 is assumed from the values, though only 1 of 121 is above 6; if that is a slip" in " ".join(slip.split())
    assert "though" not in dicelab.fair([1, 2, 3, 4, 5, 6, 7, 8] * 5).text()
    assert "though" not in dicelab.fair([*rolled(1, 120), 7], die="d8").text()


def test_few_rolls_are_spoken_of_in_their_number():
    assert dicelab.fair("1,0,0").power == "1 roll is too few to notice even a die that always shows the same."
    assert dicelab.fair([[1, 2]]).power == "1 roll is too few to notice even dice that always show the same."


def test_a_die_that_is_no_expression_is_refused():
    with pytest.raises(ExpressionError):
        dicelab.fair([1, 2], die="six sides")


def test_few_rolls_are_tested_exactly():
    counts, each = (5, 1, 0), 1 / 3**6
    likely = {t: factorial(6) / prod(map(factorial, t)) * each for t in product(range(7), repeat=3) if sum(t) == 6}
    expected = sum(p for p in likely.values() if p <= likely[counts] + 1e-12)
    [test] = dicelab.fair("5,1,0").tests
    assert (test.how, test.p) == ("exact multinomial", pytest.approx(expected, abs=1e-12))


def test_rolling_fair_dice_agrees_with_chi_square():
    rolls = rolls_of("6,9,14,13,8,12,11,7,10,12,9,18,8,9,10,11,13,10,6,12")
    chances = [1 / 20] * 20
    square = stats.chisquare(rolls.counts, np.array(chances) * rolls.number)
    asymptotic = checks.faces(rolls)
    played = checks.faces(rolls, checks.Limits(expected=1000))
    assert asymptotic.p == pytest.approx(square.pvalue, abs=1e-9)
    assert played.how == "chi-square, 19,995 files of fair dice"
    assert played.p == pytest.approx(square.pvalue, abs=0.02)


def test_shuffling_agrees_with_chi_square():
    rolls = rolls_of(rolled(4, (300, 2)))
    known = {test.name: test.p for test in checks.all_tests(rolls, limits=checks.Limits(in_table=0))[0]}
    table = np.zeros((6, 6))
    for a, b in rolls.places:
        table[a, b] += 1
    assert known["pairs"] == pytest.approx(stats.chi2_contingency(table).pvalue, abs=1e-9)
    limits = checks.Limits(shuffles=1500, in_table=1000)
    shuffled = {test.name: test.p for test in checks.all_tests(rolls, limits=limits)[0]}
    assert all(shuffled[name] == pytest.approx(known[name], abs=0.05) for name in ("pairs", "sequence", "dice alike"))


FOUND = {
    "faces": rolled(1, 600, LOADED),
    "dice alike": [[a, b] for a, b in zip(rolled(2, 400, LOADED), rolled(3, 400, LOADED[::-1]), strict=True)],
    "pairs": [[a, a if at % 3 == 0 else b] for at, (a, b) in enumerate(rolled(4, (300, 2)))],
    "sequence": [(at + one) % 6 + 1 for at, one in enumerate(rolled(5, 400, [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]))],
    "repeats": [one for one in rolled(6, 300) for _ in range(2)],
}


@pytest.mark.cases(("name", "rolls"), FOUND.items())
def test_each_test_notices_what_it_is_for(name, rolls):
    answer = dicelab.fair(rolls)
    smallest = {test.name: p for test, p in zip(answer.tests, answer.adjusted, strict=True)}
    assert (answer.verdict, smallest[name] < 0.001) == ("unfair", True)
    assert answer.words.startswith("These dice are not fair: ")


@pytest.mark.slow
def test_fair_dice_are_rarely_doubted():
    """Of 100 files of fair dice about 5 have a joint p-value below 0.05; more than 12 would be a sign of a defect."""
    limits = checks.Limits(shuffles=399, fewest=399)
    tests = [checks.all_tests(rolls_of(rolled(seed, (120, 2))), limits=limits)[0] for seed in range(100)]
    doubted = sum(min(holm([test.p for test in found])) < 0.05 for found in tests)
    assert doubted <= 12


@pytest.mark.slow
@pytest.mark.cases(
    ("die", "counts", "tests"),
    [
        ("d6", [50] * 6, 1),  # chi-square
        ("d6", [50] * 6, 3),
        ("d3", [7, 7, 6], 1),  # exact
        ("d2", [30, 30], 1),
        ("d{1,1,1,2}", [30, 10], 2),
        ("d20", [3] * 20, 1),  # files of fair dice
        ("2d6", [9, 16, 26, 33, 43, 43, 44, 34, 26, 17, 9], 1),
    ],
)
def test_what_is_said_to_be_noticed_is_noticed_four_times_out_of_five(die, counts, tests):
    limits = checks.Limits(shuffles=300)
    rolls = rolls_of(",".join(map(str, counts)), die)
    value, chance = noticed.noticeable_face(rolls, tests)
    fair, at = np.array([float(p) for p in rolls.chances]), rolls.faces.index(value)
    loaded = fair * (1 - chance) / (1 - fair[at])
    loaded[at] = chance
    files = np.random.default_rng(7).multinomial(rolls.number, loaded, size=400)
    found = [checks.faces(replace(rolls, counts=tuple(map(int, file))), limits).p < 0.05 / tests for file in files]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


@pytest.mark.slow
def test_dice_that_copy_each_other_or_themselves_are_noticed_as_often_as_said():
    limits = checks.Limits(shuffles=999)
    random, (number, tests) = np.random.default_rng(5), (120, 5)
    fair = rolls_of(random.integers(1, 7, size=(number, 2)).tolist(), "d6")
    pairs, repeats = noticed.noticeable_pairs(fair, tests), noticed.noticeable_repeats(fair, tests)
    copied, again = ((share - 1 / 6) / (5 / 6) for share in (pairs, repeats))
    found = {"pairs": 0, "repeats": 0}
    for _ in range(150):
        rows = random.integers(1, 7, size=(number, 2))
        alike = random.random(number) < copied
        rows[alike, 1] = rows[alike, 0]
        places = rolls_of(rows.tolist(), "d6")
        squares = checks._table(*checks._pairs(places.places)[0])[0]
        found["pairs"] += stats.chi2.sf(squares, 25) < 0.05 / tests
        rows = random.integers(1, 7, size=(number, 2))
        for at in range(1, number):
            same = random.random(2) < again
            rows[at, same] = rows[at - 1, same]
        found["repeats"] += checks.repeats(rolls_of(rows.tolist(), "d6"), limits=limits).p < 0.05 / tests
    assert {name: times / 150 for name, times in found.items()} == pytest.approx(dict.fromkeys(found, 0.8), abs=0.1)


@pytest.mark.slow
def test_the_sentence_on_power_is_true_of_the_faces_that_it_names():
    assert "a 7 that comes up 25.9 %" in dicelab.fair("9,16,26,33,43,43,44,34,26,17,9", die="2d6").power
    assert "a 1 (or another face) that comes up" in dicelab.fair("50,50,50,50,50,50").power
    assert "too few to notice" in dicelab.fair("1,1,0,0,0,0").power
    both = dicelab.fair(rolled(9, (40, 2)), die="d6")
    assert "; two dice that show the same in" in both.power
    assert both.power.endswith("The power of the test dice alike is not computed.")
    assert "or a die that shows the same as before in" in both.power
    assert both.to_dict()["noticed_pairs"] > both.to_dict()["noticed_repeats"] > 1 / 6


def test_estimates_have_exact_intervals():
    first = dicelab.fair("16,18,21,15,14,16").estimates()[0]
    known = stats.binomtest(16, 100).proportion_ci(method="exact")
    assert (first["low"], first["high"]) == (pytest.approx(known.low, abs=1e-9), pytest.approx(known.high, abs=1e-9))


@pytest.mark.slow
def test_the_answer_has_the_forms_of_all_answers():
    answer = dicelab.fair(rolled(8, (20, 3)), die="d6")
    data = json.loads(answer.to_json())
    assert (data["method"], data["die"], data["rolled"], data["dice"]) == ("fair", "d6", 60, 3)
    assert [test["name"] for test in data["tests"]] == ["faces", "dice alike", "pairs", "sequence", "repeats"]
    assert len(answer.to_frame()) == 6
    assert repr(answer).startswith("<Fair 20 rolls of 3 d6: ")
    assert "95 % interval" in answer._repr_html_()
    assert len(str(dicelab.fair(rolled(9, 300), die="d100")).splitlines()) < 60


@pytest.mark.slow
def test_the_command_says_what_the_library_says(tmp_path):
    from click.testing import CliRunner

    from dicelab.interface.cli.main import app

    file = tmp_path / "rolls.csv"
    file.write_text("\n".join(map(str, rolled(1, 60))))
    said = CliRunner().invoke(app, ["dice", "d6", "--test", str(file), "--json"])
    assert json.loads(said.stdout) | {"seconds": 0} == dicelab.fair(file, die="d6").to_dict() | {"seconds": 0}
    drawn = CliRunner().invoke(app, ["dice", "--test", "16,18,21,15,14,16", "--plot", str(tmp_path / "mine.svg")])
    assert drawn.exit_code == 0
    assert "rolled, with 95 % intervals" in (tmp_path / "mine.svg").read_text()


@pytest.mark.slow
def test_the_tests_without_power_are_named():
    rng = np.random.default_rng(1)
    many = dicelab.fair(rng.integers(1, 21, (200, 6)).tolist(), die="d20")
    assert many.noticeable_pairs is None
    assert many.power.endswith("The power of the tests dice alike and pairs is not computed.")
    assert "not computed" not in dicelab.fair("50,50,50,50,50,50").power


@pytest.mark.cases(("number", "dice", "faces"), [(3, 1, 2), (4, 1, 3), (5, 2, 2), (6, 2, 3), (6, 3, 2), (7, 1, 4)])
def test_mean_and_variance_of_repeats_are_those_over_all_orders(number, dice, faces):
    places = np.random.default_rng(number + dice).integers(0, faces, size=(number, dice))
    orders = [places[list(order)] for order in permutations(range(number))]
    repeats = [int((order[1:] == order[:-1]).sum()) for order in orders]
    assert _repeats_shuffled(places) == pytest.approx((np.mean(repeats), np.var(repeats)))


@pytest.mark.slow
def test_many_rolls_are_tested_without_shuffling_and_as_shuffling_would():
    rolls = rolls_of(np.random.default_rng(5).integers(1, 7, size=(300, 2)).tolist())
    random, seen = np.random.default_rng(6), (rolls.places[1:] == rolls.places[:-1]).sum()
    orders = (rolls.places[random.permutation(300)] for _ in range(4000))
    others = np.array([(order[1:] == order[:-1]).sum() for order in orders])
    found = next(test for test in all_tests(rolls)[0] if test.name == "repeats")
    assert found.how == "normal"
    assert found.p == pytest.approx((abs(others - others.mean()) >= abs(seen - others.mean())).mean(), abs=0.05)
    many = np.random.default_rng(7).integers(1, 7, size=300_000)
    begun = process_time()
    assert dicelab.fair(many.tolist(), die="d6").verdict == "fair"
    assert process_time() - begun < 4


def test_shuffling_reports_its_progress():
    done = []
    dicelab.fair([1, 2, 3, 4, 5, 6, 1, 1], die="d6", progress=lambda at, total: done.append((at, total)))
    assert (done[0], done[-1]) == ((0, 3999), (3998, 3999))


def test_what_is_no_count_is_never_taken_for_0():
    for typed in ("16,18,2 1,15,14,16", "16,,18", "16,x", "1_0__0,2"):
        with pytest.raises(ParameterError, match="can't be read: No such file"):
            dicelab.fair(typed)


def test_one_seven_in_seven_is_noticed_only_in_thousands_of_rolls():
    ways = [w / 36 for w in (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)]
    shares = [1 / 7 if w == 6 / 36 else w * (6 / 7) / (30 / 36) for w in ways]
    verdicts = [
        dicelab.fair(",".join(str(round(number * share)) for share in shares), die="2d6").verdict
        for number in (3000, 6000, 12000)
    ]
    assert verdicts == ["fair", "doubtful", "unfair"]
