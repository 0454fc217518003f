"""Commands that are begun and continued with a store."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import dicelab as library


def begun(*words: str, first: str = "", **env: str) -> subprocess.Popen[str]:
    """A command in a process of its own, which runs `first` before."""
    code = f"import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n{first}"
    code += "from dicelab.interface.cli.program import run; sys.argv[0] = 'dicelab'; run()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )


def stored(store: Path) -> int:
    """The number of stored games of the only run; 0 if there are none."""
    if not store.exists():
        return 0
    sql = sqlite3.connect(store, timeout=10)
    try:
        rows = sql.execute("SELECT low, high FROM totals ORDER BY low").fetchall()
    except sqlite3.OperationalError:  # the tables are not made yet
        rows = []
    sql.close()
    end = 0
    for low, high in rows:
        assert low == end, "a gap, or games counted twice"
        end = high
    return end


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


def must_be_the_games_of_the_seed(store: Path, games: int) -> None:
    """The stored totals are those of games 0 to `games` - 1, played in one go."""
    found = library.Store(store).show(1)
    assert isinstance(found, library.Simulation)
    expected = library.simulate("hazard", games=games, seed=5)
    assert found.games == games
    assert (found.tallied.counts, found.tallied.histograms) == (expected.tallied.counts, expected.tallied.histograms)
