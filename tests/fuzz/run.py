"""Compares many random games: ``make fuzz N=2000``; see ``docs/fuzzing.md``."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

MOST_TOLD = 10
"""Failures after which no more are looked for."""
FRESH = 250
"""Games after which a process is followed by a new one, which gives the memory of their kernels back."""


def main() -> int:
    """Run from the command line; the exit status is 1 where something failed."""
    given = _parser().parse_args()
    folder = Path(given.folder)
    indices = range(given.first, given.first + given.games)
    every = given.compiled
    really = [index for index in indices if every and index % every == every - 1]
    plans = [([index for index in indices if index not in set(really)], False), (really, True)]
    told, played, done = 0, 0, Counter[str]()
    with tempfile.TemporaryDirectory(prefix="dicelab-fuzz-") as cache:
        os.environ["DICELAB_CACHE_DIR"] = cache
        for which, compiled in plans:
            for found in _found(given, which, compiled, folder):
                played += 1
                done += found.done
                if found.check:
                    told += 1
                    _tell(given, found, folder)
                    if told >= (1 if given.stop else MOST_TOLD):
                        print(f"stopped after {played:,} games")
                        return 1
    counts = ", ".join(f"{name} {count:,}" for name, count in sorted(done.items()))
    print(f"{played:,} games, {len(really):,} of them compiled, {told} failures; compared: {counts}")
    return 1 if told else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="how many games")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other games")
    parser.add_argument("--first", type=int, default=0, help="index of the first game")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--compiled", type=int, default=100, help="compile the kernels of every so many games, 0: none")
    parser.add_argument("--folder", default="build/fuzz", help="where the files of failures go")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for making a file smaller, 0: not at all")
    parser.add_argument("--defect", default="", help="put a known defect back (fuzz.defects)")
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    return parser


def _found(given: Any, indices: list[int], compiled: bool, folder: Path) -> Iterator[Any]:
    """What came of each game, in their order."""
    if not indices:
        return
    jobs = min(given.jobs, len(indices))
    ready = partial(_ready, compiled, given.defect)
    work = partial(_one, given.seed, folder, compiled, given.shrink)
    if jobs == 1:
        ready()
        yield from map(work, indices)
        return
    spawn = multiprocessing.get_context("spawn")
    for first in range(0, len(indices), FRESH * jobs):
        pool = ProcessPoolExecutor(jobs, mp_context=spawn, initializer=ready)
        try:
            yield from pool.map(work, indices[first : first + FRESH * jobs])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _ready(compiled: bool, defect: str) -> None:
    """Set a process up; before it imports anything of dicelab."""
    warnings.simplefilter("ignore")
    if not compiled:
        from fuzz.uncompiled import install

        install()
    if defect:
        from fuzz.defects import put_back

        put_back(defect)


def _one(seed: int, folder: Path, compiled: bool, shrinking: float, index: int) -> Any:
    """One game; its files stay only where something fails."""
    from fuzz.one import one

    with tempfile.TemporaryDirectory(prefix="dicelab-fuzz-") as scratch:
        found = one(seed, index, Path(scratch), compiled, shrinking)
    if found.check:
        from fuzz.case import write

        write(found.text, folder / f"{seed}-{index}")
        (folder / f"{seed}-{index}" / "said.txt").write_text(found.said + "\n")
    return found


def _tell(given: Any, found: Any, folder: Path) -> None:
    """Say what failed, and how to see it again."""
    print(f"game {found.index} of seed {given.seed}: {found.said}")
    print(f"  the smallest file found: {folder / f'{given.seed}-{found.index}' / 'fuzzed.py'}")
    compiled = 1 if given.compiled and found.index % given.compiled == given.compiled - 1 else 0
    print(f"  again: make fuzz N=1 SEED={given.seed} FIRST={found.index} COMPILED={compiled}", flush=True)
