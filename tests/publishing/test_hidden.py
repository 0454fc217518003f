"""Games with hidden dice, played in a page: nobody sees what the others have until it is laid open."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.publishing.conftest import until

import dicelab
from dicelab.interface.play.saved.file import read
from dicelab.interface.play.saved.moves import checked
from dicelab.interface.play.screen.secrets import Secrets
from dicelab.rules.loading.registry import find
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream
from publishing.pages import PLAY_ON, SEED, played

pytestmark = pytest.mark.slow


def begun(page: Any, people: int) -> None:
    """Begin a game with so many people."""
    seats = page.locator("#play form select:has(option[value=me])")
    for seat in range(people):
        seats.nth(seat).select_option("me")
    page.fill("#play form input[inputmode=numeric]", str(SEED))
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play .board') !== null")


def dice(page: Any, seat: int) -> list[str]:
    """The dice under the cup of a seat, as they are shown."""
    return page.evaluate(  # type: ignore[no-any-return]
        "seat => [...document.querySelectorAll('#play .board dl')[0].children[seat].querySelectorAll('.die')]"
        ".map((one) => one.getAttribute('aria-label'))",
        seat,
    )


def test_a_person_sees_the_own_dice_and_how_many_the_others_have(opened: Any) -> None:
    page = opened(dicelab.publish("liars-dice").html, width=360)
    begun(page, 1)
    first = json.loads(page.evaluate("dicelab.log()"))["moves"][0]["roll"]
    assert sorted(dice(page, 0)) == sorted(face for face, many in first.items() for _ in range(many))
    assert dice(page, 1) == ["?", "?"]
    assert page.inner_text("#play .events").count("hidden") == 1
    page.evaluate(PLAY_ON)
    assert re.search(r"dice: you [\d ]+, player 2 [\d ]+\.", page.inner_text("#play details .events") or page.content())
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_two_people_hand_the_screen_over(opened: Any) -> None:
    page = opened(dicelab.publish("liars-dice").html)
    begun(page, 2)
    assert dice(page, 0) == dice(page, 1) == ["?", "?"]
    assert "Hand the screen to player 1" in page.inner_text("#play .table")
    page.click("text=I am player 1")
    assert "?" not in dice(page, 0)
    assert dice(page, 1) == ["?", "?"]
    page.click("#play .moves button")
    assert dice(page, 0) == dice(page, 1) == ["?", "?"]
    page.click("text=I am player 2")
    assert dice(page, 0) == ["?", "?"]
    assert "?" not in dice(page, 1)
    page.click("text=Take back")
    assert dice(page, 0) == dice(page, 1) == ["?", "?"]


def test_secret_bids_are_shown_when_all_have_bid(opened: Any) -> None:
    page = opened(dicelab.publish("sealed-bids").html)
    begun(page, 2)
    page.click("text=I am player 1")
    page.click("#play .moves button >> nth=2")
    page.click("text=I am player 2")
    assert "player 1, bid: hidden" in page.inner_text("#play .events")
    page.click("#play .moves button >> nth=1")
    assert "bid: player 1 2, player 2 1" in page.inner_text("#play .events")
    assert "hidden" not in page.inner_text("#play .events")


@pytest.mark.parametrize("game", ["liars-dice", "mia", "sealed-bids"])
def test_what_is_hidden_is_what_is_hidden_at_the_terminal(opened: Any, tmp_path: Path, game: str) -> None:
    page = opened(dicelab.publish(game).html)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(played(page)), encoding="utf-8")
    page.click("#play summary")
    shown = page.locator("#play details .event").all_inner_texts()
    saved = read(str(file))
    table = find(saved.game)(**saved.parameters)
    moves = iter(checked(table, saved).choices)
    again = find(saved.game)(**saved.parameters)
    secrets = Secrets(again, 0, people=True)
    hidden = []
    choosers = [lambda *_: next(moves)] * len(saved.seats)
    for event in steps(again, choosers, Stream(SEED, 0)):
        if event.kind in ("throw", "choice"):
            hidden.append(secrets.hides(event))
        secrets.look()
    assert [": hidden" in text for text in shown] == hidden
    assert any(hidden) or game == "sealed-bids"  # the second bid lays both open
