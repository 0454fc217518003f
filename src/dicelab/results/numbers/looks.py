"""Intervals that hold at every look: more games may be played until the answer is clear, without a price.

They need NumPy, which `dicelab.results.numbers.intervals` must not import: the help of commands would take longer.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from dicelab.results.numbers.intervals import LEVEL

LARGEST_BET = 0.5
"""Limit on the weight of one game, the value that its authors use."""


def interval_of_looks(
    values: NDArray[np.float64], bounds: tuple[float, float], level: float = LEVEL
) -> tuple[float, float]:
    """Return an interval for the mean of independent numbers, which holds after any number of them.

    It is the empirical Bernstein confidence sequence of I. Waudby-Smith and A. Ramdas (*Estimating means of bounded
    random variables by betting*, JRSS B 86, 2024, theorem 2), intersected over all numbers so far: with probability
    `level`, all of these intervals contain the mean, so one may stop at any of them.

    Parameters
    ----------
    values
        The numbers, in the order in which they were found.
    bounds
        Smallest and largest possible number, both finite.
    level
        Probability with which all intervals hold.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 5000)
    >>> low, high = interval_of_looks(values, (0, 1))
    >>> 0.47 < low < 0.5 < high < 0.53
    True
    """
    low, high = bounds
    n, odds = len(values), log(2 / (1 - level))
    if not n or low == high:
        return low, high
    share, games = (values - low) / (high - low), np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(share)) / (games + 1)
    variance = (0.25 + np.cumsum((share - mean) ** 2)) / (games + 1)
    before, spread = np.append(0.5, mean[:-1]), np.append(0.25, variance[:-1])
    bet = np.minimum(LARGEST_BET, np.sqrt(2 * odds / (spread * games * np.log1p(games))))
    weight = np.cumsum(bet)
    centre = np.cumsum(bet * share) / weight
    # 4 (x - mean)^2 times (-log(1 - bet) - bet) / 4
    radius = (odds + np.cumsum((share - before) ** 2 * (-np.log1p(-bet) - bet))) / weight
    ends = max(0.0, float(np.max(centre - radius))), min(1.0, float(np.min(centre + radius)))
    if ends[0] > ends[1]:  # one of them doesn't contain the mean
        ends = max(0.0, float(centre[-1] - radius[-1])), min(1.0, float(centre[-1] + radius[-1]))
    return low + ends[0] * (high - low), low + ends[1] * (high - low)
