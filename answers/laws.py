"""What follows from the number of turns that strategies need alone, where none looks at the others' scores.

The first player wins if it needs no more turns than the second: the two numbers are independent. So the exact answers
of small chains, one for each strategy, give the chances of all pairs, and of more players at one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dicelab

Numbers = NDArray[np.float64]

EVEN = 1e-10
"""Chances that differ by less count as equal; well above the error of the laws."""


@dataclass(frozen=True)
class Laws:
    """The number of turns that each strategy needs alone.

    Attributes
    ----------
    names
        The strategies.
    ends
        Chance of each strategy (row) to need 0, 1, 2, ... turns (column).
    error
        Bound on the error of a chance to win between two of them.
    """

    names: list[str]
    ends: Numbers
    error: float

    @classmethod
    def of(cls, game: Any, names: Sequence[str]) -> Laws:
        """Solve a game for one seat with each strategy."""
        found = [dicelab.exact(game, name, fractions=False).tallies["turns"] for name in names]
        laws = [tally.probabilities for tally in found]
        ends = np.zeros((len(laws), 1 + max(max(law) for law in laws)))
        for row, law in zip(ends, laws, strict=True):
            row[list(law)] = list(law.values())
        errors = sorted(float(tally.spread.error) for tally in found if tally.spread)
        return cls(list(names), ends, sum(errors[-2:]))

    @property
    def after(self) -> Numbers:
        """Chance of each strategy to need more than 0, 1, 2, ... turns."""
        return np.maximum(0.0, 1.0 - np.cumsum(self.ends, axis=1))

    @property
    def first_wins(self) -> Numbers:
        """Chance to win of whoever moves first and plays as the row, against the column."""
        return self.ends[:, 1:] @ self.after[:, :-1].T

    def seats(self, name: str, players: int) -> list[float]:
        """Chance of each seat where all play alike: those before it need more turns, those behind it no fewer."""
        row = self.names.index(name)
        now, more, not_fewer = self.ends[row, 1:], self.after[row, 1:], self.after[row, :-1]
        return [float((now * more**seat * not_fewer ** (players - 1 - seat)).sum()) for seat in range(players)]


def balanced(first_wins: Numbers) -> Numbers:
    """Chance of the row to win against the column, the mean of moving first and second."""
    return (first_wins + 1.0 - first_wins.T) / 2


def both_seats(first_wins: Numbers) -> Numbers:
    """The same less a half, but in the worse of the two seats."""
    return np.minimum(first_wins, 1.0 - first_wins.T) - 0.5


def equilibria(first_wins: Numbers) -> list[tuple[int, int]]:
    """Pairs of which neither gains by another row or another column: who moves first, and second."""
    best_first, best_second = first_wins.max(axis=0) - EVEN, first_wins.min(axis=1) + EVEN
    stays = (first_wins >= best_first) & (first_wins <= best_second[:, None])
    return [(int(x), int(y)) for x, y in np.argwhere(stays)]


@dataclass(frozen=True)
class Circle:
    """Three strategies of which each beats the next, and the last the first; with the three margins."""

    members: tuple[int, int, int]
    margins: tuple[float, float, float]


def circles(margin: Numbers) -> tuple[int, Circle | None]:
    """How many circles of three there are, and the one whose smallest margin is largest.

    Parameters
    ----------
    margin
        How far the row is ahead of the column; it beats it if that is more than `EVEN`.
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
    """Equal neighbours together: first place, last place, value.

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
    """Whole numbers in words, neighbours together.

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
