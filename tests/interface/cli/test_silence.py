"""Long questions at a terminal: something moves on the screen all the time."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from time import monotonic

import pytest

LONGEST = 2.0
"""Longest silence in seconds, after the first words: what comes before is the start of Python."""
AT_MOST = 20.0
"""Seconds after which a question has been watched long enough."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "exact lcr --players 8",
        "solve farkle --target 3000",
        "solve yahtzee --boxes 1023",
        "solve yahtzee --dry-run",
        "session craps -s line:system=martingale --until-rounds 200",
    ],
)
def test_nothing_is_silent_for_more_than_two_seconds(words: str) -> None:
    silences = _silences([sys.executable, "-m", "dicelab", *words.split()])
    assert len(silences) > 5
    assert max(silences) < LONGEST


def _silences(command: list[str]) -> list[float]:
    """Return for how long a command wrote nothing, again and again, from its first words on."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    found, last, began = list[float](), 0.0, monotonic()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as running:
        os.close(theirs)
        while monotonic() - began < AT_MOST:
            ready = select.select([ours], [], [], 0.5)[0]
            try:
                if ready and not os.read(ours, 65536):
                    break
            except OSError:  # the command has ended
                break
            now = monotonic()
            if last and (ready or now - last > LONGEST):
                found.append(now - last)
            if ready:
                last = now
        running.kill()
    os.close(ours)
    return found
