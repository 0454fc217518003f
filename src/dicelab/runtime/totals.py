"""What many games add up to: counts and histograms of integers, which merge exactly in any order."""

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
        For each outcome and each tally how many games ended with each value.
    records
        Where they are kept, rows of outcome and tallies of each game in order: arrays or lists, one after the other.
    """

    counts: list[int]
    histograms: list[list[Counter[int]]] = field(default_factory=list)
    records: list[Any] = field(default_factory=list)

    @classmethod
    def empty(cls, outcomes: int, tallies: int) -> Tallied:
        """No games yet."""
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
        """Add what a kernel counted.

        Parameters
        ----------
        counts
            int64 array (outcomes,).
        histograms
            int64 array (outcomes, tallies, values), the first value being `lowest`.
        others
            int64 array (n, 3): outcome, tally and value of what lay outside that range.
        """
        for outcome, count in enumerate(counts.tolist()):
            self.counts[outcome] += count
        where = histograms.nonzero()
        for outcome, tally, at, n in zip(*(w.tolist() for w in where), histograms[where].tolist(), strict=True):
            self.histograms[outcome][tally][at + lowest] += n
        for outcome, tally, value in others.tolist():
            self.histograms[outcome][tally][value] += 1

    def merge(self, other: Tallied) -> None:
        """Add the games of another run of the same game, played after these."""
        self.records += other.records
        for outcome, count in enumerate(other.counts):
            self.counts[outcome] += count
            for mine, more in zip(self.histograms[outcome], other.histograms[outcome], strict=True):
                mine.update(more)

    def histogram(self, tally: int) -> Counter[int]:
        """Games by the value of a tally, whatever their outcome."""
        total: Counter[int] = Counter()
        for by_tally in self.histograms:
            total.update(by_tally[tally])
        return total
