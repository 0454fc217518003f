"""Pages about dice alone, and a game with somebody's dice: their JSON is that of the commands that they show."""

from __future__ import annotations

import re
from html import unescape
from shlex import split

import pytest
from starlette.testclient import TestClient

from asking import printed, untimed

COMMAND = re.compile(r'<pre id="command"[^>]*>(.*?)</pre>', re.S)
PYTHON = re.compile(r'<pre id="python"[^>]*>(.*?)</pre>', re.S)
ASKED = [
    "/dice?expressions=4d6kh3&at_least=15",
    "/dice?expressions=3d6%0A4d6kh3%0Amax(2d6,%20d12)&at_most=9&of=at-least",
    "/dice?expressions=3d6!&depth=3",
    "/dice?expressions=3d6%20vs%202d8",
    "/fair?rolls=16,18,21,15,14,16",
    "/fair?rolls=3,5,9,11,14,16,13,12,8,6,4&die=2d6",
    "/games/pass-line/with_dice?rolls=80,100,100,100,100,120",
    "/games/pass-line/with_dice?rolls=80,100,100,100,100,120&question=edges",
]


@pytest.mark.slow_cases(
    "/games/pass-line/with_dice?rolls=80,100,100,100,100,120",
    "/games/pass-line/with_dice?rolls=80,100,100,100,100,120&question=edges",
)
@pytest.mark.parametrize("address", ASKED)
def test_the_json_of_a_page_is_that_of_the_command_that_it_shows(client: TestClient, address: str) -> None:
    page = client.get(f"{address}&wait=1").text  # an answer may take longer than the page waits
    shown, python = COMMAND.search(page), PYTHON.search(page)
    assert shown is not None
    assert python is not None
    path, _, query = address.partition("?")
    assert untimed(client.get(f"{path}.json?{query}").json()) | {"compared": 0} == untimed(
        printed(*split(unescape(shown[1]))[1:])
    ) | {"compared": 0}
    compile(unescape(python[1]), "python", "exec")
    [chart] = re.findall(r'data-from="([^"]+)"', page)
    assert client.get(unescape(chart)).json()["marks"]
    assert client.get(f"{path}.csv?{query}").text.count("\n") > 1


def test_rolls_can_be_pasted(client: TestClient) -> None:
    page = client.get("/fair", params={"rolls": "3 6\n1 4\n6 6\n2 5\n", "wait": "1"}).text
    assert "joint p-value" in page
    assert "dicelab dice --test rolls.csv" in page


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/dice?expressions=4d6+keep", "expected highest or lowest"),
        ("/dice?expressions=d6&of=below", "no chart of 'below'"),
        ("/dice?expressions=d6&at_least=x", "is not a whole number"),
        ("/dice?expression=d6", "expressions"),
        ("/dice?expressions=output+4d6", "this is a program of AnyDice"),
        ("/dice?expressions=" + "d" * 20_001, "too long"),
        ("/fair?rolls=/etc/passwd", "no rolls in your rolls"),
        ("/fair?rolls=1,2&rolls=3", "given twice"),
        ("/fair?rolls=one", "no rolls in your rolls"),
        ("/fair?rolls=1%0Ax", "your rolls, line 2: 'x' is not the value of a die"),
        ("/games/hazard/with_dice?rolls=/etc/passwd", "no rolls in your rolls"),
        ("/games/lcr/with_dice?rolls=80,100,100,100,100,120", "lcr rolls no fair dice"),
    ],
)
def test_what_makes_no_sense_is_refused_on_the_page(client: TestClient, address: str, words: str) -> None:
    page = client.get(f"{address}&wait=1").text
    assert words in unescape(page)
    assert "Traceback" not in page


def test_pages_without_a_question_have_examples(client: TestClient) -> None:
    for path in ("/dice", "/fair"):
        page = client.get(path).text
        assert "or example" in page
        for address in re.findall(r'<a href="(/(?:dice|fair)\?[^"]+)"', page):
            assert "No answer" not in client.get(f"{unescape(address)}&wait=1").text
    assert client.get("/dice.json").status_code == 400
    assert 'href="/games/pass-line/with_dice"' in client.get("/games/pass-line").text
    assert "with_dice" not in client.get("/games/lcr").text
