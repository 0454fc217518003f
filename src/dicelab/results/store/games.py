"""The games of a run, read from a store and added to it while they are played.

A run is stored as segments: the totals of games 0 to 9, 10 to 12, and so on (`dicelab.runtime.lineup.part_after`), as
far as chunks end there. No segment crosses a number of games after which a precision is checked
(`dicelab.runtime.lineup.looks`), so that any precision stops where it would have stopped without a store. Totals and
range of a segment are written together, and only where the stored games end: no game can be counted twice.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from dicelab.errors import StoreError
from dicelab.results.store.database import Database, Execute, Lease, StoreWarning
from dicelab.results.store.encoding import OtherVersion, StoredQuestion, from_bytes, to_bytes
from dicelab.runtime.lineup import part_after
from dicelab.runtime.scheduler import Tallied
from dicelab.version import __version__

# Segments -------------------------------------------------------------------------------------------------------------
#
# Totals of consecutive games, as they are stored: integers that merge, and that can be divided again.


@dataclass
class Segment:
    """The totals of games `low` to ``high - 1``."""

    low: int
    high: int
    total: Tallied

    @classmethod
    def read(cls, low: int, high: int, content: bytes) -> Segment:
        """Return a segment from its bytes.

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
        """Return the rest of a segment whose first games are `first`.

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
    """Return the rows of all games as one int64 array (games, 1 + tallies)."""
    import numpy as np

    return np.concatenate([np.asarray(part, np.int64) for part in records])


SECONDS = 1.0
"""Time between two writes: what `kill -9` loses at most, beside the chunk that is being played."""


class KeptGames:
    """The games of a question in a store; without a store it does nothing.

    Parameters
    ----------
    store
        The file; None for no store.
    question
        The question with its seed; called only with a store.
    nothing
        The totals of no games.
    head
        Returns the result so far, without totals; its text is what `dicelab runs` shows.

    Attributes
    ----------
    end
        The number of games read and added so far.
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | None,
        question: Callable[[], StoredQuestion],
        nothing: Tallied,
        head: Callable[[], Any],
    ) -> None:
        self.path, self.nothing, self.head = store, nothing, head
        self.question = question
        self.end = 0
        self._rows: list[Segment] = []  # to be written; the last one may be written already, and grow
        self._database: Database | None = None
        self._lease: Lease | None = None
        self._began = time.perf_counter()

    def __enter__(self) -> Self:
        if self.path is not None:
            self._asked = self.question()
            self._database = Database(self.path)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        database = self._database
        if database is not None:
            try:
                self._write()
                if self._lease is not None:
                    self._lease.release()
            finally:
                database.close()

    def upto(self, wanted: int) -> Tallied:
        """Return the stored games from number `end` on, up to `wanted` at most; takes the lease if some are missing.

        Waits while another process plays games that are missing.
        """
        total = self._empty()
        for part in self.parts(wanted):
            total.merge(part)
        return total

    def parts(self, wanted: int) -> Iterator[Tallied]:
        """Yield the same games part by part, as they were stored."""
        if self._database is not None:
            if self._lease is None:
                self._claim(self._database, wanted)
            yield from self._read(self._database, wanted)

    def _empty(self) -> Tallied:
        return deepcopy(self.nothing)

    def _claim(self, database: Database, wanted: int) -> None:
        """Take the lease if there is no segment that ends at `wanted`, or wait for one; the last one may still grow."""
        lease: Lease | None = None
        while wanted not in (ends := self._ends(database)):
            lease = lease or Lease(database, self._asked)
            if lease.take():
                self._lease = lease
                return
            if max(ends, default=0) > wanted:
                return  # the few games since the last segment that ends before are played, and not stored
            lease.wait()

    def _ends(self, database: Database) -> set[int]:
        """Return where the stored segments end."""
        run = "(SELECT id FROM run WHERE key = ?)"
        return {high for (high,) in database.read(f"SELECT high FROM totals WHERE run = {run}", self._asked.key)}

    def _read(self, database: Database, wanted: int) -> Iterator[Tallied]:
        """Yield the totals of the stored segments that begin at `end`."""
        rows = database.read(
            "SELECT low, high, totals FROM totals WHERE run = (SELECT id FROM run WHERE key = ?) AND low >= ? AND"
            " high <= ? ORDER BY low",
            self._asked.key, self.end, wanted,
        )  # fmt: skip
        for row in rows:
            segment = self._segment(*row)
            if segment.low != self.end:
                raise database.damaged(f"games {self.end} to {segment.low - 1} of a run are missing")
            self.end = segment.high
            yield segment.total

    def _segment(self, low: int, high: int, content: bytes) -> Segment:
        assert self._database is not None
        try:
            return Segment.read(low, high, content)
        except Exception as error:  # damaged bytes can raise almost anything
            raise self._database.damaged(str(error)) from error

    def known(self, games: int) -> Any:
        """Return the stored result, without totals, if it is of exactly these games and none had to be played; else
        None.
        """
        if self._database is None or self._lease is not None:
            return None
        rows = self._database.read("SELECT answer FROM run WHERE key = ? AND answer IS NOT NULL", self._asked.key)
        with suppress(OtherVersion, ValueError):  # then it is computed from the totals
            kept = from_bytes(rows[0][0]) if rows else None
            return kept if kept is not None and (kept.games, kept.version) == (games, __version__) else None
        return None

    def add(self, chunk: Tallied) -> None:
        """Add the games that come next; they are written every `SECONDS`."""
        low, self.end = self.end, self.end + chunk.games
        if self._lease is None:
            return
        if not self._rows or self._rows[-1].high >= part_after(self._rows[-1].low):
            self._rows.append(Segment(low, low, self._empty()))
        self._rows[-1].add(chunk)
        if time.perf_counter() - self._began > SECONDS:
            self._write()

    def _write(self) -> None:
        """Write what was added since the last time, in one transaction; on failure, warn once and write no more."""
        if self._lease is None or self._database is None or not self._rows:
            return
        now = time.perf_counter()
        try:
            head = to_bytes(self.head())
            with self._lease.change(now - self._began) as execute:
                divided = [_put(execute, self._lease.run, row, self._segment) for row in self._rows]
                if not any(divided):  # else the stored result is one of more games
                    execute("UPDATE run SET answer = ? WHERE id = ?", head, self._lease.run)
        except StoreError as error:
            self._lease.release()
            self._database.close()
            self._lease = self._database = None
            warnings.warn(f"not all games could be stored: {error}", StoreWarning, stacklevel=2)
            return
        whole = any(divided) or self._rows[-1].total.records  # records are not written again and again
        self._rows = [] if whole else self._rows[-1:]
        self._began = now


