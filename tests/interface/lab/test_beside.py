"""Two games, or one game with different settings, side by side."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from shlex import split

import pytest
from starlette.testclient import TestClient

from asking import printed

ASKED = [
    "/games/lcr/beside?players=2&with.players=3",
    "/games/pig/beside?target=10&with=tossup&with.target=10&with.strategy=one_roll",
    "/games/hazard/beside?main=5&with.main=6&simulated=yes&games=400&seed=3",
]


@pytest.mark.quick_cases("/games/hazard/beside?main=5&with.main=6&simulated=yes&games=400&seed=3")
@pytest.mark.parametrize("address", ASKED)
def test_the_json_is_that_of_the_commands(client: TestClient, address: str, tmp_path: Path) -> None:
    page = client.get(f"{address}&wait=1").text
    commands = re.search(r'<pre id="command"[^>]*>(.*?)</pre>', page, re.S)
    assert commands is not None
    found: dict[str, object] = {}
    for line in unescape(commands[1]).splitlines():
        found = printed(*split(line.replace("both.db", f"{tmp_path}/both.db"))[1:])
    path, _, query = address.partition("?")
    assert client.get(f"{path}.json?{query}").json()["rows"] == found["rows"]
    charts = re.findall(r'data-from="([^"]+)"', page)
    assert charts
    for chart in charts:
        assert client.get(unescape(chart)).json()["marks"]


def test_the_python_prints_the_same_figures(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    python = re.search(r'<pre id="python"[^>]*>(.*?)</pre>', client.get(f"{ASKED[0]}&wait=1").text, re.S)
    assert python is not None
    exec(unescape(python[1]), {})
    assert "18.863028" in capsys.readouterr().out


def test_two_rules_files_stand_side_by_side(client: TestClient) -> None:
    page = client.get(f"{ASKED[1]}&wait=1").text
    assert "tossup.py" in page
    assert '<tr class="differs">' in page
    assert 'class="diff"' not in client.get(f"{ASKED[0]}&wait=1").text


def test_the_same_question_twice_is_no_question(client: TestClient) -> None:
    response = client.get("/games/lcr/beside?with=lcr&players=3&with.players=3", follow_redirects=False)
    assert response.headers["location"] == "/games/lcr/beside?players=3"
    assert client.get("/games/lcr/beside.json?players=3").status_code == 400


def test_only_games_of_the_shelf_stand_beside_one(client: TestClient) -> None:
    for name in ("../pig.py", "examples/pig.py", "nothing"):
        assert client.get("/games/lcr/beside", params={"with": name}).status_code == 404
