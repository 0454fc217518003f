"""Equilibria and cycles, from the chances of strategies against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

EVEN = 1e-10
"""Chances that differ by less count as equal; well above the error of the laws."""


def balanced(first_wins: Numbers) -> Numbers:
    """Return the row's chance to win against the column, averaged over moving first and second."""
    return (first_wins + 1.0 - first_wins.T) / 2


def both_seats(first_wins: Numbers) -> Numbers:
    """Return the row's chance to win minus one half, in the worse of its two seats."""
    return np.minimum(first_wins, 1.0 - first_wins.T) - 0.5


def equilibria(first_wins: Numbers) -> list[tuple[int, int]]:
    """Pure equilibria, as (strategy that moves first, strategy that moves second)."""
    best_first, best_second = first_wins.max(axis=0) - EVEN, first_wins.min(axis=1) + EVEN
    stays = (first_wins >= best_first) & (first_wins <= best_second[:, None])
    return [(int(x), int(y)) for x, y in np.argwhere(stays)]


@dataclass(frozen=True)
class Circle:
    """Three strategies, each of which beats the next, and the last the first; with the three margins."""

    members: tuple[int, int, int]
    margins: tuple[float, float, float]


def circles(margin: Numbers) -> tuple[int, Circle | None]:
    """Return the number of cycles of three, and the cycle with the largest smallest margin.

    Parameters
    ----------
    margin
        How far the row is ahead of the column; the row beats the column if this is more than `EVEN`.
    """
    beats = margin > EVEN
    count, strongest = 0, None
    for a, b in np.argwhere(beats):
        for c in np.flatnonzero(beats[b] & beats[:, a]):
            count += 1
            found = Circle((int(a), int(b), int(c)), (float(margin[a, b]), float(margin[b, c]), float(margin[c, a])))
            if strongest is None or min(found.margins) > min(strongest.margins):
                strongest = found
    return count // 3, strongest


def runs(values: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return runs of equal values, as (first index, last index, value).

    >>> runs([6, 6, 24])
    [(0, 1, 6), (2, 2, 24)]
    """
    found: list[tuple[int, int, int]] = []
    for place, value in enumerate(values):
        if found and found[-1][2] == value:
            found[-1] = (found[-1][0], place, value)
        else:
            found.append((place, place, value))
    return found


def spans(values: Sequence[int]) -> str:
    """Rising whole numbers in words, with runs as ranges.

    >>> spans([24, 25, 26, 31])
    '24 to 26, 31'
    """
    found: list[list[int]] = []
    for value in values:
        if found and found[-1][1] == value - 1:
            found[-1][1] = value
        else:
            found.append([value, value])
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in found)
