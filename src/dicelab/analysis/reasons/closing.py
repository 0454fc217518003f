"""The answer of `dicelab.why` in a sentence, derived from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dicelab.analysis.reasons.rows import WhyRow
from dicelab.chains.value import Value

EQUAL = 1e-9
"""Differences below this, and below the error bound, are none."""


def closing(start: Mapping[str, Value], rows: Sequence[WhyRow]) -> str:
    """A sentence: the best and the worst seat, and the beginning that contributes most to their difference.

    The difference is the sum of the contributions of all rows: each is the probability of the beginning times the
    difference after it, so it is the part of the difference that comes from games that begin in this way.
    """
    best, worst = max(start, key=lambda name: start[name].value), min(start, key=lambda name: start[name].value)
    ahead = start[best].minus(start[worst])
    if ahead.value <= max(EQUAL, ahead.error):
        return "all seats have the same chance"
    parts = [float(row.probability) * (row.values[best].value - row.values[worst].value) for row in rows]
    most, least = max(range(len(rows)), key=parts.__getitem__), min(range(len(rows)), key=parts.__getitem__)
    words = f"seat {best} is {100 * ahead.value:.3g} points ahead of seat {worst}: "
    words += f"games that begin with {rows[most].words} contribute most, {100 * parts[most]:+.3g}"
    return words + (f", and those with {rows[least].words} {100 * parts[least]:+.3g}" if parts[least] < 0 else "")
