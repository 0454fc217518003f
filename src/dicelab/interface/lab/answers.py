"""Answers to questions: each is computed once by a job, kept for a while, and given up when no page waits for it.

Simulations that pages watch are jobs too, whose last numbers and charts are kept for the page. A page follows its run
by server-sent events. A browser opens only six connections to one server, so a stream ends after a few seconds and the
page opens the next one; the run goes on meanwhile. It ends when no page follows it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from secrets import token_hex
from time import perf_counter
from typing import Any

from dicelab.errors import UnknownNameError
from dicelab.interface.lab.job import Job, JobLimits
from dicelab.limits import LIMITS

KEPT = 64
"""Number of answers that are kept."""
BEHIND, BEHIND_SECONDS = 4, 3600.0
"""Answers that are worked on in the background at a time, at most (one for each visitor where others are let in), and
the limit of their time."""
SHARE, SURE = 0.05, 2.0
"""Share of the work, and seconds, after which the time that is left can be estimated."""

Gone = Callable[[], Awaitable[bool]]
"""Returns whether the page that waits was closed."""


@dataclass
class PendingAnswer:
    """The messages of a job so far.

    Attributes
    ----------
    said
        By key: the entries of all messages, charts apart.
    charts
        By name: what they show (`plots.described`).
    changed
        Notified at every message.
    waiting
        Number of pages that wait.
    number
        What the pages that wait for it call it; nobody else can guess it.
    behind
        Whether it is worked on in the background, whether or not a page waits.
    began
        When the work began, and when and where the share of what is done began, in seconds of `perf_counter`.
    """

    job: Job
    said: dict[str, Any] = field(default_factory=dict)
    charts: dict[str, Any] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    waiting: int = 0
    number: str = field(default_factory=lambda: token_hex(16))
    behind: bool = False
    began: float = field(default_factory=perf_counter)
    _part: tuple[float, float] = (0.0, 1.0)

    @property
    def ended(self) -> bool:
        """Whether no more messages will come."""
        return "done" in self.said or "error" in self.said

    @contextmanager
    def waited_for(self) -> Iterator[None]:
        """Keep the work going in a block, as for a page that waits."""
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def follow(self) -> None:
        """Take in the messages of the job."""
        async for message in self.job.messages():
            async with self.changed:
                if "chart" in message:
                    self.charts[message["chart"]] = message["drawn"]
                else:
                    if "share" in message and message["share"] < self.said.get("share", 1.0):
                        self._part = perf_counter(), message["share"]  # another part of the work
                    self.said |= message
                self.changed.notify_all()

    @property
    def left(self) -> float | None:
        """Seconds that the part of the work that is done now will take, once enough is known."""
        since, first = self._part
        done, seconds = self.said.get("share", 0.0) - first, perf_counter() - since
        return seconds * (1.0 - self.said["share"]) / done if done > SHARE and seconds > SURE else None


class Answers:
    """The answers of the last questions."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PendingAnswer] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, key: str, task: str, limits: JobLimits, **arguments: Any) -> PendingAnswer:
        """Return the answer to a question, which is begun if it is new or its job has failed."""
        answer = self._kept.pop(key, None)
        if answer is None or "died" in answer.said or "busy" in answer.said:
            answer = PendingAnswer(Job(task, limits, **arguments))
            following = asyncio.create_task(self._followed(key, answer))
            self._tasks.add(following)
            following.add_done_callback(self._tasks.discard)
        self._kept[key] = answer
        old = [one for one, kept in self._kept.items() if kept.ended or not kept.behind]
        for one in old[: max(0, len(self._kept) - KEPT)]:
            del self._kept[one]
        return answer

    def know(self, key: str, **said: Any) -> None:
        """Keep an answer that is known already."""
        self._kept[key] = PendingAnswer(Job("known", JobLimits()), {**said, "done": True})

    def find(self, key: str) -> PendingAnswer | None:
        """Return the answer to a question that was asked before; None if it isn't kept any more."""
        return self._kept.get(key)

    def called(self, number: str) -> PendingAnswer | None:
        """Return the answer that pages call so; None if it is not kept any more."""
        return next((answer for answer in self._kept.values() if answer.number == number), None)

    def put_behind(self, answer: PendingAnswer) -> bool:
        """Work on an answer in the background, with more time; return whether that is possible."""
        who = answer.job.visitor
        others = [one.job.visitor for one in self._kept.values() if one.behind and not one.ended and one is not answer]
        if len(others) >= BEHIND or (who and who in others):
            return False
        answer.behind = True
        answer.job.limits = replace(answer.job.limits, seconds=BEHIND_SECONDS)
        return True

    def forget_done(self, key: str) -> None:
        """Forget an answer that succeeded: what it made is gone."""
        if "done" in getattr(self._kept.get(key), "said", ()):
            del self._kept[key]

    async def _followed(self, key: str, answer: PendingAnswer) -> None:
        """Follow a job until it ends, or until no page has waited for a while."""
        following = asyncio.create_task(answer.follow())
        alone = 0.0
        while not following.done() and (answer.behind or alone < answer.job.limits.grace):
            await asyncio.wait({following}, timeout=LIMITS.closed_seconds)
            alone = 0.0 if answer.waiting else alone + LIMITS.closed_seconds
        if not following.done():
            following.cancel()
            self._kept.pop(key, None)
        await asyncio.gather(following, return_exceptions=True)


async def wait(
    answer: PendingAnswer, ready: Callable[[PendingAnswer], bool], gone: Gone, seconds: float | None = None
) -> bool:
    """Wait until an answer is ready or has ended; False if the page was closed, or the seconds are over, before."""
    loop = asyncio.get_running_loop()
    until = None if seconds is None else loop.time() + seconds
    with answer.waited_for():
        async with answer.changed:
            while not ready(answer) and not answer.ended:
                left = LIMITS.closed_seconds if until is None else min(LIMITS.closed_seconds, until - loop.time())
                if left <= 0 or await gone():
                    return False
                try:
                    await asyncio.wait_for(answer.changed.wait(), left)
                except TimeoutError:
                    continue
        return True


PLAYING = JobLimits(seconds=3600.0)
"""What one simulation may use."""
GRACE = 15.0
"""Seconds that a run which is playing goes on without a page; one that has stopped is kept longer, for ``continue``."""
KEPT_RUNS = 600.0

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
        news = [(number, kind, content) for kind, (number, content) in self.last.items()]
        news += [(number, "chart", (name, figure)) for name, (number, figure) in self.charts.items()]
        return sorted((item for item in news if item[0] > since), key=lambda item: item[0])


class LiveRuns:
    """All simulations that are watched, by their random names."""

    def __init__(self) -> None:
        self._runs: dict[str, LiveRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, **arguments: Any) -> str:
        """Start a simulation; returns its name."""
        name, run = secrets.token_urlsafe(9), LiveRun(Job("live.live", PLAYING, **arguments))
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
        while not following.done() and alone < (GRACE if run.state == "playing" else KEPT_RUNS):
            await asyncio.wait({following}, timeout=1.0)
            alone = 0.0 if run.watched else alone + 1.0
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        while run.watched:  # the page still reads how it ended
            await asyncio.sleep(1.0)
        await asyncio.sleep(GRACE)
        self._runs.pop(name, None)
