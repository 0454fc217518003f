"""The process of a command: it ends within two seconds of Ctrl-C, whatever it does just then.

Python runs signal handlers between two steps of the main thread, and so not while that thread is inside compiled code,
or inside the compiler. So the system also writes each signal to a pipe, and a thread that reads there ends the process
if the command has not ended by itself.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from dicelab.runtime import interrupts, leftovers

INTERRUPTED = 130
SECONDS = 1.7
"""Seconds after Ctrl-C in which a command may end by itself."""
WRITING = 8.0
"""Seconds more where it has stopped playing, and only shows or writes what it has."""
ENDING = {signal.SIGINT, signal.SIGTERM}

_ended = threading.Event()
_interrupted = threading.Event()


def run() -> None:
    """Run the command line; ends the process."""
    _watch_signals()
    _spare_memory()
    sys.unraisablehook = _unraisable
    try:
        status = _run()
    except KeyboardInterrupt:  # before the command, or after it
        status = INTERRUPTED
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
    _ended.set()
    if _interrupted.is_set():
        _end(status)  # threads may still play, and Python would wait for them
    sys.exit(status)


def _spare_memory() -> None:
    """Where memory is limited, have numpy and scipy start no threads, whose room at start-up would fill it.

    Without that room they retry for ever, where no signal is heeded.
    """
    with suppress(ImportError):  # Windows
        import resource

        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _run() -> int:
    """Run the command line; its exit status. No signal ends the process any more when it is done."""
    from dicelab.cli.main import main

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupts.interrupt)
    status: object = 1
    try:
        main()
    except SystemExit as ended:
        status = ended.code
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    return status if isinstance(status, int) else 1


def _watch_signals() -> None:
    """Start the thread that ends the process; where the system lets no more threads start there is none."""
    if os.name == "nt":
        return
    read, write = (_above_streams(end) for end in os.pipe())
    os.set_blocking(write, False)
    with suppress(RuntimeError):
        _thread.start_new_thread(_wait_for_signal, (read,))
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)


def _above_streams(file: int) -> int:
    """The same file under a number that is not that of a standard stream, which the shell may have closed."""
    if file > 2:
        return file
    higher = _above_streams(os.dup(file))
    os.close(file)
    return higher


def _wait_for_signal(pipe: int) -> None:
    while not ENDING.intersection(os.read(pipe, 1)):
        pass
    _interrupted.set()
    if _ended.wait(SECONDS) or (interrupts.has_stopped() and _ended.wait(WRITING)):
        return
    with suppress(OSError):
        os.write(2, b"dicelab: interrupted\n")
    _end(INTERRUPTED)


def _end(status: int) -> None:
    """End the process now; Python's own way would wait for threads that may never end."""
    leftovers.remove_claimed()
    for stream in (sys.stdout, sys.stderr):
        if status != INTERRUPTED or threading.current_thread() is threading.main_thread():
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
    os._exit(status)


def _unraisable(what: Any) -> None:
    """Ctrl-C that came where Python can't raise it, in a destructor for example, comes once more instead."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(what)
