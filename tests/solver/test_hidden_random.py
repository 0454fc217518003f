"""Random games with hidden information, as the fuzzer makes them: four methods agree on what they are worth."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.rules.loading.registry import games_in, load
from fuzz.case import Mismatch
from fuzz.hidden import compare_hidden, hidden_text, must_leave_nothing


@pytest.mark.slow
@pytest.mark.parametrize(
    "numbers", [range(2), *(pytest.param(range(n, n + 20), marks=pytest.mark.slow) for n in (2, 22, 42))]
)
def test_four_methods_agree(numbers: range, tmp_path: Path) -> None:
    done = Counter[str]()
    for number in numbers:
        compare_hidden(number, tmp_path, done)
    assert done["hidden"] >= len(numbers) // 2
    assert done["hidden"] > done["hidden, not kept"]


@pytest.mark.slow
def test_mixtures_that_are_not_the_best_are_found(tmp_path: Path) -> None:
    """A policy in which one weight is moved to another move loses something in some of the games."""
    caught = 0
    for number in range(3):
        (tmp_path / "hidden.py").write_text(hidden_text(number))
        game = next(iter(games_in(load(tmp_path / "hidden.py")).values()))
        found = dicelab.equilibrium(game)
        try:
            policy = found.policy
        except ParameterError:
            continue
        first, end = policy.row[:2].tolist()
        policy.weight[first:end] = policy.weight[first:end][::-1].copy()
        try:
            must_leave_nothing(game, policy, found.fraction or Fraction(found.value), found.error, "")
        except Mismatch:
            caught += 1
    assert caught > 0
