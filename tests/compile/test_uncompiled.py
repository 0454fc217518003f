"""Kernels run as plain Python: every engine plays the same games, and all that LLVM builds has a twin."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dicelab
from dicelab.compile.kernels import uncompiled

PACKAGE = Path(dicelab.__file__).parent
CODE = """
import json, sys
import dicelab
from dicelab.compile.kernels.core import philox
assert not hasattr(philox, "overloads"), "it is compiled"
game, strategy, *engines = sys.argv[1:]
found = [dicelab.simulate(game, strategy or (), games=30, seed=3, engine=engine, threads=2) for engine in engines]
print(json.dumps([[one.engine, one.to_dict()["outcomes"], one.to_dict()["tallies"]] for one in found]))
"""

OTHERS = """
import json
import dicelab
from dicelab.solver.enumeration.expansion import Expansion
from dicelab.learning import vector
from dicelab.limits import LIMITS
from dicelab.runtime.lineup import Run
graph = Expansion(Run.of("lcr", players=3, coins=1), turned=True).graph(2**30, lambda *_: None)
games = vector("tossup", "bank_over:5", num_envs=3, target=8, dice=2)
steps = [games.reset(seed=4)[0].tolist(), *(games.step([k % 2] * 3)[1].tolist() for k in range(6))]
luck = dicelab.luck("tossup", ["bank_over:5", "one_roll"], games=20, seed=1, target=8, dice=2, threads=1)
LIMITS.many_with_policy = 0
solved = dicelab.solve("tossup", target=8, dice=2)
weights = graph.weight[graph.label].tolist()
print(json.dumps([graph.target.tolist(), weights, steps, luck.rows[0].adjusted, solved.value]))
"""


@pytest.mark.quick_cases("craps-line:odds=2-engines3")
@pytest.mark.parametrize(
    ("game", "strategy", "engines"),
    [
        ("hazard", "", ("table", "memo", "compiled")),
        ("lcr", "", ("memo", "compiled")),
        pytest.param("lcr", "", ("lockstep",), marks=pytest.mark.slow),
        ("tossup", "bank_over:20", ("turn", "compiled")),
        pytest.param("craps", "line:odds=2", ("counter",), marks=pytest.mark.slow),
    ],
)
def test_engines_play_the_same_games_without_compilation(game, strategy, engines):
    said = subprocess.run(
        [sys.executable, "-c", CODE, game, strategy, *engines],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stderr == ""
    right = dicelab.simulate(game, strategy or (), games=30, seed=3, engine="reference").to_dict()
    expected = [[engine, right["outcomes"], right["tallies"]] for engine in engines]
    assert json.loads(said.stdout) == json.loads(json.dumps(expected))


@pytest.mark.slow
def test_the_other_kernels_do_the_same_without_compilation():
    """Those that enumerate states, step many games, follow luck, and solve turn by turn."""
    said = [
        subprocess.run(
            [sys.executable, "-c", OTHERS],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        for disabled in ("0", "1")
    ]
    assert [one.stderr for one in said] == ["", ""]
    assert said[0].stdout == said[1].stdout


def test_every_intrinsic_has_a_twin():
    """Those inside a function are used by nothing else: the function has the twin."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        text = file.read_text()
        names = re.findall(r"^@intrinsic.*\ndef (\w+)", text, re.MULTILINE)
        names += re.findall(r"^def (\w+)(?:(?!^\S).*\n)+?    @intrinsic", text, re.MULTILINE)
        if names:
            found[file.stem] = set(names)
    assert found == {name: set(twins) - {"unsigned"} for name, twins in uncompiled.TWINS.items()}


def test_rules_that_overflow_or_divide_by_nothing_go_wrong_without_compilation_too(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    added = uncompiled.TWINS["rule_support"]["_added"]
    assert added(2**62, 2**62) == (-(2**63), True)
    assert added(2**62, -1) == (2**62 - 1, False)
    space = {}
    exec(uncompiled.code_of("import numpy as np\ndef kernel(x): return np.int64(1) // x\n", "<test>"), space)
    with pytest.raises(FloatingPointError):
        uncompiled.wrapping(space["kernel"])(0)
