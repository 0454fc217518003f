"""Remembers, from one start of Python to the next, which files were found to keep to the contract.

A verdict is an empty file, named by a hash of everything on which it depends: the text of the game and of its helpers,
and of this package. Only files that dicelab loads itself, and its own, are remembered: of others the text on disk need
not be what was imported.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from dicelab.rules.game import Game
from dicelab.rules.source import SOURCE, modules_of, text_of_module


def cache_root() -> Path:
    """Where dicelab keeps what it can make again: ``$DICELAB_CACHE_DIR``, else the user's cache folder."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("DICELAB_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("dicelab")


def key_of(game: type[Game]) -> str:
    """Name of the verdict on a game and its strategies; empty where none is remembered."""
    modules = modules_of(game)
    if not modules or not all(_is_fixed(module) for module in modules):
        return ""
    texts = [f"{module.__name__}\n{text_of_module(module)}" for module in modules]
    whole = "\0".join([sys.version, _of_this_package(), game.__module__, game.__qualname__, *texts])
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def is_known(key: str) -> bool:
    """Was a game with this key found to be lawful?"""
    return bool(key) and (cache_root() / "lawful" / key).exists()


def remember(key: str) -> None:
    """Note that a game with this key is lawful, where the cache can be written."""
    if key:
        try:
            (cache_root() / "lawful").mkdir(parents=True, exist_ok=True)
            (cache_root() / "lawful" / key).touch()
        except OSError:
            pass


def _is_fixed(module: ModuleType) -> bool:
    return SOURCE in vars(module) or module.__name__.startswith("dicelab.")


@cache
def _of_this_package() -> str:
    """A hash of the code that gives verdicts."""
    files = [*sorted(Path(__file__).parent.glob("*.py")), *sorted((Path(__file__).parents[1] / "rules").glob("*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
