"""Pages for everybody: axe-core while a game is played, keyboard and touch, dark colours and paper, charts to keep."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.interface.publishing.conftest import until

import dicelab
from interface.publishing.pages import PLAY_ON

axe = pytest.importorskip("axe_playwright_python", reason="axe-core is missing: make browser")
AXE = Path(axe.__file__).parent / "axe.min.js"
PAPER, LIGHT, DARK = "rgb(255, 255, 255)", "#5d666d", "#a3adb4"
ENDED = "document.querySelector('#play .table .notice .answer') !== null"

pytestmark = pytest.mark.slow


@cache
def tossup() -> str:
    return dicelab.publish("tossup", target=20, include=["exact", "sweep:dice=4,5"]).html


@cache
def yahtzee() -> str:
    return dicelab.publish("yahtzee", boxes=4).html


def must_be_readable(page: Any) -> None:
    """Let axe-core look at the page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def must_fit(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


def simulate(page: Any) -> None:
    page.select_option("#simulate form select:has(option[value='100000000'])", "1000")
    page.click("#simulate form button[type=submit]")
    until(page, "dicelab.result()?.over && document.querySelector('#simulate .stage text') !== null")


def colours(page: Any) -> set[str]:
    return set(page.evaluate("[...document.querySelectorAll('.stage text')].map((one) => one.getAttribute('fill'))"))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 360)])
@pytest.mark.parametrize("made", [tossup, yahtzee])
def test_axe_finds_nothing_while_a_game_is_played(
    opened: Any, made: Callable[[], str], scheme: str, width: int
) -> None:
    page = opened(made(), width, color_scheme=scheme, bypass_csp=True)  # axe is a script of the test
    must_be_readable(page)
    page.check("#play form input[type=checkbox]")
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play .board') !== null")
    must_be_readable(page)
    page.evaluate(PLAY_ON.replace("3000", "2"))
    page.click("#play summary")
    page.click("text=Review")
    until(page, "document.querySelector('.review') !== null")
    must_be_readable(page)
    must_fit(page)
    page.evaluate(PLAY_ON)
    assert page.evaluate(ENDED)
    simulate(page)
    must_be_readable(page)
    must_fit(page)
    assert not re.search(r"(?<!\d)-0\.0+\b", page.inner_text("#play"))
    page.emulate_media(media="print", color_scheme="dark")
    must_be_readable(page)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == PAPER


def test_charts_are_drawn_for_the_colours_of_the_page_and_of_paper(opened: Any) -> None:
    page = opened(tossup(), color_scheme="light")
    assert LIGHT in colours(page)
    for _ in range(2):  # from auto to light, to dark
        page.click(".tools button")
    assert DARK in colours(page)
    assert LIGHT not in colours(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert DARK not in colours(page)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert DARK in colours(page)


def test_a_game_is_played_and_reviewed_by_keyboard_alone(opened: Any) -> None:
    page = opened(tossup(), 360)
    page.focus("#play form input[inputmode=numeric]")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#play .table button') !== null")
    for move in range(200):
        if page.evaluate(ENDED):
            break
        page.keyboard.press("12"[move % 2])
    assert page.evaluate(ENDED)
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Review":
            break
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.review') !== null")


def test_dice_are_kept_and_charts_are_read_by_touch(opened: Any) -> None:
    page = opened(yahtzee(), 360, has_touch=True)
    page.tap("#play form button[type=submit]")
    until(page, "document.querySelector('#play .pick') !== null")
    page.tap("#play .pick >> nth=1")
    assert page.get_attribute("#play .pick >> nth=1", "aria-pressed") == "true"
    kept = page.locator("#play .table .controls button").first
    assert re.match(r"keep \d\b", kept.inner_text())
    simulate(page)
    page.tap("#simulate .stage >> nth=0")
    assert re.search(r": [\d.]+ %$", page.inner_text("#simulate .readout >> nth=0"))


def test_charts_answer_to_the_pointer_and_keys_and_are_saved(opened: Any, tmp_path: Path) -> None:
    page = opened(tossup(), color_scheme="dark")
    stage, note = page.locator("#exact .stage").first, page.locator("#exact .readout").first
    stage.focus()
    page.keyboard.press("ArrowRight")
    first = dicelab.exact("tossup", "bank_over", target=20).outcomes["0"].probability
    assert note.inner_text() == f"player 1 wins: {first:.6f}"
    page.keyboard.press("End")
    assert note.inner_text().startswith("player 2 wins: ")
    page.keyboard.press("Escape")
    assert note.inner_text() == ""
    stage.hover(position={"x": 100, "y": 30})
    assert note.inner_text().startswith("player 1 wins: ")
    for kind in "SVG", "PNG":
        with page.expect_download() as download:
            page.click(f"#exact figure:first-of-type >> text=Save {kind}")
        download.value.save_as(tmp_path / kind)
    drawn = ElementTree.parse(tmp_path / "SVG").getroot()
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "Outcomes, exactly" in texts
    assert f"{100 * first:.2f} %" in texts
    content = (tmp_path / "PNG").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20]) == 2 * int(drawn.get("width"))
