"""Finds games: those of dicelab, those of installed packages, and those in a file.

There is no list of games to maintain: the folder ``dicelab/games`` is scanned, other packages register games in the
entry-point group ``dicelab.games``, and a path to a file stands for the game in it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import tokenize
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, reduce
from pathlib import Path
from types import ModuleType
from typing import Any

from dicelab.errors import DicelabError, RulesError, UnknownNameError, unknown
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game
from dicelab.rules.loading.source import BESIDE, ITSELF, SOURCE, keep_text_of

HOME = "dicelab.games"
"""Package whose modules are scanned. It is given by name, because games import `dicelab.rules`, not the reverse."""
GROUP = "dicelab.games"
"""Entry-point group of games in other packages."""
unsaved: dict[Path, str] = {}
"""Texts that are read in place of files, by the resolved path: what an editor has not saved."""


def games_in(module: ModuleType) -> dict[str, type[Game]]:
    """Return the games defined in a module (imported ones left out), by name, in the order written."""
    games = [g for g in vars(module).values() if isinstance(g, type) and issubclass(g, Game) and g is not Game]
    return {game.name: game for game in games if game.__module__ == module.__name__}


def all_games() -> dict[str, type[Game]]:
    """Return every game of dicelab and of installed packages, by name, sorted.

    Examples
    --------
    >>> list(all_games())[:3]
    ['craps', 'craps-bet', 'farkle']
    """
    home = importlib.util.find_spec(HOME)
    games: dict[str, type[Game]] = {}
    for info in pkgutil.iter_modules(home.submodule_search_locations if home else None):
        games |= games_in(importlib.import_module(f"{HOME}.{info.name}"))
    for point in entry_points(group=GROUP):
        try:
            game = announced(point)
        except RulesError:
            continue  # a broken package must not hide the games of others; `find` reports what is wrong with it
        games[game.name] = game
    return dict(sorted(games.items()))


def announced(point: EntryPoint) -> type[Game]:
    """Return the game that an installed package registers as an entry point.

    Raises
    ------
    RulesError
        When it can't be imported, or is not a game.
    """
    try:
        game = point.load()
    except Exception as error:
        raise RulesError(f"the game {point.name} of an installed package can't be loaded: {error}") from error
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise RulesError(f"the game {point.name} of an installed package, {point.value}, is not a dicelab.rules.Game")
    return game


def find(name: str) -> type[Game]:
    """Return the game called `name`, or the game in a file: ``./pig.py``, ``./casino.py:roulette``.

    Parameters
    ----------
    name
        The name of a game of dicelab or of an installed package; or a path, with the name of one of several games.

    Returns
    -------
    type[Game]
        Its class. Called with parameters it makes a game, for `dicelab.simulate` and all other calls.

    Raises
    ------
    UnknownNameError
        When there is no such game or file; the message gives the nearest name.
    RulesError
        When the file has no game, several games, or an error.

    Examples
    --------
    >>> find("hazard")(main=5)
    Hazard(main=5)
    """
    if looks_like_file(name):
        path, colon, wanted = name.partition(".py:")
        return find_in_file(Path(path + ".py" if colon else path), wanted)
    games = all_games()
    if name not in games:
        for point in entry_points(group=GROUP, name=name):
            return announced(point)
        raise unknown("game", name, games)
    return games[name]


def bets_of(game: type[Game]) -> type[Game]:
    """Return the game that plays single bets of `game`: the one named by its `edges_of`, otherwise `game` itself."""
    single = casino_of(game).edges_of
    return find(single) if single else game


def looks_like_file(name: str) -> bool:
    """Return whether this is the path of a file, not the name of a game."""
    return "/" in name or "\\" in name or name.endswith(".py") or ".py:" in name


def find_in_file(path: Path, wanted: str = "") -> type[Game]:
    """Return the game in a file; `wanted` is its name if the file has several."""
    games = games_in(load(path))
    if not games:
        raise RulesError(f"{path} has no game: it must define a class that inherits from dicelab.rules.Game")
    if wanted:
        if wanted not in games:
            raise unknown(f"game in {path}", wanted, games)
        return games[wanted]
    if len(games) > 1:
        names = ", ".join(f"{path}:{name}" for name in games)
        raise RulesError(f"{path} has several games; choose one of {names}")
    return next(iter(games.values()))


def load(path: Path, kind: str = "file") -> ModuleType:
    """Return the module made by running a game's file. It is run again at every call, so that edits take effect.

    The file may import other files of its folder. `kind` is part of the module's name.

    Raises
    ------
    UnknownNameError
        When there is no such file.
    RulesError
        When it can't be read or run; the message gives the line.
    """
    if not path.is_file():
        raise UnknownNameError(f"there is no file {path}" if not path.is_dir() else f"{path} is a folder, not a file")
    name = f"dicelab_{kind}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RulesError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    source = _read(path)
    module.__dict__[SOURCE] = source
    module.__dict__[ITSELF] = module
    try:
        with _importing_beside(path.parent) as beside:
            exec(compile(source, str(path), "exec"), module.__dict__)
        module.__dict__[BESIDE] = beside
    except SyntaxError as error:
        raise RulesError(f"{error.filename or path}, line {error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        where = f", line {lines[-1]}" if lines else ""
        message = str(error) if isinstance(error, DicelabError) else f"{type(error).__name__}: {error}"
        raise RulesError(f"{path}{where}: {message}") from error
    return module


@contextmanager
def _importing_beside(folder: Path) -> Iterator[dict[str, ModuleType]]:
    """Make the files of `folder` importable and yield a dictionary, filled at the end with the modules imported.

    These modules are removed from `sys.modules` afterwards: another game may have a helper of the same name in
    another folder, and an edited helper must be read again.
    """
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    hidden = {name: sys.modules.pop(name) for name in _helpers_beside(folder)}
    modules: dict[str, ModuleType] = {}
    try:
        yield modules
    finally:
        for name in _helpers_beside(folder):
            modules[name] = sys.modules.pop(name)
            keep_text_of(modules[name])
        sys.modules.update(hidden)
        sys.dont_write_bytecode = keep
        sys.path.remove(str(folder))


def _helpers_beside(folder: Path) -> list[str]:
    """Return the names of imported modules that have the name of a file or package in `folder`, installed packages
    excluded.
    """
    names = {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}
    names -= {*sys.stdlib_module_names, "dicelab"}
    files = []
    for name, module in sys.modules.items():
        file = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] in names and file and "site-packages" not in file and "dist-packages" not in file:
            files.append(name)
    return files


def _read(path: Path) -> str:
    if unsaved and path.resolve() in unsaved:
        return unsaved[path.resolve()]
    try:
        with tokenize.open(path) as opened:
            source = opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise RulesError(f"{path} can't be read: {error}") from error
    if "\0" in source:
        raise RulesError(f"{path} can't be read: it has null bytes")
    return source


# Packages -------------------------------------------------------------------------------------------------------------
#
# Entry points: what installed packages, dicelab among them, register by name for dicelab to find.


@dataclass(frozen=True)
class EntryPoint:
    """What an installed package registers: in a group and by a name, a module, or a thing in it."""

    group: str
    name: str
    value: str

    def load(self) -> Any:
        """Import and return it."""
        module, _, path = self.value.partition("[")[0].replace(" ", "").partition(":")
        return reduce(getattr, path.split(".") if path else (), importlib.import_module(module))


def entry_points(group: str, name: str | None = None) -> list[EntryPoint]:
    """Return what installed packages register in a group, under this name if one is given."""
    return [p for p in _registered(tuple(sys.path)) if p.group == group and name in (None, p.name)]


@lru_cache(maxsize=1)
def _registered(folders: tuple[str, ...]) -> list[EntryPoint]:
    """Return what the packages in these folders register; of two of the same name, the first one counts.

    Importing `importlib.metadata`, which does the same, takes a tenth of the start of a command.
    """
    texts = dict[str, str]()
    for file in (file for folder in folders for file in sorted(Path(folder).glob("*.*-info/entry_points.txt"))):
        with suppress(OSError):
            texts.setdefault(file.parent.name.partition("-")[0].lower(), file.read_text("utf-8", "replace"))
    points, group = list[EntryPoint](), ""
    for line in (line.strip() for text in texts.values() for line in text.splitlines()):
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.startswith("["):
            group = line.strip("[]")
        elif equals and not line.startswith("#"):
            points.append(EntryPoint(group, name, value))
    return points
