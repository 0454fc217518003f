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
SPELLINGS = {"\u2212": "-", "\u2013": "-", "\u00d7": "*", "\u00b7": "*", "≥": ">=", "≤": "<=", "==": "="}
"""Symbols as word processors and programmers write them: minus and dash, the times cross and dot."""
TOKEN = re.compile(
    rf"([0-9]+)|([a-z]+)|({'|'.join(SPELLINGS)}|>=|<=|//|\.\.|!!|[-+*()<>=!%{{}},:])", re.ASCII | re.IGNORECASE
)
HINTS = {
    ("adv", "advantage"): "advantage is written 2d20kh1",
    ("dis", "disadvantage"): "disadvantage is written 2d20kl1",
    ("w", "die", "dice", "coin"): "dice are written d, as in 3d6; a coin is d{0,1}",
    ("floor", "/"): "// divides and rounds down, as in 8d6 // 2",
    ("ceil", "round"): "// divides and rounds down; to round up, add one less than the divisor before: (8d6 + 1) // 2",
    ("e", "explode", "explodes", "ace", "aces"): "dice that explode are written 3d6!, at another face 3d6!5 or 3d6!>=5",
    ("p",): "penetrating dice, whose further rolls lose 1, are not computed; 3d6! adds the rolls as they are",
    ("rr",): "r1 rolls a face again until it is something else, ro1 once",
    ("ra",): "to add a die once where another explodes, write d6! and --depth 1",
    ("mi", "ma"): "list the faces: with at least 2 on each die, 4d6 is 4d{2,2..6}",
    ("cs", "cf"): "marks of critical rolls change no total; 2d20 >= 19 counts such dice",
    ("s", "sa", "sd"): "the order of the dice changes no total; leave it out",
    (
        "x",
        "#",
        "repeat",
    ): "every repetition has the same distribution, so write the dice once; * multiplies, and a comment is left out",
    ("roll",): "write only the dice, such as 2d6 + 3",
    ("of", "best", "worst", "pick", "top", "the", "l"): "write 4d6 keep highest 3, or 4d6kh3",
    (
        "at",
        "dc",
        "ac",
        "than",
        "or",
        "between",
    ): "(1d20 + 5) >= 15 is 1 where the total is large enough, and at least N has a field, or option, of its own",
    ("and", ";"): "several expressions are given one by one, each in quotes on the command line",
    ("@", "?"): "sheets and macros are not read; write the number",
    (
        "[",
        "]",
    ): "labels and brackets are left out: 2d6 + 3, not [[2d6 + 3[fire]]]; faces are listed in braces, d{1,1,2}",
    (".",): "numbers are whole",
    ("^",): "powers are not computed",
}
"""What to write instead of words and symbols of other programs."""


class Token(NamedTuple):
    """A number, word or symbol, and where it begins; at the end of the text it is empty."""

    text: str
    at: int

    @property
    def shown(self) -> str:
        """What stands there, for an error."""
        return repr(self.text) if self.text else "the end"


def instead(word: str) -> str:
    """Return what to write instead of a word or symbol of another program, after a semicolon; or nothing.

    >>> instead("adv"), instead("kepe")
    ('; advantage is written 2d20kh1', '')
    """
    return next((f"; {hint}" for words, hint in HINTS.items() if word in words), "")


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression, the empty one last.

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
            hint = instead("roll" if text[at] in "/!" and not text[:at].strip() else text[at])
            raise ExpressionError(f"{text[at]!r} is not part of a dice expression{hint}", text, at)
        if match[1] and (len(match[1]) > 9 or int(match[1]) > LARGEST):
            raise ExpressionError(f"numbers above {LARGEST:,} are not allowed", text, at)
        word = match[0].lower()[:20]
        parts = [match[0]] if not match[2] else [] if instead(word) else split(match[0].lower())
        if not parts:
            hint = instead(word) or f": {', '.join(WORDS)}"
            raise ExpressionError(f"{word!r} is not a word of dice expressions{hint}", text, at)
        for part in parts:
            yield Token(SPELLINGS.get(part, part), at)
            at += len(part)
    yield Token("", end)


def split(letters: str) -> list[str]:
    """Return the words that are written without a space between them, the longest first; none if other letters are
    left.

    >>> split("dfkh"), split("keephighest"), split("kepe")
    (['df', 'kh'], ['keep', 'highest'], [])
    """
    if letters in WORDS:
        return [letters]
    for word in sorted(WORDS, key=len, reverse=True):
        if letters.startswith(word) and (rest := split(letters[len(word) :])):
            return [word, *rest]
    return []
