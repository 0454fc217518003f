"""Values of a game in a file for the lab: a copy of the kept ones, or saved where nothing is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicelab.games.tossup import TossUp
from dicelab.questions.policies.skill.by_turns import kept_values, load_values, write_values
from dicelab.questions.policies.solving import SETTING, path_for


@pytest.mark.parametrize("setting", ["", "off"])
def test_values_are_written_whether_or_not_solutions_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(SETTING, "")
    game = TossUp(target=5, dice=2)
    values = kept_values(game)
    kept = path_for(game, "values", values.objective.text)
    monkeypatch.setenv(SETTING, setting)
    write_values(values, tmp_path / "values.npz")
    assert load_values(tmp_path / "values.npz", game).of(game) == values.of(game)
    same = (tmp_path / "values.npz").read_bytes() == kept.read_bytes()
    kept.write_bytes(b"damaged")  # it is not looked at where nothing is kept
    write_values(values, tmp_path / "again.npz")
    kept.unlink()
    if setting:
        assert load_values(tmp_path / "again.npz", game).of(game) == values.of(game)
    else:
        assert same
