"""Sheets and exercises in a browser: what is typed, what is printed, and whether everybody can read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.interface.reporting.report import document

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is missing: make browser")
ROULETTE = str(Path(__file__).parents[3] / "examples" / "roulette.py") + ":roulette-single-zero"


def shown(chromium: Any, file: Path, html: str, width: int = 360) -> Any:
    """Return a page of the browser with a file, about which axe-core has nothing to say."""
    file.write_text(html, encoding="utf-8")
    page = chromium.new_page(viewport={"width": width, "height": 800})
    page.goto(file.as_uri())
    assert [found["id"] for found in axe.Axe().run(page).response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    return page


def pages(page: Any) -> int:
    """Return how many pages are printed."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))


def test_the_sheet_of_one_bet_is_one_page_and_that_of_several_a_page_for_each(chromium, tmp_path):
    one = shown(chromium, tmp_path / "one.html", document(dicelab.par(ROULETTE, bet="red")))
    assert pages(one) == 1
    two = shown(chromium, tmp_path / "two.html", document(dicelab.par(ROULETTE, only=["red", "straight"])))
    assert pages(two) == 3


@pytest.mark.slow
def test_an_exercise_of_thirty_pupils_prints_a_sheet_and_a_list_of_seeds(chromium, tmp_path):
    found = dicelab.exercise("lcr", players=3, pupils=30, games=2000)
    page = shown(chromium, tmp_path / "exercise.html", found.page)
    assert pages(page) == 2
    shown(chromium, tmp_path / "key.html", found.key)
    said = []
    for counts in (("614", "656", "730"), ("2000", "0", "0"), ("614", "656", "729"), ("614", "656", "7 30")):
        for at, count in enumerate(counts):
            page.locator("input.count").nth(at).fill(count)
        page.get_by_role("button").click()
        said.append(page.inner_text("#said"))
    assert "consistent" in said[0]
    assert "p-value below 1e-9" in said[1]
    assert said[2] == "Your counts add up to 1999, but you were to play 2000 games."
    assert "Type a whole number" in said[3]
