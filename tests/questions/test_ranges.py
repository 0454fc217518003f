"""What a sweep goes over, as people write it."""

from __future__ import annotations

import pytest

from dicelab.errors import ParameterError, UnknownNameError
from dicelab.questions.sweeps.points import MOST, Swept, parse_range
from support import GAMES


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("players=2..5", "players", [2, 3, 4, 5]),
        ("players=2..2", "players", [2]),
        ("bank_over=0..60..20", "bank_over", [0, 20, 40, 60]),
        ("bank_over=0..59..20", "bank_over", [0, 20, 40]),
        ("bank_over=0..5..20", "bank_over", [0]),
        ("main=5,7,9", "main", [5, 7, 9]),
        ("main=9,5,9", "main", [9, 5, 9]),
        ("main=5", "main", [5]),
        ("bank_over.points=-3..3..3", "bank_over.points", [-3, 0, 3]),
        ("x=1e3..3e3..1_000", "x", [1000, 2000, 3000]),
        ("x=1..10000", "x", list(range(1, 10_001))),
        ("x= 1 .. 3 ", "x", [1, 2, 3]),
        ("bet=pass", "bet", ["pass"]),
        ("bet=3-4-5x,2,hop_1", "bet", ["3-4-5x", 2, "hop_1"]),
        ("x=1e3,24_249,7", "x", ["1e3", "24_249", 7]),
    ],
)
def test_a_range_is_a_name_and_its_values(text, name, values):
    assert parse_range(text) == (name, values)


@pytest.mark.cases(
    "text",
    [
        *("", "main", "=", "main=", "=5", "=5..9", "main=..", "main=5..", "main=..9", "main=5...9", "main=5..9.."),
        *("main=5..9..1..1", "main=5,", "main=,5", "main=5,,6", "main=5,-x", "main=x..9", "main=5..x"),
        *("main=5..9..x", "main=5.5", "main=5..9.5", "main=5-9", "main=5:9", "main=n.n", "main==5", "main=yes:no"),
        *("main=5;6", "main=5..9,11", "main 5..9"),
    ],
)
def test_anything_else_is_told_how_it_is_written(text):
    with pytest.raises(ParameterError) as raised:
        parse_range(text)
    assert str(raised.value).startswith(f"over: {text!r} is not allowed; it is written ")
    assert "=FIRST..LAST, " in str(raised.value)


@pytest.mark.parametrize("text", ["main=9..5", "main=5..9..0", "main=5..9..-1", "main=9..5..-1"])
def test_a_range_goes_up(text):
    with pytest.raises(ParameterError, match="has no values; it goes up from the first to the last, by a step above 0"):
        parse_range(text)


@pytest.mark.parametrize("text", [f"x=0..{MOST}", "x=0..1e9", f"x=0..{'9' * 300}", f"x=-{'9' * 300}..0"])
def test_a_range_that_is_too_long_is_refused_at_once(text):
    with pytest.raises(ParameterError, match=f"has more than {MOST:,} values"):
        parse_range(text)


def test_a_name_is_a_parameter_a_strategy_or_its_argument():
    tossup = GAMES["tossup"]
    assert (Swept.of(tossup, "target", [5, 6]).strategy, Swept.of(tossup, "target", [5, 6]).values) == ("", (5, 6))
    for name in ("bank_over", "bank_over.points"):
        swept = Swept.of(tossup, name, iter([5, 6]))
        assert (swept.name, swept.strategy, swept.argument, swept.values) == (name, "bank_over", 0, (5, 6))


def test_numbers_may_be_written_as_people_write_them():
    assert Swept.of(GAMES["tossup"], "target", ["1e2", "1_0", 7]).values == (100, 10, 7)


@pytest.mark.parametrize(
    ("name", "values", "error", "told"),
    [
        ("targt", [5], UnknownNameError, "no parameter or strategy of tossup 'targt'; did you mean 'target'"),
        ("bank_ov", [5], UnknownNameError, "did you mean 'bank_over'"),
        ("bank_ov.points", [5], UnknownNameError, "did you mean 'bank_over'"),
        ("bank_over.point", [5], UnknownNameError, "no argument of bank_over 'point'; did you mean 'points'"),
        ("target.points", [5], UnknownNameError, "no parameter or strategy of tossup 'target'"),
        ("one_roll", [5], ParameterError, "one_roll has 0 arguments"),
        ("target", [], ParameterError, "target has no values"),
        ("target", [0], ParameterError, "target: 0 is not allowed; it takes a whole number, 1 to 1000"),
        ("target", [1, 1001], ParameterError, "target: 1001"),
        ("bank_over", [5, 1001], ParameterError, "points: 1001 is not allowed; it takes a whole number, 0 to 1000"),
        ("target", [5.0], ParameterError, r"over: target: 5\.0 is not a whole number"),
        ("target", ["5"], ParameterError, "over: target: '5' is not a whole number"),
        ("target", [None], ParameterError, "over: target: None is not a whole number"),
        ("target", [True], ParameterError, "over: target: True is not a whole number"),
    ],
)
def test_what_is_no_name_or_no_value_of_it_is_refused(name, values, error, told):
    with pytest.raises(error, match=told):
        Swept.of(GAMES["tossup"], name, values)


def test_a_dot_needs_an_argument_behind_it():
    with pytest.raises(UnknownNameError, match="no argument of bank_over ''"):
        Swept.of(GAMES["tossup"], "bank_over.", [5])
