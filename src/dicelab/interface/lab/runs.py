"""Simulations that pages watch: each is a job, whose last numbers and charts are kept for the page.

A page follows its run by server-sent events. A browser opens only six connections to one server, so a stream ends
after a few seconds and the page opens the next one; the run goes on meanwhile. It ends when no page follows it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from dicelab.errors import UnknownNameError
from dicelab.interface.lab.job import Job, Limits
from dicelab.limits import LIMITS

PLAYING = Limits(seconds=3600.0)
"""What one simulation may use."""
GRACE = 15.0
"""Seconds that a run which is playing goes on without a page; one that has stopped is kept longer, for ``continue``."""
KEPT = 600.0

Event = tuple[str, Any]


@dataclass
class LiveRun:
    """A simulation that is watched.

    Attributes
    ----------
    number
        Counts the messages.
    last
        By kind: the last message, with its number.
    charts
        By name: what the last one shows, with its number.
    """

    job: Job
    number: int = 0
    last: dict[str, tuple[int, Any]] = field(default_factory=dict)
    charts: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    watched: int = 0

    @property
    def state(self) -> str:
        """``playing``, ``stopped``, ``finished``, ``failed``."""
        if "error" in self.last:
            return "failed"
        return str(self.last["now"][1]["state"]) if "now" in self.last else "playing"

    async def follow(self) -> None:
        """Take in the messages of the job."""
        async for message in self.job.messages():
            async with self.changed:
                self.number += 1
                if "chart" in message:
                    self.charts[message["chart"]] = self.number, message["figure"]
                else:
                    self.last[next(iter(message))] = self.number, message
                self.changed.notify_all()

    async def events(self, since: int) -> AsyncIterator[tuple[int, str, Any]]:
        """Yield what has changed since message `since`, and then each change: its number, kind and content."""
        loop = asyncio.get_running_loop()
        until = loop.time() + LIMITS.stream_seconds
        self.watched += 1
        try:
            while loop.time() < until:
                for number, kind, content in self._news(since):
                    since = number
                    yield number, kind, content
                if self.state == "failed":
                    return
                async with self.changed:
                    if self.number == since:
                        try:
                            await asyncio.wait_for(self.changed.wait(), until - loop.time())
                        except TimeoutError:
                            return
        finally:
            self.watched -= 1

    def _news(self, since: int) -> list[tuple[int, str, Any]]:
        found = [(number, kind, content) for kind, (number, content) in self.last.items()]
        found += [(number, "chart", (name, figure)) for name, (number, figure) in self.charts.items()]
        return sorted((item for item in found if item[0] > since), key=lambda item: item[0])


class LiveRuns:
    """All simulations that are watched, by their random names."""

    def __init__(self) -> None:
        self._runs: dict[str, LiveRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, **arguments: Any) -> str:
        """Start a simulation; returns its name."""
        name, run = secrets.token_urlsafe(9), LiveRun(Job("live", PLAYING, **arguments))
        self._runs[name] = run
        following = asyncio.create_task(self._kept(name, run))
        self._tasks.add(following)
        following.add_done_callback(self._tasks.discard)
        return name

    def find(self, name: str) -> LiveRun:
        """Return the simulation of that name."""
        if name not in self._runs:
            raise UnknownNameError("this simulation has ended; load the page again")
        return self._runs[name]

    def end(self, name: str) -> None:
        """End a simulation: its page was closed."""
        run = self._runs.pop(name, None)
        if run is not None:
            run.job.kill()

    async def _kept(self, name: str, run: LiveRun) -> None:
        """Follow a run until it ends, or until no page has watched it for a while."""
        following = asyncio.create_task(run.follow())
        alone = 0.0
        while not following.done() and alone < (GRACE if run.state == "playing" else KEPT):
            await asyncio.wait({following}, timeout=1.0)
            alone = 0.0 if run.watched else alone + 1.0
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        while run.watched:  # the page still reads how it ended
            await asyncio.sleep(1.0)
        await asyncio.sleep(GRACE)
        self._runs.pop(name, None)
