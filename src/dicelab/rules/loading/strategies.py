"""Finds strategies: those of a game's own file, those of dicelab and of installed packages, and those in other files.

A text names a strategy: ``bank_over:20``, or with its file ``./mine.py:cautious:20``; the first ``.py:`` ends the path,
so a path may contain colons. There is no list of strategies to maintain: packages, dicelab among them, announce
modules of strategies, or single ones, in the entry-point group ``dicelab.strategies``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from dicelab.errors import RulesError, unknown
from dicelab.rules.game import Game, Strategy
from dicelab.rules.loading.registry import EntryPoint, entry_points, load
from dicelab.rules.loading.source import BESIDE, text_of
from dicelab.rules.params import Choice

GROUP = "dicelab.strategies"
"""Entry-point group of strategies outside the files of games."""

Stamp = tuple[tuple[str, int, int], ...]
_loaded: dict[Path, tuple[Stamp, dict[str, Strategy]]] = {}
"""Strategies of files, with the times and sizes of these files and of those beside them that they import."""


def split(text: str) -> tuple[str, list[str]]:
    """Return the name of a strategy, with its file if it has one, and its arguments.

    >>> split("bank_over:20"), split("C:/dice/mine.py:cautious:points=20")
    (('bank_over', ['20']), ('C:/dice/mine.py:cautious', ['points=20']))
    """
    path, in_file, rest = text.partition(".py:")
    if not in_file and text.endswith(".py"):
        return text, []
    name, *given = rest.split(":") if in_file else text.split(":")
    return f"{path}.py:{name}" if in_file else name, given


def in_file(name: str) -> bool:
    """Return whether this is the name of a strategy with its file."""
    return ".py:" in name or name.endswith(".py")


def strategies_of(game: type[Game]) -> dict[str, Strategy]:
    """Return the strategies of a game by name: its own, then those of installed packages."""
    strategies = dict(game.declared.strategies)
    for strategy in _more():
        if is_for(strategy, game):
            strategies.setdefault(strategy.name, strategy)
    return strategies


def strategy_named(game: type[Game], name: str) -> Strategy:
    """Return the strategy of a game that a name means: one of `strategies_of`, or one in a file.

    Raises
    ------
    UnknownNameError
        When there is no such strategy or file; the message gives the nearest name.
    RulesError
        When the file can't be run, or the strategy is for another game.
    """
    if in_file(name):
        return _from_file(game, name)
    if name in game.declared.strategies:
        return game.declared.strategies[name]
    known = strategies_of(game)
    if name not in known:
        for point in entry_points(group=GROUP, name=name):
            list(_announced(point))  # says what is wrong with it
        raise unknown(f"strategy of {game.name}", name, known, _with_argument(known, name))
    return known[name]


def _with_argument(known: Mapping[str, Strategy], word: str) -> str | None:
    """Return the first strategy that has an argument with this word as a value, as it is typed;
    None if there is none.
    """
    for strategy in known.values():
        for param in strategy.params.values():
            if isinstance(param, Choice) and param.knows(word):
                return f"{strategy.name}:{param.name}={word}"
    return None


def strategies_in(module: ModuleType) -> dict[str, Strategy]:
    """Return the strategies written in a module (imported ones left out), by name, in the order written."""
    strategies = [one for one in vars(module).values() if isinstance(one, Strategy)]
    return {one.name: one for one in strategies if one.rule.__globals__ is vars(module)}


def is_for(strategy: Strategy, game: type[Game]) -> bool:
    """Return whether a strategy is for a game or one of its parents, also if the game's file was
    loaded a second time.
    """
    return any(_is_same(base, strategy.game) for base in game.__mro__)


def _is_same(one: type, other: type) -> bool:
    """Return whether two classes are the same, or were made by the same text in the same file."""
    if one is other or one.__qualname__ != other.__qualname__:
        return one is other
    first, second = _methods(one), _methods(other)
    if not first or not second:  # a game that only declares
        parents = zip(one.__bases__, other.__bases__, strict=False)
        return not first and not second and one is not object and all(_is_same(a, b) for a, b in parents)
    files = [Path(method.__code__.co_filename).resolve() for method in (first[0], second[0])]
    return files[0] == files[1] and text_of(first[0]).text == text_of(second[0]).text


def _methods(kind: type) -> list[FunctionType]:
    members = [getattr(member, "rule", member) for member in vars(kind).values()]
    return [member for member in members if isinstance(member, FunctionType) and member.__module__ == kind.__module__]


# Files ---------------------------------------------------------------------------------------------------------------


def strategies_in_file(path: Path) -> dict[str, Strategy]:
    """Return the strategies in a file by name; it is run again when it, or a file beside it that it imports, has
    changed.

    Raises
    ------
    UnknownNameError, RulesError
        As `dicelab.rules.loading.registry.load`.
    """
    path = path.absolute() if path.is_file() else path
    stamp, strategies = _loaded.get(path, ((), {}))
    if not stamp or stamp != _stamp([file for file, _, _ in stamp]):
        with redirect_stdout(sys.stderr):  # it may print; stdout is for results only
            module = load(path, "strategies")
        strategies = strategies_in(module)
        beside = [getattr(one, "__file__", None) for one in vars(module).get(BESIDE, {}).values()]
        _loaded[path] = _stamp([str(path), *(file for file in beside if file)]), strategies
    return strategies


def _stamp(files: list[str]) -> Stamp:
    """Return the time and the size of each file; 0 for one that is gone."""
    known = ((file, Path(file)) for file in files)
    stats = ((file, path.stat() if path.is_file() else None) for file, path in known)
    return tuple((file, stat.st_mtime_ns, stat.st_size) if stat else (file, 0, 0) for file, stat in stats)


def _from_file(game: type[Game], name: str) -> Strategy:
    """Return the strategy in a file, ``./mine.py:cautious``; without a name after the file the only
    one for this game.
    """
    path, colon, wanted = name.partition(".py:")
    file = path + ".py" if colon else name
    every = strategies_in_file(Path(file))
    suiting = {one: strategy for one, strategy in every.items() if is_for(strategy, game)}
    if not every:
        raise RulesError(f"{file} has no strategy: put @strategy({game.__name__}, ...) above a function in it")
    if not colon and len(suiting) > 1:
        raise RulesError(
            f"{file} has several strategies; choose one of {', '.join(f'{file}:{one}' for one in suiting)}"
        )
    wanted = wanted if colon else next(iter(suiting), next(iter(every)))
    if wanted not in every:
        raise unknown(f"strategy in {file}", wanted, suiting or every)
    if wanted not in suiting:
        raise RulesError(f"{file}:{wanted} is a strategy of {every[wanted].game.name}, not of {game.name}")
    typed: Any = game
    return _known_as(every[wanted], f"{file}:{wanted}", typed)


@lru_cache(maxsize=1024)
def _known_as(strategy: Strategy, name: str, game: Any) -> Strategy:
    """Return the strategy under the name with its file, and of the class of the game that is played."""
    return replace(strategy, name=name, game=game)


# Packages ------------------------------------------------------------------------------------------------------------


def _more() -> Iterator[Strategy]:
    """Yield the strategies that installed packages announce."""
    for point in entry_points(group=GROUP):
        try:
            yield from _announced(point)
        except RulesError:
            continue  # a broken package must not hide the strategies of others


def _announced(point: EntryPoint) -> Iterator[Strategy]:
    """Yield the strategies that an installed package announces by an entry point: those of a module, or one.

    Raises
    ------
    RulesError
        When it can't be imported, or is neither.
    """
    try:
        thing = point.load()
    except Exception as error:
        raise RulesError(f"the strategies {point.name} of an installed package can't be loaded: {error}") from error
    if isinstance(thing, ModuleType):
        yield from strategies_in(thing).values()
    elif isinstance(thing, Strategy):
        yield thing
    else:
        raise RulesError(
            f"the strategies {point.name} of an installed package, {point.value}, are neither a module nor a strategy"
        )
