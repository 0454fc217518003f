"""What the lab shows of the work on an answer: what it is expected to take, and what is done meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from asking import HEADERS
from dicelab.interface.lab import answers, job
from dicelab.interface.lab.answers import Answers
from dicelab.interface.lab.job import JobLimits
from dicelab.interface.lab.work.process import _stages
from support import SetLimits


def test_what_stays_is_sent_with_every_stage() -> None:
    sent: list[list[str]] = []

    class Wire:
        def send(self, **message: Any) -> None:
            sent.append(list(message["stage"]))

    shown = _stages(Wire())  # type: ignore[arg-type]
    shown("counting", False)
    shown("about 5 states", True)
    shown("solving", False)
    assert sent == [["counting"], ["about 5 states"], ["about 5 states", "solving"]]


@pytest.mark.slow
def test_what_was_simulated_is_said_before_the_exact_answer(client: TestClient, limits: SetLimits) -> None:
    limits(answer_seconds=0.0)
    number = re.search(r'data-work="(\w+)"', client.get("/games/craps/session?until_rounds=20&games=1000").text)
    assert number is not None
    said: dict[str, Any] = {"stage": [], "ended": False}
    while not said["ended"] and not said["stage"]:
        said = client.get(f"/jobs/{number[1]}").json()
    assert said["stage"][0].startswith("Simulated: The player goes broke in ")
    client.post(f"/jobs/{number[1]}/cancel", headers=HEADERS)


def test_work_that_nobody_knows_is_not_there(client: TestClient) -> None:
    assert client.get("/jobs/1234").status_code == 404
    for word in ("behind", "cancel"):
        refused = client.post(f"/jobs/1234/{word}", headers=HEADERS)
        assert refused.status_code == 404
        assert "load the page again" in refused.json()["error"]
        assert client.post(f"/jobs/1234/{word}").status_code == 403


def test_cancelled_work_ends_and_begins_again_when_it_is_asked_for(client: TestClient, limits: SetLimits) -> None:
    limits(answer_seconds=0.0)
    address = "/games/lcr/exact?players=9"
    number = re.search(r'data-work="(\w+)"', client.get(address).text)
    assert number is not None
    assert not client.get(f"/jobs/{number[1]}").json()["ended"]
    assert client.post(f"/jobs/{number[1]}/cancel", headers=HEADERS).status_code == 204
    assert "cancelled" in client.get("/games/lcr/exact/part?players=9").text
    again = re.search(r'data-work="(\w+)"', client.get(address).text)
    assert again is not None
    assert again[1] != number[1]
    client.post(f"/jobs/{again[1]}/cancel", headers=HEADERS)


class Endless:
    """A job that goes on until it is ended."""

    cancelled = False

    def __init__(self, task: str, limits: JobLimits, **arguments: Any) -> None:
        self.limits, self.ends, self.visitor = limits, asyncio.Event(), job.visitor.get()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        for share in (0.1, 0.5, 0.2):
            yield {"share": share}
        await self.ends.wait()
        yield {"done": True}


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch, limits: SetLimits) -> JobLimits:
    monkeypatch.setattr(answers, "Job", Endless)
    limits(closed_seconds=0.01)
    return JobLimits(grace=0.05)


def test_work_goes_on_without_a_page_only_in_the_background(endless: JobLimits) -> None:
    async def left() -> tuple[bool, bool, float, bool]:
        found = Answers()
        one, other = found.ask("one", "exact", endless), found.ask("other", "exact", endless)
        assert found.put_behind(one)
        await asyncio.sleep(0.3)
        kept = found.called(one.number) is one, found.called(other.number) is other
        one.job.ends.set()  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)
        return *kept, one.job.limits.seconds, one.ended

    assert asyncio.run(left()) == (True, False, answers.BEHIND_SECONDS, True)


def test_only_so_much_is_worked_on_in_the_background(endless: JobLimits) -> None:
    async def several() -> list[bool]:
        found = Answers()
        many = [found.ask(str(n), "exact", endless) for n in range(answers.BEHIND + 1)]
        said = [found.put_behind(one) for one in many]
        many[0].job.ends.set()  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)
        return [*said, found.put_behind(many[-1])]

    assert asyncio.run(several()) == [True] * answers.BEHIND + [False, True]


def test_a_visitor_has_one_question_in_the_background(endless: JobLimits) -> None:
    async def several() -> list[bool]:
        found, said = Answers(), []
        for n, who in enumerate(("one", "one", "other")):
            job.visitor.set(who)
            said.append(found.put_behind(found.ask(str(n), "exact", endless)))
        return said

    assert asyncio.run(several()) == [True, False, True]


def test_background_work_is_kept_whatever_else_is_asked(endless: JobLimits) -> None:
    async def asked() -> bool:
        found = Answers()
        one = found.ask("one", "exact", endless)
        found.put_behind(one)
        for n in range(answers.KEPT + 5):
            found.ask(str(n), "exact", endless)
        return found.called(one.number) is one

    assert asyncio.run(asked())


def test_the_time_that_is_left_begins_again_with_each_part(endless: JobLimits, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(answers, "perf_counter", lambda: now[0])

    async def left() -> list[float | None]:
        answer = Answers().ask("one", "exact", endless)
        await asyncio.sleep(0.02)  # the share has gone from 0.1 to 0.5, and then to 0.2 of the next part
        found = [answer.left]
        now[0] += 10.0
        answer.said["share"] = 0.6
        found.append(answer.left)
        return found

    assert asyncio.run(left()) == [None, pytest.approx(10.0)]
