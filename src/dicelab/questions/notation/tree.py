"""The parts of a dice expression, as the parser finds them and the evaluation takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import NamedTuple

TESTS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}
"""Comparisons, as they are written."""


class Test(NamedTuple):
    """A comparison with a number: ``>= 5``.

    >>> Test(">=", 5).passes(5), Test(">", 5).passes(5)
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
class Dice:
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
    explode: Test | None = None
    again: tuple[tuple[Test, bool], ...] = ()

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

    test: Test
    of: Tree
    each: bool
    failed: Test | None = None


Tree = Number | Dice | Join | Extreme | Compare


class Question(NamedTuple):
    """An expression, and the one it is rolled against, if any."""

    first: Tree
    second: Tree | None
    at: int
    notes: tuple[str, ...] = ()
    """Where programs for tabletop games read the same text otherwise."""
