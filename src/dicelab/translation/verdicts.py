"""A cache on disk of the games that were found to keep to the contract.

An entry is an empty file, named by a hash of everything on which the verdict depends: the text of the game and its
helpers, what their names mean, and the versions of Python and dicelab. There are entries only for files that dicelab
itself loads, and its own files: for others, the text on disk may differ from what was imported.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from dicelab.rules.game import Game, Strategy
from dicelab.rules.loading.source import SOURCE, modules_of, text_of_module
from dicelab.rules.together import MADE
from dicelab.translation.constants import CONSTANTS

Meaning = tuple[tuple[str, Any], ...]


def cache_root() -> Path:
    """Return the folder for everything that dicelab can recreate: ``$DICELAB_CACHE_DIR``, or the
    user's cache folder.
    """
    from platformdirs import user_cache_path

    chosen = os.environ.get("DICELAB_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("dicelab")


def meaning_of(game: type[Game], more: Sequence[ModuleType] = ()) -> Meaning:
    """Return the current values of all names of a game's class, its parents, its files and more modules."""
    spaces = [vars(base) for base in game.__mro__] + [vars(module) for module in [*modules_of(game), *more]]
    return tuple((name, thing) for space in spaces for name, thing in space.items() if name not in _OF_THE_LOADER)


_OF_THE_LOADER = {"__builtins__", "__warningregistry__", "declared", "__annotations__"}


def is_same(one: Meaning | None, other: Meaning) -> bool:
    """Return whether all names still have the same values, compared by identity."""
    if one is None or len(one) != len(other):
        return False
    return all(a[0] == b[0] and a[1] is b[1] for a, b in zip(one, other, strict=True))


def key_of(game: type[Game], meaning: Meaning, more: Sequence[ModuleType] = ()) -> str:
    """Return the name of the entry of a game, together with more modules; "" if there can't be one."""
    modules = [*modules_of(game), *more]
    if not modules or not all(_is_fixed(module) for module in modules):
        return ""
    texts = [f"{module.__name__}\n{text_of_module(module)}" for module in modules]
    names = [f"{name} {_described(thing)}" for name, thing in meaning]
    whole = "\0".join([sys.version, _of_this_package(), game.__module__, game.__qualname__, *names, *texts])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def key_of_strategy(key: str, modules: Sequence[ModuleType], strategy: Strategy) -> str:
    """Return the name of a strategy's entry, given that of its game and modules; "" if it isn't written in these
    modules.
    """
    if not key or not _is_from(strategy, modules):
        return ""
    return f"{key}-{hashlib.sha256(f'{strategy.name} {_described(strategy.rule)}'.encode()).hexdigest()[:8]}"


def is_known(key: str) -> bool:
    """Return whether there is an entry of this name; none where the cache can't be read."""
    return bool(key) and os.path.exists(cache_root() / "lawful" / key)  # `Path.exists` raises there


def remember(key: str, modules: Iterable[ModuleType], files: Iterable[str]) -> None:
    """Create an entry, unless the cache can't be written.

    `files` are those that were read for the verdict. No entry is created if one of them belongs neither to `modules`,
    those of the game and the strategy, nor to dicelab.
    """
    paths = [getattr(module, "__file__", None) for module in modules]  # a notebook has none
    known = {Path(path).resolve() for path in paths if path}
    others = {Path(file).resolve() for file in files if not file.startswith(MADE)} - known
    if key and all(file.is_relative_to(Path(__file__).resolve().parents[1]) for file in others):
        try:
            (cache_root() / "lawful").mkdir(parents=True, exist_ok=True)
            (cache_root() / "lawful" / key).touch()
        except OSError:
            pass


def _described(thing: object) -> str:
    """Return a text about a value that is the same in every process; except for constants and functions, about its
    class.
    """
    if isinstance(thing, FunctionType):
        return f"{thing.__name__} {Path(thing.__code__.co_filename).name} {thing.__code__.co_firstlineno}"
    kind = type(thing)
    if kind in CONSTANTS or (kind is tuple and all(type(part) in CONSTANTS for part in thing)):  # type: ignore[attr-defined]
        return repr(thing)
    rule = getattr(thing, "rule", None) if kind.__module__.startswith("dicelab.rules.") else None
    return f"{kind.__module__} {kind.__qualname__} {_described(rule) if isinstance(rule, FunctionType) else ''}"


def _is_fixed(module: ModuleType) -> bool:
    return SOURCE in vars(module) or module.__name__.startswith("dicelab.")


def _is_from(strategy: Strategy, modules: Iterable[ModuleType]) -> bool:
    """Return whether a strategy and its memory are written in these modules."""
    made = [strategy.rule.__globals__]
    if strategy.memory is not None:
        made.append(vars(sys.modules.get(strategy.memory.__module__, sys)))
    spaces = [vars(module) for module in modules]
    return all(any(one is space for space in spaces) for one in made)


@cache
def _of_this_package() -> str:
    """Return a hash of the code of this package and of `dicelab.rules`, on which verdicts depend."""
    here = Path(__file__).parent
    files = [*sorted(here.rglob("*.py")), *sorted((here.parent / "rules").rglob("*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
