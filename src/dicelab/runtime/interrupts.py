"""Ctrl-C: deferred while work is done that must not be interrupted halfway, otherwise raised at once.

Deferred work has `LIMITS.interrupt_seconds` to finish. Then KeyboardInterrupt is raised in the main thread anyway,
because a rule may contain an endless loop. Compiled code on another thread continues until it is done.
"""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from dicelab.limits import LIMITS

T = TypeVar("T")
POLL = 0.05
"""Seconds between two checks for Ctrl-C while another thread works."""
STACK = 16 * 2**20
"""Bytes of stack for work on another thread: compilers recurse deeply, and some systems have small default stacks."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C, raised at a point where no work is half done, so that finished results can be shown."""

    def __init__(self) -> None:
        super().__init__()
        _stopped.set()


class OutOfTime(Stopped):
    """The end of the time that was allowed, which stops work as Ctrl-C does."""


class _Hold:
    """Work during which Ctrl-C is deferred; `came` is set by Ctrl-C."""

    came = False


_hold: _Hold | None = None
_overdue: _Hold | None = None
"""Work that has exceeded `LIMITS.interrupt_seconds`, from then until its signal is handled."""
_stopped = threading.Event()
_arrivals = 0


def has_stopped() -> bool:
    """Return whether any work of this process was stopped, by Ctrl-C or at the end of its time, at a point where
    nothing was half done; threads may still play what is then not counted.
    """
    return _stopped.is_set()


def begin_command() -> None:
    """Forget that work of this process was stopped before a command began."""
    _stopped.clear()


def arrivals() -> int:
    """Return how many signals `interrupt` has handled in this process."""
    return _arrivals


def interrupt(number: int, frame: object) -> None:
    """Signal handler for Ctrl-C: record it while interrupts are deferred, otherwise raise KeyboardInterrupt."""
    global _arrivals, _overdue
    _arrivals += 1
    if _overdue is not None:
        late, _overdue = _overdue, None
        if late is not _hold:
            return  # this signal is from _insist, and the work has finished in the meantime
    hold = _hold
    if hold is None or hold.came:
        raise KeyboardInterrupt
    hold.came = True
    try:
        # not threading.Timer: it takes locks that the interrupted code may hold
        _thread.start_new_thread(_insist, (hold, number))
    except RuntimeError:  # no more threads
        raise KeyboardInterrupt from None


def _insist(hold: _Hold, number: int) -> None:
    """Send the signal again after `LIMITS.interrupt_seconds`, if the work has not finished by then."""
    global _overdue
    time.sleep(LIMITS.interrupt_seconds)
    if _hold is hold:
        _overdue = hold
        if hasattr(signal, "pthread_kill"):  # also wakes the main thread if it waits for another
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            _thread.interrupt_main(signal.Signals(number))


@contextmanager
def held_interrupts() -> Iterator[Callable[[], bool]]:
    """Defer Ctrl-C; yields a function that returns whether it came. A second one, or a second, raises it.

    Outside the main thread, or if the program has its own signal handler, Ctrl-C is not deferred.
    """
    global _hold
    if _hold is not None:
        outer = _hold
        yield lambda: outer.came
        return
    plain = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ours = any(signal.getsignal(number) is interrupt for number in (signal.SIGINT, signal.SIGTERM))
    if threading.current_thread() is not threading.main_thread() or not (plain or ours):
        yield lambda: False
        return
    hold = _hold = _Hold()
    try:
        if plain:
            signal.signal(signal.SIGINT, interrupt)
        yield lambda: hold.came
    finally:
        _hold = None
        if plain:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def on_another_thread(work: Callable[[], T]) -> T:
    """Return the result of work that can't be interrupted, such as a compilation, done on another thread.

    Raises
    ------
    Stopped
        On Ctrl-C; the work then continues in the background, and its result is discarded.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    if not _started(run):
        return work()
    with held_interrupts() as stopped:
        while not result.done():
            try:
                result.exception(POLL)
            except TimeoutError:
                if stopped():
                    raise Stopped from None
            except KeyboardInterrupt:
                raise Stopped from None
    return result.result()


def _started(run: Callable[[], None]) -> bool:
    """Start a thread with a large stack; returns False if the system allows no more threads."""
    before = threading.stack_size(STACK)
    try:
        threading.Thread(target=run, name="dicelab-work").start()
    except RuntimeError:
        return False
    finally:
        threading.stack_size(before)
    return True
