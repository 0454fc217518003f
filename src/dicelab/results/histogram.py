"""The distribution of a tally as text and as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import Any

from dicelab.results.text.page import Page
from dicelab.results.text.writing import aligned

MOST_LINES = 24
"""Limit of the lines; if there are more values, each line stands for equally many."""
WIDTH = 40
"""Characters of the longest bar."""
CUT = 0.0005
"""Probability of rare values that are merged into the first line, and as much into the last."""

Bin = tuple[int, int, float]
"""First and last value, both included, and their probability."""


def bins(probabilities: dict[int, float]) -> list[Bin]:
    """Values in groups of equal width; the rare ones at both ends are in the first and the last group.

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


def histogram_text(tallies: Mapping[str, Any], tally: str, page: Page | None = None) -> str:
    """The distribution of a tally as bars; `tallies` are those of a result.

    Raises
    ------
    UnknownNameError
    """
    page, found = page or Page.here(), bins(tallies[tally].probabilities)
    if not found:
        return f"{tally}: no distribution"
    most = max(p for _, _, p in found)
    rows = [[tally, "probability", ""]]
    for begin, end, p in found:
        values = f"{begin:,}" if begin == end else f"{begin:,} .. {end:,}"
        rows.append([values, page.chance(p), ""])
    width = max(1, min(WIDTH, page.width - len(aligned(rows)[-1]) - 2))
    for row, (_, _, p) in zip(rows[1:], found, strict=True):
        row[-1] = ("█" * round(width * p / most)).ljust(width)
    return "\n".join(aligned(rows))


def histogram_data(tallies: Mapping[str, Any], tally: str) -> dict[str, object]:
    """The whole distribution as plain data; `tallies` are those of a result.

    Raises
    ------
    UnknownNameError
    """
    probabilities = tallies[tally].probabilities
    return {"tally": tally, "values": list(probabilities), "probabilities": list(probabilities.values())}
