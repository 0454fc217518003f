"""Draw dice as text, as large as the width of the screen allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

from dicelab.interface.play.screen.text import Paint
from dicelab.rules.actions import Throw
from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.drawing import dice_seen

MOST_ROWS = 2
"""Maximum number of rows of dice; more dice are drawn smaller."""

PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
COLOURS = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
"""Faces with these names are drawn in that colour."""
Names = Mapping[int, str] | None
"""Names of the values of a die."""


class Box(NamedTuple):
    """The content of one frame: lines of equal width, and their style."""

    inside: tuple[str, ...]
    style: str = ""

    @property
    def width(self) -> int:
        """Width in columns, including the frame."""
        return len(self.inside[0]) + 2


def dice_lines(
    kind: Throw,
    seen: Sequence[int],
    count: int,
    width: int = 80,
    paint: Paint = lambda text, style: text,
    faces: Sequence[int] = (),
    names: Names = None,
) -> list[str]:
    r"""Return a roll drawn as dice, in lines of at most `width` columns if possible.

    Parameters
    ----------
    kind, seen, count
        The kind of throw, what the rules saw of it, and how many dice were rolled.
    width
        Number of columns available.
    paint
        Adds colours.
    faces
        The value of each die, if the rules saw only their total; without it they share a frame.
    names
        Names of values in place of the labels of the die.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> from dicelab.games.tossup import TossUp
    >>> print("\n".join(dice_lines(TossUp.cup, [1, 0, 2], 3)))
    ┌───┐┌─────┐┌─────┐
    │red││green││green│
    └───┘└─────┘└─────┘
    >>> print("\n".join(dice_lines(Hazard.come_out, [9], 2, faces=[5, 4])))
    ┌─────┐┌─────┐
    │●   ●││●   ●│
    │  ●  ││     │  total 9
    │●   ●││●   ●│
    └─────┘└─────┘
    """
    if kind.view is not SUM or count == 1:
        return _drawn(kind, seen, count, width, paint, names) or wrap(throw_words(kind, seen, count, names), width)
    text = f"  total {seen[0]}"
    lines = _drawn(kind, faces, count, width - len(text), paint, names)
    if not lines:
        return _total(seen[0], count, width)
    return [f"{line}{text if i == len(lines) // 2 else ''}" for i, line in enumerate(lines)]


def _drawn(kind: Throw, seen: Sequence[int], count: int, width: int, paint: Paint, names: Names) -> list[str]:
    """Return the largest drawing of the dice that fits; no lines if there is none, or no die is known."""
    for boxes in _drawings(kind, seen, count, names) if seen else ():
        rows = list(_packed(boxes, width))
        if len(rows) <= MOST_ROWS and all(box.width <= width for box in boxes):
            framed = [[_framed(box, paint) for box in row] for row in rows]
            return ["".join(parts) for row in framed for parts in zip(*row, strict=True)]
    return []


def throw_words(kind: Throw, seen: Sequence[int], count: int, names: Names = None) -> str:
    """Return a roll in a few words; `names` has names of values in place of the labels of the die.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> throw_words(TossUp.cup, [1, 0, 2], 3)
    '1 red 2 green'
    """
    if kind.view is SUM and count > 1:
        return str(seen[0])
    if kind.view is COUNTS and not all(face.label.isdigit() for face in kind.die.faces):
        return " ".join(f"{n} {label}" for n, label in _counted(kind, seen))
    return " ".join(_labels(kind, seen, count, names))


def _counted(kind: Throw, seen: Sequence[int]) -> list[tuple[int, str]]:
    """Return the number and label of each face that at least one die shows."""
    return [(n, face.label) for n, face in zip(seen, kind.die.faces, strict=True) if n > 0]


def _labels(kind: Throw, seen: Sequence[int], count: int, names: Names = None) -> list[str]:
    """Return the label of each die."""
    if kind.view is COUNTS:
        return [label for n, label in _counted(kind, seen) for _ in range(n)]
    called = {face.value: face.label for face in kind.die.faces} | dict(names or {})
    return [called[value] for value in dice_seen(kind, seen, count)]


def _total(total: int, count: int, width: int) -> list[str]:
    """Return all dice in one frame, for a roll whose faces are not known, only their total."""
    text = f"  {count} dice, total {total}"
    cells = ["───"] * max(1, min(count, 6, (width - len(text)) // 4))
    inside = f"│{str(total).center(4 * len(cells) - 1)}│{text}"
    return [f"┌{'┬'.join(cells)}┐", inside, f"└{'┴'.join(cells)}┘"]


def _drawings(kind: Throw, seen: Sequence[int], count: int, names: Names) -> Iterator[list[Box]]:
    """Drawings of the dice, from the largest to the smallest."""
    if [face.value for face in kind.die.faces] == list(PIPS):
        values = _values(seen) if kind.view is COUNTS else dice_seen(kind, seen, count)
        yield [Box(PIPS[value]) for value in values]
    yield [_labelled(label, label) for label in _labels(kind, seen, count, names)]
    if kind.view is COUNTS:
        yield [_labelled(f"{n} {label}", label) for n, label in _counted(kind, seen)]


def _values(counts: Sequence[int]) -> list[int]:
    """Return the numbers that ordinary dice show, given how many show 1, 2, and so on."""
    return [value for value, n in enumerate(counts, 1) for _ in range(n)]


def _labelled(text: str, label: str) -> Box:
    return Box((text if len(text) > 1 else f" {text} ",), label.lower() if label.lower() in COLOURS else "")


def _packed(boxes: list[Box], width: int) -> Iterator[list[Box]]:
    """Break the boxes into rows that fit the width."""
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
