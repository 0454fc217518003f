"""A parameter whose values have names: a place inside, a name outside."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import pytest

import dicelab
from dicelab.conformance.file_check import check_game
from dicelab.errors import ParameterError, RangeError
from dicelab.questions.sweeps.points import Swept
from dicelab.results.card import card, card_text
from dicelab.results.text.page import Printing
from dicelab.rules import D6, OVER, Choice, Flag, Game, Int, Param, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import fresh, shown
from dicelab.runtime.strategies import parse_call


class Colour(IntEnum):
    """Where the money lies."""

    RED = 0
    DARK_BLUE = 1


class Spinner(Game):
    """Bet on odd, even or the highest number."""

    bet = Choice(("odd", "even", "six"), "what is bet on", default="even")
    colour = Choice(Colour, "where the money lies")
    stake = Param(1, 1, 9, "the stake")

    named = Int(0, bet + 1, "a range may use it", start=bet)
    done = Flag("thrown")
    asked = Flag("asked")
    money = Tally("money won; lost where negative")

    def next(self) -> int:
        if self.done:
            return OVER
        return throw(self.die) if self.asked else ask(self.call, 0)

    @chosen(Colour)
    def call(self, colour: int) -> None:
        self.asked = True
        if colour == Colour.DARK_BLUE:
            self.money -= 1

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.done = True
        won = face == 6 if self.bet == 2 else face % 2 != self.bet
        self.money += self.stake if won else -self.stake


@strategy(Spinner, colour=Choice(Colour, "which", default="dark_blue"), times=Param(3, 1, 5, "no use"))
def always(game: Spinner, colour: int, times: int) -> int:
    """Always the same."""
    return colour


@pytest.mark.parametrize(("value", "place"), [("odd", 0), ("six", 2), (2, 2), ("1", 1), (np.int64(0), 0)], ids=repr)
def test_a_choice_takes_a_name_and_its_place(value, place):
    accepted = Spinner.bet.accept(value)
    assert accepted == place
    assert type(accepted) is int


@pytest.mark.parametrize("value", [-1, 3, "3", True, None, 1.0, b"odd", ["odd"]], ids=repr)
def test_a_choice_refuses_what_is_no_name_and_no_place(value):
    with pytest.raises(ParameterError) as refused:
        Spinner(bet=value)
    assert str(refused.value) == f"bet: {value!r} is not allowed; it takes a name: odd, even, six"


@pytest.mark.parametrize(
    ("value", "told"), [("evn", "did you mean 'even'?"), ("SIX", "did you mean 'six'?"), ("", "even, odd, six")]
)
def test_an_unknown_name_is_told_the_nearest(value, told):
    with pytest.raises(ParameterError, match="bet: no value") as refused:
        Spinner(bet=value)
    assert told in str(refused.value)


def test_rules_see_the_place_and_people_the_name():
    game = Spinner(bet="six", colour=Colour.DARK_BLUE)
    assert (game.bet, game.colour, game.named) == (2, 1, 2)
    assert type(game.bet) is int
    assert game.parameters == {"bet": 2, "colour": 1, "stake": 1}
    assert shown(game) == {"bet": "six", "colour": "dark_blue", "stake": 1}
    assert shown(fresh(game)) == shown(Spinner(**shown(game))) == shown(game)
    with pytest.raises(RangeError):
        game.bet = 1


def test_the_first_name_is_the_default_unless_another_is_named():
    assert shown(Spinner()) == {"bet": "even", "colour": "red", "stake": 1}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), "give names"),
        ("pass", "give names"),
        (("pass", 7), "give names"),
        (("pass", "don't"), "'don\"?'?t' is not allowed|don't"),
        (("a  b",), "'a  b' is not allowed"),
        (("a,b",), "'a,b' is not allowed"),
        (("a:b",), "'a:b' is not allowed"),
        (("a=b",), "'a=b' is not allowed"),
        (("a..b",), "is not allowed"),
        (("-a",), "'-a' is not allowed"),
        (("",), "is not allowed"),
        (("12",), "'12' is not allowed"),
        (("1-6",), "'1-6' is not allowed"),
        (("a", "b", "a"), "the name 'a' occurs twice"),
        (IntEnum("Late", {"A": 1, "B": 2}), "Late must be numbered from 0"),
    ],
)
def test_names_can_be_written_wherever_a_value_is(names, told):
    with pytest.raises(ParameterError, match=told):
        Choice(names, "help")


@pytest.mark.parametrize("name", ["pass", "3-4-5x", "hop_1-1", "_", "c+e", "A2", "x", "24_249", "1e6"])
def test_a_name_is_not_of_digits_alone(name):
    assert Choice((name,), "help").names == (name,)


def test_a_default_that_is_no_name_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'odd'"):
        Choice(("odd", "even"), "help", default="ood")


@pytest.mark.slow
def test_every_engine_plays_by_the_place():
    for bet in Spinner.bet.names:
        results = [
            dicelab.simulate(Spinner, bet=bet, games=300, seed=4, engine=engine, threads=1)
            for engine in ("reference", "compiled", "table")
        ]
        assert len({str(sorted(result.tallies["money"].histogram.items())) for result in results}) == 1
        assert results[0].parameters["bet"] == bet
        assert f"bet {bet}" in results[0].text(Printing(everything=True))


def test_exact_answers_take_a_name():
    answers = [dicelab.exact(Spinner, "always:red", bet=bet).tallies["money"].fraction for bet in ("odd", 1, "six")]
    assert [str(answer) for answer in answers] == ["0", "0", "-2/3"]


def test_a_strategy_takes_a_name():
    assert parse_call(Spinner, "always:red").args == (0, 3)
    assert parse_call(Spinner, "always").args == (1, 3)
    assert str(parse_call(Spinner, "always")) == "always"
    assert parse_call(Spinner, str(parse_call(Spinner, "always:red:4"))).args == (0, 4)
    with pytest.raises(ParameterError, match="strategy 'always:rde': colour: no value 'rde'; did you mean 'red'"):
        parse_call(Spinner, "always:rde")


def test_a_sweep_goes_over_names():
    swept = dicelab.sweep(Spinner, "always:red", over={"bet": ["odd", "six"]}, exact=True)
    assert [row.result.parameters["bet"] for row in swept.rows] == ["odd", "six"]
    assert [row["over"] for row in swept.to_dict()["rows"]] == [{"bet": "odd"}, {"bet": "six"}]
    assert [line.split(",")[0] for line in swept.to_csv().splitlines()] == ["bet", "odd", "six"]
    assert str(swept).startswith("Bet odd is best: ")
    assert {"odd", "six"} <= {line.partition(" ")[0] for line in str(swept).splitlines()}
    assert Swept.of(Spinner, "bet", ["six", 0]).values == (2, 0)
    assert Swept.of(Spinner, "always.colour", ["red"]).values == (0,)
    with pytest.raises(ParameterError, match="bet: no value 'sx'; did you mean 'six'"):
        Swept.of(Spinner, "bet", ["sx"])
    with pytest.raises(ParameterError, match="over: stake: 'six' is not a whole number"):
        Swept.of(Spinner, "stake", ["six"])
    both = dicelab.sweep(Spinner, "always", over={"always.colour": ["red", "dark_blue"]}, exact=True)
    assert [str(row.result.tallies["money"].fraction) for row in both.rows] == ["0", "-1"]


def test_the_card_tells_names():
    parameters = {p["name"]: p for p in card(Spinner)["declared"]["parameters"]}
    assert parameters["bet"] == {
        "name": "bet",
        "default": "even",
        "allowed": "odd, even, six",
        "names": ["odd", "even", "six"],
        "help": "what is bet on",
    }
    assert "names" not in parameters["stake"]
    text = card_text(Spinner, "spinner", Printing())
    assert "always:dark_blue:3  (default)" in text
    assert "Names of" not in text


def test_many_names_stand_below_the_parameters():
    names = tuple(f"name_{i}" for i in range(150))
    game = type("Many", (Game,), {"bet": Choice(names, "the bet")})
    assert game.bet.allowed == "name_0 ... name_149, 150 names"
    with pytest.raises(ParameterError, match="no value 'nam_7'; did you mean 'name_7'"):
        game(bet="nam_7")
    with pytest.raises(ParameterError, match="'zzz' is not allowed; it takes a name: name_0"):
        game(bet="zzz")
    lines = card_text(game, "many", Printing()).splitlines()
    first = lines.index("Names of bet")
    listed = ", ".join(line.strip() for line in lines[first + 1 : lines.index("", first)]).replace(",,", ",")
    assert listed.split(", ") == list(names)
    assert max(map(len, lines)) <= 100


def test_a_check_plays_by_every_name():
    class Broken(Spinner):
        """One bet of three breaks the rules."""

        @thrown(1, D6)
        def die(self, face: int) -> None:
            self.done = True
            self.named = 99 if self.bet == 2 else 0

    last = list(check_game(Broken))[-1]
    assert (last.step, last.verdict) == ("settings", "broken")
    assert "in die: at bet=six: named = 99 is outside its declared range 0 to 3" in last.say
