"""Time spent on an answer, without the time for imports and compilation, and the work that games take in plain Python.

That work is counted and not timed, so that it is the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter, process_time
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from dicelab.rules.loading.source import holds_rules

if TYPE_CHECKING:
    from _typeshed import TraceFunction

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


T = TypeVar("T")
LINES = 1_000
"""Lines of rules that take about as long as what the reference engine itself does for a roll or choice."""
FIRST, EVERY, SAMPLES = 4, 17, 64
"""The rolls and choices whose lines are counted: the first ones, then one in so many (a prime, because turns of games
have two, three or four of them), and at most so many. Python takes up to a millisecond for 1,000 such lines."""
ENOUGH, MOST_LINES = 200_000, 500_000
"""Lines after which no more rolls and choices are sampled, and those that are counted of one of them."""


class TooMuch(Exception):
    """Raised when one game takes more work than a meter allows."""


class Meter:
    """Counts the work of games: a roll or choice is one, and as many as its rules have runs of `LINES` lines.

    Parameters
    ----------
    most
        Work at which a single game is given up.

    Attributes
    ----------
    steps
        Number of rolls and choices.

    Examples
    --------
    >>> meter = Meter(most=1000)
    >>> list(meter.over(iter("abc"))), meter.work
    (['a', 'b', 'c'], 3.0)
    """

    def __init__(self, most: float) -> None:
        self.most = most
        self.steps = 0
        self._cost = 1.0
        self._lines: list[int] = []
        self._every = EVERY

    @property
    def work(self) -> float:
        """The work so far."""
        return self.steps * self._cost

    def over(self, steps: Iterator[T]) -> Iterator[T]:
        """Yield the rolls and choices of a game, counted."""
        before = self.steps
        while True:
            sampled = self.steps < FIRST or (self._every and self.steps % self._every == 0)
            step = self._sample(steps) if sampled and sys.gettrace() is None else next(steps, None)
            if step is None:
                return
            self.steps += 1
            if (self.steps - before) * self._cost >= self.most:
                raise TooMuch
            yield step

    def _sample(self, steps: Iterator[T]) -> T | None:
        """Return the next roll or choice, with its lines counted; not to be called where something
        else follows lines.
        """
        lines = 0

        def called(frame: FrameType, event: str, _: object) -> TraceFunction | None:
            return line if holds_rules(frame.f_globals.get("__name__", "")) else None

        def line(frame: FrameType, event: str, _: object) -> TraceFunction:
            nonlocal lines
            lines += event == "line"
            if lines >= MOST_LINES:
                sys.settrace(None)
            return line

        sys.settrace(called)
        try:
            return next(steps, None)
        finally:
            if sys.gettrace() is called:
                sys.settrace(None)
            # The largest is left out: a strategy may make a table at its first choice that serves all others.
            self._lines.append(lines)
            usual = sorted(self._lines)[: max(1, len(self._lines) - 1)]
            self._cost = max(1.0, sum(usual) / len(usual) / LINES)
            if len(self._lines) >= SAMPLES or sum(self._lines) >= ENOUGH:
                self._every = 0
