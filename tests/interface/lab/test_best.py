"""The page of optimal play: the solution, the policy as a map with thresholds, the short rule."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import dicelab
from asking import printed, untimed

PAGE = "/games/tossup/solve?target=20"


def test_the_json_is_that_of_the_command(client: TestClient) -> None:
    page = client.get(f"{PAGE}&wait=1").text
    assert "dicelab solve tossup --target 20<" in page
    assert untimed(client.get(PAGE.replace("solve", "solve.json")).json()) == printed(
        "solve", "tossup", "--target", "20"
    )
    for place in re.findall(r'data-(?:map|part)="([^"]+)"', page):
        assert client.get(unescape(place)).status_code == 200


def test_the_map_has_the_values_of_the_policy(client: TestClient) -> None:
    found = client.get("/games/tossup/map.json?target=20&x=scores[0]&y=points&at.player=0&at.scores[1]=5").json()
    advised = dicelab.advice(dicelab.solve("tossup", target=20).policy, points=7, scores=(5, 5), player=0).rows[0]
    cell = next(cell for cell in found["cells"] if cell[:2] == [5, 7])
    assert found["moves"][cell[2]] == advised.best
    for move, (worth, _) in advised.options.items():
        assert cell[3][found["moves"].index(move)] == worth


def test_the_thresholds_are_those_of_the_map(client: TestClient) -> None:
    found = client.get("/games/pig/map.json?target=30").json()
    assert found["thresholds"]
    for row in found["thresholds"]:
        for x, y, best, _ in found["cells"]:
            if row["from"] <= x <= row["to"]:
                passed = [move for first, move in row["steps"] if y >= first]
                assert found["moves"][best] == passed[-1]


def test_the_short_rule_is_that_of_the_command(client: TestClient, tmp_path: pytest.TempPathFactory) -> None:
    file = f"{tmp_path}/best.npz"
    printed("solve", "tossup", "--target", "12", "--out", file)
    said = printed("policy", "tossup", "--target", "12", file, "--rule", "--leaves", "2")
    assert untimed(client.get("/games/tossup/rule.json?target=12&leaves=2").json()) == said
    assert "points of winning chance" in client.get("/games/tossup/rule/part?target=12&leaves=2").text


def test_a_card_is_that_of_the_command(client: TestClient, tmp_path: Path) -> None:
    page = client.get("/games/tossup/solve?target=12&wait=1").text
    links = [unescape(link) for link in re.findall(r'href="([^"]+)" download="tossup-card', page)]
    assert [link.partition("?")[0][-4:] for link in links] == [".pdf", ".csv", "d.py"]
    policy = dicelab.solve("tossup", target=12).policy
    for link in links:
        file = tmp_path / f"card.{link.partition('?')[0].rpartition('.')[2]}"
        dicelab.card(policy, player=0).save(file)
        found = client.get(f"{link}&at.player=0")
        assert found.status_code == 200
        assert found.content == file.read_bytes() or (file.suffix == ".pdf" and found.content.startswith(b"%PDF"))
    assert client.get("/games/tossup/card.txt?target=12").status_code == 404
    assert client.get("/games/hazard/card.csv").status_code == 404
    assert "no nothing in its state" in client.get("/games/tossup/card.csv?target=12&at.nothing=1").text


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/games/tossup/map.json?target=12&x=nothing&y=points", "has no nothing in its state"),
        ("/games/tossup/map.json?target=12&at.player=7", "no choice in a state with player 7"),
        ("/games/tossup/map.json?target=12&at.player=x", "is not a whole number"),
        ("/games/tossup/map.json?target=12&x=points&y=points", "two different fields"),
        ("/games/tossup/map.json?target=12&y=points&at.points=5", "leave out points=5"),
        ("/games/tossup/rule.json?target=12&leaves=50", "leaves"),
        ("/games/tossup/solve.json?target=12&objective=nothing", "no objective of tossup"),
        ("/games/hazard/solve.json", "not complete"),
    ],
)
def test_mistakes_are_explained(client: TestClient, address: str, words: str) -> None:
    response = client.get(address)
    assert response.status_code in (400, 404, 422)
    assert words in response.json()["error"]


def test_a_game_without_choices_says_so(client: TestClient) -> None:
    assert "Nobody chooses anything" in client.get("/games/hazard/solve").text
    assert "Best play" not in client.get("/games/hazard").text


def test_the_coach_and_the_page_solve_the_same_game_in_either_order(client: TestClient) -> None:
    for page in ("play?target=9&seed=1&coach=before", "solve?target=9&wait=1", "play?target=9&seed=1&coach=before"):
        response = client.get(f"/games/tossup/{page}")
        assert response.status_code == 200


def test_the_objectives_of_a_game_are_suggested(client: TestClient) -> None:
    page = client.get("/games/yahtzee/solve").text
    offered = re.findall(r'<option value="([\w:]+)">', page[page.index('<datalist id="objectives">') :])
    assert offered[:2] == ["most:score", "fewest:score"]
    assert "atleast:score:1" in offered
    assert "win" not in offered, "nobody wins alone"


def test_how_to_play_is_the_answer_of_the_command(client: TestClient) -> None:
    at = "at.points=2&at.scores=5,6&at.player=0"
    page = client.get(f"/games/tossup/best?target=8&dice=2&strategy=one_roll&{at}&wait=1").text
    words = ["best", "tossup", "--target", "8", "--dice", "2", "--at", "points=2", "--at", "scores=5,6"]
    assert f"dicelab {' '.join(words)} --at player=0 --seconds 8<" in page
    assert "at={&#39;points&#39;: 2, &#39;scores&#39;: [5, 6], &#39;player&#39;: 0}" in page
    assert '<option value="most:turns">' in page
    assert 'name="strategy"' not in page, "the best play is asked for, not that of a strategy"
    said = client.get(f"/games/tossup/best.json?target=8&dice=2&{at}").json()
    assert untimed(said) == printed(*words, "--at", "player=0")
    wrong = client.get("/games/tossup/best.json?target=8&dice=2&at=5").json()
    assert "write at.NAME" in wrong["error"]
