"""Games of money: sessions, edges, and the craps table on which bets are placed by a click."""

from __future__ import annotations

import re
from html import unescape
from shlex import split

import pytest
from starlette.testclient import TestClient

from asking import printed, untimed
from dicelab.interface.lab import answers

SHORT = "until_rounds=5&bankroll=40&games=300&seed=3"
ASKED = [
    "/games/craps/session?until_rounds=10&games=10&seed=5&simulated=yes",  # nobody is ruined
    f"/games/craps/session?{SHORT}",
    f"/games/craps/session?{SHORT}&simulated=yes&strategy=line&strategy=line:system=martingale",
    "/games/craps/session?until_rounds=3&bankroll=40&ruin=5%25&step=10&seed=1",
    "/games/craps-bet/edges?only=place_*&sort=edge",
    "/games/pass-line/edges",
    "/games/craps-bet/par?only=place_*",
    "/games/pass-line/par",
]
COMMAND = re.compile(r'<pre id="command"[^>]*>(.*?)</pre>')
TABLE = "/games/craps/play?seed=3"


def told(client: TestClient, address: str) -> str:
    """The page of a table as text, spaces as one."""
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(client.get(address).text)).split())


@pytest.mark.quick_cases("/games/pass-line/edges", "/games/pass-line/par")
@pytest.mark.parametrize("address", ASKED)
def test_the_json_is_that_of_the_command_that_the_page_shows(client: TestClient, address: str) -> None:
    page = client.get(f"{address}{'&' if '?' in address else '?'}wait=1").text
    shown = COMMAND.search(page)
    assert shown is not None
    path, _, query = address.partition("?")
    said, command = client.get(f"{path}.json?{query}").json(), printed(*split(unescape(shown[1]))[1:])
    for found in (said, command):
        found.pop("exact", None)  # it has seconds of its own
    assert untimed(said) == untimed(command)
    charts = re.findall(r'data-from="([^"]+)"', page)
    assert charts
    for chart in charts:
        assert client.get(unescape(chart)).json()["marks"]


@pytest.mark.slow
def test_the_fan_shows_the_money_over_the_rounds(client: TestClient) -> None:
    chart = client.get(f"/games/craps/session/fan.json?{SHORT}").json()
    assert chart["x"]["label"] == "until_rounds"
    assert {mark["label"] for mark in chart["marks"]} >= {"middle 90 %", "median", "single games"}


@pytest.mark.slow
def test_the_python_of_a_search_for_a_risk_of_ruin_runs(client: TestClient) -> None:
    page = client.get(f"{ASKED[3]}&wait=1").text
    python = re.search(r'<pre id="python"[^>]*>(.*?)</pre>', page, re.S)
    assert python is not None
    found: dict[str, object] = {}
    exec(unescape(python[1]).replace("print(result)", ""), found)
    assert f"bankroll {found['result'].value}:" in re.sub("<[^>]+>", "", page)  # type: ignore[attr-defined]


def test_games_without_money_have_neither_page(client: TestClient) -> None:
    page = client.get("/games/lcr").text
    assert "/session" not in page
    assert "/edges" not in page
    assert client.get("/games/lcr/session.json").status_code == 400
    assert "This game has no money." in client.get("/games/lcr/edges").text


def test_the_bets_of_craps_are_those_of_the_game_with_one_bet(client: TestClient) -> None:
    assert 'href="/games/craps-bet/edges"' in client.get("/games/craps?bankroll=100").text
    assert '<a href="/games/craps-bet/edges">their edges</a>' in client.get("/games/craps/edges").text


def test_a_click_places_a_bet_and_a_roll_tells_what_it_paid(client: TestClient) -> None:
    placed = client.get(f"{TABLE}&bet=pass&amount=10", follow_redirects=False)
    assert placed.headers["location"].endswith("moves=0.10&amount=10") or "moves=0.10" in placed.headers["location"]
    assert "purse 290" in told(client, placed.headers["location"])
    rolled = client.get(f"{placed.headers['location']}&say=", follow_redirects=False).headers["location"]
    assert "11 on the come-out pass wins 10" in told(client, rolled)


def test_the_page_after_a_click_is_known_already(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = client.get(f"{TABLE}&bet=pass&amount=20", follow_redirects=False).headers["location"]
    with monkeypatch.context() as context:
        context.setattr(answers.Answers, "ask", lambda self, key, *_, **__: self._kept[key])
        known = client.get(placed).text
    client.app.state.lab.answers._kept.clear()  # type: ignore[attr-defined]
    assert client.get(placed).text == known
    assert "take it down" in known


def test_an_amount_that_the_house_does_not_take_is_raised_to_one_that_it_takes(client: TestClient) -> None:
    placed = client.get(f"{TABLE}&bet=place_6&amount=10", follow_redirects=False).headers["location"]
    assert re.search(r"moves=\d+\.12(&|$)", placed)
    down = client.get(f"{placed}&down=place_6", follow_redirects=False).headers["location"]
    assert re.search(r"\.12,\d+\.-12(&|$)", down)
    assert "purse 300" in told(client, down)


@pytest.mark.parametrize(
    ("click", "words"),
    [
        ("bet=pass_odds&amount=10", "odds need a pass or come bet with a point"),
        ("bet=pass&amount=1000", "it is more than the purse, 300"),
        ("bet=pass&amount=ten", "amount: 'ten' is not allowed"),
        ("bet=nothing&amount=10", "'nothing' is not a choice"),
        ("down=field", "you have no bet on 'field'"),
    ],
)
def test_a_click_that_is_refused_says_why(client: TestClient, click: str, words: str) -> None:
    assert words in told(client, f"{TABLE}&{click}")


def test_spots_that_are_shut_say_why_and_others_name_their_edge(client: TestClient) -> None:
    page = unescape(client.get(TABLE).text)
    assert re.search(r'value="come"[^>]*disabled title="come: it needs a point, and the puck is OFF"', page)
    assert 'data-edge="place_6"' in page
    row = client.get("/games/craps-bet/hint.json?only=place_6").json()["rows"][0]
    assert row["edge"]["fraction"] == "1/66"


def test_any_game_with_a_menu_has_its_bets_on_the_table(client: TestClient) -> None:
    page = client.get("/games/chuck/play?seed=1").text
    assert re.findall(r'name="bet" value="(\w+)"', page) == ["ones", "twos", "threes", "fours", "fives", "sixes"]
    placed = client.get("/games/chuck/play?seed=1&bet=twos&amount=5", follow_redirects=False).headers["location"]
    assert "moves=1.5" in placed
    page = client.get(placed).text
    assert 'value="twos"' not in page
    assert "The game is over" in told(client, f"{placed}&say=")
