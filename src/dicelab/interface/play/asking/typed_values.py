"""Parse what people type for the values of a move: letters, words, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise

from dicelab.interface.play.screen.text import in_words
from dicelab.rules.actions import Kind
from dicelab.rules.params import whole_number

MOST_KEYS = 24
"""Maximum number of named moves that have one-letter keys; with more, moves are typed by name."""


def squeezed(words: str) -> str:
    """Return a text reduced to small letters and digits, so that spelling variants compare equal.

    >>> squeezed("Don't pass") == squeezed("dont_pass"), squeezed("hop 1-2")
    (True, 'hop12')
    """
    return "".join(letter for letter in words.lower() if letter.isalnum())


def keys(kind: type[IntEnum]) -> dict[str, tuple[str, int]]:
    """By key: name and value of each named move. The key is the first letter of the name not yet taken, except q.

    With more than `MOST_KEYS` moves, the key of a move is its name.

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
    """Return a value of a move as text: the name of a named move, else the number."""
    return in_words(kind(value).name.lower()) if isinstance(kind, type) else str(value)


def understood(kind: Kind, words: Sequence[str], more: int = 0) -> tuple[int, int] | None:
    """Return the value meant by the first words, and how many words it takes; None if they mean nothing.

    If `more` values follow, trailing numbers are left for them if possible: ``come 10`` is 10 on come, not the spot
    ``come_10``.

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
    """Return the numbers as text, consecutive ones as ranges; shortened if there are more than `most` ranges.

    Examples
    --------
    >>> spoken([1, 2, 3, 4, 8, 9], 12), spoken(range(0, 100, 2), 3), spoken([1, 3, 6, 10, 15], 3)
    ('1 to 4, 8, 9', '0 to 98 in steps of 2', '1, 3, 6, ... 15 (5 in all)')
    """
    runs = _runs(values)
    parts: list[str] = []
    for run in runs:
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    if len(parts) <= most:
        return ", ".join(parts)
    below = sum(value < 0 for value in values)
    signed = [half for half in (values[:below], values[below:]) if half]
    steps = {second - first for half in signed for first, second in pairwise(half)}
    if len(steps) == 1:
        return f"{' and '.join(f'{half[0]} to {half[-1]}' for half in signed)} in steps of {steps.pop()}"
    return f"{', '.join(parts[:most])}, ... {values[-1]} ({len(values)} in all)"


def _runs(values: Sequence[int]) -> list[range]:
    """Return ascending numbers as ranges of consecutive ones."""
    if isinstance(values, range) and values.step == 1:
        return [values]  # already one range, and possibly too long to iterate over
    runs: list[range] = []
    for value in values:
        first = runs.pop()[0] if runs and runs[-1].stop == value else value
        runs.append(range(first, value + 1))
    return runs
