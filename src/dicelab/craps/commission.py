"""The commission of the house, a twentieth, in whole units."""

from __future__ import annotations

ROUNDINGS = ("exact", "down", "nearest", "up")
"""How it is rounded. Exact is for amounts of which a twentieth is whole."""
EXACT, DOWN, NEAREST, UP = range(4)


def twentieth(money: int, rounding: int) -> int:
    """A twentieth of some money; rounded, it is at least 1.

    >>> [twentieth(35, rounding) for rounding in (DOWN, NEAREST, UP)], twentieth(40, EXACT)
    ([1, 2, 2], 2)
    """
    if rounding == EXACT:
        return money // 20
    if rounding == DOWN:
        return max(1, money // 20)
    if rounding == NEAREST:
        return max(1, (money + 10) // 20)
    return max(1, (money + 19) // 20)
