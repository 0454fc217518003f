"""What the tests of the lab compare its answers with."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from click.testing import CliRunner
from starlette.testclient import TestClient

from dicelab.interface.cli.main import app

TOKEN = "the token of the tests"
HEADERS = {"X-Dicelab-Token": TOKEN}


def printed(*words: str) -> dict[str, object]:
    """What a command prints with --json."""
    result = CliRunner().invoke(app, [*words, "--json"])
    return untimed(json.loads(result.stdout))


def untimed(data: dict[str, object]) -> dict[str, object]:
    """Without what two equal questions may differ in: another engine is chosen where the game was played before."""
    found = {key: value for key, value in data.items() if key not in ("seconds", "threads", "engine")}
    for name in ("rows", "sessions"):
        if isinstance(found.get(name), list):
            found[name] = [untimed(row) for row in found[name]]  # type: ignore[attr-defined]
    return found


class Watched:
    """A run, followed as the page follows it: one stream after the other."""

    def __init__(self, client: TestClient, name: str, query: str) -> None:
        self.client, self.name, self.query, self.last = client, name, query, "0"
        started = client.post(f"/games/{name}/simulate/start?{query}", headers=HEADERS)
        assert started.status_code == 201
        self.run = started.json()["run"]

    def until(self, event: str, state: str = "", seconds: float = 60) -> Any:
        """The data of the first event of a kind, and with a state if one is named."""
        for name, data in self._events(seconds):
            if name == event and state in ("", data.get("state")):
                return data
        raise AssertionError(f"no {event} {state} within {seconds} seconds")

    def during(self, event: str, seconds: float) -> list[Any]:
        """The data of all events of a kind within some seconds."""
        return [data for name, data in self._events(seconds) if name == event]

    def _events(self, seconds: float) -> Iterator[tuple[str, Any]]:
        """The events within some seconds: the kind and the data of each."""
        until = time.monotonic() + seconds
        address = f"/games/{self.name}/simulate/live/{self.run}?{self.query}"
        while time.monotonic() < until:
            stream = self.client.get(address, headers={"Last-Event-ID": self.last}).text
            for block in stream.split("\n\n"):
                fields = dict(line.split(": ", 1) for line in block.splitlines())
                if "id" in fields:
                    self.last = fields["id"]
                    yield fields["event"], json.loads(fields["data"])

    def tell(self, word: str) -> int:
        return self.client.post(f"/runs/{self.run}/{word}", headers=HEADERS).status_code

    @property
    def process(self) -> int:
        found: int = self.client.app.state.lab.runs.find(self.run).job.process_id  # type: ignore[attr-defined]
        return found
