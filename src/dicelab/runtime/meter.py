"""The work that games take in plain Python, counted and not timed, so that it is the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from dicelab.rules.loading.source import holds_rules

if TYPE_CHECKING:
    from _typeshed import TraceFunction

T = TypeVar("T")
LINES = 1_000
"""Lines of rules that take about as long as what the reference engine itself does for a roll or choice."""
FIRST, EVERY, SAMPLES = 4, 17, 64
"""Of which rolls and choices lines are counted: the first ones, then one in so many (a prime, because turns of games
have two, three or four of them), and how many at the most. Python takes up to a millisecond for 1,000 such lines."""
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
