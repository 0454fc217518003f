"""Measures of how fair a game is to its seats; they need not agree on which of two games is fairer.

With more players the largest and the smallest chance to win may come closer together, while the distance from equal
shares grows: always say which measure is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

MEASURES = {
    "gap": "largest minus smallest chance to win",
    "total_variation": "distance from equal shares: half the sum of the differences",
    "ratio": "largest divided by smallest chance to win",
}
"""The measures, and what they mean."""


def fairness(chances: Sequence[float]) -> dict[str, float]:
    """All measures, for the chances to win of the seats.

    Parameters
    ----------
    chances
        Probability to win of each seat, at least one.

    Returns
    -------
    dict
        By the names of `MEASURES`; a fair game has gap 0, total variation 0 and ratio 1.

    Examples
    --------
    >>> {name: round(value, 3) for name, value in fairness([0.5, 0.3, 0.2]).items()}
    {'gap': 0.3, 'total_variation': 0.167, 'ratio': 2.5}
    """
    fair = sum(chances) / len(chances)
    low, high = min(chances), max(chances)
    return {
        "gap": high - low,
        "total_variation": sum(abs(p - fair) for p in chances) / 2,
        "ratio": high / low if low > 0 else inf if high > 0 else 1.0,
    }
