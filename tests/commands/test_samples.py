"""Samples that the other tests of pages leave out: commands whose output isn't shown, and Python without `>>>`.

Pages with output are compared by test_pages.py, and samples with ``>>>`` run as doctests. Here every command of the
README and of "Write a game" is run, with fewer games where it plays very many, and has to end well.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dicelab
import dicelab.rules
from dicelab.rules.loading.registry import games_in, load
from support import ROOT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
FEWER = {"1e8": "2e4", "1e6": "2e4", "--precision 0.001": "--precision 0.02"}
"""What takes long on a page, and what is run in its place."""
SHOWN = ["README.md", "docs/command-line.md", "docs/write-a-game.md", "verification/README.md"]
"""Pages with commands that test_pages.py doesn't run."""


def blocks(page: str, kind: str) -> list[str]:
    return [body for found, body in BLOCK.findall((ROOT / page).read_text()) if found == kind]


def commands(body: str) -> list[str]:
    """The dicelab commands of a block, without the comments behind them."""
    return [re.sub(r"\s+#.*", "", line[2:]) for line in body.splitlines() if line.startswith("$ dicelab ")]


def shortened(command: str) -> str:
    for much, less in FEWER.items():
        command = command.replace(much, less)
    return command


SERIES = [(page, found) for page in SHOWN for body in blocks(page, "console") if (found := commands(body))]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "series"), SERIES, ids=[f"{page}: {found[0][:60]}" for page, found in SERIES])
def test_commands_of_a_block_run_one_after_the_other(page, series, tmp_path):
    for linked in ("examples", "verification"):
        (tmp_path / linked).symlink_to(ROOT / linked)
    settings = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    for command in series:
        typed = "100\n10\n" if command.startswith("dicelab text") else "q\n"
        done = subprocess.run(
            ["bash", "-c", shortened(command)],
            cwd=tmp_path, env=settings, input=typed, text=True, timeout=240, check=False, capture_output=True,
        )  # fmt: skip
        assert (done.returncode, done.stdout != "" or "--out" in command) == (0, True), f"{command}: {done.stderr}"


def test_the_first_sample_of_the_readme_says_what_stands_there():
    shown = blocks("README.md", "console")[0]
    command, _, printed = shown.partition("\n")
    done = subprocess.run(
        [sys.executable, "-m", *command[2:].split()], text=True, timeout=240, check=True, capture_output=True
    )
    said = re.sub(r"[ \t]+$", "", done.stdout, flags=re.M)
    assert re.sub(r"\w+ engine", "engine", said) == re.sub(r"\w+ engine", "engine", printed)


# Write a game ---------------------------------------------------------------------------------------------------------


def pieces() -> list[str]:
    return blocks("docs/write-a-game.md", "python")


def test_the_game_written_step_by_step_is_the_example(tmp_path):
    """The pieces up to the first strategy make a game that plays as examples/pig.py does."""
    last = next(place for place, piece in enumerate(pieces()) if piece.startswith("@strategy"))
    (tmp_path / "pig.py").write_text("\n".join(pieces()[: last + 1]))
    (game,) = games_in(load(tmp_path / "pig.py")).values()
    for lineup in ("hold_at", "hold_at:7"):
        ours = dicelab.simulate(game, lineup, games=300, seed=1, engine="reference").to_dict()
        example = dicelab.simulate(
            ROOT / "examples" / "pig.py", lineup, games=300, seed=1, engine="reference"
        ).to_dict()
        assert {**ours, "seconds": 0, "source_hash": ""} == {**example, "seconds": 0, "source_hash": ""}


def test_the_other_pieces_of_write_a_game_are_python():
    """They are parts of a class, or about a game that isn't there: what they name has to be in dicelab.rules."""
    start = next(place for place, piece in enumerate(pieces()) if piece.startswith("@strategy")) + 1
    for piece in pieces()[start:]:
        code = textwrap.dedent(piece)
        names: dict[str, object] = {
            **vars(dicelab.rules), "Craps": dicelab.rules.Game, "strategy": lambda *_, **__: lambda function: function,
            "players": 2, "dice": 3,
        }  # fmt: skip
        exec(compile("from __future__ import annotations\n" + code, "write-a-game.md", "exec"), names)


@pytest.mark.slow
def test_python_of_the_page_about_sessions_runs():
    (sample,) = blocks("docs/sessions.md", "python")
    exec(compile(sample, "sessions.md", "exec"), {})


# Who may change what --------------------------------------------------------------------------------------------------

MYGAME = '''
from dicelab.rules import D6, OVER, Game, Int, throw, thrown


class MyGame(Game):
    """Thrown three times."""

    name = "mygame"
    outcomes = ("over",)
    left = Int(0, 3, start=3)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        """A throw."""

    def outcome(self) -> int:
        return 0
{blank}
    def next(self) -> int:
        self.left -= 1
        return throw(self.die) if self.left else OVER
'''


def test_the_refusal_on_the_page_about_the_contract_is_what_is_said(tmp_path):
    (sample,) = blocks("docs/contract.md", "console")
    command, _, printed = sample.partition("\n")
    line = int(re.search(r"line (\d+)", printed)[1])
    above = MYGAME.partition("self.left -= 1")[0].format(blank="").count("\n") + 1
    (tmp_path / "mygame.py").write_text(MYGAME.format(blank="\n" * (line - above)))
    done = subprocess.run(
        [sys.executable, "-m", *command[2:].split()], cwd=tmp_path, text=True, check=False, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", printed)
