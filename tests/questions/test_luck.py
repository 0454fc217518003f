"""`dicelab.luck`: unbiased, narrower estimates and the share of luck; compiled sums are those of plain Python."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError
from dicelab.questions.policies.skill.luck_sums import followed, slowly
from dicelab.questions.policies.skill.values import Unvalued, values
from dicelab.runtime.lineup import Run
from support import SetLimits

PIG = "examples/pig.py"
LINE_UPS: list[tuple[str, list[str], dict[str, Any]]] = [
    (PIG, ["hold_at:8", "hold_at:11"], {"target": 30}),
    ("tossup", ["bank_over:10", "bank_over:12"], {"target": 20}),
    ("tossup", ["one_roll", "bank_over:2"], {"target": 6, "dice": 3}),
    ("tossup", ["bank_over:2", "one_roll", "bank_over:3"], {"target": 4, "dice": 2, "players": 3}),
    ("tossup", ["bank_over:3", "bank_over:4"], {"target": 5, "dice": 3, "last_turn": "yes"}),
    ("hazard", [], {"main": 7}),
    ("lcr", [], {"players": 3, "coins": 1}),
]


def no_progress(played: int, games: int) -> None:
    """Nobody watches."""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "strategies", "parameters"), LINE_UPS)
def test_the_compiled_sums_are_those_of_plain_python(game, strategies, parameters) -> None:
    run, solved = Run.of(game, strategies, **parameters), values(game, **parameters)
    sums, played, note = followed(run, solved, 5, 150, 2, no_progress)
    assert (played, note) == ([75, 75], "")
    np.testing.assert_allclose(sums.sum(axis=0), slowly(run, solved, 5, 0, 150), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "strategies", "parameters"), LINE_UPS)
def test_estimates_without_luck_are_unbiased(game, strategies, parameters) -> None:
    found = dicelab.luck(game, strategies, games=40_000, seed=7, **parameters)
    exact = list(dicelab.exact(game, strategies, **parameters).outcomes.values())
    for row, truth in zip(found.rows, exact, strict=False):
        low, high = row.adjusted_interval
        error = max((high - low) / 2 / 1.96, 1e-8)
        assert abs(row.adjusted - truth.probability) < 4.5 * error
        assert abs(row.mean_luck) <= 4.5 * sqrt(row.luck / found.games) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("game", "strategies", "parameters"), LINE_UPS[:2])
def test_good_players_have_narrower_intervals(game, strategies, parameters) -> None:
    found = dicelab.luck(game, strategies, games=20_000, seed=3, **parameters)
    simulated = dicelab.simulate(game, strategies, games=20_000, seed=3, **parameters)
    for row, outcome in zip(found.rows, simulated.outcomes.values(), strict=True):
        assert row.mean == pytest.approx(outcome.probability, abs=1e-12), "the games are those of simulate"
        assert row.narrower is not None
        assert row.narrower > 1.8
        low, high = row.interval
        assert (high - low) / (row.adjusted_interval[1] - row.adjusted_interval[0]) == pytest.approx(row.narrower)


@pytest.mark.slow
def test_no_line_up_has_wider_intervals() -> None:
    row = dicelab.luck("tossup", ["bank_over:5", "one_roll"], games=20_000, seed=1, target=20, dice=4).rows[0]
    assert row.narrower is not None
    assert row.narrower > 1
    assert row.kept > 0.5, "of poor players, most of the luck is left"


@pytest.mark.slow
def test_the_variance_of_the_result_is_that_of_luck_and_costs() -> None:
    found = dicelab.luck("tossup", ["bank_over:10", "one_roll"], games=5_000, seed=3, target=20)
    for row in found.rows:
        assert row.mean * (1 - row.mean) == pytest.approx(row.luck + row.costs - 2 * row.covariance, abs=1e-9)
        assert row.share == row.luck / (row.luck + row.costs)


def test_without_decisions_all_is_luck_and_the_estimate_is_exact() -> None:
    row = dicelab.luck("hazard", games=500, seed=1, main=7).rows[0]
    assert row.share == 1
    assert row.adjusted == pytest.approx(244 / 495, abs=1e-12)


@pytest.mark.slow
def test_the_sums_do_not_depend_on_threads(limits: SetLimits) -> None:
    limits(luck_chunk=512)
    game, strategies, parameters = LINE_UPS[0]
    one, three = (
        dicelab.luck(game, strategies, games=5_000, seed=3, threads=threads, **parameters) for threads in (1, 3)
    )
    assert one.rows == three.rows


@pytest.mark.slow
def test_states_that_a_solver_leaves_out_are_valued_until_they_are_too_many(limits: SetLimits) -> None:
    game, strategies, parameters = "tossup", ["bank_over:9", "bank_over:8"], {"target": 6, "dice": 3}
    run, solved = Run.of(game, strategies, **parameters), values(game, **parameters)
    sums, _, _ = followed(run, solved, 5, 150, 1, no_progress)
    np.testing.assert_allclose(sums.sum(axis=0), slowly(run, solved, 5, 0, 150), atol=1e-9)
    limits(added_states=3)
    with pytest.raises(Unvalued, match="more than 3 states"):
        followed(run, solved, 5, 150, 1, no_progress)


@pytest.mark.slow
def test_amounts_of_a_tally() -> None:
    found = dicelab.luck("verification/pig_alone.py", ["hold_at:20"], games=4_000, seed=3, objective="fewest:turns")
    exact = dicelab.exact("verification/pig_alone.py", ["hold_at:20"], tallies=["turns"]).tallies["turns"]
    (row,) = found.rows
    low, high = row.adjusted_interval
    assert low - (high - low) < exact.mean < high + (high - low)
    assert row.narrower is not None
    assert row.narrower > 2


def test_rules_that_can_not_be_compiled_are_followed_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    from dicelab.compile.kernels.writers import luck as kernel
    from dicelab.translation.translator import NotTranslatable

    def refuse(*given: object) -> None:
        raise NotTranslatable("for a test")

    game, strategies, parameters = LINE_UPS[2]
    quickly = dicelab.luck(game, strategies, games=100, seed=3, **parameters)
    monkeypatch.setattr(kernel, "write", refuse)
    found = dicelab.luck(game, strategies, games=100, seed=3, **parameters)
    assert "followed slowly" in found.note
    assert found.rows[0].adjusted == pytest.approx(quickly.rows[0].adjusted, abs=1e-9)


def test_games_without_an_objective_are_refused() -> None:
    with pytest.raises(InputError, match="give an objective"):
        dicelab.luck("craps", "line", games=10, until_rounds=1)
