"""What can be tried on Linux of how dicelab runs on Windows: without the parts of Python that only Unix has.

Nothing else of Windows and macOS is tested: docs/compatibility.md says so.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

UNIX = """
import importlib, os, pkgutil, signal, sys
import dicelab

def load():
    for module in pkgutil.walk_packages(dicelab.__path__, "dicelab."):
        if ".templates." not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)

load()  # other packages are those of this system
for name in [name for name in sys.modules if name.partition(".")[0] == "dicelab"]:
    del sys.modules[name]
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in "chown fork forkpty geteuid getpgid getuid killpg mkfifo nice setpgid setsid sysconf uname".split():
    delattr(os, name)
for name in "SIGALRM SIGHUP SIGKILL SIGUSR1 alarm pthread_kill pthread_sigmask setitimer siginterrupt".split():
    delattr(signal, name)
import dicelab
load()
"""
PLAYED = """
import dicelab
assert str(dicelab.exact("hazard").outcomes["win"].fraction) == "244/495"
for engine in ("reference", "compiled", "table"):
    assert dicelab.simulate("hazard", games=100, seed=1, engine=engine).games == 100
from dicelab.interface.cli.main import main
main(["simulate", "lcr", "--games", "1000", "--seed", "1", "--store", "runs.db"])
"""


@pytest.mark.slow
def test_modules_import_and_games_are_played_without_what_only_unix_has(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", UNIX + PLAYED],
        cwd=tmp_path, env=os.environ, text=True, check=False, capture_output=True, timeout=200,
    )  # fmt: skip
    assert (done.returncode, "1,000 games, seed 1" in done.stdout) == (0, True), done.stderr


COMMANDS = [
    ("exact", "hazard", "--json"),
    ("simulate", "tossup", "--games", "100", "--seed", "1", "--engine", "compiled"),
    ("simulate", "tossup", "--games", "100", "--seed", "1", "--out", "games.parquet"),
    ("solve", "tossup", "--target", "5", "--out", "best.npz"),
    ("policy", "tossup", "best.npz", "--card", "card.py"),
    ("play", "tossup", "-s", "one_roll", "--seed", "1", "--save", "game.json"),
    ("review", "game.json", "--plot", "review.svg"),
    ("new", "mygame"),
    ("show", "./mygame.py"),
    ("judge", "hazard", "--counts", "498,502"),
    ("report", "hazard", "-o", "hazard.html"),
    ("kernels", "--json"),
]


STRICTLY = """
import sys, warnings
warnings.filterwarnings("error", category=EncodingWarning, module="dicelab")
from dicelab.interface.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_no_file_is_read_or_written_in_the_encoding_of_the_system(tmp_path):
    for command in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-X", "warn_default_encoding", "-c", STRICTLY, *command],
            cwd=tmp_path, text=True, check=False, capture_output=True, timeout=100,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}: {done.stderr}"
