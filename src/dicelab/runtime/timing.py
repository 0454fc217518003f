"""Time spent on an answer, without the time for imports and compilation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

Times = tuple[float, float]
"""Seconds by the clock, and seconds of the processor."""
_aside: Times = 0.0, 0.0


@contextmanager
def aside() -> Iterator[None]:
    """Exclude the time of the block from all stopwatches."""
    global _aside
    began = _so_far()
    try:
        yield
    finally:
        ended = _so_far()  # without compilation, which is subtracted separately
        _aside = _aside[0] + ended[0] - began[0], _aside[1] + ended[1] - began[1]


class Stopwatch:
    """A stopwatch that starts when it is created.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> 0 <= watch.seconds < 1
    True
    """

    def __init__(self) -> None:
        self._began, self._aside = _so_far(), _aside

    @property
    def seconds(self) -> float:
        """Seconds so far, without compilation and without blocks under `aside`."""
        return self._spent(0)

    @property
    def worked(self) -> float:
        """Seconds so far, but those in which a busy machine let this process wait don't count."""
        return min(self._spent(0), self._spent(1))

    def _spent(self, which: int) -> float:
        return max(0.0, _so_far()[which] - self._began[which] - (_aside[which] - self._aside[which]))


def _so_far() -> Times:
    """Return the times so far without compilation, from any beginning."""
    jit = sys.modules.get("dicelab.compile.kernels.core")
    compiled: Times = jit.compiling() if jit is not None and hasattr(jit, "compiling") else (0.0, 0.0)
    return perf_counter() - compiled[0], process_time() - compiled[1]
