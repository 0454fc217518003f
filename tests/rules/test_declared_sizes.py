"""Sizes that are no whole numbers, and names of outcomes that say nothing, are refused when the class is made."""

from __future__ import annotations

import enum
from collections.abc import Callable
from math import inf, nan

import pytest

from dicelab.errors import InputError, ParameterError, RangeError, RulesError
from dicelab.rules import (
    D6,
    Choice,
    Die,
    Flag,
    Flags,
    Game,
    Grid,
    Int,
    Ints,
    Memory,
    Param,
    Seat,
    Switch,
    Tally,
    chosen,
    d,
    drawn,
    kept,
    strategy,
    thrown,
    weighted,
)
from dicelab.rules.loading.registry import load


@pytest.mark.parametrize(
    "declared",
    [
        {"row": Ints("3", 0, 1)},
        {"row": Ints(3, 0, 2.5)},
        {"row": Int(0, 9, start="1")},
        {"row": Ints(True)},
        {"row": Ints(nan)},
        {"row": Int(0, inf)},
        {"count": Tally("counted", low=nan)},
    ],
    ids=["length", "range", "start", "yes", "nan", "infinite", "tally"],
)
def test_sizes_are_whole_numbers(declared):
    with pytest.raises(RulesError, match="which is not a whole number"):
        type("Odd", (Game,), declared)


def test_a_row_that_begins_with_different_numbers_is_set_by_a_method(tmp_path):
    text = """from dicelab.rules import *


class Odd(Game):
    left = Int(0, 3)
    cup = Ints(3, 0, 6, "dice", start=(6, 4, 3))
"""
    (tmp_path / "odd.py").write_text(text)
    with pytest.raises(RulesError, match=r"line 6: .*def start\(self\): self.NAME\[:\] = \(6, 4, 3\)"):
        load(tmp_path / "odd.py")


@pytest.mark.parametrize("outcomes", [("same", "same"), ("", "other"), (" ", "other"), ("two\nlines", "other")])
def test_each_outcome_has_a_name_of_its_own(outcomes):
    with pytest.raises(RulesError, match="each needs a name of its own"):
        type("Odd", (Game,), {"outcomes": outcomes})


