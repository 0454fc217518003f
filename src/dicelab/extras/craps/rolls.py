"""Rolls of two dice, and sets of them.

The 36 ordered rolls 1-1, 1-2, ... 6-6 are numbered 0 to 35. A set of rolls is a tuple of their numbers; its length
divided by 36 is its probability.
"""

from __future__ import annotations

Throws = tuple[int, ...]

FACES = range(1, 7)
WAYS = 36
EVERY: Throws = tuple(range(WAYS))
POINTS = (4, 5, 6, 8, 9, 10)
"""Totals that can become a point; at a crapless table all totals but 7 can."""


def number(one: int, two: int) -> int:
    """Return the number of a roll, 0 to 35.

    >>> number(1, 1), number(6, 6)
    (0, 35)
    """
    return 6 * one + two - 7


def totals(*wanted: int) -> Throws:
    """Return the rolls with any of these totals.

    >>> len(totals(7)), len(totals(2, 3, 12))
    (6, 4)
    """
    return tuple(number(one, two) for one in FACES for two in FACES if one + two in wanted)


def pair(one: int, two: int) -> Throws:
    """Return the rolls that show these two faces, in either order.

    >>> len(pair(3, 3)), len(pair(2, 4))
    (1, 2)
    """
    return tuple(sorted({number(one, two), number(two, one)}))


def easy(total: int) -> Throws:
    """Return the rolls of a total that are not a pair."""
    return tuple(throw for throw in totals(total) if throw % 7)


def ways(total: int) -> int:
    """Return the number of rolls, of 36, with a total.

    >>> [ways(total) for total in range(2, 13)]
    [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    """
    return 6 - abs(7 - total)
