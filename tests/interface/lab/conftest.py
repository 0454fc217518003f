"""One lab for the tests of a worker: its pages through Starlette's test client, as a browser on this machine asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from asking import TOKEN
from dicelab.interface.lab.app import application
from dicelab.interface.lab.shelf import filled
from dicelab.limits import limited

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

CHUCK = '''"""Chuck-a-luck with a menu of bets."""

from collections.abc import Mapping
from enum import IntEnum

from dicelab.rules import COUNTS, D6, OVER, Game, Int, Ints, Tally, ask, chosen, strategy, throw, thrown


class Bet(IntEnum):
    """A number of the die, or the roll."""

    ONES, TWOS, THREES, FOURS, FIVES, SIXES, ROLL = range(7)


class Chuck(Game):
    """Bets on the numbers of three dice."""

    name = "chuck"
    outcomes = ("behind", "even", "ahead")
    stakes = Ints(6, 0, 100, "stakes")
    rolled = Int(0, 1, "whether the dice have been rolled")
    asked = Int(0, 1, "whether all bets are made")
    money = Tally("net win", low=-600)

    def next(self) -> int:
        if self.rolled:
            return OVER
        return throw(self.dice) if self.asked else ask(self.bet, 0)

    def allowed(self, bet: int, amount: int) -> bool:
        return amount == 0 if bet == Bet.ROLL else amount > 0 and self.stakes[bet] == 0

    @chosen(Bet, (0, 100), legal=allowed)
    def bet(self, bet: int, amount: int) -> None:
        if bet == Bet.ROLL:
            self.asked = 1
        else:
            self.stakes[bet] = amount

    @thrown(3, D6, COUNTS)
    def dice(self, ones: int, twos: int, threes: int, fours: int, fives: int, sixes: int) -> None:
        self.rolled = 1

    def outcome(self) -> int:
        return 1

    def menu(self) -> Mapping[str, Mapping[str, str]]:
        free = [bet.name.lower() for bet in Bet if bet < 6 and self.stakes[bet] == 0]
        return {"numbers": dict.fromkeys(free, "")}

    def heard(self, line: str) -> str:
        return line or "roll 0"


@strategy(Chuck)
def watch(game: Chuck) -> tuple[int, int]:
    """No bets."""
    return Bet.ROLL, 0
'''

BROKEN = "class Broken(\n"


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files as hostile users write them."""
    folder = tmp_path_factory.mktemp("games")
    (folder / "hostile.py").write_text(HOSTILE)
    (folder / "broken.py").write_text(BROKEN)
    (folder / "chuck.py").write_text(CHUCK)
    return folder


@pytest.fixture(scope="session")
def client(files: Path) -> Iterator[TestClient]:
    given = ["examples/pig.py", str(files / "hostile.py"), str(files / "broken.py"), str(files / "chuck.py")]
    app = application(filled(given), TOKEN)
    with limited(stream_seconds=0.3), TestClient(app, base_url="http://127.0.0.1") as client:  # 4 s are for browsers
        yield client


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from chromium import CHROMIUM, FLAGS, playwright

    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
