"""Plays games in chunks of consecutive indices, on threads, and delivers the results in order.

Since every game has its own random stream, the games do not depend on the chunks, the threads or the engine. Ctrl-C
takes effect between two chunks, so that no chunk is counted in part. No chunk crosses a number of games after which a
precision is checked, so that the totals up to there can be stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol

from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import look_after
from dicelab.runtime.totals import Tallied

CHUNK_SECONDS = 0.1
"""Aim for the time of a chunk: short enough for progress and Ctrl-C, long enough that the overhead is negligible."""
LAST_CHUNK = 256
LARGEST_CHUNK = 2**21
"""Limits of the number of games in a chunk: the first one has a single game, because games may take seconds, each one
up to four times as many as the one before; the last ones aren't made smaller than `LAST_CHUNK` to share them out among
threads. An engine may have a `largest_chunk` of its own."""


class Engine(Protocol):
    """Interface of engines."""

    name: str

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Return the totals of games `low` to ``high - 1`` of a seed."""
        ...


Done = Callable[[Tallied], None]
"""Called with the totals of each chunk, in the order of the game indices."""


def in_chunks(engine: Engine, seed: int, threads: int, low: int, high: int, done: Done) -> None:
    """Play games `low` to ``high - 1`` on threads, calling `done` with each chunk in order.

    Raises
    ------
    Stopped
        On Ctrl-C, after the chunks in progress if they finish soon; `done` has received all games up to some index.
    """
    sized = _Sized(engine, seed)
    with held_interrupts() as stopped:
        if engine.name != "reference":  # the main thread plays it: only there can Ctrl-C interrupt a rule
            low = _on_threads(sized, threads, low, high, done, stopped)
        while low < high and not stopped():
            upto = min(high, low + sized.size, look_after(low))
            with interrupted_between():
                chunk = sized.play(low, upto)
            done(chunk)
            low = upto
    if stopped():
        raise Stopped


class _Sized:
    """An engine with a chunk size that it adapts to `CHUNK_SECONDS`."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self.seed = engine, seed
        self.size = 1
        self.largest = getattr(engine, "largest_chunk", LARGEST_CHUNK)

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
    except KeyboardInterrupt:
        raise Stopped from None


def _on_threads(sized: _Sized, threads: int, low: int, high: int, done: Done, stopped: Callable[[], bool]) -> int:
    """Play on threads; returns the first game not played, after Ctrl-C or if the system allows no more threads."""
    waiting: deque[tuple[int, Future[Tallied]]] = deque()  # chunks submitted and not yet delivered, with first games
    pool, wait = ThreadPoolExecutor(threads), True
    try:
        while waiting or (low < high and not stopped()):
            while low < high and len(waiting) <= threads and not stopped():
                # Half of an equal share at most: chunks shrink at the end, so that all threads finish together.
                share = max(LAST_CHUNK, -(-(high - low) // (2 * threads)))
                upto = min(high, low + min(sized.size, share), look_after(low))
                waiting.append((low, pool.submit(sized.play, low, upto)))
                low = upto
            with interrupted_between():
                chunk = waiting[0][1].result()
            waiting.popleft()
            done(chunk)
            while stopped() and waiting and waiting[-1][1].cancel():  # drop chunks that have not begun
                waiting.pop()
    except Stopped:
        wait = False  # a chunk may never end
        raise
    except RuntimeError as error:
        if "new thread" not in str(error):
            raise
        low = waiting[0][0] if waiting else low
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)
    return low
