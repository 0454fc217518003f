"""The words, numbers and symbols of a dice expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dicelab.questions.notation.errors import ExpressionError

LONGEST = 1000
"""Maximum number of characters."""
LARGEST = 1_000_000
"""Largest number that may be written."""
WORDS = (
    *("d", "df", "dh", "dl", "drop", "exploding", "f", "highest", "k", "keep", "kh", "kl"),
    *("lowest", "max", "min", "r", "reroll", "ro", "vs"),
)
TOKEN = re.compile(r"([0-9]+)|([a-z]+)|(>=|<=|\.\.|!!|[-+*()<>=!%{},:])", re.ASCII | re.IGNORECASE)


class Token(NamedTuple):
    """A number, word or symbol, and where it begins; at the end of the text it is empty."""

    text: str
    at: int

    @property
    def shown(self) -> str:
        """What stands there, for an error."""
        return repr(self.text) if self.text else "the end"


def tokens(text: str) -> Iterator[Token]:
    """The tokens of an expression, the empty one last.

    Raises
    ------
    ExpressionError
        At what is no part of any expression.

    Examples
    --------
    >>> [token.text for token in tokens("4dFkh3")]
    ['4', 'df', 'kh', '3', '']
    """
    at, end = 0, len(text.rstrip())
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        match = TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"{text[at]!r} is not part of a dice expression", text, at)
        if match[1] and (len(match[1]) > 9 or int(match[1]) > LARGEST):
            raise ExpressionError(f"numbers above {LARGEST:,} are not allowed", text, at)
        parts = split(match[0].lower()) if match[2] else [match[0]]
        if not parts:
            known = ", ".join(WORDS)
            raise ExpressionError(f"{match[0].lower()[:20]!r} is not a word of dice expressions: {known}", text, at)
        for part in parts:
            yield Token(part, at)
            at += len(part)
    yield Token("", end)


def split(letters: str) -> list[str]:
    """Words that are written without a space between them, the longest first; none if other letters are left.

    >>> split("dfkh"), split("keephighest"), split("kepe")
    (['df', 'kh'], ['keep', 'highest'], [])
    """
    if letters in WORDS:
        return [letters]
    for word in sorted(WORDS, key=len, reverse=True):
        if letters.startswith(word) and (rest := split(letters[len(word) :])):
            return [word, *rest]
    return []
