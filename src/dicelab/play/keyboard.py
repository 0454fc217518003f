"""The lines that people type, ``q`` to leave, and the end of the input."""

from __future__ import annotations

import sys
from collections.abc import Callable

from dicelab.play.text import Say, encodable

ENDED = 1
"""Exit status when nothing more can be read, or written."""

Hear = Callable[[str], str]
"""Shows a question; gives the line that was typed."""


class Left(BaseException):
    """A person left. Not an Exception: the engine takes those for faults of the rules, and explains them."""

    def __init__(self, status: int, why: str) -> None:
        self.status = status
        self.why = why


def somebody(read: Callable[[str], str]) -> bool:
    """Is there somebody to press Enter?"""
    return read is not input or (sys.stdin is not None and sys.stdin.isatty())


def listener(read: Callable[[str], str], say: Say, encoding: str) -> Hear:
    """Ask for a line; lines that do not come from a keyboard are shown, as a terminal would."""
    shown = not somebody(read)

    def hear(prompt: str) -> str:
        try:
            line = read("" if shown else encodable(prompt, encoding)).strip()
        except UnicodeDecodeError:
            line = "\N{REPLACEMENT CHARACTER}"
        except BrokenPipeError:
            raise
        except (EOFError, OSError, RuntimeError):  # the last where there is no stdin at all
            raise Left(ENDED, "the input ended before the game did") from None
        if shown:
            say(prompt + line)
        if line.lower() == "q":
            raise Left(0, "you left the game")
        return line

    return hear
