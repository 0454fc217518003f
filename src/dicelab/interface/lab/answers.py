"""Answers to questions: each is computed once by a job, kept for a while, and given up when no page waits for it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from dicelab.interface.lab.job import Job, Limits

KEPT = 64
"""Number of answers that are kept."""
POLL = 0.2
"""Seconds between two looks at whether the page was closed."""

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
    """

    job: Job
    said: dict[str, Any] = field(default_factory=dict)
    charts: dict[str, Any] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    waiting: int = 0

    @property
    def ended(self) -> bool:
        """Whether no more messages will come."""
        return "done" in self.said or "error" in self.said

    async def follow(self) -> None:
        """Take in the messages of the job."""
        async for message in self.job.messages():
            async with self.changed:
                if "chart" in message:
                    self.charts[message["chart"]] = message["drawn"]
                else:
                    self.said |= message
                self.changed.notify_all()


class Answers:
    """The answers of the last questions."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PendingAnswer] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, key: str, task: str, limits: Limits, **arguments: Any) -> PendingAnswer:
        """Return the answer to a question, which is begun if it is new or its job has failed."""
        answer = self._kept.pop(key, None)
        if answer is None or "died" in answer.said or "busy" in answer.said:
            answer = PendingAnswer(Job(task, limits, **arguments))
            following = asyncio.create_task(self._followed(key, answer))
            self._tasks.add(following)
            following.add_done_callback(self._tasks.discard)
        self._kept[key] = answer
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return answer

    def stage(self, key: str) -> list[str]:
        """Return what an answer is expected to take and what is done for it now; nothing if nobody has asked for it."""
        return self._kept[key].said.get("stage", []) if key in self._kept else []

    def forget_done(self, key: str) -> None:
        """Forget an answer that succeeded: what it made is gone."""
        if "done" in getattr(self._kept.get(key), "said", ()):
            del self._kept[key]

    async def _followed(self, key: str, answer: PendingAnswer) -> None:
        """Follow a job until it ends, or until no page has waited for a while."""
        following = asyncio.create_task(answer.follow())
        alone = 0.0
        while not following.done() and alone < answer.job.limits.grace:
            await asyncio.wait({following}, timeout=POLL)
            alone = 0.0 if answer.waiting else alone + POLL
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
    answer.waiting += 1
    try:
        async with answer.changed:
            while not ready(answer) and not answer.ended:
                left = POLL if until is None else min(POLL, until - loop.time())
                if left <= 0 or await gone():
                    return False
                try:
                    await asyncio.wait_for(answer.changed.wait(), left)
                except TimeoutError:
                    continue
        return True
    finally:
        answer.waiting -= 1
