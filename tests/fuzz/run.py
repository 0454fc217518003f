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
    """Run from the command line; the exit status is 1 where something failed, or a defect was not found."""
    given = _parser().parse_args()
    return find_defects(given) if given.defects is not None else fuzz(given)


def fuzz(given: argparse.Namespace) -> int:
    """Compare the games that are asked for, and tell what fails."""
    folder, every = Path(given.folder), given.compiled
    indices = range(given.first, given.first + given.games)
    really = [index for index in indices if every and index % every == every - 1]
    plain = sorted({*indices} - {*really})
    told, played, done = 0, 0, Counter[str]()
    for which, compiled in ((plain, False), (really, True)):
        for found in results(given, which, compiled, given.defect):
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


def find_defects(given: argparse.Namespace) -> int:
    """Put each known defect back, and count the games until it is found; a table of them is printed."""
    from fuzz.defects import DEFECTS

    missed, indices = 0, [*range(given.first, given.first + given.games)]
    wanted = [name for name in DEFECTS if given.defects in name]
    print("| defect put back | games | what failed |\n| --- | ---: | --- |", flush=True)
    for name in wanted:
        failed = next((one for one in results(given, indices, False, name) if one.check), None)
        missed += failed is None
        row = (
            (name, f"{failed.index + 1 - given.first:,}", failed.check)
            if failed
            else (name, f"not in {given.games:,}", "")
        )
        print(f"| {' | '.join(row)} |", flush=True)
    print(f"\n{len(wanted) - missed} of {len(wanted)} defects found, seed {given.seed}")
    return 1 if missed else 0


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
    parser.add_argument("--defects", help="put back each known defect whose name contains this, and look for it")
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    return parser


def results(given: argparse.Namespace, indices: list[int], compiled: bool, defect: str) -> Iterator[Any]:
    """What came of each game, in their order; in other processes, with a folder of their own for kernels."""
    shrinking = 0.0 if defect else given.shrink
    work = partial(_one, given.seed, Path(given.folder), compiled, shrinking)
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="dicelab-fuzz-") as kernels:
        for first in range(0, len(indices), FRESH * given.jobs):
            ready = partial(_ready, compiled, defect, kernels)
            pool = ProcessPoolExecutor(given.jobs, mp_context=spawn, initializer=ready)
            try:
                yield from pool.map(work, indices[first : first + FRESH * given.jobs])
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


def _ready(compiled: bool, defect: str, kernels: str) -> None:
    """Set a process up; before it imports anything of dicelab."""
    os.environ["DICELAB_CACHE_DIR"] = kernels
    warnings.simplefilter("ignore")
    if not compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    if defect:
        from fuzz.defects import put_back

        put_back(defect)


def _one(seed: int, folder: Path, compiled: bool, shrinking: float, index: int) -> Any:
    """One game; its files stay only where something fails."""
    from fuzz.one import one

    with tempfile.TemporaryDirectory(prefix="dicelab-fuzz-") as scratch:
        found = one(seed, index, Path(scratch), compiled, shrinking)
    if found.check and shrinking:
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
