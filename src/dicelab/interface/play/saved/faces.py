"""The dice of a roll as they stand in a saved game, and what the rules receive of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from dicelab.errors import ParameterError
from dicelab.interface.play.screen.faces import faces_of_total
from dicelab.rules.actions import Throw
from dicelab.rules.dice import COUNTS, FACES, SUM, Die, Face
from dicelab.rules.drawing import dice_seen
from dicelab.runtime.philox import Pool


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
        return [_word(kind.die, value) for value in dice_seen(kind, seen, count)]
    if count == 1:
        return [_word(kind.die, seen[0])]
    return [_word(kind.die, value) for value in faces] if faces else seen[0]


def _word(die: Die, value: int) -> int | str:
    """Return a face as a number, or as its name if it has one."""
    label = next(face.label for face in die.faces if face.value == value)
    return value if label == str(value) else label


def read(pool: Pool, roll: Any) -> RolledDice:
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
