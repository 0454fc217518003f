"""All measurements; ``make bench`` runs this. With names of tables, only those: ``speed.py games threads``.

Each table is printed and put into docs/speed.md, which says what is measured and how.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import best
import cluster
import contenders
import estimates
import lab_pages
import large
import learning
import natural
import on_gpu
import plain
import players
import published
import report
import rivals
import scaling
import startup
import vectorised
from report import number, ratio
from timing import rates

import exact
from dicelab.runtime.interpreter import Reference

LOAD = os.getloadavg()[0]


def games() -> list[list[str]]:
    """Dicelab, plain Python, NumPy and C, one core each."""
    others = ["plain Python", "NumPy", "C"]
    rows = [["games per second, one core", "dicelab", *others, *(f"dicelab / {other}" for other in others)]]
    with tempfile.TemporaryDirectory() as folder:
        program = contenders.c_program(folder)
        for work in contenders.WORK:
            playing = {
                "dicelab": contenders.ours(work.run),
                "plain Python": contenders.by_hand(plain, work),
                "NumPy": contenders.by_hand(vectorised, work),
            }
            if program:
                playing["C"] = contenders.in_c(program, work)
            found = rates(work.says, playing, contenders.truth(work.run))
            mine = found["dicelab"]
            row = [number(found[other]) if other in found else "-" for other in others]
            row += [ratio(mine, found[other]) if other in found else "-" for other in others]
            rows.append([work.says, number(mine), *row])
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return rows


def reference() -> list[list[str]]:
    """The reference engine, which is plain Python, and plain Python for one game alone."""
    rows = [["games per second, one core", "reference engine", "plain Python", "reference / plain"]]
    for work in (*contenders.WORK, contenders.BATTLE):
        run = work.run
        playing = {
            "reference": contenders.of_engine(Reference(run.game, run.calls)),
            "plain": contenders.by_hand(plain, work),
        }
        found = rates(work.says, playing, contenders.truth(run))
        rows.append([work.says, *map(number, found.values()), ratio(found["reference"], found["plain"])])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return rows


def machine() -> list[list[str]]:
    """Where and with what it was measured."""
    processor = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            processor = line.split(":")[1].strip()
            break
    compiler = shutil.which("gcc") or shutil.which("cc")
    c_version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout if compiler else "-"
    return [
        ["measured", date.today().isoformat()],
        ["processor", f"{processor}, {os.cpu_count()} cores"],
        ["other work on it at the start", f"load {LOAD:.1f}"],
        ["Python", platform.python_version()],
        *([package, version(package)] for package in ("dicelab", "numba", "numpy")),
        ["C compiler", c_version.splitlines()[0]],
        *([package, rivals.version(package)] for package in ("crapssim", "open_spiel")),
    ]


TABLES: dict[str, Callable[[], list[list[str]]]] = {
    "machine": machine,
    "games": games,
    "reference": reference,
    "natural": natural.natural,
    "rivals": rivals.rivals,
    "gnubg": rivals.gnubg,
    "sessions": rivals.sessions,
    "threads": scaling.threads,
    "players": scaling.players,
    "numbers": scaling.games,
    "cluster": cluster.cluster,
    "cuda": on_gpu.cuda,
    "commands": startup.commands,
    "imports": startup.imports,
    "lab": lab_pages.waiting,
    "pages": published.in_chromium,
    "exact": exact.seconds_for_answers,
    "lcr": best.seconds_for_lcr,
    "best": best.seconds_for_best_play,
    "large": large.seconds_for_large_games,
    "estimates": estimates.estimates,
    "thresholds": best.seconds_for_thresholds,
    "learning": learning.steps,
    "losses": players.players,
}


def main(names: list[str]) -> None:
    began = perf_counter()
    for name in names or TABLES:
        report.publish(name, TABLES[name]())
    print(f"{perf_counter() - began:.0f} s")


if __name__ == "__main__":  # the workers of a cluster import this file too
    main(sys.argv[1:])
