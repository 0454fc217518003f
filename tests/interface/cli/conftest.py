"""How the tests of the commands run them: in this process where that will do, else as a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dicelab as library
from dicelab.interface.cli.main import main
from support import forbid_computing

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Said:
    """What a command said, and how it ended."""

    status: object
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout, which has no numbers that JSON does not know."""
        assert self.out.count("\n") == 1
        found = json.loads(self.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
        assert isinstance(found, dict)
        return found

    @property
    def error(self) -> str:
        """The error, from JSON or from text."""
        if self.err.startswith("{"):
            said = json.loads(self.err)
            assert (said["schema"], said["status"]) == (2, self.status)
            return str(said["error"])
        return self.err.removeprefix("dicelab: ").removesuffix("\n")

    @property
    def note(self) -> str:
        """The note on stderr, from JSON or from text; it is the only line there."""
        assert self.err.count("\n") == 1
        if not self.err.startswith("{"):
            return self.err.removesuffix("\n")
        said = json.loads(self.err)
        assert said.keys() == {"schema", "note"}
        return str(said["note"])

    def must_refuse(self, status: int, fragment: str) -> None:
        """It failed as bad input should: one line on stderr that says so, nothing on stdout."""
        assert "Traceback" not in self.err
        assert self.err.startswith(("dicelab: ", "{"))
        assert fragment in self.error
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        assert self.out == ""
        assert self.status == status


@pytest.fixture
def dicelab(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run the command line in this process."""

    def run(*words: str) -> Said:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        out, err = capsys.readouterr()
        return Said(ended.value.code, out, err)

    return run


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., Said]:
    """Run the command line as a process of its own, in a folder of its own."""

    def run(*words: str, **more: Any) -> Said:
        command = [sys.executable, "-m", "dicelab", *words]
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": tmp_path, "timeout": 60, **more}
        settings["env"] = {**os.environ, **more.get("env", {})}
        done = subprocess.run(command, text=True, check=False, **settings)
        return Said(done.returncode, done.stdout or "", done.stderr or "")

    return run


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., str]:
    """Write the file of the tiny game, edited: ``tiny(old, new, old, new, ...)``; returns its path."""

    def write(*edits: str) -> str:
        text = (HERE / "tiny.py").read_text()
        for old, new in zip(edits[::2], edits[1::2], strict=True):
            assert text.count(old) == 1, f"{old!r} must be in the file once"
            text = text.replace(old, new)
        file = tmp_path / "tiny.py"
        file.write_text(text)
        return str(file)

    return write


@pytest.fixture
def pig() -> str:
    """Path of the example."""
    return str(HERE.parents[2] / "examples" / "pig.py")


# The demo, made small -------------------------------------------------------------------------------------------------


@cache
def simulated(game, strategies, seed, parameters):
    return library.simulate(game, strategies, games=200, seed=seed, engine="reference", **dict(parameters))


@cache
def solved(game, strategies, parameters):
    return library.exact(game, strategies, **dict(parameters))


def smaller(game, parameters):
    """Parameters of a shorter game."""
    if game == "tossup":
        return (("target", 12), ("dice", 20))
    return (*parameters.items(), *([("coins", 1)] if parameters.get("players", 0) > 3 else []))


@pytest.fixture
def small_demo(monkeypatch, tmp_path):
    """A demo of few and short games, in a folder of its own; its numbers are the business of other tests."""

    def simulate(game, strategies, *, games, seed, **parameters):
        return simulated(game, strategies, seed, smaller(game, parameters))

    def exact(game, strategies, **parameters):
        return solved(game, strategies, smaller(game, parameters))

    monkeypatch.setattr("dicelab.extras.textbook.demo.simulate", simulate)
    monkeypatch.setattr("dicelab.extras.textbook.demo.exact", exact)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What must be refused at once fails the test where a game is played, or its states are explored."""
    forbid_computing(monkeypatch)
