"""One lab for the tests of a worker: its pages through Starlette's test client, as a browser on this machine asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from asking import TOKEN
from dicelab.lab import runs
from dicelab.lab.app import application
from dicelab.lab.shelf import filled

HOSTILE = '''"""<script>alert('module')</script>"""

from dicelab.rules import D6, OVER, SUM, Flag, Game, Param, Tally, throw, thrown


class Hostile(Game):
    """<script>alert('summary')</script> & "quotes" {{ 7 * 7 }}

    <img src=x onerror=alert('rules')>
    """

    name = "hostile"
    source = "javascript:alert('source')"
    outcomes = ("<i>won</i>", "lost")
    width = Param(3, 1, 9, "<script>alert('help')</script>")
    done = Flag()
    rolls = Tally("<script>alert('tally')</script>")

    def next(self) -> int:
        return OVER if self.done else throw(self.roll)

    @thrown(1, D6, SUM)
    def roll(self, total: int) -> None:
        self.rolls += 1
        self.done = total > self.width

    def outcome(self) -> int:
        return 0
'''

BROKEN = "class Broken(\n"


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files as hostile users write them."""
    folder = tmp_path_factory.mktemp("games")
    (folder / "hostile.py").write_text(HOSTILE)
    (folder / "broken.py").write_text(BROKEN)
    return folder


@pytest.fixture(scope="session")
def client(files: Path) -> Iterator[TestClient]:
    runs.STREAM = 0.3  # streams that last as long as for browsers would keep the tests waiting
    given = ["examples/pig.py", str(files / "hostile.py"), str(files / "broken.py")]
    with TestClient(application(filled(given), TOKEN), base_url="http://127.0.0.1") as client:
        yield client
