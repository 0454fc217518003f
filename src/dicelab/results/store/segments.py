"""Totals of consecutive games, as they are stored: integers that merge, and that can be divided again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from dicelab.results.store.encoding import from_bytes, to_bytes
from dicelab.runtime.totals import Tallied


@dataclass
class Segment:
    """The totals of games `low` to ``high - 1``."""

    low: int
    high: int
    total: Tallied

    @classmethod
    def read(cls, low: int, high: int, content: bytes) -> Segment:
        """A segment from its bytes.

        Raises
        ------
        ValueError
            When they are damaged, or are the totals of another number of games.
        """
        counts, histograms, records = from_bytes(content)
        total = Tallied(counts, histograms, [records] if records is not None else [])
        if total.games != high - low or any(
            sum(histogram.values()) != count
            for count, by_tally in zip(counts, histograms, strict=True)
            for histogram in by_tally
        ):
            raise ValueError(f"the totals of games {low} to {high - 1} don't add up")
        return cls(low, high, total)

    @property
    def content(self) -> bytes:
        """The segment as bytes."""
        records = _joined(self.total.records) if self.total.records else None
        return to_bytes((self.total.counts, self.total.histograms, records))

    def add(self, chunk: Tallied) -> None:
        """Add the games that come next."""
        self.total.merge(chunk)
        self.high += chunk.games

    def after(self, first: Segment) -> Segment:
        """The rest of a segment whose first games are `first`.

        Raises
        ------
        ValueError
            When the games of `first` are not among them.
        """
        counts = [whole - part for whole, part in zip(self.total.counts, first.total.counts, strict=True)]
        histograms = [
            [_difference(whole, part) for whole, part in zip(*pair, strict=True)]
            for pair in zip(self.total.histograms, first.total.histograms, strict=True)
        ]
        if min(counts) < 0:
            raise ValueError(f"the totals of games {first.low} to {first.high - 1} are not those that were stored")
        records = [_joined(self.total.records)[first.high - first.low :]] if self.total.records else []
        return Segment(first.high, self.high, Tallied(counts, histograms, records))


def _difference(whole: Counter[int], part: Counter[int]) -> Counter[int]:
    rest = Counter(whole)
    rest.subtract(part)
    if any(n < 0 for n in rest.values()):
        raise ValueError("the games played again are not those that were stored")
    return +rest  # without zeros


def _joined(records: list[Any]) -> Any:
    """The rows of all games as one int64 array (games, 1 + tallies)."""
    import numpy as np

    return np.concatenate([np.asarray(part, np.int64) for part in records])
