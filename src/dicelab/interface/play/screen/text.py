"""Text for a terminal: fitted to its width, character set and colours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from textwrap import wrap

from dicelab.rules.board import TIED

Say = Callable[[str], None]
"""Prints a line."""
Paint = Callable[[str, str], str]
"""Takes a text and the name of a style; returns the text with the terminal's codes for the style."""

ASCII = str.maketrans({**dict.fromkeys("┌┬┐└┴┘", "+"), "─": "-", "│": "|", "●": "o", "→": "->", "·": "."})
LONGEST_QUOTED = 40
"""Characters of a typed line that a message repeats, at most."""


def encodable(text: str, encoding: str) -> str:
    """Return the text with characters replaced that the encoding lacks.

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
    """Usable columns of the terminal: its width (80 if unknown) less one."""
    return max(20, get_terminal_size().columns - 1)


def flow(pieces: Sequence[str], width: int, indent: str = "") -> list[str]:
    """Join pieces with bars and wrap them; lines are not broken inside a short piece.

    Examples
    --------
    >>> flow(["points 3 → 7", "left 2"], 20, "  ")
    ['  points 3 → 7 |', '    left 2']
    """
    tied = [piece.replace(" ", TIED) if len(piece) < width // 2 else piece for piece in pieces]
    lines = wrap(f"{TIED}| ".join(tied), width, initial_indent=indent, subsequent_indent=indent + "  ")
    return [line.replace(TIED, " ") for line in lines]


def folded(command: str) -> str:
    r"""Return a line with a command, in several lines if it is too long for the screen; a shell reads them as one.

    >>> folded("again: dicelab play " + "-s 'my file.py:careful' " * 4 + "--seed 1").count("\n")
    0
    """
    if "'" in command or '"' in command:
        return command  # a line could end within quotes
    parts = wrap(command, screen_width() - 2, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    return " \\\n".join(parts)


def indented(text: str) -> list[str]:
    """Return a text wrapped to the screen and indented."""
    return wrap(text, screen_width(), initial_indent="  ", subsequent_indent="  ")


def shortened(text: str) -> str:
    """Return a text that somebody typed, cut to `LONGEST_QUOTED` characters.

    >>> shortened("7" * 300)
    '7777777777777777777777777777777777777777...'
    """
    return text if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]}..."


def quoted(text: str) -> str:
    """Return what somebody typed as messages quote it, cut if it is long.

    >>> quoted("pas 10")
    "'pas 10'"
    """
    return repr(shortened(text))


def in_words(name: str) -> str:
    """Return a name from the rules with spaces for underscores."""
    return name.replace("_", " ")


def painter() -> Paint:
    """Return a function that adds colours if stdout is a terminal with colours; rich detects this and respects
    NO_COLOR.
    """
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
