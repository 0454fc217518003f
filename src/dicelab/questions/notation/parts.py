"""The parts of a dice expression, as the parser finds them and the evaluation takes them; the error about one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import NamedTuple

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


TESTS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}
"""Comparisons, as they are written."""


class NumberTest(NamedTuple):
    """A comparison with a number: ``>= 5``.

    >>> NumberTest(">=", 5).passes(5), NumberTest(">", 5).passes(5)
    (True, False)
    """

    operator: str
    limit: int

    def passes(self, value: int) -> bool:
        """Return whether a value passes."""
        return bool(TESTS[self.operator](value, self.limit))


@dataclass(frozen=True)
class Number:
    """A whole number."""

    value: int


@dataclass(frozen=True)
class DicePart:
    """Dice of one kind, rolled together; `at` is where they are written.

    Attributes
    ----------
    count
        The number of dice, or an expression that is rolled for it.
    faces
        The values of the faces, equally likely; a value that stands there twice has two faces.
    explode
        The faces that explode; None if the highest ones do. Without effect unless `exploding`.
    exploding
        ``"value"`` if a die is rolled again and its values are added up as one, ``"dice"`` if another die is added to
        the pool, and empty if dice don't explode.
    again
        The faces that are rolled again, and whether only once; in this order.
    low, high
        The dice from `low` to `high` (excluded) are kept, counted from the lowest one; all are kept where `count` is an
        expression.
    """

    count: int | Tree
    faces: Sequence[int]
    low: int
    high: int
    at: int
    exploding: str = ""
    explode: NumberTest | None = None
    again: tuple[tuple[NumberTest, bool], ...] = ()

    @property
    def name(self) -> str:
        """One of the dice, as it is written."""
        return f"d{len(self.faces)}" if isinstance(self.faces, range) else "die with these faces"


@dataclass(frozen=True)
class Join:
    """Two expressions joined by ``+``, ``-``, ``*`` or ``//``."""

    operator: str
    left: Tree
    right: Tree
    at: int


@dataclass(frozen=True)
class Extreme:
    """The largest (``max``) or smallest (``min``) of several expressions, each rolled by itself."""

    name: str
    of: tuple[Tree, ...]
    at: int


@dataclass(frozen=True)
class Compare:
    """A comparison with a number, of each of the dice (`each`) or of the whole.

    Dice that pass `failed` are subtracted from those that pass `test`.
    """

    test: NumberTest
    of: Tree
    each: bool
    failed: NumberTest | None = None


Tree = Number | DicePart | Join | Extreme | Compare


class ParsedQuestion(NamedTuple):
    """An expression, and the one it is rolled against, if any."""

    first: Tree
    second: Tree | None
    at: int
    notes: tuple[str, ...] = ()
    """Where programs for tabletop games read the same text otherwise."""
