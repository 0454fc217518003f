"""Tallies too large for floating point: counted in a larger unit, or refused.

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
"""Tallies whose changes are all smaller than this are counted in units of 1."""


def in_units(changes: NDArray[np.int64], name: str) -> tuple[NDArray[np.float64], float]:
    """The changes of a tally as floats that hold them exactly, and the unit in which they are counted.

    Raises
    ------
    PlayError
        When no unit makes them fit.
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
    """The error for a tally that exceeds `MOST_COUNTED` with a probability too large to neglect."""
    return RangeError(
        f"the tally {name} may reach {value:,}, beyond the limit of {MOST_COUNTED:,}; "
        "count it in larger units, or ask for other tallies only (--tally)"
    )
