"""Plays games in chunks of consecutive indices, on threads, and delivers the results in order.

Since every game has its own random stream, the games do not depend on the chunks, the threads or the engine. Ctrl-C
and the end of the time that is allowed take effect between two chunks, so that no chunk is counted in part; a chunk
that takes longer than `LIMITS.interrupt_seconds` then is given up. No chunk crosses a number of games after which a
precision is checked, so that the totals up to there can be stored. Totals are counts and histograms of integers
(`Tallied`), which merge exactly in any order.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from dicelab.limits import LIMITS
from dicelab.runtime.interrupts import POLL, OutOfTime, Stopped, held_interrupts
from dicelab.runtime.lineup import look_after


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


CHUNK_SECONDS = 0.1
"""Aim for the time of a chunk: short enough for progress and Ctrl-C, long enough that the overhead is negligible."""
LAST_CHUNK = 256
"""Games in a chunk, at least, when the last ones are shared out among threads."""


class Engine(Protocol):
    """Interface of engines. One whose games may take seconds has `is_over`, too: a function, set before it plays, that
    returns whether the time is over; it then raises OutOfTime within a game.
    """

    name: str

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Return the totals of games `low` to ``high - 1`` of a seed."""
        ...


Done = Callable[[Tallied], None]
"""Called with the totals of each chunk, in the order of the game indices."""


def in_chunks(
    engine: Engine,
    seed: int,
    threads: int,
    low: int,
    high: int,
    done: Done,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Play games `low` to ``high - 1`` on threads, calling `done` with each chunk in order.

    Raises
    ------
    Stopped
        On Ctrl-C; OutOfTime when the time `is_over`. The chunks in progress count if they finish soon; `done` has
        received all games up to some index.
    """
    sized = _Sized(engine, seed)
    with held_interrupts() as stopped:
        if engine.name != "reference":  # the main thread plays it: only there can Ctrl-C interrupt a rule
            _ends(engine, lambda: stopped() or is_over())  # what a thread still plays ends at its next roll or choice
            low = _on_threads(sized, threads, low, high, done, stopped, is_over)
        else:
            _ends(engine, is_over)
        while low < high and not stopped():
            if is_over():
                raise OutOfTime
            upto = min(high, low + sized.size, look_after(low))
            with interrupted_between():
                chunk = sized.play(low, upto)
            done(chunk)
            low = upto
    if stopped():
        raise Stopped


def _ends(engine: Engine, is_over: Callable[[], bool]) -> None:
    """Have an engine whose games may take seconds ask whether the time is over."""
    if hasattr(engine, "is_over"):
        engine.is_over = is_over


class _Sized:
    """An engine with a chunk size that it adapts to `CHUNK_SECONDS`."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self.seed = engine, seed
        self.size = 1
        self.largest = getattr(engine, "largest_chunk", LIMITS.chunk_games)

    def play(self, low: int, high: int) -> Tallied:
        began = perf_counter()
        result = self.engine.play(self.seed, low, high)
        seconds = max(perf_counter() - began, 1e-6)
        size = max(1, min(self.largest, int((high - low) * min(4.0, CHUNK_SECONDS / seconds))))
        if high - low == self.size or size > self.size or seconds > CHUNK_SECONDS:  # not because a chunk was cut short
            self.size = size
        return result


@contextmanager
def interrupted_between() -> Iterator[None]:
    """Raise Stopped for KeyboardInterrupt: the chunk being played or awaited isn't counted, so nothing is half done."""
    try:
        yield
    except Stopped:
        raise
    except KeyboardInterrupt:
        raise Stopped from None


def _on_threads(
    sized: _Sized,
    threads: int,
    low: int,
    high: int,
    done: Done,
    stopped: Callable[[], bool],
    is_over: Callable[[], bool],
) -> int:
    """Play on threads; returns the first game not played, after Ctrl-C, at the end of the time, or if the system allows
    no more threads.
    """
    waiting: deque[tuple[int, Future[Tallied]]] = deque()  # chunks submitted and not yet delivered, with first games
    pool, ends_soon = ThreadPoolExecutor(threads), True

    def ended() -> bool:
        return stopped() or is_over()

    try:
        while waiting or (low < high and not ended()):
            while low < high and len(waiting) <= threads and not ended():
                # Half of an equal share at most: chunks shrink at the end, so that all threads finish together.
                share = max(LAST_CHUNK, -(-(high - low) // (2 * threads)))
                upto = min(high, low + min(sized.size, share), look_after(low))
                waiting.append((low, pool.submit(sized.play, low, upto)))
                low = upto
            with interrupted_between():
                chunk = _awaited(waiting[0][1], is_over)
            waiting.popleft()
            done(chunk)
            while ended() and waiting and waiting[-1][1].cancel():  # drop chunks that have not begun
                waiting.pop()
    except Stopped:
        ends_soon = False  # a chunk may never end
        if stopped():
            raise Stopped from None  # by Ctrl-C, although the chunk has found its time over
        raise
    except RuntimeError as error:
        if "new thread" not in str(error):
            raise
        low = waiting[0][0] if waiting else low
    finally:
        pool.shutdown(wait=ends_soon, cancel_futures=True)
    return low


def _awaited(chunk: Future[Tallied], is_over: Callable[[], bool]) -> Tallied:
    """Return the totals of a chunk.

    Raises
    ------
    OutOfTime
        When the time `is_over`, and the chunk not within `LIMITS.interrupt_seconds`.
    """
    while not (chunk.done() or is_over()):
        wait([chunk], POLL)
    wait([chunk], LIMITS.interrupt_seconds)
    if not chunk.done():
        raise OutOfTime
    return chunk.result()
