"""Seconds of whole commands: the best of some runs, with no kernel kept yet and with all of them kept."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from report import seconds

PYTHON = [sys.executable, "-c"]
DICELAB = [sys.executable, "-m", "dicelab"]
RISK = [
    *[*DICELAB, "simulate", str(Path(__file__).parents[1] / "tests" / "games" / "risk_mixed.py")],
    *["--attackers", "20", "--defenders", "12"],
]
COMMANDS = {
    "dicelab --help": [*DICELAB, "--help"],
    "dicelab simulate hazard --games 1000": [*DICELAB, "simulate", "hazard", "--games", "1000"],
    "the same, --engine compiled": [*DICELAB, "simulate", "hazard", "--games", "1000", "--engine", "compiled"],
    "dicelab simulate tossup --games 1000": [*DICELAB, "simulate", "tossup", "--games", "1000"],
    "Risk with mixed dice, 200 games, --engine reference": [*RISK, "--games", "200", "--engine", "reference"],
    "Risk with mixed dice, 100,000 games": [*RISK, "--games", "100000"],
}


def commands() -> list[list[str]]:
    best = {says: [float("inf"), float("inf")] for says in COMMANDS}
    for _ in range(4):
        for says, command in COMMANDS.items():
            with tempfile.TemporaryDirectory() as cache:
                taken = [of_command(command, cache) for _ in range(3)]
            best[says] = [min(best[says][0], taken[0]), min(best[says][1], *taken[1:])]
    rows = [[says, seconds(cold), seconds(warm)] for says, (cold, warm) in best.items()]
    return [["command, seconds", "cold cache", "warm cache"], *rows]


def imports() -> list[list[str]]:
    """What Python itself takes is left out."""
    rows = [["from Python, milliseconds", ""]]
    codes = ["import dicelab", "import dicelab; dicelab.simulate", "import dicelab; dicelab.exact", "import numba"]
    taken = {code: float("inf") for code in ["pass", *codes]}
    for _ in range(7):
        for code in taken:
            taken[code] = min(taken[code], of_command([*PYTHON, code]))
    return rows + [[code, f"{1000 * (taken[code] - taken['pass']):.0f}"] for code in codes]


def of_command(command: list[str], cache: str | None = None) -> float:
    environment = {**os.environ, "DICELAB_CACHE_DIR": cache} if cache else dict(os.environ)
    began = perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return perf_counter() - began
