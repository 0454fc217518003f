"""Reviews by estimates, of games that are too large to be solved: values are those when all follow a strategy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import dicelab
from dicelab.errors import ParameterError, TooLarge
from dicelab.interface.cli.main import app
from support import ROOT

TOSSUP = {"target": 8, "dice": 2}


def saved(folder: Path, game: str, parameters: dict[str, Any], *strategies: str, seed: int = 3) -> str:
    """A game that these strategies have played, in a file."""
    file, options = folder / "game.json", [word for name, n in parameters.items() for word in (f"--{name}", str(n))]
    seated = [word for one in strategies for word in ("-s", one)]
    done = CliRunner().invoke(app, ["play", game, *options, *seated, "--seed", str(seed), "--save", str(file)])
    assert done.exit_code == 0, done.output
    return str(file)


def test_moves_of_the_strategy_cost_nothing_and_all_adds_up(tmp_path: Path) -> None:
    file = saved(tmp_path, "tossup", TOSSUP, "bank_over:3", "one_roll")
    found = dicelab.review(file, policy="bank_over:3")
    assert (found.by, found.games, found.unsolved) == ("bank_over:3", 1000, "")
    assert found.costs[0] == 0
    assert any(step.cost for step in found.steps if step.seat == 1)
    for seat in range(2):
        assert found.result[seat] == found.start[seat] + found.luck[seat] - found.costs[seat] + found.given[seat]
    exact = dicelab.exact("tossup", ["bank_over:3", "bank_over:3"], **TOSSUP).to_dict()
    worth = exact["outcomes"]["0"]["probability"]
    assert 0 < found.error < 0.04
    assert float(found.start[0]) == pytest.approx(worth, abs=2 * found.error)
    told = found.to_dict()
    assert (told["by"], told["games"]) == ("bank_over:3", 1000)


def test_what_a_decision_costs_is_what_it_brings_less_than_the_strategys_move(tmp_path: Path) -> None:
    """At 7 of 8 points a bank wins at once, so that to roll on costs what may still be lost."""
    moves = [{"roll": {"green": 2}}, {"choice": "bank"}] * 6 + [{"roll": {"green": 2}}, {"choice": "roll"}]
    file = tmp_path / "game.json"
    file.write_text(json.dumps({"game": "tossup", "parameters": TOSSUP, "moves": moves}))
    found = dicelab.review(file, policy="one_roll")
    last = found.steps[-1]
    assert (last.words, last.best) == ("roll", "bank")
    assert float(last.before[0]) == 1.0
    assert float(last.cost) == pytest.approx(1 - float(last.after[0]))


def test_a_game_that_is_too_large_is_reviewed_by_estimates_and_says_so(tmp_path: Path) -> None:
    file = saved(tmp_path, "tossup", {"target": 7, "dice": 3}, "one_roll", "one_roll")
    found = dicelab.review(file, memory=1000)
    assert found.by == "bank_over:20"
    assert "does not fit" in found.unsolved
    assert "by estimates" in found.sentence(0)
    text = " ".join(found.text().split())
    assert "The game isn't solved (" in text
    assert "Values are estimates, each to ± 0.03" in text
    assert "by 1,000 games in which all players follow bank_over:20" in text
    with pytest.raises(TooLarge):
        dicelab.review(file, memory=1000, objective="win")


@pytest.mark.slow
def test_who_plays_qwixx_alone_has_a_review_in_points(tmp_path: Path) -> None:
    """Its choices at once are hidden from nobody; exact values aren't there, and aren't tried."""
    qwixx = str(ROOT / "examples/qwixx.py")
    found = dicelab.review(saved(tmp_path, qwixx, {"players": 1}, "small_gaps:3"), qwixx)
    assert found.amount == "points"
    assert found.by == "small_gaps:2"
    assert float(found.start[0]) == pytest.approx(73.5, abs=2 * found.error)
    assert found.result[0] == found.start[0] + found.luck[0] - found.costs[0]


def test_strategies_by_which_nothing_can_be_estimated_are_refused(tmp_path: Path) -> None:
    file = saved(tmp_path, "tossup", TOSSUP, "one_roll", "one_roll")
    with pytest.raises(ParameterError, match="neither draws its moves, nor looks ahead"):
        dicelab.review(file, policy="rollout:20")
