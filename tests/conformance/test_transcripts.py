"""Game 0 of seed 1 of every game in ``tests/golden``, as ``dicelab play`` shows it: to read, and to see a change.

``pytest --regen`` writes the files anew; read the difference before keeping it.
"""

from __future__ import annotations

import pytest

from dicelab.interface.play import play
from support import FIRST, TESTS, run_of


@pytest.mark.slow_cases("craps", "craps-bet")
@pytest.mark.parametrize("name", sorted(FIRST))
def test_transcript(name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    run, shown = run_of(name, FIRST[name]), []
    assert play(run.game, FIRST[name], 1, write=shown.append) == 0
    told = "\n".join(shown[:-1]) + "\n"  # the last line names the file, relative to the folder of the tests
    file = TESTS / "golden" / f"{name}.txt"
    if request.config.getoption("--regen"):
        file.write_text(told)
    assert file.exists(), "a game without a transcript: run pytest --regen, read what it wrote, and keep it"
    assert told == file.read_text()


def test_every_transcript_has_its_game() -> None:
    assert {file.stem for file in (TESTS / "golden").glob("*.txt")} == set(FIRST)
