"""Solutions of games, kept in the cache folder: at most 2 GB, the least recently used are deleted first.

A file is named by everything on which a solution depends: the rules, parameters, what is solved for and against whom,
and the version of dicelab. Nothing here fails because a disk is full or may not be written; a solution is then found
again. With ``DICELAB_SOLUTIONS=off`` nothing is kept, and nothing that was kept is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from dicelab.limits import LIMITS
from dicelab.rules.game import Game, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.leftovers import Draft
from dicelab.translation.verdicts import cache_root
from dicelab.version import __version__

SETTING = "DICELAB_SOLUTIONS"
"""The environment variable that turns all of this off."""
SOLVER = "2"
"""Changed when a repair of the solver changes values, so that solutions which were kept before are not used."""
T = TypeVar("T")


@dataclass(frozen=True)
class KeptSolution:
    """A file with a solution.

    Attributes
    ----------
    path
        The file.
    game, kind
        The name of the game, and what is in it: ``policy``, ``values``, or ``too-large`` (why it can't be solved).
    size, used
        Its bytes, and when it was last used, in seconds since 1970.
    """

    path: Path
    game: str
    kind: str
    size: int
    used: float


def solutions_folder() -> Path:
    """Return the folder of the solutions."""
    return cache_root() / "solutions"


def is_off() -> bool:
    """Return whether nothing is kept.

    >>> is_off()
    False
    """
    return os.environ.get(SETTING, "").lower() in ("off", "no", "0")


def path_for(game: Game, kind: str, *depends: str) -> Path:
    """Return the file of a solution; `depends` has what it depends on besides the game with its parameters."""
    facts = [__version__, SOLVER, source_hash(type(game)), repr(sorted(shown(game).items())), kind, *depends]
    name = re.sub(r"[^A-Za-z0-9_-]", "_", game.name)[:40]
    return solutions_folder() / f"{name}.{kind}.{sha256(chr(0).join(facts).encode()).hexdigest()[:24]}.npz"


def used(path: Path, load: Callable[[Path], T]) -> T | None:
    """Return what a kept file holds, and note that it was used; None if there is none. A damaged file is deleted."""
    if is_off() or not os.path.exists(path):  # `Path.exists` raises where the folder may not be read
        return None
    try:
        found = load(path)
    except Exception:  # written by another version, or damaged; it is solved again
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        os.utime(path)
    return found


def keep(path: Path, save: Callable[[Path], None]) -> bool:
    """Write a file, and delete the least recently used ones if all are too large together; whether it was written."""
    if is_off():
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with Draft(path) as draft:
            save(draft.path)
            draft.publish()
    except OSError:
        return False
    _make_room()
    return os.path.exists(path)


def kept_solutions() -> list[KeptSolution]:
    """Return all kept solutions, the latest used first."""
    found, paths = [], list[Path]()
    with suppress(OSError):  # the folder may not be read
        paths = list(solutions_folder().glob("*.*.*.npz"))
    for path in paths:
        with suppress(OSError):  # deleted by another process meanwhile
            facts = path.stat()
            game, kind = path.name.split(".")[:2]
            found.append(KeptSolution(path, game, kind, facts.st_size, facts.st_mtime))
    return sorted(found, key=lambda one: -one.used)


def clear_solutions() -> list[KeptSolution]:
    """Delete all kept solutions; returns what was deleted."""
    gone = []
    for one in kept_solutions():
        with suppress(OSError):
            one.path.unlink()
            gone.append(one)
    return gone


def _make_room() -> None:
    """Delete the least recently used files beyond the limit."""
    total = 0
    for one in kept_solutions():
        total += one.size
        if total > LIMITS.solution_bytes:
            with suppress(OSError):
                one.path.unlink()
