"""Values that a long solution has found so far, stored so that an interrupted solution can continue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

Part = Callable[[int, int], NDArray[np.float64]]
"""``part(low, high)`` returns what was found at the places `low` to `high` - 1, as float64 (columns, high - low)."""


class Layers:
    """Stores the values of an unfinished solution; this base class stores nothing, `dicelab.results.store.layers` does.

    A value has a place in the order in which values are found. The key of an order is a hash of all that determines
    which value is found at which place.
    """

    def begin(self, key: Callable[[], str]) -> NDArray[np.float64]:
        """The values stored earlier under this key, from place 0 on: a float64 array (columns, places), maybe empty."""
        del key  # called only where there is something to compare it with
        return np.empty((0, 0))

    def reached(self, end: int, part: Part) -> None:
        """Report that all values before the place `end` are final, so that they may be stored."""


NOWHERE = Layers()


def key_of(arrays: Iterable[Any]) -> str:
    """A hash of some arrays."""
    digest = sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data if array.size else b"")
    return digest.hexdigest()
