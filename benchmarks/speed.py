"""Games per second on one core, against hand-written C in the same run; start-up beside it.

``make bench`` runs this. The C program is ``yardstick.c`` beside it; without a C compiler the ratios are left out.
Both are timed alternately, and the best of several turns counts, because other work on the machine only ever slows.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from dicelab.analysis.writing import aligned
from dicelab.engines.compiled import Compiled
from dicelab.engines.plan import Run

HERE = Path(__file__).parent
TURNS = 5


@dataclass(frozen=True)
class Work:
    """One kind of game, the same for both."""

    says: str
    game: str
    parameters: dict[str, int]
    strategies: tuple[str, ...]
    c_arguments: tuple[str, ...]
    games: int


WORK = [
    Work("hazard, main 5", "hazard", {"main": 5}, (), ("hazard", "5"), 6_000_000),
    Work("hazard, main 7", "hazard", {"main": 7}, (), ("hazard", "7"), 6_000_000),
    Work("pass line", "pass-line", {}, (), ("hazard", "7"), 6_000_000),
    Work("Toss Up! >20 against >50", "tossup", {}, ("bank_over:20", "bank_over:50"), ("tossup", "20", "50"), 300_000),
    Work("LCR, 6 players", "lcr", {"players": 6}, (), ("lcr", "6"), 500_000),
    Work("LCR, 12 players", "lcr", {"players": 12}, (), ("lcr", "12"), 200_000),
]


def c_program(folder: str) -> str | None:
    """The yardstick, compiled; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = str(Path(folder) / "yardstick")
    source = str(HERE / "yardstick.c")
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, source, "-lm"], check=True)
    return program


def c_seconds(program: str, work: Work) -> float:
    name, *rest = work.c_arguments
    out = subprocess.run([program, name, str(work.games), *rest], check=True, capture_output=True, text=True)
    return float(out.stdout.split()[0])


def our_seconds(engine: Compiled, work: Work) -> float:
    began = perf_counter()
    engine.play(1, 0, work.games)
    return perf_counter() - began


def speeds() -> list[list[str]]:
    rows = [["one thread", "dicelab, games/s", "C, games/s", "ratio"]]
    with tempfile.TemporaryDirectory() as folder:
        program = c_program(folder)
        for work in WORK:
            run = Run.of(work.game, work.strategies, **work.parameters)
            engine = Compiled(run.game, run.calls)
            engine.play(1, 0, 20_000)
            ours, theirs = [], []
            for _ in range(TURNS):
                ours.append(our_seconds(engine, work))
                if program:
                    theirs.append(c_seconds(program, work))
            row = [work.says, f"{work.games / min(ours):,.0f}"]
            row += [f"{work.games / min(theirs):,.0f}", f"{min(theirs) / min(ours):.2f}"] if theirs else ["-", "-"]
            rows.append(row)
    return rows


def start_up() -> list[list[str]]:
    """Seconds of whole commands: the best of some runs, with an empty cache and with a full one."""
    rows = [["command", "cold cache, s", "warm cache, s"]]
    commands = ["--help", "simulate hazard --games 1000", "simulate hazard --games 1000 --engine compiled"]
    commands += ["simulate tossup --games 1000"]
    for command in commands:
        cold, warm = [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(command_seconds(command, cache))
                warm += [command_seconds(command, cache) for _ in range(2)]
        rows.append([f"dicelab {command}", f"{min(cold):.2f}", f"{min(warm):.2f}"])
    return rows


def command_seconds(command: str, cache: str) -> float:
    began = perf_counter()
    environment = {**os.environ, "DICELAB_CACHE_DIR": cache}
    subprocess.run(
        [sys.executable, "-m", "dicelab", *command.split()], check=True, env=environment, stdout=subprocess.DEVNULL
    )
    return perf_counter() - began


def main() -> None:
    processor = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            processor = line.split(":")[1].strip()
            break
    print(f"{processor}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}\n")
    print("\n".join(aligned(speeds())), "\n")
    print("\n".join(aligned(start_up())))


if __name__ == "__main__":
    main()