def _put(execute: Execute, run: int, row: Segment, read: Callable[[int, int, bytes], Segment]) -> bool:
    """Write a segment; return whether it was part of one that was stored, which is then divided.

    Raises
    ------
    StoreError
        When the stored games do not end where the segment begins, or where it was last written.
    """
    stored = execute("SELECT low, high, totals FROM totals WHERE run = ? AND low = ?", run, row.low).fetchone()
    if stored is not None and stored[1] == row.high:
        return False  # it was written, and an interrupt came before this was noted
    divided = stored is not None and stored[1] > row.high
    if divided:
        _insert(execute, run, read(*stored).after(row))
    elif execute("SELECT max(high) FROM totals WHERE run = ?", run).fetchone()[0] not in (
        *([stored[1]] if stored is not None else []),
        *([None] if row.low == 0 else [row.low]),
    ):
        raise StoreError("the stored games are not those before the ones that were played")
    _insert(execute, run, row)
    return divided


def _insert(execute: Execute, run: int, row: Segment) -> None:
    execute("INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?)", run, row.low, row.high, row.content)


def seed_in(store: str | os.PathLike[str] | None, seed: object, question: Callable[[], StoredQuestion]) -> object:
    """Return the seed given; without one, that of the run of this question that was played last."""
    if store is None or seed is not None:
        return seed
    with Database(store) as database:
        rows = database.read("SELECT question FROM run WHERE asked = ? ORDER BY changed DESC LIMIT 1", question().asked)
    return json.loads(rows[0][0])["seed"] if rows else None
