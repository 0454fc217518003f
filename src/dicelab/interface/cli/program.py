"""The process of a command; it ends within two seconds of Ctrl-C even inside compiled code.

Python runs signal handlers between byte codes of the main thread, so not while that thread is in compiled code or in
the compiler. Therefore Python's C-level handler also writes each signal to a pipe (`signal.set_wakeup_fd`), and a
thread that reads the pipe ends the process if the command has not ended by itself.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from dicelab.runtime import interrupts, leftovers
from dicelab.runtime.timing import stopped_at

INTERRUPTED = 130
LEAST = 700_000_000
"""Bytes of address space without which NumPy's and SciPy's libraries fail to start, some of them by hanging."""
SECONDS = 1.7
"""Seconds after Ctrl-C before the process is ended."""
WRITING = 8.0
"""Additional seconds for a command that has stopped playing and is writing its results."""
ENDING = {signal.SIGINT, signal.SIGTERM}

_ended = threading.Event()
_interrupted = threading.Event()


def run() -> None:
    """Run the command line and end the process with its exit status."""
    interrupts.begin_command()
    _watch_signals()
    _spare_memory()
    sys.unraisablehook = _unraisable
    try:
        status = _run()
    except KeyboardInterrupt:  # before the command began or after it ended
        status = INTERRUPTED
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
    _ended.set()
    if _interrupted.is_set() or interrupts.has_stopped():
        _end(status)  # `sys.exit` would wait for threads that still play
    exec("")  # Python ends itself by SIGINT if Ctrl-C interrupted the last `exec` of a text, even if it was caught
    sys.exit(status)


def _spare_memory() -> None:
    """Restrict OpenBLAS to one thread if memory is limited (ulimit -v), and refuse to start with less than `LEAST`.

    Each of its threads reserves memory at start-up. If that fails, OpenBLAS retries without end and without handling
    signals.
    """
    with suppress(ImportError):  # Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return
        if limit < LEAST:
            raise SystemExit(
                f"dicelab: memory is limited to {limit / 1e6:.0f} MB (ulimit -v); {LEAST / 1e6:.0f} MB are needed"
            )
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _run() -> int:
    """Run the command line and return its exit status; afterwards SIGINT and SIGTERM are ignored."""
    from dicelab.interface.cli.main import main

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
    """Start the thread that ends the process after a signal; does nothing if no more threads can be started."""
    if os.name == "nt":
        return
    read, write = (_above_streams(end) for end in os.pipe())
    os.set_blocking(write, False)
    with suppress(RuntimeError):
        _thread.start_new_thread(_wait_for_signal, (read,))
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        # A child that is ended by SIGTERM would write into this pipe, and the thread above would end this process.
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))


def _above_streams(file: int) -> int:
    """Duplicate a file descriptor until its number is above 2: a closed standard stream leaves its number free."""
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
        os.write(2, f"dicelab: {stopped_at()}\n".encode())
    _end(INTERRUPTED)


def _end(status: int) -> None:
    """End the process now, without waiting for other threads, which may never end."""
    leftovers.remove_claimed()
    for stream in (sys.stdout, sys.stderr):
        if status != INTERRUPTED or threading.current_thread() is threading.main_thread():
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
    os._exit(status)


def _unraisable(what: Any) -> None:
    """Interrupt the main thread again if Ctrl-C arrived where Python can't raise it, such as in a destructor."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        with suppress(RuntimeError):
            _thread.start_new_thread(_interrupt_again, ())
    else:
        sys.__unraisablehook__(what)


def _interrupt_again() -> None:
    """Interrupt the main thread a little later, when it has left `_unraisable`, where nothing can be raised."""
    time.sleep(0.02)
    _thread.interrupt_main()
