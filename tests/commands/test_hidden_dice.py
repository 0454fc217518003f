"""The commands `equilibrium` and `solve` on games with hidden dice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from commands.conftest import Said

GAME = str(Path(__file__).parents[2] / "verification/liars_die.py")


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
    for wrong in (["--seat", "1"], ["--against", "honest"], ["--objective", "win"], ["--dry-run"]):
        said = dicelab("solve", GAME, *wrong)
        assert said.status == 2
        assert said.error.startswith(f"{wrong[0]}: liars-die has hidden information; dicelab equilibrium solves it")
