"""Games at the terminal for tests: played by a script, as a process with a pipe, and at a terminal of its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest

from dicelab.interface.play import play


@dataclass
class Seen:
    """A game played by a script: exit status, what was shown, what was asked."""

    status: int
    shown: list[str]
    asked: list[str]

    @property
    def text(self):
        return "\n".join(self.shown)


def sit(game, strategies=(), lines=(), seed=1, **more):
    """Play with these lines typed; the input ends after them."""
    script, shown, asked = iter(lines), [], []

    def read(prompt):
        asked.append(prompt)
        shown.append(prompt)
        try:
            line = next(script)
        except StopIteration:
            raise EOFError from None
        if isinstance(line, BaseException):
            raise line
        return line

    return Seen(play(game, list(strategies), seed, read=read, write=shown.append, **more), shown, asked)


MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the shell that runs the tests has done to it
from dicelab.interface.play import play
from dicelab.rules.loading.registry import find
sys.exit(play(find(sys.argv[1])(), sys.argv[2:], 1))
"""


def piped(*words, typed="", **env):
    return subprocess.run(
        [sys.executable, "-c", MAIN, *words],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
    )


def at_a_terminal(words, typed, **env):
    """Type each line, or send each signal, once a question stands; (status, screen)."""
    pty = pytest.importorskip("pty")
    screen, keyboard = pty.openpty()
    outer = {key: value for key, value in os.environ.items() if not key.endswith("_COLOR")}
    child = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        start_new_session=True,
        env={**outer, "TERM": "xterm", "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **env},
    )
    os.close(keyboard)
    seen, script = b"", list(typed)
    with child, os.fdopen(screen, "r+b", buffering=0) as told:
        try:
            while more := more_of(told, 60):
                seen += more
                if seen.endswith(b"> ") and script:
                    line = script.pop(0)
                    told.write(line) if isinstance(line, bytes) else interrupt(child, told)
            status = child.wait(timeout=60)
        finally:
            child.kill()
    return status, seen.decode().replace("\r\n", "\n")


def more_of(told, seconds):
    """What the screen shows next; nothing at its end, which on Linux is an error."""
    assert select.select([told], [], [], seconds)[0], "nothing more was told"
    try:
        return told.read(4096)
    except OSError:
        return b""


def interrupt(child, told):
    """Send SIGINT until it is heeded: Python waits on for a line when it comes just before the waiting begins."""
    for _ in range(20):
        child.send_signal(signal.SIGINT)
        if select.select([told], [], [], 3)[0]:
            return
