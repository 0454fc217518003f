"""The beginnings whose values are known, in the order in which they were found; some may have been stored earlier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.mdp.layers import Layers

Array = NDArray[Any]


class Found:
    """Fills `value` and `error` of all beginnings, group by group; first come those that `layers` stored.

    Attributes
    ----------
    done
        Number of beginnings whose values are known.
    """

    def __init__(self, value: Array, error: Array, layers: Layers, key: Callable[[], str]) -> None:
        self.value, self.error, self.done = value, error, 0
        self._order = np.empty(len(value), np.int64)
        self._layers, self._kept = layers, layers.begin(key)

    def missing(self, groups: list[list[Array]]) -> list[list[Array]]:
        """Fill the values of the groups that were stored; returns the other groups."""
        for number, group in enumerate(groups):
            numbers = np.concatenate(group)
            low, high = self.done, self.done + len(numbers)
            if high > self._kept.shape[1]:
                return groups[number:]
            self.value[numbers], self.error[numbers] = self._kept[:, low:high]
            self._note(numbers)
        return []

    def add(self, numbers: Array, value: Array, error: Array) -> None:
        """Fill the values of a group."""
        self.value[numbers], self.error[numbers] = value, error
        self._note(numbers)
        self._layers.reached(self.done, self._part)

    def _note(self, numbers: Array) -> None:
        self._order[self.done : self.done + len(numbers)] = numbers
        self.done += len(numbers)

    def _part(self, low: int, high: int) -> Array:
        numbers = self._order[low:high]
        return np.stack((self.value[numbers], self.error[numbers]))
