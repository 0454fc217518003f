"""What isn't shown of ranges, parameters without a use, messages about ranges, games left to the reference engine."""

from __future__ import annotations

import warnings

import pytest

import dicelab
from dicelab.conformance.file_check import check_file, declared
from dicelab.conformance.findings import lines_that_may_leave, straying
from dicelab.conformance.states import states
from dicelab.errors import PlayError
from dicelab.rules.loading.registry import find_in_file
from dicelab.translation.contract import unproved
from long_game import LONG

BOXES = '''
from dicelab.rules import *


class Boxes(Game):
    """Thirteen boxes, each with the sum of five dice."""

    source = "made for the tests"
    spare = Param(1, 1, 9, "no use")
    most = Param(80, 30, 99, "points of a box")

    points = Ints(13, 0, most)
    taken = Flags(13)
    counts = Ints(6, 0, 5)
    rolled = Flag()

    def next(self):
        if all(self.taken):
            return OVER
        return ask(self.box, 0) if self.rolled else throw(self.roll)

    @thrown(5, D6, COUNTS)
    def roll(self, *counts):
        self.rolled = True
        for i in range(6):
            self.counts[i] = counts[i]

    def free(self, box):
        return not self.taken[box]

    @chosen(13, legal=free)
    def box(self, box):
        self.taken[box] = True
        self.rolled = False
        total = sum((i + 1) * self.counts[i] for i in range(6))
        self.points[box] = total + 51 if box == 12 and self.counts[5] == 5 else total  # SCORE


@strategy(Boxes)
def first(game):
    return next(i for i in range(13) if not game.taken[i])
'''


@pytest.fixture
def file(tmp_path):
    def write(text):
        (tmp_path / "rules.py").write_text(text)
        return tmp_path / "rules.py"

    return write


def said(file):
    return [(one.verdict, one.step, one.say) for one in check_file(str(file))]


def test_check_climbs_to_a_value_that_hardly_any_game_reaches(file):
    path = file(BOXES)
    line = next(i for i, text in enumerate(BOXES.splitlines(), 1) if text.endswith("# SCORE"))
    verdict, step, say = said(path)[-1]
    assert (verdict, step) == ("broken", "states")
    assert say.startswith(
        f"{path}, line {line}, in box: points = 81 is outside its declared range 0 to 80 (declared in"
    )
    assert "at least 0 to 81" in say


@pytest.mark.slow
def test_check_names_lines_that_are_not_shown_to_stay_in_their_range_and_parameters_without_a_use(file):
    path = file(BOXES.replace("total + 51", "total + 50"))
    game = find_in_file(path)
    (unused,) = [one.say for one in declared(game) if "no rule uses" in one.say]
    assert unused == f"{path}, line 9: no rule uses the parameter spare: use it, or leave it out"
    (note,) = [one.say for one in states(game, []) if "no state that was tried leaves a range" in one.say]
    line = next(i for i, text in enumerate(BOXES.splitlines(), 1) if text.endswith("# SCORE"))
    assert f"points in {path}, line {line}, in box (" in note
    assert "(by any amount; declared 0 to most)" in note
    assert "counts" not in note
    assert "taken" not in note


def test_a_store_that_is_shown_to_stay_inside_is_not_named(file):
    game = find_in_file(
        file(BOXES.replace("total + 51 if box == 12 and self.counts[5] == 5 else total", "min(total, 30)"))
    )
    assert not [effect for effect in unproved(game) if effect.name == "points" and effect.kind == "may rise above"]


@pytest.mark.parametrize("ask", [dicelab.exact, lambda game: dicelab.simulate(game, games=2000, seed=1)])
def test_every_command_says_where_a_range_is_left_and_what_to_write(file, ask):
    path = file(LONG.replace("self.left -= 1", "self.left -= 1 + (total == 2)"))
    with pytest.raises(
        PlayError, match=r", line 16, in roll: left = -1 is outside its declared range 0 to 3 \(declared in"
    ) as found:
        ask(str(path))
    assert str(found.value).startswith(str(path))
    assert "declare a range that holds every value, at least -1 to 3" in str(found.value)
    assert "; state {'left': -1}" in str(found.value)


@pytest.mark.slow
def test_games_that_compiled_code_leaves_to_the_reference_engine_are_counted(file):
    path = str(file(LONG))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = dicelab.simulate(path, games=200, seed=1, engine="compiled")
    reference = dicelab.simulate(path, games=200, seed=1, engine="reference")
    assert found.tallies == reference.tallies
    left = [str(warning.message) for warning in caught if "played by the reference engine" in str(warning.message)]
    assert len(left) == 1
    assert 10 <= int(left[0].split()[0]) <= 82  # an eleven or twelve in three rolls: 46 of 200, six deviations


def test_a_bound_that_depends_on_parameters_is_beside_a_range_that_does(file):
    text = LONG.replace("left = Int(0, 3", "most = Param(3, 3, 9, 'rolls')\n    left = Int(0, most").replace(
        "self.left -= 1", "self.left = total * 3 - self.left"
    )
    game = find_in_file(file(text))
    assert [line for line in lines_that_may_leave(game(), straying(game)) if "declared 0 to most)" in line]
    assert "up to 36 with some parameters" in next(lines_that_may_leave(game(), straying(game)))
