"""The editor in a real browser: completion, findings at their lines, figures while typing, saving."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chromium import AXE, expect, needs_chromium, started

pytestmark = [needs_chromium, pytest.mark.slow]
PIG = Path("examples/pig.py").read_text()
LONG = 60_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("typed")


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[str]:
    (folder / "mine.py").write_text(PIG)
    with started(str(folder / "mine.py")) as address:
        yield address


@pytest.fixture(params=[(1440, 900), (360, 740)], ids=["broad", "narrow"])
def page(chromium: Any, lab: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The page of a file, with its editor."""
    (folder / "mine.py").write_text(PIG)
    width, height = request.param
    context = chromium.new_context(base_url=lab, bypass_csp=True, viewport={"width": width, "height": height})
    found = context.new_page()
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("dialog", lambda dialog: dialog.accept())
    found.goto("/games/mine/check")
    expect(found.locator("#text")).to_be_visible(timeout=LONG)
    yield found
    context.close()
    assert not wrong


def cursor(page: Any, words: str) -> None:
    """Put the cursor behind some words."""
    place = page.input_value("#text").index(words) + len(words)
    page.evaluate(
        "place => { const text = document.getElementById('text'); text.focus({ preventScroll: true }); "
        "text.setSelectionRange(place, place); }",
        place,
    )


def test_a_name_is_completed_and_imported_and_the_figures_follow(page: Any, folder: Path) -> None:
    cursor(page, 'turns = Tally("turns, the lost ones included")')
    page.keyboard.press("Enter")
    page.keyboard.type("most = Pe")
    expect(page.locator("#names [aria-selected=true]")).to_contain_text("Peak(help, low, high)")
    page.keyboard.press("Enter")
    page.keyboard.type('("the most")')
    text = page.input_value("#text")
    assert '    most = Peak("the most")\n' in text
    assert "    thrown,\n    Peak,\n)" in text
    expect(page.locator("#now")).to_contain_text("most", timeout=LONG)
    assert (folder / "mine.py").read_text() == PIG
    for _ in range(60):
        page.keyboard.press("Control+z")
    assert page.input_value("#text") == PIG


def test_fields_of_the_file_and_arguments_are_offered(page: Any) -> None:
    cursor(page, "self.turns += 1")
    page.keyboard.press("Enter")
    page.keyboard.type("self.sco")
    expect(page.locator("#names li")).to_have_text(["scoresof this file"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert "        self.turns += 1\n        self.scores\n" in page.input_value("#text")
    cursor(page, 'rolled = Flag("the player may choose"')
    page.keyboard.type(", pri")
    expect(page.locator("#names [aria-selected=true]")).to_contain_text("private=")
    page.keyboard.press("Escape")
    expect(page.locator("#names")).to_be_hidden()
    cursor(page, "the lost ones included")
    page.keyboard.type(" Pea")
    expect(page.locator("#names")).to_be_hidden()  # words for people are not completed


def test_an_error_is_in_view_at_its_line(page: Any) -> None:
    cursor(page, "def die(self")
    page.keyboard.type(",,")
    line = 1 + PIG[: PIG.index("def die(self")].count("\n")
    expect(page.locator("#first")).to_have_text(f"line {line}invalid syntax", timeout=LONG)
    expect(page.locator("#first")).to_be_in_viewport()
    expect(page.locator(".mark.broken")).to_have_text("invalid syntax")
    expect(page.locator("#margin .broken")).to_have_text(str(line))
    page.locator(".typing").evaluate("box => { box.scrollTop = 0; }")
    page.click("#first button")
    expect(page.locator("#margin .broken")).to_be_in_viewport()
    page.keyboard.press("Backspace")  # at the start of the line: which is joined to the one before
    assert "@thrown(1, D6)    def die" in page.input_value("#text")


def test_the_check_marks_the_line_that_breaks_the_contract(page: Any) -> None:
    cursor(page, "self.points += face")
    page.keyboard.type(" + self.nothing")
    expect(page.locator(".mark.broken")).to_have_text("self.nothing is not declared", timeout=LONG)
    expect(page.locator("#checked")).to_contain_text("broken", timeout=LONG)


def test_saving_and_files_that_change_on_disk(page: Any, folder: Path) -> None:
    file = folder / "mine.py"
    expect(page.locator("#save")).to_be_disabled()
    cursor(page, "return self.scores.index(max(self.scores))")
    page.keyboard.press("Enter")
    page.keyboard.type("# mine")
    page.keyboard.press("Control+s")
    expect(page.locator("#saved")).to_have_text("saved")
    assert file.read_text() == page.input_value("#text") != PIG
    file.write_text(PIG)
    expect(page.locator("#text")).to_have_value(PIG, timeout=LONG)  # nothing was unsaved
    cursor(page, "return self.scores.index(max(self.scores))")
    page.keyboard.type("  # here")
    file.write_text(PIG + "# elsewhere\n")
    expect(page.locator("#elsewhere")).to_contain_text("what you see is not saved", timeout=LONG)
    page.click("#save")
    expect(page.locator("#elsewhere")).to_contain_text("nothing was written")
    assert file.read_text() == PIG + "# elsewhere\n"
    page.click("#load")
    expect(page.locator("#text")).to_have_value(PIG + "# elsewhere\n")
    expect(page.locator("#elsewhere")).to_be_hidden()
    page.locator("#text").press("Control+z")
    assert "# here" in page.input_value("#text")
    page.keyboard.press("Control+s")  # by choice, after the other text was seen
    expect(page.locator("#saved")).to_have_text("saved")
    assert "# here" in file.read_text()


def test_a_template_is_inserted_with_what_it_imports(page: Any) -> None:
    cursor(page, "player = Seat(")
    page.select_option("#template", label="a strategy")
    assert "@strategy(Pig)\ndef careful(game: Pig) -> int:" in page.input_value("#text")
    page.select_option("#template", label="a whole file: game")
    assert "class Mine(Game):" in page.input_value("#text")
    expect(page.locator("#now")).to_contain_text("busts", timeout=LONG)
    expect(page.locator("#first")).not_to_have_class("notice bad")


def test_the_page_fits_can_be_left_by_keys_and_breaks_no_rule_of_axe(page: Any) -> None:
    page.locator("#text").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.press("Control+z")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "text"
    cursor(page, "self.points += face")
    page.keyboard.type(" + self.nothing + sel")
    expect(page.locator("#names")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert not [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]


def test_without_scripts_the_file_is_shown_as_it_is(chromium: Any, lab: str, folder: Path) -> None:
    (folder / "mine.py").write_text(PIG)
    context = chromium.new_context(base_url=lab, java_script_enabled=False)
    page = context.new_page()
    page.goto("/games/mine/check")
    expect(page.locator("#text")).to_be_hidden()
    expect(page.locator(".listing")).to_contain_text("class Pig(Game):")
    context.close()
