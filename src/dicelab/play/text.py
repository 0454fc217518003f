"""Text for a terminal: no wider than it is, in the characters and colours that it has."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from textwrap import wrap

Say = Callable[[str], None]
"""Puts a line on the screen."""
Paint = Callable[[str, str], str]
"""Text and the name of a style; the text with the codes that a terminal understands."""

ASCII = str.maketrans({**dict.fromkeys("┌┬┐└┴┘", "+"), "─": "-", "│": "|", "●": "o", "→": "->"})
TIED = "\N{NO-BREAK SPACE}"
"""A space at which no line is broken, until the line is shown."""


def encodable(text: str, encoding: str) -> str:
    """The text as an output of this encoding can show it.

    Examples
    --------
    >>> encodable("│●│ 3 → 7", "ascii")
    '|o| 3 -> 7'
    """
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)


def screen_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return max(20, get_terminal_size().columns - 1)


def flow(pieces: Sequence[str], width: int, indent: str = "") -> list[str]:
    """Pieces in lines, with bars between them; no line is broken inside a short piece.

    Examples
    --------
    >>> flow(["points 3 → 7", "left 2"], 20, "  ")
    ['  points 3 → 7 |', '    left 2']
    """
    tied = [piece.replace(" ", TIED) if len(piece) < width // 2 else piece for piece in pieces]
    lines = wrap(f"{TIED}| ".join(tied), width, initial_indent=indent, subsequent_indent=indent + "  ")
    return [line.replace(TIED, " ") for line in lines]


def indented(text: str) -> list[str]:
    """A text in lines, a little to the right."""
    return wrap(text, screen_width(), initial_indent="  ", subsequent_indent="  ")


def in_words(name: str) -> str:
    """A name from the rules as people read it."""
    return name.replace("_", " ")


def painter() -> Paint:
    """Colours where stdout is a terminal that has them; rich knows, and minds NO_COLOR."""
    if sys.stdout is None or not sys.stdout.isatty():
        return lambda text, style: text
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if console.legacy_windows:
        return lambda text, style: text

    def paint(text: str, style: str) -> str:
        with console.capture() as painted:
            console.print(text, style=style, end="", soft_wrap=True)
        return painted.get()

    return paint
