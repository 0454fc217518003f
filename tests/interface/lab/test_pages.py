"""The pages of the lab and their JSON."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from asking import printed, untimed

GAMES = ["hazard", "lcr", "pass-line", "pig", "tossup", "craps", "craps-bet", "hazard-caster", "hostile"]


def test_the_shelf_has_every_game_and_the_files_given(client: TestClient) -> None:
    page = client.get("/").text
    for name in GAMES:
        assert f'href="/games/{name}"' in page
    assert "be used. " in page
    assert "broken.py, line 1" in page


def test_questions_on_the_first_page_have_answers(client: TestClient) -> None:
    page = client.get("/").text
    asked = [unescape(address) for address in re.findall(r'data-ask="([^"]+)"', page)]
    links = re.findall(r'<li class="card"><p><a href="([^"]+)">[^<]+\?</a>', page)
    assert len(asked) == len(links) > 3
    assert client.get(asked[-1]).json()["summary"] == "Nothing in these rolls speaks against fair dice."
    assert client.get(asked[0]).json()["summary"].startswith("The fifth of six players wins most often")
    assert '<form id="dicebox"' in page


@pytest.mark.parametrize("name", GAMES)
def test_each_game_has_a_page_with_a_field_for_each_parameter(client: TestClient, name: str) -> None:
    response = client.get(f"/games/{name}")
    assert response.status_code == 200
    card = client.app.state.lab.shelf.cards[name]  # type: ignore[attr-defined]
    for param in card["parameters"]:
        assert f'name="{param["name"]}"' in response.text or f'name="set.{param["name"]}"' in response.text


def test_exact_json_is_that_of_the_command(client: TestClient) -> None:
    found = client.get("/games/lcr/exact.json?players=3").json()
    assert untimed(found) == printed("exact", "lcr", "--players", "3")


def test_simulate_json_is_that_of_the_command(client: TestClient) -> None:
    found = client.get("/games/tossup/simulate.json?target=20&strategy=one_roll&strategy=bank_over:12&games=300&seed=7")
    asked = ["simulate", "tossup", "--target", "20", "-s", "one_roll", "-s", "bank_over:12"]
    assert untimed(found.json()) == printed(*asked, "--games", "300", "--seed", "7")


def test_a_refused_question_has_the_error_of_the_command(client: TestClient) -> None:
    response = client.get("/games/lcr/exact.json?players=1")
    assert response.status_code == 400
    assert response.json() == {
        "schema": 2,
        "error": "players: '1' is not allowed; it takes a whole number, 2 to 50",
        "status": 2,
    }


def test_the_exact_page_shows_the_numbers_the_command_and_the_python(client: TestClient) -> None:
    page = client.get("/games/lcr/exact?players=3&wait=yes").text
    assert "0.365138" in page
    assert "dicelab exact lcr --players 3" in page
    assert "dicelab.exact(&#39;lcr&#39;, players=3)" in page
    assert (
        client.get("/games/lcr/exact/part?players=3").text in page
        or "0.365138" in client.get("/games/lcr/exact/part?players=3").text
    )
    charts = [json.loads(unescape(text)) for text in re.findall(r"data-figure='([^']+)'", page)]
    assert [chart["title"] for chart in charts[:2]] == ["Outcomes, exactly", "Distribution of turns, exactly"]
    assert client.get("/games/lcr/exact/nothing.json?players=3").status_code == 404


def test_tables_have_three_digits_or_as_many_as_tell_rows_apart_and_keep_the_others(client: TestClient) -> None:
    page = client.get("/games/lcr/exact?players=3&wait=yes").text
    assert '<data value="0.365138">0.365</data>' in page
    assert '<data value="18.863028">18.9</data>' in page
    assert '"/static/digits.js"' in page
    alike = client.get("/games/tossup/exact?target=12&dice=2&strategy=one_roll&wait=yes").text
    first, second = re.findall(r'<td class="n">(?:<data value="([\d.]+)">)?([\d.]+)', alike)[:2]
    assert round(float(first[0]), 3) == round(float(second[0]), 3) or len(first[1]) == 5
    assert first[1] != second[1]


def test_a_strategy_is_chosen_from_a_list_or_typed_with_its_arguments(client: TestClient) -> None:
    page = unescape(client.get("/games/tossup/exact?target=8").text)
    assert re.search(r'<option value="bank_over:20" selected>bank over: \w+', page)
    assert re.search(r'<option value="one_roll">one roll: Bank after the first roll', page)
    chosen = "/games/tossup/exact?target=8&strategy=one_roll&typed=bank_over:3&strategy=typed&typed=bank_over:4"
    assert str(client.get(chosen).url).endswith("?target=8&strategy=one_roll&strategy=bank_over:4")
    assert str(client.get("/games/tossup/exact?target=8&strategy=typed&typed=").url).endswith("?target=8")
    refused = client.get("/games/tossup/exact?target=8&strategy=typed&typed=nothing:4")
    assert refused.status_code == 404
    assert "'nothing:4'; there are: bank_over" in unescape(refused.text)
    beside = "/games/tossup/beside?target=8&with=tossup&with.target=8&with.strategy=typed&with.typed=bank_over:4"
    assert str(client.get(beside).url).endswith("/beside?target=8&with.target=8&with.strategy=bank_over:4")
    table = unescape(client.get("/games/tossup/play?seed=3&target=8&strategy=me&strategy=bank_over:4").text)
    assert re.findall(r'value="([\w:]+)" selected', table) == ["me", "typed"]


def test_addresses_lose_empty_and_default_values(client: TestClient) -> None:
    response = client.get("/games/lcr/exact?players=3&coins=3&dice=", follow_redirects=False)
    assert response.status_code == 303
    assert response.headers["location"] == "/games/lcr/exact?players=3"


def test_a_simulation_without_a_seed_gets_one(client: TestClient) -> None:
    response = client.get("/games/hazard/simulate?main=5", follow_redirects=False)
    assert response.status_code == 303
    assert "/games/hazard/simulate?main=5&seed=" in response.headers["location"]


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/games/nothing", 404, "there are: "),
        ("/games/lrc", 404, "did you mean &#39;lcr&#39;?"),
        ("/games/lcr?playrs=3", 404, "did you mean &#39;players&#39;?"),
        ("/games/lcr?players=3&players=4", 400, "players is given twice"),
        ("/nothing", 404, "there is no such page"),
        ("/games/broken", 422, "broken.py, line 1"),
    ],
)
def test_errors_are_pages(client: TestClient, address: str, status: int, words: str) -> None:
    response = client.get(address)
    assert response.status_code == status
    assert words in response.text.replace("There", "there")
    assert "Traceback" not in response.text


def test_pages_are_small(client: TestClient) -> None:
    for address in ("/", *(f"/games/{name}" for name in GAMES), "/games/lcr/exact?players=3&wait=yes"):
        assert len(client.get(address).content) < 200_000


@pytest.mark.parametrize(("name", "called"), [("tossup", "tossup"), ("craps", "craps"), ("pig", "examples/pig.py")])
def test_the_json_of_a_game_is_that_of_the_command(client: TestClient, name: str, called: str) -> None:
    assert untimed(client.get(f"/games/{name}.json").json()) == printed("show", called)


def test_of_many_settings_the_later_ones_are_folded_away(client: TestClient) -> None:
    page = client.get("/games/craps").text
    _, _, folded = page.partition('<details class="more"><summary>16 more settings</summary>')
    assert 'name="house"' in folded
    assert 'name="bankroll"' not in folded
    assert '<details class="more" open>' in client.get("/games/craps?crapless=yes").text
    assert 'class="more"' not in client.get("/games/tossup").text
