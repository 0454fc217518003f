"""Sizes that are no whole numbers, and names of outcomes that say nothing, are refused when the class is made."""

from __future__ import annotations

import pytest

from dicelab.errors import ParameterError, RulesError
from dicelab.rules import Game, Grid, Int, Ints, Param


@pytest.mark.parametrize(
    "declared",
    [
        {"row": Ints("3", 0, 1)},
        {"row": Ints(3, 0, 2.5)},
        {"row": Int(0, 9, start="1")},
        {"board": Grid(2.0, 3, 0, 1)},
    ],
    ids=["length", "range", "start", "rows"],
)
def test_sizes_are_whole_numbers(declared):
    with pytest.raises(RulesError, match="which is not a whole number"):
        type("Odd", (Game,), declared)


@pytest.mark.parametrize("outcomes", [("same", "same"), ("", "other")])
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
