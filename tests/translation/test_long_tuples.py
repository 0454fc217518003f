"""A long tuple of whole numbers in which rules look things up is an array once compiled, and means the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicelab.engines.compiled import Compiled
from dicelab.errors import PlayError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run

GAME = """
from dicelab.rules import D6, OVER, Game, Int, Param, Tally, throw, thrown

SQUARES = tuple(n * n for n in range(40))
SAME = tuple(n * n for n in range(40))
SHORT = (5, 6, 7, 8, 9, 10, 11)


def looked_up(face):
    return SQUARES[2 * face] + SHORT[face]


class Lookups(Game):
    outcomes = ()
    beyond = Param(0, 0, 100, "how far beyond")
    left = Int(0, 20, start=20)
    total = Tally("what is looked up")

    def next(self):
        return throw(self.die) if self.left > 0 else OVER

    @thrown(1, D6)
    def die(self, face):
        self.left -= 1
        self.total += looked_up(face) + SAME[face + self.beyond] - SQUARES[-face] + SQUARES[3]
"""


@pytest.fixture
def game(tmp_path: Path):
    file = tmp_path / "lookups.py"
    file.write_text(GAME)
    return find_in_file(file)


@pytest.mark.slow
def test_what_is_looked_up_is_the_same(game) -> None:
    run = Run.of(game)
    fast = Compiled(run.game, run.calls)
    assert fast.play(1, 0, 200) == Reference(run.game, run.calls).play(1, 0, 200)
    assert fast.text.count("np.array([0, 1, 4, 9, 16,") == 1, "one array for equal tuples"


def test_a_number_beyond_the_end_is_said_by_both(game) -> None:
    run = Run.of(game, beyond=38)
    told = []
    for engine in (Compiled(run.game, run.calls), Reference(run.game, run.calls)):
        with pytest.raises(PlayError, match="IndexError: tuple index out of range") as raised:
            engine.play(1, 0, 50)
        told.append(str(raised.value))
    assert told[0] == told[1]
