"""Dice drawn as dice, as large as the screen has room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from dicelab.play.text import Paint
from dicelab.rules.actions import Throw
from dicelab.rules.dice import COUNTS, SUM

MOST_ROWS = 2
"""Dice that need more rows than this are drawn smaller."""

PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
COLOURS = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
"""Faces so called are drawn in their colour."""


class Box(NamedTuple):
    """What is drawn in one frame: lines of the same width, and their style."""

    inside: tuple[str, ...]
    style: str = ""

    @property
    def width(self) -> int:
        """Columns with the frame."""
        return len(self.inside[0]) + 2


def dice_lines(
    kind: Throw, seen: Sequence[int], count: int, width: int = 80, paint: Paint = lambda text, style: text
) -> list[str]:
    r"""A throw drawn as dice, no line longer than `width` where that can be.

    Parameters
    ----------
    kind, seen, count
        The kind of throw, what the rules saw of it, and how many dice were thrown.
    width
        Columns that may be used.
    paint
        Adds colours.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> from dicelab.games.tossup import TossUp
    >>> print("\n".join(dice_lines(TossUp.cup, [1, 0, 2], 3)))
    ┌───┐┌─────┐┌─────┐
    │red││green││green│
    └───┘└─────┘└─────┘
    >>> print("\n".join(dice_lines(Hazard.come_out, [9], 2)))
    ┌───┬───┐
    │   9   │  2 dice, total 9
    └───┴───┘
    """
    if kind.view is SUM and count > 1:
        return _total(seen[0], count, width)
    for boxes in _drawings(kind, seen, count):
        rows = list(_packed(boxes, width))
        if len(rows) <= MOST_ROWS and all(box.width <= width for box in boxes):
            framed = [[_framed(box, paint) for box in row] for row in rows]
            return ["".join(parts) for row in framed for parts in zip(*row, strict=True)]
    return wrap(throw_words(kind, seen, count), width)


def throw_words(kind: Throw, seen: Sequence[int], count: int) -> str:
    """A throw in few words.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> throw_words(TossUp.cup, [1, 0, 2], 3)
    '1 red 2 green'
    """
    if kind.view is SUM and count > 1:
        return str(seen[0])
    if kind.view is COUNTS:
        return " ".join(f"{n} {label}" for n, label in _counted(kind, seen))
    return " ".join(_labels(kind, seen, count))


def _counted(kind: Throw, seen: Sequence[int]) -> list[tuple[int, str]]:
    """How many dice show each face that is there."""
    return [(n, face.label) for n, face in zip(seen, kind.die.faces, strict=True) if n > 0]


def _labels(kind: Throw, seen: Sequence[int], count: int) -> list[str]:
    """What each die shows, in words."""
    if kind.view is COUNTS:
        return [label for n, label in _counted(kind, seen) for _ in range(n)]
    called = {face.value: face.label for face in kind.die.faces}
    return [called[value] for value in seen[:count]]


def _total(total: int, count: int, width: int) -> list[str]:
    """Dice in one frame, because no more is known of them than their total."""
    told = f"  {count} dice, total {total}"
    cells = ["───"] * max(1, min(count, 6, (width - len(told)) // 4))
    inside = f"│{str(total).center(4 * len(cells) - 1)}│{told}"
    return [f"┌{'┬'.join(cells)}┐", inside, f"└{'┴'.join(cells)}┘"]


def _drawings(kind: Throw, seen: Sequence[int], count: int) -> Iterator[list[Box]]:
    """The dice in boxes, in rising thrift."""
    if kind.view is not COUNTS and [face.value for face in kind.die.faces] == list(PIPS):
        yield [Box(PIPS[value]) for value in seen[:count]]
    yield [_labelled(label, label) for label in _labels(kind, seen, count)]
    if kind.view is COUNTS:
        yield [_labelled(f"{n} {label}", label) for n, label in _counted(kind, seen)]


def _labelled(text: str, label: str) -> Box:
    return Box((text if len(text) > 1 else f" {text} ",), label.lower() if label.lower() in COLOURS else "")


def _packed(boxes: list[Box], width: int) -> Iterator[list[Box]]:
    """The boxes in rows that fit."""
    row: list[Box] = []
    for box in boxes:
        if row and sum(b.width for b in [*row, box]) > width:
            yield row
            row = []
        row.append(box)
    yield row


def _framed(box: Box, paint: Paint) -> list[str]:
    edge = "─" * (box.width - 2)
    inside = [paint(line, box.style) if box.style else line for line in box.inside]
    return [f"┌{edge}┐", *(f"│{line}│" for line in inside), f"└{edge}┘"]