def test_a_size_that_divides_by_nothing_is_refused():
    kinds = Param(0, 0, 3, "kinds")
    game = type("Odd", (Game,), {"kinds": kinds, "each": Int(0, 6 // kinds)})
    assert game(kinds=2).parameters == {"kinds": 2}
    with pytest.raises(ParameterError, match="6 // kinds: with these parameters this divides by 0"):
        game()


def test_a_parameter_may_be_negated():
    prize = Param(3, 0, 9, "prize")
    game = type("Odd", (Game,), {"prize": prize, "won": Int(-prize, prize)})
    assert [f.bounds(game(prize=2)) for f in game.declared.state.values()] == [(-2, 2)]


class Gaps(enum.IntEnum):
    LOW = 3
    HIGH = 9


class Nothing(enum.IntEnum):
    pass


PLAYERS = Param(2, 1, 4, "players").call("players")


def rule(self, *values):
    pass


NONSENSE = {
    "rows below 0": (lambda: Grid(-1, -3), r"Grid\(-1, -3, ...\): -1 must be a whole number above 0"),
    "no columns": (lambda: Grid(3, 0), "0 must be a whole number above 0"),
    "rows of text": (lambda: Grid("a", 2), "'a' must be a whole number above 0"),
    "rows with a fraction": (lambda: Grid(2.0, 3), "2.0 must be a whole number above 0"),
    "columns that are never there": (lambda: Grid(3, PLAYERS - 9), "must be a whole number above 0"),
    "length below 0": (lambda: Ints(-1), "a row of -1 numbers"),
    "length 0": (lambda: Ints(0), "a row of 0 numbers"),
    "length that is never there": (lambda: Ints(PLAYERS - 9), "a row of players - 9 numbers"),
    "too long": (lambda: Ints(10**8), "a row of 100,000,000 numbers; the limit is 65,536"),
    "flags below 0": (lambda: Flags(-3), "a row of -3 numbers"),
    "empty range": (lambda: Int(5, 1), "its range, 5 to 1, is empty"),
    "range that is always empty": (lambda: Int(9, PLAYERS), "its range, 9 to players, is empty"),
    "range too large": (lambda: Int(0, 10**30), r"goes beyond 2\*\*62"),
    "tally without values": (lambda: Tally("counted", low=5, high=1), "its range, 5 to 1, is empty"),
    "help of a field": (lambda: Int(0, 3, 5), "help = 5; it must be a text"),
    "help of a flag": (lambda: Flag(3), "help = 3; it must be a text"),
    "help of a tally": (lambda: Tally(5), "help = 5; it must be a text"),
    "help of a parameter": (lambda: Param(5, 1, 9, 7), "help = 7; it must be a text"),
    "help of a choice": (lambda: Choice(("a",), 5), "help = 5; it must be a text"),
    "no seats": (lambda: Seat(0), r"Seat\(0, ...\): 0 must be a whole number above 0"),
    "seats below 0": (lambda: Seat(-3, nobody=True), "-3 must be"),
    "seats of text": (lambda: Seat("x"), "'x' must be"),
    "seats of nothing": (lambda: Seat(None), "None must be"),
    "parameter from a fraction on": (lambda: Param(5, 1.5, 10, "x"), "1.5 is not allowed"),
    "parameter without end": (lambda: Param(5, 1, inf, "x"), "inf is not allowed"),
    "parameter up to nan": (lambda: Param(5, 1, nan, "x"), "nan is not allowed"),
    "parameter of text": (lambda: Param("5", 1, 9, "x"), "'5' is not allowed"),
    "parameter from text on": (lambda: Param(5, "1", 9, "x"), "'1' is not allowed"),
    "parameter too large": (lambda: Param(5, 1, 10**40, "x"), "its default and its range are whole numbers"),
    "switch of text": (lambda: Switch("no", "x"), "'no' is not allowed; its default is True or False"),
    "switch of nothing": (lambda: Switch(None, "x"), "None is not allowed"),
    "switch of nan": (lambda: Switch(nan, "x"), "nan is not allowed"),
    "choice of a number": (lambda: Choice(5, "x"), "5 is not allowed; give names"),
    "choice of a class": (lambda: Choice(int, "x"), "give names, or an IntEnum"),
    "choice without order": (lambda: Choice({"a", "b"}, "x"), "give names"),
    "sides with a fraction": (lambda: d(2.5), r"d\(2.5\): the number of sides is a whole number, 1 to 65,536"),
    "sides of text": (lambda: d("6"), "the number of sides"),
    "no sides": (lambda: d(0), "the number of sides"),
    "too many sides": (lambda: d(10**7), "the number of sides"),
    "face too large": (lambda: Die.of(10**30), "the value of a face is a whole number, at most 2,147,483,647"),
    "no dice": (lambda: thrown(0, D6)(rule), r"@thrown\(0, ...\): the number of dice must be 1 to 65,535"),
    "dice below 0": (lambda: thrown(PLAYERS - 9, D6)(rule), "the number of dice must be"),
    "too many dice": (lambda: thrown(10**6, D6)(rule), "the number of dice must be"),
    "die without faces": (lambda: thrown(1, Die())(rule), "face weights must not be negative"),
    "weight below 0": (lambda: thrown(1, Die(a=-1, b=2))(rule), "they are: a -1, b 2"),
    "no weight": (lambda: thrown(1, Die(a=0))(rule), "they are: a 0"),
    "weights that add up to nothing": (lambda: weighted(D6, rule, 0)(rule), "weights may add up to 0"),
    "bag of far too much": (lambda: drawn(Ints(3, 0, 900))(rule), "weights may add up to 2700"),
    "no values": (lambda: chosen()(rule), "say which values a move may have"),
    "no value": (lambda: chosen(0)(rule), r"@chosen\(0\): there is no such value"),
    "values below 0": (lambda: chosen(-4)(rule), "there is no such value"),
    "values that fall": (lambda: chosen((5, 1))(rule), "there is no such value"),
    "half a pair": (lambda: chosen((5,))(rule), "values are declared by an IntEnum"),
    "no pair": (lambda: chosen(())(rule), "values are declared by an IntEnum"),
    "values yes": (lambda: chosen(True)(rule), "values are declared by an IntEnum"),
    "too many values": (lambda: chosen(10**30)(rule), r"numbers up to 2\*\*62"),
    "moves with gaps": (lambda: chosen(Gaps)(rule), "Gaps must have moves, numbered without gaps"),
    "no moves": (lambda: chosen(Nothing)(rule), "Nothing must have moves"),
    "keep nothing": (lambda: kept(0, D6, Ints(6, 0, 5))(rule), "the number of dice is a whole number above 0"),
    "keep of too few faces": (lambda: kept(2, D6, Ints(2, 0, 5))(rule), "the row has 2 numbers, and the die 6 faces"),
}


@pytest.mark.parametrize("what", NONSENSE)
def test_declarations_that_mean_nothing_are_refused(what):
    make, said = NONSENSE[what]
    with pytest.raises((RulesError, ParameterError), match=said):
        type("Odd", (Game,), {"x": make(), "players": Param(2, 1, 4, "players")})


@pytest.mark.parametrize("seats", [-2, 0, 10**9, PLAYERS - 9])
def test_a_game_has_at_least_one_seat_and_not_endlessly_many(seats):
    with pytest.raises(RulesError, match="a game has 1 to 65,535 seats"):
        type("Odd", (Game,), {"players": PLAYERS, "seats": seats})


def test_seats_and_rows_that_these_parameters_leave_without_meaning_are_refused():
    players = Param(2, 1, 4, "players")
    game = type("Odd", (Game,), {"players": players, "seats": players - 1})
    assert game(players=2).parameters == {"players": 2}
    with pytest.raises(ParameterError, match="odd: with these parameters there are 0 seats"):
        game(players=1)
    wide = Param(2, 1, 10**6, "wide")
    rows = type("Odd", (Game,), {"wide": wide, "row": Ints(wide - 1)})
    assert len(rows(wide=1).__dict__["row"]) == 0
    with pytest.raises(RangeError, match="row: a row of 999,999 numbers, with these parameters; the limit is 65,536"):
        rows(wide=10**6)


def test_payoffs_that_are_too_large_are_refused():
    with pytest.raises(RulesError, match="is not a number"):
        type("Odd", (Game,), {"outcomes": ("a", "b"), "payoffs": {"a": (10**400,), "b": (1,)}})


def test_a_strategy_takes_what_it_declares():
    game = type("Odd", (Game,), {})
    least = Param(1, 0, 2, "least")

    def of(function: Callable[..., int], **more: object) -> Callable[[], object]:
        return lambda: strategy(game, **more)(function)

    for declare, said in [
        (of(lambda game: 0, memory=5), "memory=5; it must be a class that inherits from Memory"),
        (of(lambda game: 0, memory=int), "memory=<class 'int'>; it must be a class"),
        (of(lambda game, most: 0, least=least), r"must take what is declared: <lambda>\(game, least\)"),
        (of(lambda game, b, a: 0, a=least, b=least), r"<lambda>\(game, a, b\)"),
        (of(lambda game, least: 0, memory=Memory, least=least), r"<lambda>\(game, mine, least\)"),
    ]:
        with pytest.raises(InputError, match=said):
            declare()
    assert of(lambda game, *given: 0, least=least)()
