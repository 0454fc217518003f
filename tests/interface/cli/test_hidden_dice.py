"""The commands `equilibrium` and `solve` on games with hidden dice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from interface.cli.conftest import Said

GAME = str(Path(__file__).parents[3] / "verification/liars_die.py")


def test_solve_answers_games_with_hidden_dice(dicelab: Callable[..., Said]) -> None:
    solved, found = (dicelab(name, GAME, "--faces", "2", "--json").json for name in ("solve", "equilibrium"))
    assert {**solved, "seconds": 0} == {**found, "seconds": 0}
    assert solved["fraction"] == "3/4"


def test_a_policy_that_solve_writes_is_played(dicelab: Callable[..., Said], tmp_path: Path) -> None:
    out = str(tmp_path / "best.npz")
    assert dicelab("solve", GAME, "--faces", "2", "--out", out).err == f"written: {out}\n"
    found = dicelab("equilibrium", GAME, "--faces", "2", "-s", f"policy:{out}", "--json").json
    assert abs(found["value"] - 3 / 4) < 1e-12
    assert max(found["gains"]) < 1e-12
    said = dicelab("play", GAME, "--faces", "2", "-s", f"policy:{out}", "--seed", "1")
    assert said.status == 0, said.err
    assert "wins" in said.out


def test_solve_refuses_options_that_make_no_sense_there(dicelab: Callable[..., Said]) -> None:
    for wrong in (["--objective", "win"], ["--dry-run"]):
        said = dicelab("solve", GAME, *wrong)
        assert said.status == 2
        assert said.error.startswith(f"{wrong[0]}: liars-die has hidden information; dicelab equilibrium solves it")


@pytest.mark.slow_cases("0")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_response_to_a_strategy_is_found_and_played(
    dicelab: Callable[..., Said], tmp_path: Path, seat: int
) -> None:
    """Its value is what `-s` says could be gained, and what `exact` says it gets."""
    given, out = [GAME, "--faces", "2"], str(tmp_path / "response.npz")
    said = dicelab("solve", *given, "--against", "honest", "--seat", str(seat), "--out", out, "--json")
    found, both = said.json, dicelab("equilibrium", *given, "-s", "honest", "--json").json
    values = [(one["value"], 1 - one["value"]) for one in (found, both)]
    assert abs(values[0][seat] - values[1][seat] - both["gains"][seat]) < 1e-12
    assert abs(found["gains"][seat]) < 1e-12
    lines = [f"policy:{out}", "honest"] if seat == 0 else ["honest", f"policy:{out}"]
    exact = dicelab("exact", *given, "-s", lines[0], "-s", lines[1], "--json").json
    assert abs(exact["outcomes"][str(seat)]["probability"] - values[0][seat]) < 1e-12
    text = dicelab("equilibrium", *given, "--against", "honest", "--seat", str(seat)).out
    assert text.startswith(f"At best, player {seat + 1} wins ")
    assert "of games against honest." in text


def test_a_best_response_needs_one_strategy_of_the_other_seat(dicelab: Callable[..., Said]) -> None:
    for wrong, why in (
        (["--seat", "1"], "seat: 1 is used with against"),
        (["--against", "honest", "--seat", "2"], "seat: 2 is not allowed"),
        (["--against", "honest", "-s", "honest"], "strategies and against can't be combined"),
        (["--against", "bluffer"], "'bluffer'"),
    ):
        said = dicelab("equilibrium", GAME, "--faces", "2", *wrong)
        assert said.status == 2
        assert why in said.error
