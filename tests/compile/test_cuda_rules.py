"""The kernel of rules for GPUs, without numba-cuda: its text, and games in the simulator that Numba has of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dicelab.compile.kernels.move_support import add_move
from dicelab.errors import NotSmall
from dicelab.extras.gpu.engine import CudaRules, CudaTable, made
from dicelab.extras.gpu.rules import recorded
from dicelab.rules import D6, OVER, Game, Ints, throw, thrown
from dicelab.rules.actions import LISTABLE
from support import FIRST, run_of

CODE = """
import sys, warnings
warnings.simplefilter("ignore")  # words wrap around
from dicelab.extras.gpu.engine import made
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Run

for name, *strategies in (("hazard",), ("lcr",), ("tossup", "bank_over_or_win")):
    run = Run.of(name, strategies)
    engine = made(run)
    engine.compile()
    found, right = engine.play(7, 0, 12), Reference(run.game, run.calls, LIMIT, False).play(7, 0, 12)
    assert (found.counts, found.histograms) == (right.counts, right.histograms), name
    print(type(engine).__name__)
"""


@pytest.mark.slow
def test_the_games_are_those_of_the_reference_engine():
    said = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert (said.stderr, said.stdout.split()) == ("", ["CudaTable", "CudaRules", "CudaRules"])


def test_a_table_is_followed_where_there_is_one():
    assert isinstance(made(run_of("hazard")), CudaTable)
    by_rules = made(run_of("lcr"))
    assert isinstance(by_rules, CudaRules)
    assert by_rules.how == "plays by the translated rules: it has more than 256 states"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a // b", "x = _gpu.quotient(_g, a, b)"),
        ("x = a % (b // int(2))", "x = _gpu.remainder(_g, a, b // int(2))"),
        ("x = a // 3", "x = a // 3"),
        ("x = a ** 2", "x = _rules.power(_g, a, 2)"),
        ("x = a // int(0)", "x = _gpu.quotient(_g, a, int(0))"),
        ("x, y = divmod(a, b)", "(x, y) = _gpu.divided(_g, a, b)"),
        ("x = _rules.quotient(_g, a, b)", "x = _gpu.quotient(_g, a, b)"),
        ("raise _rules.EndlessLoop('game_0_next:2')", "_g._outside |= -1"),
    ],
)
def test_nothing_is_raised(before, after):
    assert recorded(before).strip() == after.replace("(x, y)", "x, y")


def test_the_array_of_moves_is_short():
    run = run_of("farkle", FIRST["farkle"])
    text = CudaRules(run.game, run.calls).text
    assert "_moves = cuda.local.array((1, 6), np.int64)" in text
    assert str(LISTABLE) not in text


def test_a_list_of_moves_that_gets_too_long_is_recorded():
    """The last row of the array is for the move that is tried."""
    game, moves, count = SimpleNamespace(_outside=0), np.zeros((4, 1), np.int64), 0
    for move in (5, 7, 5, 9):
        count = add_move.py_func(game, moves, count, (move,))
    assert (count, game._outside, moves[:3, 0].tolist()) == (3, 0, [5, 7, 9])
    assert (add_move.py_func(game, moves, count, (8,)), game._outside) == (3, -1)


class Wide(Game):
    """A game whose state is 24,000 bytes."""

    name = "wide"
    fields = Ints(3000, 0, 9, "numbers")

    def next(self):
        return OVER if self.fields[0] else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.fields[0] = face


def test_what_can_not_be_played():
    with pytest.raises(NotSmall, match="a state takes more than 16,384 bytes of a thread's memory"):
        CudaRules(Wide(), ())
