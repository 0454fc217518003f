"""What a game declares: parameters and their arithmetic, fields and their ranges, the memory of a strategy."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from dicelab.errors import InputError, ParameterError, RangeError, RulesError, UnknownNameError
from dicelab.rules import D6, Flag, Game, Int, Ints, Memory, Param, Peak, Switch, Tally, strategy, throw, thrown
from dicelab.rules.game import counted, fresh, position, reset, shown
from dicelab.rules.params import value_of, whole_number


class Sample(Game):
    """One of everything."""

    players = Param(3, 1, 6, "players")
    top = Param(10, -5, 100, "largest value")
    fast = Switch(False, "play fast")

    seats = players

    level = Int(0, top, "level")
    depth = Int(-3, -1, "below zero")
    begun = Int(0, top + 1, "starts at the top", start=top)
    high = Int(5, 50, "never below five")
    rising = Int(0, 9, "never falls", grows=True)
    ready = Flag("ready")
    row = Ints(players, 0, 2 * top, "a row")
    mounting = Ints(players, 0, 9, "a row that never falls", grows=True)

    counted = Tally("counted")
    best = Peak("best")


@pytest.fixture
def game():
    return Sample()


# Parameters -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-5, 0, 100, "7", " 12 ", "1e1", "-3", np.int64(4), np.uint8(9)], ids=repr)
def test_a_parameter_takes_whole_numbers_and_their_text(value):
    accepted = Sample.top.accept(value)
    assert accepted == int(float(value))
    assert type(accepted) is int


@pytest.mark.parametrize(
    "value",
    [-6, 101, "102", "2.5", "", "ten", 2.0, True, None, [1], "1e9", b"7", np.float64(3)],
    ids=repr,
)
def test_a_parameter_refuses_all_else_and_names_itself_the_value_and_what_is_allowed(value):
    with pytest.raises(ParameterError) as refused:
        Sample(top=value)
    message = str(refused.value)
    assert message.startswith("top: ")
    assert repr(value) in message
    assert "-5 to 100" in message


@pytest.mark.parametrize("default", [-1, 11])
def test_a_default_outside_the_range_is_refused(default):
    with pytest.raises(ParameterError):
        Param(default, 0, 10, "help")


@pytest.mark.parametrize("word", ["yes", "true", "on", "1", "YES", "True", True, 1], ids=repr)
def test_a_switch_is_on(word):
    game = Sample(fast=word)
    assert game.fast is True
    assert game.parameters["fast"] == 1


@pytest.mark.parametrize("word", ["no", "false", "off", "0", "NO", "False", False, 0], ids=repr)
def test_a_switch_is_off(word):
    assert Sample(fast=word).fast is False


@pytest.mark.parametrize("word", ["maybe", "", "2", 2, -1, 1.0, None], ids=repr)
def test_a_switch_refuses_other_words(word):
    with pytest.raises(ParameterError, match=r"fast: .* yes or no"):
        Sample(fast=word)


def test_people_write_a_switch_as_yes_and_no():
    switch = Sample.fast
    assert [switch.word(1), switch.word(0), switch.allowed] == ["yes", "no", "yes or no"]
    assert shown(Sample(fast="on")) == {"players": 3, "top": 10, "fast": True}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("-12", -12),
        ("+3", 3),
        ("007", 7),
        ("10_000", 10_000),
        ("1e6", 10**6),
        ("25E3", 25_000),
        ("1e0", 1),
        ("1e18", 10**18),
        ("9" * 30, 10**30 - 1),
    ],
)
def test_whole_numbers_as_people_write_them(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize(
    "text",
    ["", " ", "2.5", "1.0", "e5", "1e", "1e-3", "1e+3", "-1e3", "1e19", "1e999999999", "0x10", "1,000", "²e3", "one"],
)
def test_what_is_no_whole_number(text):
    assert whole_number(text) is None


def test_a_very_long_number_is_refused_without_an_error_of_its_own():
    with pytest.raises(ParameterError):
        Sample(top="9" * 10_000)


@pytest.mark.parametrize(
    ("expression", "text", "value"),
    [
        (Sample.top, "top", 10),
        (Sample.top + 1, "top + 1", 11),
        (1 + Sample.top, "1 + top", 11),
        (Sample.top - Sample.players, "top - players", 7),
        (20 - Sample.top, "20 - top", 10),
        (2 * Sample.top, "2 * top", 20),
        (Sample.top // 3, "top // 3", 3),
        ((Sample.top + 1) * Sample.players, "(top + 1) * players", 33),
        (Sample.top - (Sample.players - 1), "top - (players - 1)", 8),
        (Sample.top + 2 * Sample.players, "top + 2 * players", 16),
        ((Sample.top - 1) // (Sample.players - 1), "(top - 1) // (players - 1)", 4),
    ],
)
def test_arithmetic_with_parameters_and_how_it_reads(game, expression, text, value):
    assert str(expression) == text
    assert value_of(expression, game) == value


def test_a_number_divided_by_a_parameter(game):
    share = 52 // Sample.players
    assert str(share) == "52 // players"
    assert value_of(share, game) == 17


def test_arithmetic_follows_the_parameters_of_each_game():
    assert [value_of(Sample.top * Sample.players, Sample(players=n, top=5)) for n in (1, 2, 6)] == [5, 10, 30]


def test_unknown_parameters_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'players'"):
        Sample(player=2)


def test_a_game_may_refuse_parameters_together():
    class Fussy(Game):
        """Fewer than two."""

        one = Param(1, 0, 5, "one")
        two = Param(2, 0, 5, "two")

        def refuse(self):
            return "" if self.one < self.two else "one must be below two"

    assert Fussy(one=1, two=2).two == 2
    with pytest.raises(ParameterError, match="fussy: one must be below two"):
        Fussy(one=3)


@pytest.mark.parametrize("name", ["game", "parameters", "profile", "self", "cls", "next", "name"])
def test_a_parameter_cannot_have_a_name_that_means_something_else(name):
    with pytest.raises(RulesError, match=name):
        type("Clash", (Game,), {name: Param(1, 0, 2, "clash")})


def test_a_strategy_does_not_rename_a_parameter_that_it_shares():
    class Shared(Game):
        """One parameter, used by the game and two strategies."""

        top = Param(5, 1, 9, "largest")

    def first(game, points):
        return 0

    def second(game, limit):
        return 0

    with suppress(RulesError):  # refusing to share would do as well
        strategy(Shared, points=Shared.top)(first)
        strategy(Shared, limit=Shared.top)(second)
    assert Shared(top=7).parameters == {"top": 7}
    assert str(Shared.top) == "top"
    assert value_of(Shared.top + 1, Shared(top=7)) == 8
    for declared in Shared.declared.strategies.values():
        assert all(param.name == name for name, param in declared.params.items())


# Fields ---------------------------------------------------------------------------------------------------------------


def test_fields_begin_at_their_start_or_nearest_to_zero(game):
    assert position(game) == {
        "level": 0,
        "depth": -1,
        "begun": 10,
        "high": 5,
        "rising": 0,
        "ready": 0,
        "row": [0, 0, 0],
        "mounting": [0, 0, 0],
    }
    assert counted(game) == {"counted": 0, "best": 0}
    assert position(Sample(players=5))["row"] == [0] * 5


@pytest.mark.parametrize(
    ("name", "value"),
    [("level", 0), ("level", 10), ("depth", -3), ("begun", 11), ("ready", True), ("counted", -1), ("best", 2**62)],
)
def test_a_field_holds_its_whole_range(game, name, value):
    setattr(game, name, value)
    assert getattr(game, name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [("level", -1), ("level", 11), ("depth", 0), ("begun", 12), ("ready", 2), ("counted", 2**62 + 1), ("high", 4)],
)
def test_a_field_refuses_what_is_outside_its_range_and_keeps_its_value(game, name, value):
    before = getattr(game, name)
    with pytest.raises(RangeError, match=rf"{name} = .* (outside its declared range|does not fit in 64 bits)"):
        setattr(game, name, value)
    assert getattr(game, name) == before


@pytest.mark.parametrize("value", [1.0, "1", None, [1]])
def test_a_field_holds_whole_numbers_only(game, value):
    with pytest.raises(RangeError, match="whole numbers only"):
        game.level = value


def test_ranges_follow_the_parameters():
    game = Sample(top=20)
    game.level = 20
    with pytest.raises(RangeError, match="0 to 20"):
        game.level = 21


def test_a_field_that_grows_never_falls_within_a_game(game):
    game.rising = 4
    game.rising = 4
    with pytest.raises(RangeError, match="rising fell from 4 to 3"):
        game.rising = 3
    reset(game)
    assert game.rising == 0


def test_a_flag_stays_a_flag(game):
    game.ready = 1
    assert game.ready is True


def test_rules_change_neither_parameters_nor_what_is_not_declared(game):
    with pytest.raises(RangeError, match="top is a parameter"):
        game.top = 3
    with pytest.raises(RangeError, match="note is not declared"):
        game.note = 3
    with pytest.raises(RangeError, match="row is a row"):
        game.row = [1, 2, 3]


# Rows -----------------------------------------------------------------------------------------------------------------


def test_a_row_reads_like_a_list(game):
    game.row[1] = 7
    game.row[2] += 20
    assert list(game.row) == [0, 7, 20]
    assert (len(game.row), max(game.row), sum(game.row), game.row.index(20), 7 in game.row) == (3, 20, 27, 2, True)


@pytest.mark.parametrize("index", [-1, -3, 3, 100])
def test_a_row_has_no_place_outside_its_length(game, index):
    with pytest.raises(RangeError, match=f"row\\[{index}\\]: the index must be 0 to 2"):
        game.row[index]
    with pytest.raises(RangeError, match="the index must be 0 to 2"):
        game.row[index] = 1


@pytest.mark.parametrize("value", [-1, 21, 1.5, None])
def test_a_row_checks_its_values(game, value):
    with pytest.raises(RangeError, match="row"):
        game.row[0] = value
    assert list(game.row) == [0, 0, 0]


def test_a_row_that_grows_never_falls(game):
    game.mounting[1] = 5
    with pytest.raises(RangeError, match="mounting fell from 5 to 4"):
        game.mounting[1] = 4


@pytest.mark.parametrize(
    "change",
    [
        "row[0:2] = [1]",
        "del row[0]",
        "row += [1]",
        "row *= 2",
        "row.append(1)",
        "row.extend([1])",
        "row.insert(0, 1)",
        "row.remove(0)",
        "row.pop()",
        "row.clear()",
        "row.sort()",
        "row.reverse()",
    ],
)
def test_a_row_keeps_its_length_and_order(game, change):
    game.row[0] = 3
    with pytest.raises(RangeError, match="row"):
        exec(change, {"row": game.row})
    assert list(game.row) == [3, 0, 0]


# Games and memory -----------------------------------------------------------------------------------------------------


def test_games_of_one_class_share_nothing():
    one, two = Sample(), Sample(players=2)
    one.level = 4
    one.row[0] = 9
    assert (two.level, list(two.row)) == (0, [0, 0])
    assert position(fresh(one)) == position(Sample())
    assert fresh(two).parameters == two.parameters


def test_reset_begins_again(game):
    game.level, game.counted = 4, 7
    game.row[0] = 9
    reset(game)
    assert position(game) == position(Sample())
    assert counted(game) == {"counted": 0, "best": 0}


def test_a_position_is_a_copy(game):
    before = position(game)
    game.row[0] = 9
    assert before["row"] == [0, 0, 0]


class Diary(Memory):
    days = Int(0, Sample.top, "days")
    wet = Flag("it rained")
    rain = Ints(Sample.players, 0, 5, "rain")


def test_memory_is_declared_and_checked_like_state(game):
    mine = Diary(game)
    assert (mine.days, mine.wet, list(mine.rain)) == (0, False, [0, 0, 0])
    mine.days, mine.wet, mine.rain[2] = 10, True, 5
    assert (mine.days, mine.wet, list(mine.rain)) == (10, True, [0, 0, 5])
    with pytest.raises(RangeError, match="days"):
        mine.days = 11
    with pytest.raises(RangeError, match="rain"):
        mine.rain[0] = 6
    with pytest.raises(RangeError, match="note is not declared"):
        mine.note = 1


def test_each_memory_is_its_own(game):
    first, second = Diary(game), Diary(game)
    first.rain[0] = 3
    assert list(second.rain) == [0, 0, 0]


def test_errors_about_input_are_told_from_errors_of_play():
    assert issubclass(ParameterError, InputError)
    assert not issubclass(RangeError, InputError)


def test_a_game_made_of_two_changes_neither():
    class Left(Game):
        @thrown(1, D6)
        def left(self, face):
            pass

    class Right(Game):
        @thrown(1, D6)
        def right(self, face):
            pass

    asks = [throw(Left.left, 1), throw(Right.right, 1)]
    type("Both", (Left, Right), {})
    assert [throw(Left.left, 1), throw(Right.right, 1)] == asks
