"""Plays games in chunks of consecutive indices, on threads, and hands them over in order.

Since every game has its own random stream, the games do not depend on the chunks, the threads or the engine. Ctrl-C is
heeded between two chunks, so that what has been played is never half counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol

from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.totals import Tallied

CHUNK_SECONDS = 0.1
"""Time that a chunk should take: often enough for progress and Ctrl-C, rarely enough to cost nothing."""
FIRST_CHUNK = 256
LARGEST_CHUNK = 2**21


class Engine(Protocol):
    """Plays games `low` to ``high - 1`` of a seed."""

    name: str

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play them."""
        ...


Done = Callable[[Tallied], None]
"""Receives the games of one chunk; chunks come in the order of their game indices."""


def in_chunks(engine: Engine, seed: int, threads: int, low: int, high: int, done: Done) -> None:
    """Play games `low` to ``high - 1`` on threads, calling `done` with each chunk, first games first.

    Raises
    ------
    Stopped
        On Ctrl-C, after the chunks that are being played if they end soon; `done` has had all games up to some game.
    """
    sized = _Sized(engine, seed)
    with held_interrupts() as stopped:
        if engine.name != "reference":  # that one is interrupted in the middle of a rule, which needs the main thread
            low = _on_threads(sized, threads, low, high, done, stopped)
        while low < high and not stopped():
            upto = min(high, low + sized.size)
            with interrupted_between():
                chunk = sized.play(low, upto)
            done(chunk)
            low = upto
    if stopped():
        raise Stopped


class _Sized:
    """An engine that finds out how many games take `CHUNK_SECONDS`."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self.seed = engine, seed
        self.size = 1 if engine.name == "reference" else FIRST_CHUNK

    def play(self, low: int, high: int) -> Tallied:
        began = perf_counter()
        result = self.engine.play(self.seed, low, high)
        seconds = max(perf_counter() - began, 1e-6)
        self.size = max(1, min(LARGEST_CHUNK, int((high - low) * min(4.0, CHUNK_SECONDS / seconds))))
        return result


@contextmanager
def interrupted_between() -> Iterator[None]:
    """KeyboardInterrupt in a chunk, or while one is waited for: the chunk is not counted, so nothing is half done."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped from None


def _on_threads(sized: _Sized, threads: int, low: int, high: int, done: Done, stopped: Callable[[], bool]) -> int:
    """Play on threads; the first game that is left, because Ctrl-C came or the system lets no more threads start."""
    waiting: deque[tuple[int, Future[Tallied]]] = deque()
    pool, wait = ThreadPoolExecutor(threads), True
    try:
        while waiting or (low < high and not stopped()):
            while low < high and len(waiting) <= threads and not stopped():
                share = max(FIRST_CHUNK, -(-(high - low) // (2 * threads)))  # so that all end at about the same time
                upto = min(high, low + min(sized.size, share))
                waiting.append((low, pool.submit(sized.play, low, upto)))
                low = upto
            with interrupted_between():
                chunk = waiting[0][1].result()
            waiting.popleft()
            done(chunk)
            while stopped() and waiting and waiting[-1][1].cancel():
                waiting.pop()
    except Stopped:
        wait = False  # a chunk may take for ever
        raise
    except RuntimeError as error:
        if "new thread" not in str(error):
            raise
        low = waiting[0][0] if waiting else low
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)
    return low
