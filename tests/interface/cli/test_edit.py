"""Change a rule and run again: the answer follows, whatever has been kept of earlier runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import dicelab as library

# A rule, a helper outside the class, and a constant: three places in which a rule may be changed.
GAME = '''
from dicelab.rules import D6, OVER, Game, Int, Tally, throw, thrown

STEP = 1


def worth(face):
    return STEP


class Once(Game):
    """One throw of a die."""

    name = "once"
    source = "made for the tests"
    outcomes = ("low", "high")

    face = Int(0, 6)
    points = Tally("points")

    def next(self):
        return OVER if self.face else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.face = face
        self.points += worth(face)

    def outcome(self):
        return 0 if self.face <= 3 else 1
'''
EDITS = {
    "as it was": ("", "", 1, 0.5),
    "a constant": ("STEP = 1", "STEP = 5", 5, 0.5),
    "a helper": ("return STEP", "return STEP + 1", 2, 0.5),
    "a rule": ("+= worth(face)", "+= 3 * worth(face)", 3, 0.5),
    "the outcome": ("<= 3", "<= 6", 1, 1.0),
    "the dice": ("D6)", "d(1))", 1, 1.0),
}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder that the runs of a test share, and nobody else."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(folder))
    return folder


def write(file: Path, what: str) -> None:
    """Write the game with one edit; the time of the file stays the same, as after two edits within a moment."""
    old, new, *_ = EDITS[what]
    text = GAME.replace(old, new, 1) if old else GAME
    file.write_text(text.replace("import D6,", "import D6, d,", 1).replace("import D6, d, OVER", "import D6, OVER, d"))
    os.utime(file, (1_000_000_000, 1_000_000_000))


def must_say(result, what):
    *_, points, low = EDITS[what]
    assert result["tallies"]["points"]["mean"] == points
    assert result["outcomes"]["low"]["probability"] == pytest.approx(low, abs=0.05)


@pytest.mark.quick_cases("table")
@pytest.mark.parametrize("engine", ["table", "compiled", "reference"])
def test_the_answer_follows_an_edit_in_the_same_process(tmp_path, cache, engine):
    file = tmp_path / "once.py"
    for what in (*EDITS, "as it was"):
        write(file, what)
        must_say(library.simulate(str(file), games=2000, seed=1, engine=engine, threads=1).to_dict(), what)


@pytest.mark.slow_cases("compiled", "memo")
@pytest.mark.parametrize("engine", ["table", "memo", "compiled", "reference"])
def test_a_game_that_has_been_read_is_played_as_it_was_read(tmp_path, cache, engine):
    file = tmp_path / "once.py"
    write(file, "as it was")
    game = library.find(str(file))
    write(file, "the outcome")
    with pytest.warns(UserWarning, match="has been edited since it was loaded; once plays as it was loaded"):
        result = library.simulate(game, games=2000, seed=1, engine=engine, threads=1)
    must_say(result.to_dict(), "as it was")


@pytest.mark.slow
def test_the_answer_follows_an_edit_from_one_command_to_the_next(tmp_path, cache, shell):
    file = tmp_path / "once.py"
    hashes = set()
    for what in ("as it was", "a helper", "as it was"):
        write(file, what)
        said = shell("simulate", str(file), "--games", "2000", "--engine", "compiled", "--json")
        assert (said.status, said.err) == (0, "")
        must_say(said.json, what)
        hashes.add(said.json["source_hash"])
    assert len(hashes) == 2


def run(shell, file, cache, tells="", **more):
    """The answer of a command of its own, which says so much of the cache."""
    env = {"DICELAB_CACHE_DIR": str(cache), **more}
    said = shell("simulate", str(file), "--games", "2000", "--engine", "compiled", "--json", env=env)
    notes = [json.loads(line)["note"] for line in said.err.splitlines()]
    assert (said.status, [note.startswith(tells) for note in notes]) == (0, [True] if tells else [])
    return said.json


@pytest.mark.slow
def test_a_cache_that_is_damaged_is_made_anew(tmp_path, cache, shell):
    file = tmp_path / "once.py"
    write(file, "a helper")
    must_say(run(shell, file, cache), "a helper")
    for damage in ({"*.py": b"\xff not Python", "*.nbi": b""}, {"*.nbc": b"\xff not a program"}):
        for pattern, content in damage.items():
            [path] = cache.rglob(pattern)
            path.write_bytes(content)
        must_say(run(shell, file, cache), "a helper")


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, shell):
    file, cache, scratch = tmp_path / "once.py", tmp_path / "a file, not a folder", tmp_path / "scratch"
    write(file, "a constant")
    cache.touch()
    scratch.mkdir()
    must_say(run(shell, file, cache, "kernels can't be kept", TMPDIR=str(scratch)), "a constant")
    assert list(scratch.iterdir()) == []
