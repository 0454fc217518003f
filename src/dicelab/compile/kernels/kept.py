"""What the cache of compiled code holds: listed, and deleted."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dicelab.compile.kernels.cache import KERNEL, LOOPS, cache_folder, fingerprint

DAY = 86_400


@dataclass(frozen=True)
class KeptKernel:
    """A kernel, or the loops of a module of dicelab, in the cache.

    Attributes
    ----------
    name
        The hash that identifies it.
    about
        What it is for: its first line.
    source
        The file with its text.
    size
        Bytes of all its files.
    used
        When it was last loaded, in seconds since 1970.
    outdated
        Whether no run can use it any more, because it was written for another version of dicelab, Numba, NumPy or
        Python.
    """

    name: str
    about: str
    source: Path
    size: int
    used: float
    outdated: bool

    def delete(self) -> None:
        """Delete all its files; a run that needs it compiles it again."""
        if self.source.parent == cache_folder():
            for file in _files(self.source):
                with suppress(OSError):
                    file.unlink()
        else:
            shutil.rmtree(self.source.parent, ignore_errors=True)


def kept_kernels() -> list[KeptKernel]:
    """All that is in the cache, the latest used first."""
    folder, found = cache_folder(), []
    for source in (*folder.glob(f"{KERNEL}*.py"), *folder.glob(f"{LOOPS}*/*.py")):
        with suppress(OSError):  # deleted by another process meanwhile
            found.append(_described(source, source.stem if source.parent == folder else source.parent.name))
    return sorted(found, key=lambda one: -one.used)


def _described(source: Path, stem: str) -> KeptKernel:
    text = source.read_text(encoding="utf-8")
    name = stem.removeprefix(KERNEL).removeprefix(LOOPS)
    try:
        outdated = fingerprint(text) != name
    except ImportError:  # it imports a module that is no more
        outdated = True
    size = sum(file.stat().st_size for file in _files(source))
    about = text.partition("\n")[0].partition(";")[0].strip('#". ')
    return KeptKernel(name, about, source, size, source.stat().st_mtime, outdated)


def _files(source: Path) -> Iterator[Path]:
    """Yield the file with the text, and the files with compiled code."""
    if source.parent == cache_folder():
        yield source
        yield from source.parent.glob(f"__pycache__/{source.stem}.*")
    else:
        yield from (file for file in source.parent.rglob("*") if file.is_file())


def prune(days: float | None = None) -> list[KeptKernel]:
    """Delete what is outdated and, if `days` are given, what was not used for so long; returns what was deleted."""
    now = time.time()
    gone = [one for one in kept_kernels() if one.outdated or (days is not None and now - one.used >= days * DAY)]
    for one in gone:
        one.delete()
    return gone
