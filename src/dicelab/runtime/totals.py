"""Totals of many games: counts and histograms of integers, which merge exactly in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Tallied:
    """Outcomes and tallies of a run of games.

    Attributes
    ----------
    counts
        Games that ended in each outcome.
    histograms
        For each outcome and each tally, the number of games that ended with each value.
    records
        If kept, arrays or lists of rows (outcome, tallies...), one row per game, in the order of the games.
    """

    counts: list[int]
    histograms: list[list[Counter[int]]] = field(default_factory=list)
    records: list[Any] = field(default_factory=list)
    left: int = field(default=0, compare=False)
    """Games that compiled code could not play; see `dicelab.engines.player.slow_games`."""

    @classmethod
    def empty(cls, outcomes: int, tallies: int) -> Tallied:
        """Return the totals of no games."""
        return cls([0] * outcomes, [[Counter() for _ in range(tallies)] for _ in range(outcomes)])

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.counts)

    def count(self, outcome: int, tallies: Iterable[int]) -> None:
        """Add one game."""
        self.counts[outcome] += 1
        for histogram, value in zip(self.histograms[outcome], tallies, strict=True):
            histogram[value] += 1

    def add(self, counts: Any, histograms: Any, lowest: int, others: Any) -> None:
        """Add the arrays that a kernel has filled.

        Parameters
        ----------
        counts
            int64 array (outcomes,).
        histograms
            int64 array (outcomes, tallies, values), the first value being `lowest`.
        others
            int64 array (n, 3): outcome, tally and value, one row for each value outside that range.
        """
        for outcome, count in enumerate(counts.tolist()):
            self.counts[outcome] += count
        where = histograms.nonzero()
        for outcome, tally, at, n in zip(*(w.tolist() for w in where), histograms[where].tolist(), strict=True):
            self.histograms[outcome][tally][at + lowest] += n
        for outcome, tally, value in others.tolist():
            self.histograms[outcome][tally][value] += 1

    def merge(self, other: Tallied) -> None:
        """Add the totals of another run of the same game, whose games come after these."""
        self.records += other.records
        self.left += other.left
        for outcome, count in enumerate(other.counts):
            self.counts[outcome] += count
            for mine, more in zip(self.histograms[outcome], other.histograms[outcome], strict=True):
                mine.update(more)

    def histogram(self, tally: int) -> Counter[int]:
        """Return the number of games for each value of a tally, all outcomes together."""
        total: Counter[int] = Counter()
        for by_tally in self.histograms:
            total.update(by_tally[tally])
        return total
