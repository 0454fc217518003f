"""Remembers, from one start of Python to the next, which files were found to keep to the contract.

A verdict is an empty file, named by a hash of everything on which it depends: the text of the game and of its helpers,
what their names mean, and the version of Python and of dicelab. Only files that dicelab loads itself, and its own, are
remembered: of others the text on disk need not be what was imported.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from dicelab.purity.constants import CONSTANTS
from dicelab.rules.game import Game, Strategy
from dicelab.rules.source import SOURCE, modules_of, text_of_module

Meaning = tuple[tuple[str, Any], ...]


def cache_root() -> Path:
    """Where dicelab keeps what it can make again: ``$DICELAB_CACHE_DIR``, else the user's cache folder."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("DICELAB_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("dicelab")


def meaning_of(game: type[Game]) -> Meaning:
    """What every name of a game's class, of its parents and of its files means just now."""
    spaces = [vars(base) for base in game.__mro__] + [vars(module) for module in modules_of(game)]
    return tuple((name, thing) for space in spaces for name, thing in space.items() if name not in _OF_THE_LOADER)


_OF_THE_LOADER = {"__builtins__", "__warningregistry__", "declared", "__annotations__"}


def is_same(one: Meaning | None, other: Meaning) -> bool:
    """Do all names mean the same things still? The things are compared, not what they are equal to."""
    if one is None or len(one) != len(other):
        return False
    return all(a[0] == b[0] and a[1] is b[1] for a, b in zip(one, other, strict=True))


def key_of(game: type[Game], meaning: Meaning) -> str:
    """Name of the verdict on a game; empty where none is remembered."""
    modules = modules_of(game)
    if not modules or not all(_is_fixed(module) for module in modules):
        return ""
    texts = [f"{module.__name__}\n{text_of_module(module)}" for module in modules]
    names = [f"{name} {_told(thing)}" for name, thing in meaning]
    whole = "\0".join([sys.version, _of_this_package(), game.__module__, game.__qualname__, *names, *texts])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def key_of_strategy(key: str, game: type[Game], strategy: Strategy) -> str:
    """Name of the verdict on a strategy for a game with this key; empty where it is written in other files."""
    if not key or not _is_from(strategy, modules_of(game)):
        return ""
    return f"{key}-{hashlib.sha256(f'{strategy.name} {_told(strategy.rule)}'.encode()).hexdigest()[:8]}"


def is_known(key: str) -> bool:
    """Was a game with this key found to be lawful?"""
    return bool(key) and (cache_root() / "lawful" / key).exists()


def remember(key: str, game: type[Game], files: Iterable[str]) -> None:
    """Note that a game with this key is lawful, where the cache can be written.

    `files` are those that were read for it: if another file than the game's own is among them, nothing is noted.
    """
    known = {Path(module.__file__).resolve() for module in modules_of(game) if module.__file__}
    others = {Path(file).resolve() for file in files} - known
    if key and all(file.is_relative_to(Path(__file__).resolve().parents[1]) for file in others):
        try:
            (cache_root() / "lawful").mkdir(parents=True, exist_ok=True)
            (cache_root() / "lawful" / key).touch()
        except OSError:
            pass


def _told(thing: object) -> str:
    """What a name means, alike in every start of Python; of what is not a number, a text or a function, its kind."""
    if isinstance(thing, FunctionType):
        return f"{thing.__name__} {Path(thing.__code__.co_filename).name} {thing.__code__.co_firstlineno}"
    kind = type(thing)
    if kind in CONSTANTS or (kind is tuple and all(type(part) in CONSTANTS for part in thing)):  # type: ignore[attr-defined]
        return repr(thing)
    rule = getattr(thing, "rule", None) if kind.__module__.startswith("dicelab.rules.") else None
    return f"{kind.__module__} {kind.__qualname__} {_told(rule) if isinstance(rule, FunctionType) else ''}"


def _is_fixed(module: ModuleType) -> bool:
    return SOURCE in vars(module) or module.__name__.startswith("dicelab.")


def _is_from(strategy: Strategy, modules: Iterable[ModuleType]) -> bool:
    """Are a strategy and its memory written in these modules?"""
    made = [strategy.rule.__globals__]
    if strategy.memory is not None:
        made.append(vars(sys.modules.get(strategy.memory.__module__, sys)))
    spaces = [vars(module) for module in modules]
    return all(any(one is space for space in spaces) for one in made)


@cache
def _of_this_package() -> str:
    """A hash of the code that gives verdicts."""
    files = [*sorted(Path(__file__).parent.glob("*.py")), *sorted((Path(__file__).parents[1] / "rules").glob("*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
