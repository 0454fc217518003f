"""Wishes for the figures of a game: ``gap<1%``, ``turns=8..12``, ``0>=45%``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf

from dicelab.errors import ParameterError
from dicelab.results.numbers.estimates import Point
from dicelab.rules.params import share

HOLDS, FAILS, OPEN = "holds", "fails", "open"
"""Whether a figure is as wished; open where the interval of an estimate reaches across an end."""
WRITTEN = re.compile(r"\s*([^<>=\s]+)\s*(<=|>=|<|>|=)\s*(.+?)\s*")
EXAMPLES = "gap<1%, turns=8..12 or 0>=45%"


@dataclass(frozen=True)
class Wish:
    """A range in which a figure is wanted; the ends are allowed.

    Attributes
    ----------
    text
        As it was written.
    figure
        An outcome (its probability), a tally (its mean), or a measure of fairness.
    low, high
        The ends of the range, infinite if there is none.

    Examples
    --------
    >>> Wish.of("gap<1%")
    Wish(text='gap<1%', figure='gap', low=-inf, high=0.01)
    >>> Wish.of("turns=8..12").low
    8.0
    """

    text: str
    figure: str
    low: float
    high: float

    @classmethod
    def of(cls, text: str) -> Wish:
        """Parse a wish.

        Raises
        ------
        ParameterError
        """
        found = WRITTEN.fullmatch(text)
        if found is None:
            raise ParameterError(f"want: {text!r} is not allowed; it is written {EXAMPLES}")
        figure, mark, value = found.groups()
        if mark == "=":
            first, dots, last = value.partition("..")
            if not dots:
                raise ParameterError(f"want: {text!r} has one number; give a range, such as {figure}=8..12")
            low, high = share(first, "want"), share(last, "want")
            if low > high:
                raise ParameterError(f"want: {text!r} has no values; the range goes up")
            return cls(text, figure, low, high)
        end = share(value, "want")
        return cls(text, figure, -inf, end) if mark in ("<", "<=") else cls(text, figure, end, inf)

    def judged(self, point: Point) -> str:
        """Whether a figure with this interval is as wished."""
        if self.low <= point.low and point.high <= self.high:
            return HOLDS
        return FAILS if point.high < self.low or point.low > self.high else OPEN

    def off(self, value: float) -> float:
        """How far a value lies outside of the range; 0 inside."""
        return max(0.0, self.low - value, value - self.high)
