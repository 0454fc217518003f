"""The error for a dice expression, which points at the place."""

from __future__ import annotations

from dicelab.errors import ParameterError

AROUND = 30
"""Maximum number of characters shown before the place, and after it."""


class ExpressionError(ParameterError):
    """A dice expression that can't be read, or takes too much to answer.

    Parameters
    ----------
    sentence
        What is wrong.
    text, at
        The expression and the place in it; without a text, no place is shown.

    Examples
    --------
    >>> print(ExpressionError("a die has at least one face", "3d6 + d0", 7))
    a die has at least one face
      3d6 + d0
             ^
    """

    def __init__(self, sentence: str, text: str = "", at: int = 0) -> None:
        self.sentence, self.place = sentence, _pointed(text, at) if text.strip() else ""
        super().__init__(f"{sentence}\n{self.place}" if self.place else sentence)


def _pointed(text: str, at: int) -> str:
    """Return the part of the text around a place, and below it a caret; before a place, letters are one column wide."""
    first, last = max(0, at - AROUND), at + AROUND
    before, after = ("".join(c if c.isprintable() else " " for c in part) for part in (text[first:at], text[at:last]))
    before = ("... " if first else "") + before
    after += " ..." if last < len(text) else ""
    return f"  {before}{after}\n  {' ' * len(before)}^"
