"""Solving for the value of a parameter at which a figure equals a target."""

from __future__ import annotations

import json

import pytest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.results.text.page import Printing
from dicelab.rules import D6, OVER, Choice, Game, Int, Param, Switch, Tally, throw, thrown


class Threshold(Game):
    """Roll so many dice; a total of at least `wanted` wins; the parameters have names of arguments."""

    name = "threshold"
    outcomes = ("win", "lose")
    rolled = Tally("rolls")

    wanted = Param(10, 1, 100, "total that wins")
    games = Param(3, 1, 12, "number of rolls")
    exact = Switch(False, "the total must be equal")
    done = Int(0, games, "rolls so far")
    total = Int(0, 72, "their total")

    def next(self) -> int:
        return OVER if self.done >= self.games else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.done += 1
        self.rolled += 1
        self.total += face

    def outcome(self) -> int:
        if self.exact:
            return 0 if self.total == self.wanted else 1
        return 0 if self.total >= self.wanted else 1


class Coin(Game):
    """A die wins on its upper faces, more of them in one of the modes."""

    name = "coin"
    outcomes = ("win", "lose")
    mode = Choice(("fair", "kind", "cruel"), "how many faces win")
    won = Int(-1, 1, "whether it is won")

    def next(self) -> int:
        return OVER if self.won >= 0 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        least = 4 if self.mode == 0 else 3 if self.mode == 1 else 6
        self.won = 1 if face >= least else 0

    def outcome(self) -> int:
        return 1 - self.won


def winning(wanted: int) -> float:
    return dicelab.exact(Threshold, wanted=wanted).outcomes["win"].probability


def test_two_neighbours_bracket_the_target():
    found = dicelab.solve_for(Threshold, "win", 0.3, over={"wanted": range(1, 30)}, exact=True)
    (crossing,) = found.crossings
    assert crossing.first == crossing.last + 1
    assert winning(crossing.last) > 0.3 > winning(crossing.first)
    assert not crossing.rises
    assert len(found.rows) < found.values == 29
    assert found.equal == []
    assert "passes 0.3 between wanted 12 (above) and wanted 13 (below)" in found.text()


def test_a_value_at_which_the_figure_equals_the_target():
    found = dicelab.solve_for(Threshold, "win", 0.5, over={"wanted": range(1, 30)}, exact=True)
    assert found.equal == [11]  # three dice are as often above 10.5 as below
    assert [(one.last, one.first) for one in found.crossings] == [(10, 12)]
    assert 'probability of the outcome "win" equals 0.5 at wanted 11' in found.text()


def test_every_passing_of_a_figure_that_rises_and_falls():
    found = dicelab.solve_for(
        Threshold, "win", 0.1, over={"wanted": range(3, 19)}, exact=True, parameters={"exact": True}
    )
    assert [(one.last, one.first, one.rises) for one in found.crossings] == [(8, 9, True), (12, 13, False)]


@pytest.mark.slow
def test_estimates_are_compared_by_their_intervals():
    settings = {"games": 2000, "seed": 1, "parameters": {"games": 10}}
    found = dicelab.solve_for(Threshold, "win", 0.5, over={"wanted": range(10, 61)}, **settings)
    (crossing,) = found.crossings
    assert crossing.last <= 35 < crossing.first  # the chance is 0.5 between 35 and 36
    for row in found.rows:
        _, low, high = row.result.point("win")
        assert (row.values["wanted"] in found.equal) == (low <= 0.5 <= high)
        assert row.result.games == 2000
        assert row.result.parameters["games"] == 10
    assert all(crossing.last < value < crossing.first for value in found.equal)
    assert "can't be distinguished, with so many games, from 0.5" in found.text()


def test_a_target_that_is_out_of_reach():
    found = dicelab.solve_for(Threshold, "rolled", 5, over={"games": range(1, 4)}, exact=True)
    assert (found.crossings, found.equal) == ([], [])
    assert "passes 5 at no value that was looked at; nearest is 3, at games 3" in found.text()


def test_plain_data_and_tables():
    found = dicelab.solve_for(Threshold, "win", 0.3, over={"wanted": [4, 10, 16]}, exact=True)
    data = json.loads(found.to_json())
    assert (data["method"], data["figure"], data["target"], data["values"]) == ("solve_for", "win", 0.3, 3)
    assert data["crossings"] == [{"last": 10, "first": 16, "rises": False}]
    assert [row["over"] for row in data["rows"]] == [{"wanted": 4}, {"wanted": 10}, {"wanted": 16}]
    assert found.to_csv().splitlines()[0] == "wanted,win,win low,win high"
    assert max(map(len, found.text(Printing(40)).splitlines())) <= 40


@pytest.mark.parametrize(
    ("figure", "target", "more", "error", "words"),
    [
        ("wn", 0.5, {}, UnknownNameError, "did you mean 'win'?"),
        ("gap", 0.5, {}, UnknownNameError, "no outcome or tally of threshold 'gap'"),
        ("win", "half", {}, ParameterError, "target: 'half' is not a number"),
        ("win", True, {}, ParameterError, "target: True is not a number"),
        ("win", float("nan"), {}, ParameterError, "target: nan is not a number"),
        ("win", 0.5, {"wanted": 4}, ParameterError, "wanted can't be both given and swept"),
    ],
)
def test_what_is_refused(figure, target, more, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")):
        dicelab.solve_for(Threshold, figure, target, over={"wanted": range(1, 9)}, exact=True, **more)


def test_optimal_play_at_every_point():
    found = dicelab.sweep("tossup", "best", over={"last_turn": ["no", "yes"]}, target=10, dice=3)
    assert [row["over"] for row in found.to_dict()["rows"]] == [{"last_turn": "no"}, {"last_turn": "yes"}]
    for row, last_turn in zip(found.rows, (False, True), strict=True):
        best = dicelab.solve("tossup", target=10, dice=3, last_turn=last_turn)
        assert row.result.strategies == ["best", "best"]
        assert {name: p.probability for name, p in row.result.outcomes.items()} == {
            n: p.probability for n, p in best.outcomes.items()
        }
    assert found.exact
    assert "strategies: best" in found.text()


def test_one_seat_plays_optimally():
    found = dicelab.sweep("tossup", ["one_roll", "best"], over={"target": [5, 8]}, dice=2)
    for row, target in zip(found.rows, (5, 8), strict=True):
        best = dicelab.solve("tossup", "one_roll", seat=1, target=target, dice=2)
        assert row.result.outcomes["1"].probability == best.outcomes["1"].probability


@pytest.mark.parametrize(("typed", "shown"), [(["on", "off"], ["yes", "no"]), ([True, False], ["yes", "no"]),
                                              (["true", "0"], ["yes", "no"])])  # fmt: skip
def test_switches_as_they_are_typed(typed, shown):
    found = dicelab.sweep(Threshold, over={"exact": typed}, exact=True)
    assert [row.shown_values["exact"] for row in found.rows] == shown
    assert [line.split()[0] for line in found.text().split("\n\n")[2].splitlines()[1:3]] == shown


def test_names_of_a_choice():
    found = dicelab.sweep(Coin, over={"mode": ["kind", 2]}, exact=True)
    assert [row.shown_values["mode"] for row in found.rows] == ["kind", "cruel"]


def test_names_of_an_argument_that_is_a_choice():
    found = dicelab.sweep("craps", over={"line.system": ["flat", "martingale"]}, until_rounds=2, games=50, seed=1)
    assert [row["over"] for row in found.to_dict()["rows"]] == [{"line.system": "flat"}, {"line.system": "martingale"}]
    assert "martingale" in found.to_csv()
