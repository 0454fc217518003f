"""Games with hidden dice, played in a page: nobody sees what the others have until it is laid open."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.interface.publishing.conftest import until

import dicelab
from dicelab.games.liars_dice import LiarsDice
from dicelab.games.mia import Mia
from dicelab.interface.play.saved import checked, read
from dicelab.interface.play.screen.views import Secrets
from dicelab.questions.policies.skill.mixed_review import MixedHints
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, fresh, reset
from dicelab.rules.loading.registry import find
from dicelab.runtime.interpreter import asked, steps
from dicelab.runtime.philox import Stream
from interface.publishing.pages import PLAY_ON, SEED, must_be_the_game_of_its_seed, played
from support import SetLimits

pytestmark = pytest.mark.slow


class PersonsTurn(BaseException):
    """Ends a game in a test when a person is to choose."""


def waits(*_: Any) -> tuple[int, ...]:
    """A person who has not chosen yet."""
    raise PersonsTurn


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


@pytest.mark.parametrize("seat", [0, 1])
def test_the_equilibrium_plays_as_at_the_terminal_and_the_coach_shows_it(
    opened: Any, tmp_path: Path, seat: int
) -> None:
    game = LiarsDice(dice=1, faces=3)
    policy = dicelab.equilibrium(game).policy
    policy.save(tmp_path / "bluff.npz")
    page = opened(dicelab.publish(game, policy=tmp_path / "bluff.npz").html)
    seats = page.locator("#play form select:has(option[value=me])")
    seats.nth(1 - seat).select_option("best")
    seats.nth(seat).select_option("me")
    page.check("#play input[type=checkbox]")
    page.fill("#play form input[inputmode=numeric]", str(SEED))
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play .moves') !== null")
    told = page.locator("#play .table table tbody tr").all_inner_texts()
    log = json.loads(page.evaluate("dicelab.log()"))
    table, hints = fresh(game), MixedHints(policy)
    choosers = [waits if one == seat else Call(policy.strategy, ()).chooser(table) for one in (0, 1)]
    played = steps(table, choosers, Stream(SEED, 0))
    reset(table)
    before, events = fresh(game), []
    reset(before)
    with suppress(PersonsTurn):
        for event in played:
            events.append(event)
            applied(asked(before, before.next())[0].run, before, event.values)
    assert len(events) == len(log["moves"])
    made = [step["choice"] for step in log["moves"] if "choice" in step]
    assert made == [" ".join(map(str, event.values)) for event in events if event.kind == "choice"]
    hints.played = events
    worth, shares = hints(before, LiarsDice.bid, seat)
    shown = {}
    for row in told:
        _, often, then, _ = row.split("\t")
        shown[round(float(then.rstrip(" %")), 2)] = often
    for move, value in worth.items():
        assert shown[round(100 * value, 2)] is not None, move
    assert sum(float(row.split("\t")[1].rstrip(" %")) for row in told) == pytest.approx(
        100 * sum(shares.values()), abs=2
    )
    page.evaluate(PLAY_ON)
    must_be_the_game_of_its_seed(json.loads(page.evaluate("dicelab.log()")), tmp_path / "game.json")


def test_a_page_knows_the_subgame_by_the_move_that_led_to_it(opened: Any, tmp_path: Path, limits: SetLimits) -> None:
    limits(whole_histories=0)
    game = Mia(faces=3, lives=1)
    policy = dicelab.equilibrium(game).policy
    policy.save(tmp_path / "mia.npz")
    page = opened(dicelab.publish(game, policy=tmp_path / "mia.npz").html)
    for seed in (1, 2, 3, 4):
        table = fresh(game)
        reset(table)
        events = steps(table, [Call(policy.strategy, ()).chooser(table) for _ in (0, 1)], Stream(seed, 0))
        made = [" ".join(map(str, event.values)) for event in events if event.kind == "choice"]
        seats = page.locator("#play form select:has(option[value=me])")
        seats.nth(0).select_option("best")
        seats.nth(1).select_option("best")
        page.fill("#play form input[inputmode=numeric]", str(seed))
        page.click("#play form button[type=submit]")
        page.evaluate(PLAY_ON)
        log = json.loads(page.evaluate("dicelab.log()"))
        answers = {"believe": "0", "look": "1"}
        assert [answers.get(step["choice"], step["choice"]) for step in log["moves"] if "choice" in step] == made


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
