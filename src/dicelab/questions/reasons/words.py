"""Rolls in words: the faces of dice, and rolls with the same effect as one text."""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.results.text.writing import many
from dicelab.rules.actions import Throw
from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.drawing import dice_seen

Seen = tuple[int, ...]
"""What the rules receive of a roll."""
MOST_LISTED = 6
"""Rolls with the same effect that are all listed; of more, only the first."""
MOST_SPELLED, MOST_NUMBERS = 4, 12
"""Dice whose faces, or numbers, are all spelled out; of more, how many show each face."""


def roll_words(kind: Throw, count: int, groups: Sequence[Sequence[Seen]]) -> list[str]:
    """Return each group of outcomes of `count` dice as text.

    The order of dice is left out where it never matters, and faces where the number of the others tells the group.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> from dicelab.games.tossup import TossUp
    >>> roll_words(LCR.declared.throws[0], 3, [[(1, 1, 1, 0), (0, 0, 0, 3)], [(0, 1, 0, 2)]])
    ['left center right or dot dot dot', 'center dot dot']
    >>> roll_words(TossUp.declared.throws[0], 10, [[(9, 0, 1), (8, 1, 1)], [(8, 0, 2)]])
    ['1 green', '8 red 2 green']
    """
    if kind.view is SUM:
        labels = {face.value: face.label for face in kind.die.faces} if count == 1 else {}
        return [_listed(_numbers([labels.get(seen[0], str(seen[0])) for seen in group])) for group in groups]
    if kind.view is COUNTS:
        faces = [face.label for face in kind.die.faces]
        return [_in_common(faces, i, groups) or _listed([_counts(faces, seen) for seen in groups[i]])
                for i in range(len(groups))]  # fmt: skip
    owners: dict[Seen, set[int]] = {}
    for at, group in enumerate(groups):
        for seen in group:
            owners.setdefault(tuple(sorted(dice_seen(kind, seen, count))), set()).add(at)
    return [
        _listed(list(dict.fromkeys(_faces(kind, dice_seen(kind, seen, count), owners) for seen in group)))
        for group in groups
    ]


def _counts(faces: Sequence[str], seen: Seen) -> str:
    """Return how many dice show each face, or the faces themselves."""
    numbers = all(face.isdecimal() for face in faces)
    if sum(seen) <= (MOST_NUMBERS if numbers else MOST_SPELLED):
        return " ".join(face for n, face in zip(seen, faces, strict=True) for _ in range(n))
    return " ".join(f"{n} {'of ' * numbers}{face}" for n, face in zip(seen, faces, strict=True) if n)


def _in_common(faces: Sequence[str], at: int, groups: Sequence[Sequence[Seen]]) -> str:
    """Return what all outcomes of a group have in common, and no other outcome has; empty if nothing."""
    group, others = groups[at], [seen for i, other in enumerate(groups) if i != at for seen in other]
    same = [i for i in range(len(faces)) if len({seen[i] for seen in group}) == 1]
    shown = [i for i in same if group[0][i]]
    for places in (shown, same if shown else same[:1]):
        alike = any(all(seen[i] == group[0][i] for i in places) for seen in others)
        if len(group) > 1 and places and not alike:
            return " ".join(f"{group[0][i] or 'no'} {faces[i]}" for i in places)
    return ""


def _faces(kind: Throw, dice: Seen, owners: dict[Seen, set[int]]) -> str:
    """Return the faces of dice in order, or sorted where all orders are in the same group."""
    labels, key = {face.value: face.label for face in kind.die.faces}, tuple(sorted(dice))
    return " ".join(labels[value] for value in (key if len(owners[key]) == 1 else dice))


def _numbers(texts: Sequence[str]) -> list[str]:
    """Return the texts in which three or more numbers that follow each other are one.

    >>> _numbers(["2", "3", "5", "6", "7", "12"])
    ['2', '3', '5 to 7', '12']
    """
    runs: list[list[str]] = []
    for text in texts:
        follows = runs and text.isdecimal() and runs[-1][-1].isdecimal() and int(text) == int(runs[-1][-1]) + 1
        if follows:
            runs[-1].append(text)
        else:
            runs.append([text])
    return [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)]


def _listed(texts: Sequence[str]) -> str:
    """Return the texts as one: ``2, 3 or 12``; of many only the first, and how many there are."""
    if len(texts) > MOST_LISTED:
        return f"{texts[0]} or {many(len(texts) - 1, 'other')}"
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last
