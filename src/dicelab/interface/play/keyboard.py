"""Read the lines that people type; handle ``q`` and the end of the input."""

from __future__ import annotations

import sys
from collections.abc import Callable

from dicelab.interface.play.screen.text import Say, encodable

ENDED = 1
"""Exit status when input or output is closed."""

Hear = Callable[[str], str]
"""Shows a prompt and returns the line that was typed."""


class Left(BaseException):
    """A person left the game. A BaseException, because the engine reports any Exception as a fault of the rules."""

    def __init__(self, status: int, why: str) -> None:
        self.status = status
        self.why = why


def somebody(read: Callable[[str], str]) -> bool:
    """Return whether a person can press Enter: `read` is not `input`, or stdin is a terminal."""
    return read is not input or (sys.stdin is not None and sys.stdin.isatty())


def listener(read: Callable[[str], str], say: Say, encoding: str) -> Hear:
    """Return a function that asks for a line; it also prints lines that don't come from a terminal."""
    shown = not somebody(read)

    def hear(prompt: str) -> str:
        try:
            line = read("" if shown else encodable(prompt, encoding)).strip()
        except UnicodeDecodeError:
            line = "\N{REPLACEMENT CHARACTER}"
        except BrokenPipeError:
            raise
        except (EOFError, OSError, RuntimeError):  # RuntimeError: there is no stdin at all
            raise Left(ENDED, "the input ended before the game did") from None
        if shown:
            say(prompt + line)
        if line.lower() == "q":
            raise Left(0, "you left the game")
        return line

    return hear
