"""The house's commission (vig) of 5 %, in whole units of money."""

from __future__ import annotations

ROUNDINGS = ("exact", "down", "nearest", "up")
"""How it is rounded; ``exact`` is for amounts that are multiples of 20."""
EXACT, DOWN, NEAREST, UP = range(4)


def twentieth(money: int, rounding: int) -> int:
    """Return a twentieth of an amount; at least 1 unless `rounding` is `EXACT`.

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
