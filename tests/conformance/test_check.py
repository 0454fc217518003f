"""Every game found is lawful by `dicelab check`, and what it can't check is said in notes."""

from __future__ import annotations

import pytest

from dicelab.conformance.file_check import check_game
from dicelab.rules.words import Words
from support import GAMES

QUICK = {"pass-line", "hazard"}
"""Games of which the check takes little time, in every run of the tests."""


@pytest.mark.slow_cases("pass-line")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in GAMES]
)
def test_every_game_is_lawful(name: str) -> None:
    findings = list(check_game(GAMES[name]))
    assert [finding.say for finding in findings if finding.verdict == "broken"] == []
    steps = {finding.step for finding in findings}
    always = {"contract", "declarations", "parameters", "words", "states", "strategies", "engines", "exact"}
    assert steps - {"seats", "settings", "policy"} == always - (set() if GAMES[name].words != Words() else {"words"})
    assert ("settings" in steps) is bool(GAMES[name].declared.params)
    covered = {key: value for finding in findings for key, value in finding.covered.items()}
    assert {"reference", "compiled"} <= set(covered["engines"])
    assert covered["states"]["states"] > 1
    if GAMES[name].declared.decisions:
        assert "policy" in steps
