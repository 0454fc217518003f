"""What the lab shows of the work on an answer: what it is expected to take, and what is done meanwhile."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from dicelab.interface.lab.work.process import _stages


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


def test_the_stage_of_an_answer_begins_no_work(client: TestClient) -> None:
    assert client.get("/games/lcr/exact/stage?players=4").text == ""
    assert "1,353 states" not in client.get("/games/lcr/exact/stage?players=4").text


def test_what_was_simulated_is_said_before_the_exact_answer(client: TestClient) -> None:
    asked = "until_rounds=20&games=1000"
    client.get(f"/games/craps/session?{asked}&wait=1")
    assert client.get(f"/games/craps/session/stage?{asked}").text.startswith("Simulated: The player goes broke in ")
