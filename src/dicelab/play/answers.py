"""What people type for the numbers of a move: letters, words, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise

from dicelab.play.text import in_words
from dicelab.rules.actions import Kind
from dicelab.rules.params import whole_number

MOST_KEYS = 24
"""Of more named moves than these each is called by its name alone: their letters and numbers would say nothing."""


def squeezed(words: str) -> str:
    """Words without what people write in different ways: blanks, marks, capitals.

    >>> squeezed("Don't pass") == squeezed("dont_pass"), squeezed("hop 1-2")
    (True, 'hop12')
    """
    return "".join(letter for letter in words.lower() if letter.isalnum())


def keys(kind: type[IntEnum]) -> dict[str, tuple[str, int]]:
    """A key for each named move, the first letter that is still free, with its name and value; q is for leaving.

    Where there are very many, the key of a move is its name.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> keys(Move)
    {'r': ('roll', 0), 'b': ('bank', 1)}
    """
    found: dict[str, tuple[str, int]] = {}
    if len(kind) > MOST_KEYS:
        return {name: (name, member.value) for member in kind for name in (in_words(member.name.lower()),)}
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

    Where `more` numbers follow, words that are numbers are left for them if that makes sense: ``come 10`` is 10 on
    come, and not the spot ``come_10``.

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
    names = {squeezed(name): value for name, value in known.values()}
    numbers = next((i for i, word in enumerate(reversed(words)) if whole_number(word) is None), len(words))
    enough = len(words) - min(more, numbers)
    for used in (*range(max(1, enough), len(words) + 1), *range(enough - 1, 0, -1)):
        typed = squeezed(" ".join(words[:used]))
        near = [value for name, value in names.items() if typed and name.startswith(typed)]
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
    >>> spoken([1, 2, 3, 4, 8, 9], 12), spoken(range(0, 100, 2), 3), spoken([1, 3, 6, 10, 15], 3)
    ('1 to 4, 8, 9', '0 to 98 in steps of 2', '1, 3, 6, ... 15 (5 in all)')
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
    below = sum(value < 0 for value in values)
    signed = [part for part in (values[:below], values[below:]) if part]
    steps = {second - first for part in signed for first, second in pairwise(part)}
    if len(steps) == 1:
        return f"{' and '.join(f'{part[0]} to {part[-1]}' for part in signed)} in steps of {steps.pop()}"
    return f"{', '.join(told[:most])}, ... {values[-1]} ({len(values)} in all)"
