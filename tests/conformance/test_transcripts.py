"""Game 0 of seed 1 of every game, told step by step in ``tests/golden``: for people to read, and to see a change.

``pytest --regen`` writes the files anew; read the difference before keeping it.
"""

from __future__ import annotations

import pytest

from dicelab.errors import PlayError
from dicelab.random.philox import Stream
from dicelab.rules import Game, Ints
from dicelab.runtime.transcript import transcript
from support import FIRST, TESTS, run_of


@pytest.mark.parametrize("name", sorted(FIRST))
def test_transcript(name: str, request: pytest.FixtureRequest) -> None:
    run = run_of(name, FIRST[name])
    told = "\n".join(transcript(run.game, run.calls, Stream(1, 0))) + "\n"
    file = TESTS / "golden" / f"{name}.txt"
    if request.config.getoption("--regen"):
        file.write_text(told)
    assert file.exists(), "a game without a transcript: run pytest --regen, read what it wrote, and keep it"
    assert told == file.read_text()


def test_every_transcript_has_its_game() -> None:
    assert {file.stem for file in (TESTS / "golden").glob("*.txt")} == set(FIRST)


class Crooked(Game):
    """A beginning that goes wrong."""

    name = "crooked"
    outcomes = ()
    row = Ints(2, 0, 9, "numbers")

    def start(self) -> None:
        self.row[2] = 1


def test_a_beginning_that_goes_wrong_is_explained() -> None:
    with pytest.raises(PlayError, match=r"^crooked: row\[2\]: the index must be 0 to 1; state {'row': \[0, 0\]}$"):
        list(transcript(Crooked(), [], Stream(1, 0)))
