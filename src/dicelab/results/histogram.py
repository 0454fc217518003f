"""The distribution of a tally as text and as plain data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from operator import itemgetter
from typing import Any

from dicelab.results.base import Forms
from dicelab.results.numbers.estimates import Average, Distribution
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, chance
from dicelab.results.text.writing import aligned, values_text

MOST_LINES = 24
"""Limit of the lines; if there are more values, each line stands for equally many."""
WIDTH = 40
"""Characters of the longest bar."""
CUT = 0.0005
"""Probability of rare values that are merged into the first line, and as much into the last."""

Bin = tuple[int, int, float]
"""First and last value, both included, and their probability."""


def bins(probabilities: dict[int, float]) -> list[Bin]:
    """Return the values in groups of equal width; the rare ones at both ends are in the first and the last group.

    >>> bins({1: 0.25, 2: 0.5, 5: 0.25})
    [(1, 1, 0.25), (2, 2, 0.5), (3, 3, 0.0), (4, 4, 0.0), (5, 5, 0.25)]
    >>> bins({-1_000_000: 0.5, 1_000_000: 0.5})
    [(-1000000, -1000000, 0.5), (1000000, 1000000, 0.5)]
    """
    values = sorted(probabilities)
    below = above = 0.0
    low, high = 0, len(values) - 1
    while low < high and below + probabilities[values[low]] < CUT:
        below += probabilities[values[low]]
        low += 1
    while high > low and above + probabilities[values[high]] < CUT:
        above += probabilities[values[high]]
        high -= 1
    if not values:
        return []
    shown = values[low : high + 1]
    unit = gcd(*(value - shown[0] for value in shown)) or 1
    width = -(-((shown[-1] - shown[0]) // unit + 1) // MOST_LINES) * unit
    chances = [0.0] * ((shown[-1] - shown[0]) // width + 1)
    for value in shown:
        chances[(value - shown[0]) // width] += probabilities[value]
    begins = [shown[0] + i * width for i in range(len(chances))]
    found = [(begin, min(begin + width - unit, shown[-1]), p) for begin, p in zip(begins, chances, strict=True)]
    found[0] = (values[0], found[0][1], found[0][2] + below)
    found[-1] = (found[-1][0], values[-1], found[-1][2] + above)
    return found


@dataclass(frozen=True, repr=False)
class Histogram(Forms):
    """The distribution of a tally: bars as text, all values as plain data and as rows.

    Attributes
    ----------
    name, tally
        The tally, by its name, of a result.
    """

    name: str
    tally: Average | Distribution

    def to_dict(self) -> dict[str, Any]:  # noqa: D102 (as in Forms)
        probabilities = self.tally.probabilities
        return {"tally": self.name, "values": list(probabilities), "probabilities": list(probabilities.values())}

    def _table(self) -> Table:
        values = Column(self.name, lambda page, one: values_text(*one[:2]), value=tuple, data=itemgetter(0))
        rows = [(value, value, p) for value, p in self.tally.probabilities.items()]
        return Table(
            [values, Column("probability", chance, value=itemgetter(2)), Column("", lambda page, one: "")], rows
        )

    def _subject(self) -> str:
        return self.name

    def _lines(self, page: Printing) -> list[str]:
        found = bins(self.tally.probabilities)
        if not found:
            return [f"{self.name}: no distribution"]
        most = max(p for _, _, p in found)
        rows = replace(self._table(), rows=found).cells(page)
        width = max(1, min(WIDTH, page.width - len(aligned(rows)[-1]) - 2))
        for row, (_, _, p) in zip(rows[1:], found, strict=True):
            row[-1] = ("█" * round(width * p / most)).ljust(width)
        return aligned(rows)
