"""Seconds for best play, beside programs for one game alone (`by_hand.py`, `lcr.c`); best of three, compiled before."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import by_hand
import numpy as np
from contenders import PIG
from report import seconds

import dicelab

ERROR = 1e-9
PLAYERS = (5, 6, 7)
ALONE = Path(__file__).resolve().parents[1] / "answers" / "tossup_alone.py"
T = TypeVar("T")


def timed(solve: Callable[[], T]) -> tuple[T, float]:
    """What it finds, and the least of three times; the first one compiles and does not count."""
    found, times = solve(), []
    for _ in range(3):
        began = perf_counter()
        found = solve()
        times.append(perf_counter() - began)
    return found, min(times)


def seconds_for_best_play() -> list[list[str]]:
    rows = [["best play, two players, error 1e-9", "states", "dicelab", "by hand, values", "by hand, policies"]]
    for title, game, alone in (
        ("Pig, target 100", PIG, by_hand.pig),
        ("Toss Up!, target 100", "tossup", by_hand.toss_up),
    ):
        states = 0

        def ours(game: str = game) -> float:
            nonlocal states
            solution = dicelab.solve(game)
            assert solution.error < ERROR
            states = solution.states
            return solution.value

        mine, took = timed(ours)
        row = [title, f"{states:,}", seconds(took)]
        for policies in (False, True):
            other, its = timed(lambda policies=policies, alone=alone: alone(error=ERROR, policies=policies))  # type: ignore[misc]
            assert abs(mine - other) < 2 * ERROR
            row.append(seconds(its))
        rows.append(row)
    return rows


def seconds_for_thresholds() -> list[list[str]]:
    """Every "bank when more than x" against every other, in Toss Up!."""
    names = [f"bank_over:{x}" for x in range(101)]
    ours, took = timed(lambda: dicelab.race(ALONE, names).first_wins)
    theirs, its = timed(by_hand.thresholds)
    assert np.allclose(ours, theirs, atol=1e-12)
    title = "Toss Up!, 101 x 101 thresholds, exactly"
    return [[title, "dicelab", "by hand"], ["both seats, all pairs", seconds(took), seconds(its)]]


def seconds_for_lcr() -> list[list[str]]:
    """LCR with the full distribution of its length."""
    rows = [["LCR, exactly, with the distribution of turns", "dicelab", "C for LCR alone"]]
    with tempfile.TemporaryDirectory() as folder:
        program = c_program(folder)
        for players in PLAYERS:
            found = [dicelab.exact("lcr", players=players) for _ in range(2)]
            row = [f"{players} players", seconds(min(result.seconds for result in found))]
            if program:
                its, chances = in_c(program, players)
                ours = [chance.probability for chance in found[0].outcomes.values()]
                assert np.allclose(ours, chances, atol=1e-9)
                row.append(seconds(its))
            rows.append([*row, "-"][:3])
    return rows


def c_program(folder: str) -> str | None:
    """The C program for LCR, compiled; None without a C compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    program = str(Path(folder) / "lcr")
    source = str(Path(__file__).parent / "lcr.c")
    subprocess.run([compiler, "-O3", "-march=native", "-fopenmp", "-o", program, source], check=True)
    return program


def in_c(program: str, players: int) -> tuple[float, list[float]]:
    """Least of three times, and the chance of each seat."""
    times, chances = [], [0.0]
    for _ in range(3):
        done = subprocess.run(
            [program, str(players)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
        )
        first, second = done.stdout.splitlines()[:2]
        times.append(float(first.split()[0]))
        chances = [float(word) for word in second.split()]
    return min(times), chances
