"""The file of a saved game: written line by line while the game is played, and read."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from dicelab.errors import InputError, unknown
from dicelab.interface.play.again import called
from dicelab.rules.game import Game, seat_count, shown
from dicelab.rules.loading.registry import looks_like_file

FORMAT = 1
"""Files of other formats are refused. A new key that readers may ignore needs no new format."""
KEYS = {"format", "game", "parameters", "seats", "dice", "moves", "result", "note"}
MOVE_KEYS = {"roll", "choice", "seat", "name", "note"}
END = "\n  ]\n}\n"
"""The end of a file whose game is not over."""


@dataclass(frozen=True)
class SavedGame:
    """A saved game as it was read; its moves are checked by `dicelab.interface.play.saved.moves`.

    Attributes
    ----------
    path
        The file.
    game
        Name of the game; for a game in a file the name of that file.
    parameters
        Those that are given; the others have their defaults.
    seats
        Who sits in each seat: ``me``, a strategy, or any other name; empty if nobody is named.
    moves
        Rolls and choices, in order.
    result
        The result, if the game is over and it was written down.
    dice
        Where the dice came from, such as ``seed 9``; empty if not known.
    """

    path: str
    game: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seats: list[str] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    result: dict[str, Any] | None = None
    dice: str = ""


def read(path: str) -> SavedGame:
    """Read a saved game.

    Raises
    ------
    InputError
        When there is no such file, it is not JSON, or has other content; the message says where.
    """
    return _checked(path, _json(path))


def read_several(path: str) -> list[SavedGame]:
    """Read the saved games of a file: one, or many as a JSON object with a name for each.

    Raises
    ------
    InputError
        As in `read`.
    """
    data = _json(path)
    if isinstance(data, dict) and any(isinstance(one, dict) and "game" in one for one in data.values()):
        return [_checked(name, one) for name, one in data.items()]
    return [_checked(path, data)]


def read_all(places: Sequence[str | os.PathLike[str]]) -> list[SavedGame]:
    """Read the saved games of files and folders, each file once.

    Raises
    ------
    InputError
        As in `read`; or when a folder has none, or two have the same name.
    """
    files: dict[str, str] = {}
    for place in map(Path, places):
        inside = sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not inside:
            raise InputError(f"{place} has no saved games: no file in it ends with .json")
        files |= {os.path.realpath(file): str(file) for file in inside}
    found = [saved for file in files.values() for saved in read_several(file)]
    names = Counter(saved.path for saved in found)
    if len(names) < len(found):
        raise InputError(f"two saved games are called {names.most_common(1)[0][0]}; give each a name of its own")
    return found


def _json(path: str) -> Any:
    """Return the content of a file."""
    try:
        with open(path, encoding="utf-8-sig") as file:  # some editors put a mark in front
            return json.load(file)
    except OSError as error:
        raise InputError(f"{path or repr('')} can't be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except UnicodeError as error:
        raise InputError(f"{path} is not JSON: it is not text in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error


def _checked(path: str, data: Any) -> SavedGame:
    """Return a saved game from what was read; `path` stands for it in messages."""
    if not isinstance(data, dict) or not isinstance(data.get("game"), str):
        raise InputError(f"{path} is not a saved game: it must be one JSON object with the name of a game")
    if data.get("format", FORMAT) != FORMAT:
        raise InputError(
            f"{path} has format {data['format']!r}, and this dicelab reads format {FORMAT}; update dicelab"
        )
    _must_be_known(path, data, KEYS)
    for key, kind in (("parameters", dict), ("seats", list), ("moves", list), ("result", dict)):
        if key in data and not isinstance(data[key], kind):
            raise InputError(f"{path}: {key} must be {'a list' if kind is list else 'an object'}, not {data[key]!r}")
    for number, move in enumerate(data.get("moves", []), 1):
        if not isinstance(move, dict) or ("roll" in move) == ("choice" in move):
            raise InputError(f'{path}: move {number}: write {{"roll": ...}} or {{"choice": ...}}, not {move!r}')
        _must_be_known(f"{path}: move {number}", move, MOVE_KEYS)
    if not all(isinstance(name, str) for name in data.get("seats", [])):
        raise InputError(f"{path}: seats must be names, not {data['seats']!r}")
    fields = {key: data[key] for key in ("game", "parameters", "seats", "moves", "result") if key in data}
    return SavedGame(path, **fields, dice=str(data.get("dice", "")))


def _must_be_known(where: str, found: Mapping[str, Any], known: set[str]) -> None:
    for name in found:
        if name not in known:
            raise InputError(f"{where}: {unknown('key', name, known)}")


def game_of(path: str) -> str:
    """Return the name of the game of a file; a game that is a file itself must be named by the user, since it is a
    program.
    """
    name = read(path).game
    if looks_like_file(name):
        raise InputError(
            f"{path} is of a game in a file; name it, if you trust it: dicelab play {name} --replay {path}"
        )
    return name


def head(game: Game, seats: Sequence[str], dice: str) -> dict[str, Any]:
    """Return the entries of a saved game before its moves; without `seats`, a person sits in each."""
    named = [*seats] or ["me"] * max(1, seat_count(game))
    about = {"format": FORMAT, "game": called(type(game)), "parameters": shown(game), "seats": named}
    return {**about, "dice": dice}


class Recorder:
    """Writes a saved game while it is played: after each move the file is complete.

    Parameters
    ----------
    path
        The file; it must not exist yet.
    head
        The entries before the moves.

    Raises
    ------
    InputError
        When the file exists, or can't be written.
    """

    def __init__(self, path: str, head: Mapping[str, Any]) -> None:
        self.path = path
        self._file: TextIO | None = None
        self._moves = 0
        try:
            self._file = open(path, "x", encoding="utf-8", newline="\n")  # noqa: SIM115
        except FileExistsError:
            raise InputError(f"save: {path} exists already; name another file") from None
        except (OSError, ValueError) as error:
            raise InputError(f"save: {path or repr('')} can't be written: {error}") from error
        lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in head.items()]
        self._put(f'{{\n{"".join(lines)}  "moves": [', END)

    def add(self, move: Mapping[str, Any]) -> None:
        """Write a roll or a choice."""
        comma = "," if self._moves else ""
        self._moves += 1
        self._put(f"{comma}\n    {json.dumps(move, ensure_ascii=False)}", END)

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write the result of a game that is over."""
        self._put(f'\n  ],\n  "result": {json.dumps(result, ensure_ascii=False)}\n}}\n', "")
        self.close()

    def _put(self, text: str, end: str) -> None:
        """Write in place of the end of the file, in one go; if that fails, warn once and write no more."""
        if self._file is None:
            return
        try:
            at = self._file.tell()
            self._file.write(text + end)
            self._file.seek(at + len(text.encode()))  # which first writes what is in the buffer
        except OSError as error:
            warnings.warn(f"{self.path} can't be written any further: {error.strerror}", stacklevel=2)
            self._file = None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
