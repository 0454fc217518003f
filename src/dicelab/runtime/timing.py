"""Time spent on an answer, without the time for imports and compilation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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


class TimeLimit:
    """So many seconds from now on, as a stopwatch counts them; any number of them if None.

    Examples
    --------
    >>> TimeLimit(0).is_over(), TimeLimit(None).is_over()
    (True, False)
    """

    def __init__(self, seconds: float | None) -> None:
        self._watch, self._seconds = Stopwatch(), seconds

    @property
    def left(self) -> float | None:
        """Seconds that are left; None for any number of them."""
        return None if self._seconds is None else max(0.0, self._seconds - self._watch.seconds)

    def is_over(self) -> bool:
        """Return whether no time is left."""
        return self._seconds is not None and self._watch.seconds >= self._seconds


def _so_far() -> Times:
    """Return the times so far without compilation, from any beginning."""
    jit = sys.modules.get("dicelab.compile.kernels.core")
    compiled: Times = jit.compiling() if jit is not None and hasattr(jit, "compiling") else (0.0, 0.0)
    return perf_counter() - compiled[0], process_time() - compiled[1]


# Stages ---------------------------------------------------------------------------------------------------------------
#
# What long work is doing, and what it is expected to take, in words, for those who watch it: a terminal, or the lab.
#
# Work that runs in a thread of its own is watched by nobody.


OFTEN = 0.2
"""Seconds between two words about numbers that grow."""

Shown = Callable[[str, bool], None]
"""Called with words, and whether they are to stay: they hold for all of the work."""

_shown: ContextVar[Shown | None] = ContextVar("shown", default=None)
_done: ContextVar[Callable[[float], None] | None] = ContextVar("done", default=None)
_last = _last_share = 0.0
_reached: dict[str, str] = {}
"""The last words about numbers (`counted`), and about what was done after that (`then`), for work that is stopped."""


@contextmanager
def watched_by(shown: Shown | None, done: Callable[[float], None] | None = None) -> Iterator[None]:
    """Have the words of all work in the block shown, and `done` called with the share of a part of it that is done;
    with None, a part of some work is watched by nobody.

    >>> with watched_by(lambda words, stays: print(words)):
    ...     stage("counting")
    counting
    """
    before, share = _shown.set(shown), _done.set(done)
    if shown is not None:
        _reached.clear()
    try:
        yield
    finally:
        _shown.reset(before)
        _done.reset(share)
    if shown is not None:
        _reached.clear()  # the work is done


def stage(words: str) -> None:
    """Say what is done now."""
    if (shown := _shown.get()) is not None:
        _reached["then"] = words
        shown(words, False)


def begun() -> None:
    """Forget what `stage` said so far: it was about what comes before the work."""
    _reached.clear()


def counting(words: str, *numbers: int, seconds: float = 0.0) -> None:
    """Say what is done now, with numbers that grow, not too often; the first of them was reached in so many `seconds`,
    and its rate is said if these are more than one.
    """
    global _last
    if (shown := _shown.get()) is not None and (now := perf_counter()) - _last > OFTEN:
        _last = now
        rate = f", {float(f'{numbers[0] / seconds:.2g}'):,.0f} a second" if seconds > 1 else ""
        _reached["counted"] = words.format(*(f"{n:,}" for n in numbers)) + rate
        _reached.pop("then", None)
        shown(_reached["counted"], False)


def stopped_at() -> str:
    """Return the message of a command that is interrupted, with what `counting` and `stage` said last of work that was
    not finished, if anything.

    >>> with watched_by(lambda words, stays: None):
    ...     stage("ordering the states")
    ...     stopped_at()
    'interrupted; reached: ordering the states'
    >>> stopped_at()
    'interrupted'
    """
    at = "; ".join(_reached[part] for part in ("counted", "then") if part in _reached)
    return f"interrupted; reached: {at}" if at else "interrupted"


def expected(words: str) -> None:
    """Say what all of the work is expected to take."""
    if (shown := _shown.get()) is not None:
        shown(words, True)


def share_done(share: float) -> None:
    """Say which share of a part of the work is done, not too often; it begins again with the next part."""
    global _last_share
    if (done := _done.get()) is not None and (now := perf_counter()) - _last_share > OFTEN:
        _last_share = now
        done(share)
