"""A saved game: its file, written line by line while the game is played, and read; its moves, as they are written and
checked against the rules one by one.
"""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TextIO

from dicelab.errors import DicelabError, InputError, ParameterError, unknown
from dicelab.interface.play.again import called
from dicelab.interface.play.asking.people import question_of
from dicelab.interface.play.screen.text import quoted
from dicelab.interface.play.screen.views import faces_of_total
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.dice import COUNTS, FACES, SUM, Die, Face
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, outcome_names, reset, seat_count, shown, twin, winner_of
from dicelab.rules.loading.registry import looks_like_file
from dicelab.runtime.interpreter import Event, Explained, asked, outcome_of
from dicelab.runtime.philox import Pool, pool

FORMAT = 1
"""Files of other formats are refused. A new key that readers may ignore needs no new format."""
KEYS = {"format", "game", "parameters", "seats", "dice", "moves", "result", "note"}
MOVE_KEYS = {"roll", "choice", "seat", "name", "note"}
END = "\n  ]\n}\n"
"""The end of a file whose game is not over."""


@dataclass(frozen=True)
class SavedGame:
    """A saved game as it was read; its moves are checked by `dicelab.interface.play.saved`.

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
    games = [saved for file in files.values() for saved in read_several(file)]
    names = Counter(saved.path for saved in games)
    if len(names) < len(games):
        raise InputError(f"two saved games are called {names.most_common(1)[0][0]}; give each a name of its own")
    return games


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


def _must_be_known(where: str, fields: Mapping[str, Any], known: set[str]) -> None:
    for name in fields:
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


@dataclass(frozen=True)
class Script:
    """The moves of a saved game, all of them legal.

    Attributes
    ----------
    rolls, choices
        The rolls and the moves that were chosen, each in order.
    steps
        All of them in order, each with its kind, ``throw`` or ``choice``, and what the rules received.
    over
        Whether the game is over after them.
    """

    rolls: Sequence[RolledDice]
    choices: Sequence[tuple[int, ...]]
    steps: Sequence[tuple[str, tuple[int, ...]]]
    over: bool


def entry(game: Game, event: Event, dice: tuple[int, ...]) -> dict[str, Any]:
    """Return an event as an entry of a saved game; `dice` are the values of the dice if the rules
    see only their total.
    """
    if event.kind == "choice":
        named = {"name": event.name} if len(game.declared.decisions) > 1 else {}
        decision = next(decision for decision in game.declared.decisions if decision.name == event.name)
        return {"seat": event.count + 1, "choice": decision.describe(event.values, 1), **named}
    kind = next(kind for kind in game.declared.throws if kind.name == event.name)
    named = {"name": event.name} if len(game.declared.throws) > 1 else {}
    return {"roll": written(kind, event.count, event.values, dice), **named}


def result_of(game: Game) -> dict[str, Any]:
    """Return the result of a game that is over, as it is saved: the winning seat or the outcome, and the tallies.

    The game stays as it is: what its outcome counts is counted once.
    """
    game = twin(game)
    names, number = outcome_names(game), outcome_of(game)
    ending: dict[str, Any] = {}
    if names:
        ending = {"outcome": names[number]} if winner_of(game, number) is None else {"winner": number + 1}
    return {**ending, "tallies": counted(game)}


def checked(game: Game, saved: SavedGame) -> Script:
    """Return the moves of a saved game, after all have been made in `game`, which is at its end then.

    Raises
    ------
    InputError
        When a move is not legal; the message gives its number.
    """
    rolls: list[RolledDice] = []
    choices: list[tuple[int, ...]] = []
    steps: list[tuple[str, tuple[int, ...]]] = []
    with Explained(game):
        reset(game)
        step = game.next()
    for number, move in enumerate(saved.moves, 1):
        try:
            if step == OVER:
                raise ParameterError("the game is over before this move")
            kind, count = asked(game, step)
            if isinstance(kind, Decision):
                choices.append(_chosen(game, kind, count, move))
                values = choices[-1]
            else:
                rolls.append(_rolled(game, kind, count, move))
                values = rolls[-1].seen
            steps.append(("choice" if isinstance(kind, Decision) else "throw", values))
            with Explained(game):
                applied(kind.run, game, values)
                step = game.next()
        except DicelabError as error:
            raise InputError(f"{saved.path}: move {number}: {error}") from error
    if saved.result is not None:
        _must_be_result(game, step == OVER, saved)
    return Script(rolls, choices, steps, step == OVER)


def _rolled(game: Game, kind: Throw, count: int, move: dict[str, Any]) -> RolledDice:
    if "roll" not in move:
        raise ParameterError(f"dice are rolled here ({kind.name}), nobody chooses")
    _must_be_named(kind.name, move)
    return read_roll(pool(game, kind, count), move["roll"])


def _chosen(game: Game, decision: Decision, seat: int, move: dict[str, Any]) -> tuple[int, ...]:
    """Return the move that a choice means: the words that `dicelab play` accepts, or numbers."""
    if "choice" not in move:
        raise ParameterError(f"player {seat + 1} chooses here ({decision.name}), no dice are rolled")
    _must_be_named(decision.name, move)
    if move.get("seat", seat + 1) != seat + 1:
        raise ParameterError(f"player {seat + 1} chooses here, not player {move['seat']}")
    choice, question = move["choice"], question_of(game, decision)
    if isinstance(choice, str) and choice.isdecimal() and question.has_names:
        choice = int(choice)  # files have the numbers of moves that people see by name
    if isinstance(choice, str):
        chosen = question.extended((), choice)
        if len(chosen) < len(decision.kinds):
            raise ParameterError(f"{quoted(choice)} is not a whole choice; it needs {' and '.join(question.parts())}")
        return chosen
    numbers = choice if isinstance(choice, list) else [choice]
    spans = decision.spans(game)
    inside = len(numbers) == len(spans) and all(
        isinstance(n, int) and not isinstance(n, bool) and low <= n <= high
        for n, (low, high) in zip(numbers, spans, strict=True)
    )
    if not inside:
        raise ParameterError(f"{choice!r} is not a choice; write it as you would type it")
    question.must_be_allowed(tuple(numbers))
    return tuple(numbers)


def _must_be_named(name: str, move: dict[str, Any]) -> None:
    if move.get("name", name) != name:
        raise ParameterError(f"{name} is next here, not {move['name']}")


def _must_be_result(game: Game, over: bool, saved: SavedGame) -> None:
    """Check the result that stands in the file."""
    assert saved.result is not None
    if not over:
        raise InputError(f"{saved.path}: it has a result, but after move {len(saved.moves)} the game is not over")
    result = result_of(game)
    for name, value in saved.result.items():
        expected = result.get(name)
        if isinstance(value, dict) and isinstance(expected, dict):
            expected = {key: expected.get(key) for key in value}
        if value != expected:
            raise InputError(f"{saved.path}: result: {name} is {value}, but by the rules it is {expected}")


# Faces ----------------------------------------------------------------------------------------------------------------
#
# The dice of a roll as they stand in a saved game, and what the rules receive of them.


@dataclass(frozen=True)
class RolledDice:
    """A roll: what the rules receive, and the values of the dice in order, if they are known."""

    seen: tuple[int, ...]
    faces: tuple[int, ...] | None


def written(kind: Throw, count: int, seen: tuple[int, ...], faces: tuple[int, ...]) -> Any:
    """Return a roll as it is saved: the faces in order, or how many dice show each; else the total.

    Parameters
    ----------
    kind, count
        The kind of roll, and the number of dice.
    seen
        What the rules received.
    faces
        The values of the dice, if the rules received their total; empty if not known.
    """
    if kind.view is COUNTS:
        return {face.label: n for face, n in zip(kind.die.faces, seen, strict=True) if n}
    if kind.view is FACES:
        return [_word(kind.die, value) for value in kind.dice_seen(seen, count)]
    if count == 1:
        return [_word(kind.die, seen[0])]
    return [_word(kind.die, value) for value in faces] if faces else seen[0]


def _word(die: Die, value: int) -> int | str:
    """Return a face as a number, or as its name if it has one."""
    label = next(face.label for face in die.faces if face.value == value)
    return value if label == str(value) else label


def read_roll(pool: Pool, roll: Any) -> RolledDice:
    """Return a saved roll of these dice.

    Raises
    ------
    ParameterError
        When the dice can't show that; the message says why.
    """
    if isinstance(roll, int) and not isinstance(roll, bool) and pool.view is SUM:
        return RolledDice((roll,), _of_total(pool, roll))
    if isinstance(roll, dict):
        if pool.view is FACES and len(roll) > 1:
            raise ParameterError("these dice are seen in order; write them as a list")
        if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in roll.values()):
            raise ParameterError(f"{roll} is not allowed; write how many dice show each face")
        total = sum(roll.values())
        if total > pool.count:
            raise _wrong_count(pool, total)
        roll = [name for name, n in roll.items() for _ in range(n)]
    if not isinstance(roll, list):
        what = "the faces of the dice as a list" + (", or their total" if pool.view is SUM else "")
        raise ParameterError(f"{roll!r} is not a roll; write {what}")
    if len(roll) != pool.count:
        raise _wrong_count(pool, len(roll))
    apart = pool.each if pool.view is not COUNTS else [(pool.die, pool.weights, 0)] * pool.count
    indices = [first + _index(die, weights, face) for face, (die, weights, first) in zip(roll, apart, strict=True)]
    return RolledDice(pool.seen(indices), tuple(pool.die.faces[index].value for index in indices))


def _of_total(pool: Pool, total: int) -> tuple[int, ...] | None:
    """Return dice with that total, for the picture; the same ones each time."""
    every = [[f.value for f, w in zip(die.faces, weights, strict=True) if w] for die, weights, _ in pool.each]
    if not sum(map(min, every)) <= total <= sum(map(max, every)):
        raise ParameterError(f"{pool.count} dice can't show {total} together")
    try:
        return faces_of_total(pool, total, Random(total))
    except ValueError:
        raise ParameterError(f"{pool.count} dice can't show {total} together") from None


def _wrong_count(pool: Pool, count: int) -> ParameterError:
    dice = f"{pool.count} {'die is' if pool.count == 1 else 'dice are'}"
    return ParameterError(f"{dice} rolled here, not {count}")


def _index(die: Die, weights: Sequence[int], face: Any) -> int:
    """Return the index of a face, given by its name or its value."""
    for index, (known, weight) in enumerate(zip(die.faces, weights, strict=True)):
        if weight and _means(known, face):
            return index
    shown = [f.label for f, weight in zip(die.faces, weights, strict=True) if weight]
    raise ParameterError(f"the die has no {face!r}; its faces are {', '.join(shown)}")


def _means(known: Face, face: Any) -> bool:
    if isinstance(face, str):
        return face.strip().lower() == known.label.lower()
    return isinstance(face, int) and not isinstance(face, bool) and known.label == str(face)
