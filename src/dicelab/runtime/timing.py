"""Time spent on an answer, without the time for imports and compilation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

_aside = 0.0


@contextmanager
def aside() -> Iterator[None]:
    """Exclude the time of the block from all stopwatches."""
    global _aside
    began = perf_counter()
    compiled = _compiling()
    try:
        yield
    finally:
        _aside += perf_counter() - began - (_compiling() - compiled)  # compilation is subtracted separately


class Stopwatch:
    """A stopwatch that starts when it is created.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> 0 <= watch.seconds < 1
    True
    """

    def __init__(self) -> None:
        self._ready = _aside + _compiling()
        self._began = perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds so far, without compilation and without blocks under `aside`."""
        return max(0.0, perf_counter() - self._began - (_aside + _compiling() - self._ready))


def _compiling() -> float:
    """Return the seconds that Numba has spent compiling in this process."""
    jit = sys.modules.get("dicelab.compile.kernels.core")
    return float(jit.compiling()) if jit is not None and hasattr(jit, "compiling") else 0.0
