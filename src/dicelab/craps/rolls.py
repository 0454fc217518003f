"""Throws of two dice, and sets of them.

The 36 ordered throws are numbered from 0, 1-1, 1-2, ... 6-6; a set of throws is a tuple of their numbers, so that its
length is its number of ways.
"""

from __future__ import annotations

Throws = tuple[int, ...]

FACES = range(1, 7)
WAYS = 36
EVERY: Throws = tuple(range(WAYS))
POINTS = (4, 5, 6, 8, 9, 10)
"""The totals that may become a point; at a crapless table all do but 7."""


def number(one: int, two: int) -> int:
    """The number of a throw.

    >>> number(1, 1), number(6, 6)
    (0, 35)
    """
    return 6 * one + two - 7


def totals(*wanted: int) -> Throws:
    """The throws of some totals.

    >>> len(totals(7)), len(totals(2, 3, 12))
    (6, 4)
    """
    return tuple(number(one, two) for one in FACES for two in FACES if one + two in wanted)


def pair(one: int, two: int) -> Throws:
    """The throws that show these two faces, in either order.

    >>> len(pair(3, 3)), len(pair(2, 4))
    (1, 2)
    """
    return tuple(sorted({number(one, two), number(two, one)}))


def easy(total: int) -> Throws:
    """The throws of a total that are no pair."""
    return tuple(throw for throw in totals(total) if throw % 7)


def ways(total: int) -> int:
    """How many of the 36 throws have a total.

    >>> [ways(total) for total in range(2, 13)]
    [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    """
    return 6 - abs(7 - total)
