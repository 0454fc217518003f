"""The values that a long solution has found, stored while it goes on, and deleted once there is an answer.

They are rows of the table `totals`; the places of values, in the order in which they are found, stand in place of
games. Every row has the key of that order (`dicelab.solver.value_iteration`) and a digest, so that no other values are
ever used. A row is written every two seconds; where that would take too large a share of the time, it is written later
or never: a solution that finds values very fast can find them again as fast.

By itself because it imports the solver and NumPy, which questions that read stored answers must not do.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import StoreError
from dicelab.limits import LIMITS
from dicelab.results.store.database import Lease, StoreWarning
from dicelab.results.store.encoding import OtherVersion, from_bytes, to_bytes
from dicelab.solver.value_iteration import Layers, Part

BEGIN = 1e6
"""The fixed cost of a write, as a number of bytes that would take as long to write."""
PACE = 1e-8
"""Initial estimate of the processor time, in seconds, to write a byte."""


class KeptLayers(Layers):
    """The values of the run for which this process has the lease."""

    def __init__(
        self,
        lease: Lease,
        clock: Callable[[], float] = time.perf_counter,
        worked: Callable[[], float] = time.thread_time,
    ) -> None:
        self._lease, self._clock, self._worked = lease, clock, worked
        self._find_key: Callable[[], str] = str
        self._key = ""
        self._end = 0  # of the stored values
        self._pace, self._written, self._wait = PACE, clock(), LIMITS.layer_seconds
        self._failed = False

    def begin(self, key: Callable[[], str]) -> NDArray[np.float64]:  # noqa: D102 (as in Layers)
        self._find_key, self._key, self._end = key, "", 0
        parts = [np.empty((0, 0))]
        wanted = "SELECT low, high, totals FROM totals WHERE run = ? ORDER BY low"
        rows = self._lease.database.read(wanted, self._lease.run)
        for low, high, content in rows:
            self._key = self._key or key()
            values = self._read(low, high, content)
            if values is None or low != self._end:  # they are of another order, and will be replaced
                break
            parts.append(values)
            self._end = high
        return np.concatenate(parts[1:] or parts, axis=1)

    def _read(self, low: int, high: int, content: bytes) -> NDArray[np.float64] | None:
        """Return the values of a row; None if they are of another order.

        Raises
        ------
        StoreError
            When the row is damaged.
        """
        try:
            key, digest, values = from_bytes(content)
            if _digest(values) != digest or values.shape[1] != high - low:
                raise ValueError(f"the values at the places {low} to {high - 1} are not those that were stored")
        except OtherVersion:
            return None
        except (ValueError, TypeError, AttributeError, IndexError) as error:
            raise self._lease.database.damaged(str(error)) from error
        kept: NDArray[np.float64] | None = values if key == self._key else None
        return kept

    def reached(self, end: int, part: Part) -> None:  # noqa: D102 (as in Layers)
        passed = self._clock() - self._written
        if self._failed or end <= self._end or passed < self._wait:
            return
        values = part(self._end, end)
        if passed < LIMITS.layer_share * self._pace * (BEGIN + values.nbytes):
            self._wait = passed + LIMITS.layer_seconds
            return
        self._key = self._key or self._find_key()
        began, worked = self._clock(), self._worked()
        try:
            self._write(end, to_bytes((self._key, _digest(values), values), level=0), passed)
        except StoreError as error:
            warnings.warn(f"what was solved could not be stored: {error}", StoreWarning, stacklevel=2)
            self._failed = True
        self._end, self._written = end, self._clock()
        self._wait = max(LIMITS.layer_seconds, LIMITS.layer_pause * (self._written - began))
        self._pace = (self._worked() - worked) / (BEGIN + values.nbytes)

    def _write(self, end: int, content: bytes, seconds: float) -> None:
        """Add a row, in one transaction with the removal of those that are not of this order."""
        run = self._lease.run
        with self._lease.change(seconds) as execute:
            execute("DELETE FROM totals WHERE run = ? AND high > ?", run, self._end)
            execute("INSERT INTO totals VALUES (?, ?, ?, ?)", run, self._end, end, content)
            execute("UPDATE run SET checkpoint = ? WHERE id = ?", to_bytes(self._key), run)


def _digest(values: NDArray[np.float64]) -> str:
    return sha256(values.tobytes()).hexdigest()
