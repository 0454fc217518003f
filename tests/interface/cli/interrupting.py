"""Commands that are interrupted."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty")


MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the shell that runs the tests has done to it
from dicelab.interface.cli.main import main
main(sys.argv[1:])
"""


def interrupted(words, begun, by=signal.SIGINT, **more):
    """Interrupt a command once `begun` is seen on the terminal that is its stderr; (status, stdout, stderr)."""
    screen, keyboard = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        stdout=subprocess.PIPE,
        stderr=keyboard,
        text=True,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
        **more,
    )
    os.close(keyboard)
    seen, until = "", time.monotonic() + 60
    with child, os.fdopen(screen, "rb", buffering=0) as told:
        try:
            while not re.search(begun, seen):
                waits = select.select([told], [], [], 60)[0] and time.monotonic() < until  # a bar moves for ever
                assert waits, f"{begun} was not told, but {seen[-500:]!r}"
                seen += told.read(1000).decode(errors="replace")
            child.send_signal(by)
            out, _ = child.communicate(timeout=60)
            seen += rest_of(told)
        finally:
            child.kill()
    return child.returncode, out, seen


def rest_of(told):
    """What is left to be read; on Linux reading a terminal that is closed is an error."""
    seen = b""
    try:
        while more := told.read(1000):
            seen += more
    except OSError:
        pass
    return seen.decode(errors="replace")


SOME_GAMES = r"[1-9][\d,]* games|games: [1-9]"
