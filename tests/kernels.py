"""Compile the kernels that tests of several files use, before the tests: each once, in several processes.

    python tests/kernels.py [PROCESSES]

Kernels are kept by what they depend on (`dicelab.compile.kernels.cache`), so those at hand are only looked at. All
others are compiled by the one test file that needs them.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import conftest  # noqa: F401  # says where kernels are kept
from conformance.chain_settings import QUICK, SMALL
from conformance.fast import fast_engines
from dicelab.compile.kernels.cache import cache_folder
from dicelab.solver.enumeration.expansion import Expansion
from support import FEW, FIRST, run_of

OLD = 14 * 24 * 3600
"""Seconds after which a kernel is thrown away: most of those are of files that have been edited since."""


def compile_all(name: str) -> str:
    """Compile the kernels of a game with which tests begin, of all engines."""
    fast_engines(run_of(name, FIRST[name]))
    for lineup, free in sorted((line, free) for game, line, free in QUICK if game == name):
        Expansion(run_of(name, lineup, **SMALL.get(name, {})), free)
    return name


def throw_old_away() -> None:
    """Remove kernels that were compiled long ago."""
    for file in cache_folder().glob("**/*"):
        if file.is_file() and file.stat().st_mtime < time.time() - OLD:
            file.unlink()


if __name__ == "__main__":
    throw_old_away()
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    # A process keeps all that it has compiled, so new ones begin after a while.
    number, games = 0, sorted(FEW)
    for first in range(0, len(games), 8 * processes):
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            for name in pool.map(compile_all, games[first : first + 8 * processes]):
                number += 1
                print(f"\rkernels of {number} of {len(games)} games, {name}\033[K", end="", file=sys.stderr)
    print(file=sys.stderr)
