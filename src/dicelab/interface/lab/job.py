"""A job: one task in a process of its own, with limits of time and memory; it ends when nobody waits for it.

Processes are forked from one that has imported everything, so that a job starts in a few hundredths of a second.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
from collections import OrderedDict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from typing import Any

from dicelab.interface.lab.work.process import preload, run
from dicelab.limits import LIMITS
from dicelab.translation.verdicts import cache_root

SECONDS = 60.0
"""Limit of the time of a job that answers one question."""
GRACE = 3.0
"""Seconds for which a job goes on without a page that waits: a page asks for its charts after it has loaded."""
STAYING, IDLE = 4, 300.0
"""Processes that stay for the next question of their kind, at most, and the seconds for which one waits for it."""
LARGEST = 64 << 20
"""Limit of the length of a message, in bytes."""
WARMING = 600.0
"""Seconds that the imports of the first worker may take."""
LOOK = 1.0
"""Seconds between two looks at whether a job may take longer."""
DIED = "the worker process died; a new one takes the next question"
TIMED_OUT = "this took longer than the {seconds:g} seconds that the lab allows; the command has no such limit"
CANCELLED = "the work on this question was cancelled"
BUSY = "the lab runs as many questions as it can; close a page, or wait"
YOURS = f"{LIMITS.jobs_each} of your questions are worked on already; close a page, or wait"
visitor: ContextVar[str] = ContextVar("visitor", default="")
"""Who asks, where others are let in; empty for the person whose lab it is."""

_threads = ThreadPoolExecutor(2 * LIMITS.jobs)
_running: set[Job] = set()
_warm: list[bool] = []
_staying: OrderedDict[str, Job] = OrderedDict()
"""The last job of each process that stays, by what it stays for."""


@dataclass(frozen=True)
class JobLimits:
    """What one job may use: seconds, bytes of memory, and seconds without a page that waits for it.

    Its process stays for the next one with the same text `stays`, unless that is empty.
    """

    seconds: float = SECONDS
    memory: int = LIMITS.job_bytes
    grace: float = GRACE
    stays: str = ""


@cache
def _context() -> Any:
    """Return the way in which processes are started."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads can't be forked safely
    os.environ.setdefault("MPLCONFIGDIR", str(cache_root() / "matplotlib"))  # the lab writes nowhere else
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(preload())
    return context


def warm() -> None:
    """Start the process from which workers are forked, which imports for seconds; don't wait for it."""
    if _context().get_start_method() == "forkserver":
        forkserver.ensure_running()


class Job:
    """A task that is running, or has run."""

    def __init__(self, task: str, limits: JobLimits, **arguments: Any) -> None:
        self.task, self.limits, self.arguments = task, limits, arguments
        self.cancelled = False
        self.visitor = visitor.get()
        self._process: Any = None
        self._pipe: Any = None

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Start the task and yield its messages; the last one has the key ``done`` or ``error``.

        The process is killed when the iteration ends early, and after the limit of time; it may stay after an answer.
        """
        mine = sum(job.visitor == self.visitor for job in _running) if self.visitor else 0
        if len(_running) >= LIMITS.jobs or mine >= LIMITS.jobs_each:
            yield {"error": YOURS if mine >= LIMITS.jobs_each else BUSY, "status": 1, "busy": True}
            return
        _running.add(self)
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await loop.run_in_executor(_threads, self._start)
            while True:
                reading = loop.run_in_executor(_threads, self._pipe.recv_bytes, LARGEST)
                try:
                    while not reading.done():  # the limit may be raised meanwhile
                        if (left := began + self.limits.seconds - loop.time()) <= 0:
                            raise TimeoutError
                        await asyncio.wait({reading}, timeout=min(left, LOOK))
                finally:
                    reading.cancel()
                message = json.loads(reading.result())
                yield message
                if "done" in message and self.limits.stays:
                    self._stay(loop)
                if "done" in message or "error" in message:
                    return
        except TimeoutError:
            yield {"error": TIMED_OUT.format(seconds=self.limits.seconds), "status": 1, "late": True}
        except (EOFError, OSError):
            yield {"error": CANCELLED if self.cancelled else DIED, "status": 1, "died": True}
        finally:
            _running.discard(self)
            if _staying.get(self.limits.stays) is not self:
                self.kill()

    def cancel(self) -> None:
        """End the process because somebody wants that."""
        self.cancelled = True
        self.kill()

    def tell(self, word: str) -> None:
        """Send a word to the task."""
        with suppress(OSError, AttributeError):
            self._pipe.send_bytes(word.encode())

    @property
    def process_id(self) -> int | None:
        """The number of the process, once it has started."""
        return self._process.pid if self._process else None

    def _stay(self, loop: asyncio.AbstractEventLoop) -> None:
        """Keep the process for the next question; end it if none comes, and others that are too many."""
        others = [_staying.pop(self.limits.stays, None)]
        others += [_staying.popitem(last=False)[1] for _ in range(len(_staying) + 1 - STAYING)]
        _staying[self.limits.stays] = self
        for other in filter(None, others):
            other.kill()
        loop.call_later(IDLE, self._leave)

    def _leave(self) -> None:
        """End the process if it still stays."""
        if _staying.get(self.limits.stays) is self:
            del _staying[self.limits.stays]
            self.kill()

    def _start(self) -> None:
        question = {"task": self.task, "arguments": self.arguments}
        if (earlier := _staying.pop(self.limits.stays, None)) is not None:
            with suppress(OSError):  # its process has died
                earlier._pipe.send_bytes(json.dumps(question).encode())
                self._process, self._pipe = earlier._process, earlier._pipe
                earlier._process = None  # it is not for that job to end any more
                return
        self._pipe, far = _context().Pipe()
        arguments = (far, question, self.limits.memory, bool(self.limits.stays))
        self._process = _context().Process(target=run, args=arguments, daemon=True)
        self._process.start()
        far.close()

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None and self._process.is_alive():
            with suppress(OSError, AttributeError):
                os.killpg(self._process.pid, signal.SIGKILL)  # what it has started as well
            self._process.kill()


async def warmed() -> None:
    """Wait until the imports of the first worker are done, however long they take on a busy machine."""
    if not _warm:
        await all_messages(Job("process.nothing", JobLimits(seconds=WARMING)))
        _warm.append(True)


async def all_messages(job: Job) -> list[dict[str, Any]]:
    """Return all messages of a job, once it has ended."""
    return [message async for message in job.messages()]


def kill_all() -> None:
    """End the processes of all jobs."""
    for job in (*_running, *_staying.values()):
        job.kill()
    _staying.clear()
