"""Ctrl-C: noted while something is done that must not be cut in two, otherwise raised at once.

Work has `PATIENCE` seconds to come to a good end after it was noted. Then KeyboardInterrupt is raised in the main
thread all the same, because a rule may loop for ever. Compiled code on another thread goes on until it is done.
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

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds after the first Ctrl-C in which work may come to a good end."""
POLL = 0.05
"""Seconds between two looks whether Ctrl-C has come, while another thread works."""
STACK = 16 * 2**20
"""Bytes of stack for work on another thread: compilers nest deeply, and some systems give a thread very little."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C, raised where nothing is half done: what was finished can be shown."""

    def __init__(self) -> None:
        super().__init__()
        _stopped.set()


class _Hold:
    """A piece of work that is not to be cut in two, and whether Ctrl-C has come since it began."""

    came = False


_hold: _Hold | None = None
_overdue: _Hold | None = None
"""The piece of work that has had its time, while the signal that says so is under way."""
_stopped = threading.Event()
_arrivals = 0


def has_stopped() -> bool:
    """Has any work of this process come to a good end because of Ctrl-C?"""
    return _stopped.is_set()


def arrivals() -> int:
    """How often Ctrl-C has come in this process, as far as `interrupt` has been told."""
    return _arrivals


def interrupt(number: int, frame: object) -> None:
    """Signal handler for Ctrl-C: note it while interrupts are held, else raise KeyboardInterrupt."""
    global _arrivals, _overdue
    _arrivals += 1
    if _overdue is not None:
        late, _overdue = _overdue, None
        if late is not _hold:
            return  # the work has ended in the meantime
    hold = _hold
    if hold is None or hold.came:
        raise KeyboardInterrupt
    hold.came = True
    try:
        _thread.start_new_thread(_insist, (hold, number))  # threading.Timer may wait for a lock that is held just now
    except RuntimeError:  # no more threads
        raise KeyboardInterrupt from None


def _insist(hold: _Hold, number: int) -> None:
    global _overdue
    time.sleep(PATIENCE)
    if _hold is hold:
        _overdue = hold
        if hasattr(signal, "pthread_kill"):  # also wakes a thread that waits for another
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            _thread.interrupt_main(signal.Signals(number))


@contextmanager
def held_interrupts() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is only noted; the value says whether it came. It is raised when it comes again, or after `PATIENCE`.

    Outside the main thread, or where the program has a handler of its own, nothing is changed.
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
    """The result of work that can't be interrupted, such as a compilation, done on another thread.

    Raises
    ------
    Stopped
        On Ctrl-C; the work then goes on and its result is lost.
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
    """Start a thread with a large stack; no where the system has no more of them."""
    before = threading.stack_size(STACK)
    try:
        threading.Thread(target=run, name="dicelab-work").start()
    except RuntimeError:
        return False
    finally:
        threading.stack_size(before)
    return True
