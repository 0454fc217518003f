"""Tallies too large for the arithmetic of a solver: brought into a unit that fits, or refused.

A tally is a whole number within 2**62 of 0 (`dicelab.rules.fields.MOST_COUNTED`). Floating point holds whole numbers
exactly up to 2**53 only, and sums of tallies may leave 64 bits.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import PlayError, RangeError
from dicelab.rules.fields import MOST_COUNTED

LARGE = 2**40
"""Changes of a tally below this are solved in units of 1."""


def in_units(changes: NDArray[np.int64], name: str) -> tuple[NDArray[np.float64], float]:
    """The changes of a tally as floats that hold them exactly, and the unit in which they are counted.

    Raises
    ------
    PlayError
        When there is no such unit.
    """
    most = max(map(abs, changes.tolist()), default=0)
    if most < LARGE:
        return changes.astype(np.float64), 1.0
    unit = gcd(*changes.tolist())
    whole = (changes // unit).astype(np.float64)
    if (whole.astype(np.int64) != changes // unit).any():
        raise PlayError(
            f"the tally {name} changes by up to {most:,}, in steps of {unit:,}: too many digits for floating point; "
            "count it in larger units"
        )
    half = 2.0 ** max(0, (most // unit).bit_length() - 40)
    return whole / half, unit * half


def too_far(name: str, value: int) -> RangeError:
    """The error for a tally that leaves its range with a probability that can't be left out."""
    return RangeError(
        f"the tally {name} may come to {value:,}, beyond {MOST_COUNTED:,}, the most that is counted; "
        "count it in larger units, or ask for other tallies only (--tally)"
    )
