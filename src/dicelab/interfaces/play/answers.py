"""What people type for the numbers of a move: letters, words, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from dicelab.interfaces.play.text import in_words
from dicelab.rules.params import whole_number
from dicelab.rules.steps import Kind


def keys(kind: type[IntEnum]) -> dict[str, tuple[str, int]]:
    """A key for each named move, the first letter that is still free, with its name and value; q is for leaving.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> keys(Move)
    {'r': ('roll', 0), 'b': ('bank', 1)}
    """
    found: dict[str, tuple[str, int]] = {}
    for member in kind:
        name = in_words(member.name.lower())
        key = next((letter for letter in name if letter.isalpha() and letter not in {*found, "q"}), str(member.value))
        found[key] = (name, member.value)
    return found


def named(kind: Kind, value: int) -> str:
    """A number of a move in the game's own words."""
    return in_words(kind(value).name.lower()) if isinstance(kind, type) else str(value)


def understood(kind: Kind, words: Sequence[str], more: int = 0) -> tuple[int, int] | None:
    """The number that the first words typed mean, and how many of them it took; None when they mean nothing.

    Where `more` numbers follow, words are left for them if that makes sense: ``come 10`` is 10 on come, and not the
    spot ``come_10``.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> understood(Move, ["Bank"]), understood(Move, ["r"]), understood(Move, ["x"]), understood(6, ["4", "2"])
    ((1, 1), (0, 1), None, (4, 1))
    """
    if not isinstance(kind, type):
        number = whole_number(words[0])
        return None if number is None else (number, 1)
    known = keys(kind)
    names = dict(known.values())
    enough = max(0, len(words) - more)
    for used in (*range(enough, 0, -1), *range(len(words), enough, -1)):
        typed = in_words(" ".join(words[:used]).lower())
        near = [value for name, value in names.items() if name.startswith(typed)]
        if typed in names:
            return names[typed], used
        if typed in known:
            return known[typed][1], used
        if len(near) == 1:
            return near[0], used
    return None


def spoken(values: Sequence[int], most: int) -> str:
    """Numbers as people say them; how many they are when they are too many to be said.

    Examples
    --------
    >>> spoken([1, 2, 3, 4, 8, 9], 12), spoken([7], 12), spoken(range(0, 100, 2), 3)
    ('1 to 4, 8, 9', '7', '0, 2, 4, ... 98 (50 in all)')
    """
    if isinstance(values, range) and values.step == 1:
        runs = [values]  # not one by one: there may be very many
    else:
        runs = []
        for value in values:
            first = runs.pop()[0] if runs and runs[-1].stop == value else value
            runs.append(range(first, value + 1))
    told: list[str] = []
    for run in runs:
        told += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    if len(told) <= most:
        return ", ".join(told)
    return f"{', '.join(told[:most])}, ... {values[-1]} ({len(values)} in all)"
