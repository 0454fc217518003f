"""Plays games in chunks of consecutive indices, on threads, and hands them over in order.

Since every game has its own random stream, the games do not depend on the chunks, the threads or the engine. Ctrl-C is
heeded between two chunks, so that what has been played is never half counted.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol

from dicelab.engines.tally import Tallied

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


class Stopped(KeyboardInterrupt):
    """Ctrl-C, raised between two chunks: nothing is half done."""


@contextmanager
def held_interrupts() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is only noted; the value says whether it came. The second time it is raised at once, as ever.

    Outside the main thread, or where the program has a handler of its own, nothing is changed.
    """
    handler = signal.getsignal(signal.SIGINT)
    held = getattr(handler, "came", None)
    if held is not None:
        yield lambda: bool(held)
        return
    came: list[bool] = []

    def note(number: int, frame: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(True)

    note.came = came  # type: ignore[attr-defined]
    if handler is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def in_chunks(engine: Engine, seed: int, threads: int, low: int, high: int, done: Done) -> None:
    """Play games `low` to ``high - 1`` on threads, calling `done` with each chunk, first games first.

    Raises
    ------
    Stopped
        On Ctrl-C, after the chunks that are being played: `done` then has had all games up to some game.
    """
    size = 1 if engine.name == "reference" else FIRST_CHUNK

    def play(start: int, stop: int) -> Tallied:
        nonlocal size
        began = perf_counter()
        result = engine.play(seed, start, stop)
        seconds = max(perf_counter() - began, 1e-6)
        size = max(1, min(LARGEST_CHUNK, int((stop - start) * min(4.0, CHUNK_SECONDS / seconds))))
        return result

    waiting: deque[Future[Tallied]] = deque()
    with held_interrupts() as stopped, ThreadPoolExecutor(threads) as pool:
        try:
            while waiting or (low < high and not stopped()):
                while low < high and len(waiting) <= threads and not stopped():
                    share = max(
                        FIRST_CHUNK, -(-(high - low) // (2 * threads))
                    )  # so that all end at about the same time
                    upto = min(high, low + min(size, share))
                    waiting.append(pool.submit(play, low, upto))
                    low = upto
                done(waiting.popleft().result())
                while stopped() and waiting and waiting[-1].cancel():
                    waiting.pop()
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    if stopped():
        raise Stopped
