"""Whole flows in a real browser: Debian's Chromium, driven by Playwright. `make browser` installs it."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dicelab
from chromium import AXE, expect, needs_chromium, started

pytestmark = needs_chromium
SIZES = [(360, 740), (1280, 900), (1920, 1080)]
PAGES = [
    "/",
    "/games/tossup",
    "/games/craps",
    "/games/lcr/exact?players=3",
    "/games/lcr/simulate?players=12&games=2000&seed=1",
    "/games/tossup/play?target=6&dice=3&seed=3&coach=before",
    "/games/tossup/review?target=6&dice=3&seed=3&moves=1",
    "/games/lcr/play?players=3&seed=1&moves=3",
    "/games/tossup/play?target=6&dice=3&strategy=one_roll&seed=3&moves=4",
    "/games/tossup/sweep?target=6&over=dice=2..4",
    "/dice?expressions=4d6kh3&at_least=15",
    "/dice?expressions=3d6%0A4d6kh3&of=at-least",
    "/fair?rolls=16,18,21,15,14,16",
    "/playtests",
    "/games/hazard/exact",
    "/games/pass-line/par",
    "/games/lcr/tune?over=players=2..4&want=gap<10%25",
    "/games/lcr/exercise?players=3&games=500&pupils=3",
    "/games/tossup/compare?target=6&dice=3&strategy=one_roll&strategy=bank_over:5&strategy=bank_over:3",
    "/games/lcr/judge?players=3&counts=616,655,729&mean.turns=14.9",
    "/games/tossup/solve?target=20",
    "/games/craps/play?seed=3&moves=0.10,126.0,126.0,43.30",
    "/games/craps/session?until_rounds=5&bankroll=40&games=300&seed=3&simulated=yes",
    "/games/craps-bet/edges?only=place_*",
    "/games/pass-line/beside?with=hazard",
    "/games/lcr/why?players=3",
    "/games/tossup/best?target=12&dice=3",
    "/games/lcr/class?players=3",
    "/games/pass-line/publish",
    "/games/tossup/learn?target=4&dice=2",
    "/games/pass-line/with_dice?rolls=80,100,100,100,100,120",
    "/games/yahtzee/play?seed=5",
    "/runs",
    "/yours",
    "/games/nothing",
]


@pytest.fixture(scope="module")
def lab() -> Iterator[str]:
    """The address of a lab."""
    with started() as address:
        yield address


@pytest.fixture(
    params=[pytest.param(1440, id="broad"), pytest.param(360, id="narrow", marks=pytest.mark.slow)],
)
def page(chromium: Any, lab: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that may load nothing from elsewhere, in which no script fails, and that fits the screen at the end."""
    context = chromium.new_context(base_url=lab, viewport={"width": request.param, "height": 900})
    found = context.new_page()
    foreign: list[str] = []
    wrong: list[str] = []
    found.on("request", lambda request: None if request.url.startswith(lab) else foreign.append(request.url))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    yield found
    widest = found.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert not foreign
    assert not wrong
    assert widest <= request.param


def unasked(page: Any) -> str:
    """What makes a question another one on narrow screens, whose answer the lab doesn't know from broad ones."""
    return "" if page.viewport_size["width"] > 1000 else "&dice=2"


def broken_rules(page: Any) -> list[tuple[str, str]]:
    """The rules of axe that a page breaks, and where; the page must let in a script of the test."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]


def open_settings(page: Any) -> None:
    """Open the settings where they are folded away."""
    if page.locator("aside .fold > summary").is_visible() and not page.locator("aside form").is_visible():
        page.click("aside .fold > summary")


@pytest.mark.slow
def test_the_first_page_answers_dice_while_they_are_typed(page: Any) -> None:
    page.goto("/")
    answer = page.locator("#dicebox .answer")
    expect(answer).to_have_text("The mean of 4d6kh3 is 12.2; at least four rolls in five give 8 to 16.", timeout=30_000)
    expect(page.locator("#dicebox .stage rect")).to_have_count(16)
    page.get_by_label("dice").fill("2d6")
    expect(answer).to_contain_text("The mean of 2d6 is 7")
    expect(page.locator("#dicebox .stage rect")).to_have_count(11)
    page.get_by_label("dice").fill("2d")
    expect(answer).to_contain_text("expected the number of faces")
    expect(page.locator("#dicebox .stage rect")).to_have_count(0)
    page.get_by_label("dice").fill("<img src=x onerror=alert(1)>")
    expect(page.locator("#dicebox img")).to_have_count(0)


def test_simulate_until_a_precision(page: Any) -> None:
    page.goto("/games/hazard/simulate?seed=1")
    open_settings(page)
    page.fill("[name=precision]", "0.02")
    page.select_option("[name=on]", "win")
    page.click("aside button")
    expect(page.locator("#state")).to_have_text("finished", timeout=60_000)
    played = dicelab.simulate("hazard", precision=0.02, on="win", seed=1)
    expect(page.locator("#games")).to_have_text(f"{played.games:,}")
    assert page.url.endswith("/games/hazard/simulate?precision=0.02&on=win&seed=1")
    assert page.get_attribute("#progress", "value") == "1"


@pytest.mark.slow
def test_simulate_stop_continue_reveal_and_ten_times_as_many(page: Any) -> None:
    page.goto("/games/lcr/simulate?players=50&games=1000000000&seed=1")
    expect(page.locator("#numbers table").first).to_be_visible(timeout=60_000)
    page.click("#stop")
    expect(page.locator("#state")).to_have_text("stopped", timeout=60_000)
    stopped = page.text_content("#games")
    expect(page.locator("figure.chart svg").first).to_be_visible(timeout=60_000)
    page.click("#continue")
    expect(page.locator("#games")).not_to_have_text(stopped, timeout=60_000)
    page.goto("/games/hazard/simulate?games=500&seed=1")
    expect(page.locator("#state")).to_have_text("finished", timeout=60_000)
    page.click("#reveal")
    page.wait_for_selector("#truth table")
    page.click("text=10 times as many")
    expect(page.locator("#games")).to_have_text("5,000", timeout=60_000)
    assert "games=5000&seed=1" in page.url


@pytest.mark.quick  # the one flow in a browser that CI runs
def test_play_to_the_end_with_keys_and_read_the_review(page: Any) -> None:
    page.goto("/games/tossup/play?target=20&seed=3&coach=before")
    for _ in range(200):
        page.wait_for_selector("main:not(:has(#solving)) .roll", timeout=60_000)  # the values, not estimates
        if page.query_selector(".result"):
            break
        best = page.get_attribute("a[data-key]:has(.worth):not(.quiet)", "data-key")
        with page.expect_navigation():
            page.keyboard.press(best)
    page.click("text=Review")
    page.wait_for_selector(".line")
    assert re.search("No decision cost anything", page.text_content(".lead"))
    page.go_back()
    page.wait_for_selector(".result")


# Three mistakes of programs that play LCR: the seats counted from the other end, turns of players without coins left
# out, and the number of coins.
@pytest.mark.slow
def test_dice_are_picked_by_clicks_and_by_keys(page: Any) -> None:
    """The button says what is picked; what is not allowed can't be sent. Seed 5 begins with 1 2 2 3 6."""
    page.goto("/games/yahtzee/play?seed=5")
    dice, go = page.locator("#pick button"), page.locator("#picked")
    assert dice.evaluate_all("all => all.map(die => die.dataset.label)") == ["1", "2", "2", "3", "6"]
    dice.nth(1).click()
    expect(go).to_have_text("keep 2")
    dice.nth(2).click()
    expect(go).to_have_text("keep 2 2")
    page.keyboard.press("6")
    expect(go).to_have_text("keep 2 2 6")
    page.keyboard.press("6")  # no other die shows a 6, so it is put back
    expect(go).to_have_text("keep 2 2")
    expect(dice.nth(4)).to_have_attribute("aria-pressed", "false")
    dice.nth(2).click()
    page.keyboard.press("2")
    page.evaluate("document.activeElement.blur()")  # Enter on a die picks it
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"moves="))
    expect(page.locator("#pick button").nth(0)).to_have_attribute("aria-pressed", "false")
    labels = page.locator("#pick button").evaluate_all("all => all.map(die => die.dataset.label)")
    assert labels.count("2") >= 2, "both twos were kept"


@pytest.mark.slow
def test_dice_that_do_not_score_can_not_be_set_aside(page: Any) -> None:
    """Farkle with seed 5 begins with 1 1 3 5 6 6; the button says what a choice scores."""
    page.goto("/games/farkle/play?seed=5&target=2000")
    dice, go = page.locator("#pick button"), page.locator("#picked")
    page.keyboard.press("3")
    expect(go).to_have_text("3: not allowed")
    assert go.get_attribute("href") is None
    page.keyboard.press("Enter")
    assert "moves=" not in page.url
    page.keyboard.press("3")
    page.keyboard.press("1")
    page.keyboard.press("1")
    page.keyboard.press("5")
    expect(go).to_have_text(re.compile(r"keep 1 1 5 .*250"))
    expect(dice.filter(has_text="x")).to_have_count(0)
    go.click()
    expect(page.locator("main")).to_contain_text("You set aside 1 1 5 for 250 points")
    page.goto("/games/farkle/play?seed=6&target=2000")  # three fours score, two of them don't
    page.keyboard.press("4")
    expect(go).to_have_text("4: choose more")
    page.keyboard.press("4")
    page.keyboard.press("4")
    expect(go).to_have_text(re.compile("keep 4 4 4"))


@pytest.mark.slow
def test_judge_a_right_and_three_wrong_programs(page: Any, tmp_path: Path) -> None:
    right = dicelab.simulate("lcr", players=3, games=4000, seed=5)
    fewer = dicelab.simulate("lcr", players=3, coins=2, games=4000, seed=5)
    counts = [outcome.count for outcome in right.outcomes.values()]
    turns = right.tallies["turns"].mean
    judged = {
        "consistent": (counts, turns),
        "seats": ([*counts[1:], counts[0]], turns),
        "turns": (counts, turns - 4),
        "coins": ([outcome.count for outcome in fewer.outcomes.values()], fewer.tallies["turns"].mean),
    }
    for mistake, (wins, mean) in judged.items():
        page.goto("/games/lcr/judge?players=3")
        page.fill("[name=counts]", ",".join(map(str, wins)))
        page.click("aside .more summary")
        page.fill("[name='mean.turns']", f"{mean:.2f}")
        page.click("aside button")
        expect(page.locator(".verdict strong")).to_have_text(
            "consistent" if mistake == "consistent" else "inconsistent", timeout=60_000
        )
    table = tmp_path / "results.csv"
    table.write_text("outcome,turns\n" + "\n".join(["0,12", "1,31", "2,9"] * 300))
    page.goto("/games/lcr/judge?players=3")
    page.set_input_files("#table", table)
    expect(page.locator(".verdict strong")).to_have_text("inconsistent", timeout=60_000)
    assert "--file results.csv" in page.text_content("#command")


@pytest.mark.slow
def test_saved_games_are_given_together(page: Any, tmp_path: Path) -> None:
    moves = [{"roll": {"green": 2}}, {"seat": 1, "choice": "bank"}]
    for name in "anna", "ben":
        (tmp_path / name).mkdir()
        game = {"game": "tossup", "parameters": {"dice": 2, "target": 5}, "moves": moves}
        (tmp_path / name / "game.json").write_text(json.dumps(game))
    (tmp_path / "broken.json").write_text("{")
    page.goto("/")
    page.click("text=Playtests")
    page.set_input_files("#table", tmp_path / "broken.json")
    expect(page.locator("#refused")).to_contain_text("broken.json is not JSON")
    page.set_input_files("#table", [tmp_path / name / "game.json" for name in ("anna", "ben")])
    expect(page.locator(".answer").first).to_contain_text("in 2 of 2 decisions", timeout=60_000)
    expect(page.locator("#content")).to_contain_text("game.json (2), step 2")


@pytest.mark.slow
def test_bets_at_craps_are_clicked_and_rolled(page: Any) -> None:
    page.goto("/games/craps/play?seed=3")
    page.click("[data-amount='25']")
    page.click("[aria-label='Bet on pass']")
    expect(page.locator("[aria-label='25 on pass: take it down']")).to_be_visible(timeout=30_000)
    page.hover("[aria-label='Bet on field']")
    expect(page.locator("#edge")).to_contain_text("house edge 2.778 %", timeout=30_000)
    page.keyboard.press("r")
    expect(page.locator(".paid")).to_contain_text("pass wins 25", timeout=30_000)
    expect(page.locator(".purse")).to_have_text("purse 325")
    page.go_back()
    expect(page.locator(".purse")).to_have_text("purse 275", timeout=30_000)
    page.click("[aria-label='25 on pass: take it down']")
    expect(page.locator(".purse")).to_have_text("purse 300", timeout=30_000)
    page.click("[aria-label='Bet on pass']")  # clicks that follow each other quickly are all counted
    page.click("[aria-label='Bet on field']")
    page.keyboard.press("r")
    page.keyboard.press("r")
    expect(page.locator(".puck")).to_have_text("on", timeout=30_000)
    expect(page.locator(".log")).to_contain_text("field wins 25")


@pytest.mark.slow
def test_bets_at_craps_are_typed_one_after_the_other(page: Any) -> None:
    page.goto("/games/craps/play?seed=3")
    page.focus("#say")
    page.keyboard.type("field 10\n")
    expect(page.locator(".purse")).to_have_text("purse 290", timeout=30_000)
    page.keyboard.type("horn 4\n")  # an r that is typed doesn't roll
    expect(page.locator(".purse")).to_have_text("purse 286", timeout=30_000)
    page.keyboard.type("nonsense\n")
    expect(page.locator(".notice.bad")).to_contain_text("nonsense", timeout=30_000)
    expect(page.locator("#say")).to_be_focused()
    page.focus("#roll")
    page.keyboard.press("Enter")
    expect(page.locator(".paid")).to_contain_text("field", timeout=30_000)
    expect(page.locator("#roll")).to_be_focused()


@pytest.mark.slow
def test_strategies_play_at_a_pace_with_a_pause(page: Any) -> None:
    page.goto("/games/lcr/play?players=3&seed=1")
    page.select_option("#pace select", "400")
    page.keyboard.press("p")
    expect(page.locator(".log li").nth(2)).to_be_visible(timeout=30_000)
    page.click("#pace button")
    expect(page.locator("#pace button")).to_contain_text("Play by itself")
    page.wait_for_timeout(800)
    paused = page.url
    page.wait_for_timeout(1200)
    assert page.url == paused
    page.click("#pace button")
    expect(page.locator(".result")).to_be_visible(timeout=60_000)
    expect(page.locator("#pace")).to_be_hidden()
    assert page.evaluate("localStorage.getItem('dicelab-pace')") == "400"


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1440])
def test_a_file_that_is_saved_shows_its_errors_and_new_figures(chromium: Any, tmp_path: Path, width: int) -> None:
    file = tmp_path / "mine.py"
    rules = Path("examples/pig.py").read_text()
    file.write_text(rules)
    with started(str(file), "--host", "127.0.0.2") as address:  # without the editor, which has tests of its own
        page = chromium.new_page(base_url=address, viewport={"width": width, "height": 900})
        page.goto("/games/mine/check")
        expect(page.locator("[aria-label=Figures] table").first).to_be_visible(timeout=60_000)
        file.write_text(rules.replace("def die(self", "def die(self,,"))
        expect(page.locator(".finding")).to_contain_text("invalid syntax", timeout=30_000)
        file.write_text(rules)
        expect(page.locator("[aria-label=Figures] table").first).to_be_visible(timeout=60_000)
        expect(page.locator(".finding")).to_have_count(0)
        page.goto("/games/mine/exact?target=5")
        expect(page.locator("#content table").first).to_be_visible(timeout=60_000)
        before = page.text_content("#content tbody")
        file.write_text(rules.replace("if face == 1:", "if face <= 2:"))
        expect(page.locator("#content tbody").first).not_to_have_text(before, timeout=60_000)
        page.close()


@pytest.mark.slow
def test_the_map_of_a_policy_shows_values_by_mouse_and_by_keys(page: Any) -> None:
    page.goto("/games/tossup/solve?target=20")
    page.wait_for_selector("#cells:not([hidden])", timeout=60_000)
    page.hover("#cells", position={"x": 200, "y": 200})
    expect(page.locator("#state strong")).to_have_count(1)
    pointed = page.text_content("#state")
    page.focus("#cells")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#state")).not_to_have_text(pointed)
    held = page.locator("input[name^='at.scores']").first  # the score that isn't an axis of the map
    name = str(held.get_attribute("name")).removeprefix("at.")
    held.fill("10")
    held.press("Tab")
    page.wait_for_timeout(500)
    page.hover("#cells", position={"x": 210, "y": 200})
    expect(page.locator("#state")).to_contain_text(f"{name} 10")
    expect(page.locator(".rule")).to_be_visible(timeout=60_000)


@pytest.mark.slow
def test_an_exact_answer_that_takes_long_arrives_by_itself(page: Any) -> None:
    page.goto(f"/games/lcr/exact?players=7{unasked(page)}")
    page.wait_for_selector("text=/\\d+ s so far/", timeout=10_000)
    page.wait_for_selector("table", timeout=120_000)
    page.wait_for_selector("figure.chart svg")


@pytest.mark.slow
def test_the_exact_answer_follows_a_slider(page: Any) -> None:
    page.goto("/games/lcr/exact?players=2")
    page.wait_for_selector("#content table")
    open_settings(page)
    page.focus("input[type=range][aria-label=players]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#command")).to_have_text("dicelab exact lcr --players 3", timeout=30_000)
    third = page.locator("#content tbody tr").nth(2)
    expect(third.locator("data")).to_have_text("0.365", timeout=30_000)
    assert page.url.endswith("/exact?players=3")
    page.click("text=more digits")
    expect(third.locator("data")).to_have_text("0.365138")
    page.press("input[type=range][aria-label=players]", "ArrowLeft")  # the next answer has as many
    expect(page.locator("#content tbody").first.locator("tr")).to_have_count(2, timeout=30_000)
    expect(page.locator("#content tbody data").first).to_have_text(re.compile(r"^0\.\d{6}$"), timeout=30_000)
    page.click("text=fewer digits")
    expect(page.locator("#content tbody data").first).to_have_text(re.compile(r"^0\.\d{3}$"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1440])
def test_strategies_are_chosen_from_lists_without_scripts_too(chromium: Any, lab: str, width: int) -> None:
    context = chromium.new_context(base_url=lab, viewport={"width": width, "height": 900}, java_script_enabled=False)
    page = context.new_page()
    page.goto("/games/tossup/exact?target=8")
    typed = page.get_by_label("player 2, typed")
    expect(typed).to_be_hidden()
    lists = page.locator("select[name=strategy]")
    lists.nth(0).select_option("one_roll")
    lists.nth(1).select_option("typed")
    expect(typed).to_be_visible()
    typed.fill("bank_over:4")
    page.click("aside form button")
    expect(page).to_have_url(re.compile(r"\?target=8&strategy=one_roll&strategy=bank_over:4$"))
    expect(lists.nth(1)).to_have_value("typed")
    context.close()


@pytest.mark.slow
@pytest.mark.cases("size", SIZES)
@pytest.mark.cases("scheme", ["light", "dark"])
@pytest.mark.cases("address", PAGES)
def test_every_page_fits_the_screen_and_breaks_no_rule_of_axe(
    chromium: Any, lab: str, address: str, scheme: str, size: tuple[int, int]
) -> None:
    width, height = size
    look = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = chromium.new_context(base_url=lab, bypass_csp=True, **look)  # axe is a script of the test
    page = context.new_page()
    response = page.goto(address)
    style = (Path(dicelab.__file__).parent / "interface/lab/static/lab.css").stat().st_size
    assert len(response.body()) + style < 200_000
    page.wait_for_selector("main#content")
    page.wait_for_function(
        "!document.title.startsWith('solving') && !document.querySelector('.working')", timeout=60_000
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not broken_rules(page)
    context.close()


@pytest.mark.slow
def test_a_page_that_waits_breaks_no_rule_of_axe(chromium: Any, lab: str) -> None:
    context = chromium.new_context(base_url=lab, bypass_csp=True)
    page = context.new_page()
    page.goto("/games/lcr/exact?players=9")
    expect(page.get_by_role("button", name="Go on in the background")).to_be_visible(timeout=120_000)
    assert not broken_rules(page)
    context.close()


@pytest.mark.slow
def test_settings_fold_away_on_narrow_screens_where_there_is_an_answer(chromium: Any, lab: str) -> None:
    page = chromium.new_page(base_url=lab, viewport={"width": 360, "height": 740})
    page.goto("/games/lcr/exact?players=3")
    expect(page.locator("[name=players]")).to_be_hidden()
    page.click("text=Settings")
    expect(page.locator("[name=players]")).to_be_visible()
    page.goto("/games/lcr/judge?players=3")
    expect(page.locator("[name=counts]")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 740})
    page.goto("/games/lcr/exact?players=3")
    expect(page.locator("[name=players]")).to_be_visible()
    page.close()


@pytest.mark.slow
def test_narrow_screens_show_the_tab_of_the_page_and_charts_that_can_be_read(chromium: Any, lab: str) -> None:
    page = chromium.new_page(base_url=lab, viewport={"width": 360, "height": 740})
    page.goto("/games/lcr/sweep?over=players=2..3")
    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=1)
    expect(page.locator("figure svg").first).to_be_visible(timeout=30_000)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.route("**/sweep/sweep.json*", lambda route: route.abort())
    page.goto("/games/lcr/sweep?over=players=2..4")
    expect(page.locator("figure").first).to_contain_text("can't be drawn", timeout=30_000)
    page.close()


CHARTS = [
    ("/games/lcr/sweep?over=players=2..3", "sweep", "players 2: largest minus smallest chance to win 0.23585"),
    ("/games/tossup/compare?target=6&dice=3&strategy=one_roll&strategy=bank_over:5", "comparison", "one_roll against"),
    ("/games/lcr/why?players=3", "why", "dot dot dot (1/8): player"),
    ("/games/lcr/judge?players=3&counts=616,655,729", "judgement", "player 1: 616, expected"),
    ("/games/lcr/tune?players=2&over=coins=1..2&want=turns=2..9", "tune", ": turns "),
    ("/games/craps/session?bankroll=20&until_rounds=5&games=200", "session", "line, money at the end of a session 0:"),
    (
        "/games/tossup/rate?target=6&dice=3&strategy=one_roll&strategy=bank_over:5&seed=1",
        "rating",
        "others, all seats 0.",
    ),
    ("/games/tossup/learn?target=4&dice=2", "learning", "games played"),
]
"""Pages with a chart, its name, and what it says of the first point."""


@pytest.mark.slow
@pytest.mark.parametrize(("address", "name", "said"), CHARTS, ids=[name for _, name, _ in CHARTS])
def test_charts_answer_to_keys_and_pointer_and_are_saved(
    chromium: Any, lab: str, address: str, name: str, said: str
) -> None:
    for width in (1440, 360):
        page = chromium.new_page(base_url=lab, viewport={"width": width, "height": 740})
        page.goto(address)
        chart = page.locator("figure.chart").first
        chart.locator(".stage").focus(timeout=60_000)
        page.keyboard.press("ArrowRight")
        readout = chart.locator(".readout")
        expect(readout).to_contain_text(said)
        page.keyboard.press("Escape")
        expect(readout).to_have_text("")
        chart.locator(".stage").hover()
        expect(readout).not_to_have_text("")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for kind in ("SVG", "PNG"):
            with page.expect_download() as download:
                chart.locator(f"text=Save {kind}").click()
            assert download.value.suggested_filename.endswith(f"{name}.{kind.lower()}")
        page.close()


@pytest.mark.slow
def test_charts_of_exact_answers_are_drawn_in_the_page(page: Any) -> None:
    page.goto("/games/hazard/exact?main=6")
    chart = page.locator("figure.chart").first
    chart.locator(".stage").focus(timeout=30_000)
    page.keyboard.press("ArrowRight")
    expect(chart.locator(".readout")).to_have_text("win: 0.488286")
    open_settings(page)
    page.focus("input[type=range][aria-label=main]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#command")).to_have_text("dicelab exact hazard", timeout=30_000)
    chart.locator(".stage").hover(position={"x": 60, "y": 30})
    expect(chart.locator(".readout")).to_have_text("win: 0.492929", timeout=30_000)
    pale = chart.locator("svg text").first.get_attribute("fill")
    page.click("#theme")
    assert chart.locator("svg text").first.get_attribute("fill") != pale
    with page.expect_download() as download:
        chart.locator("text=Save SVG").click()
    assert download.value.suggested_filename == "hazard-exact.svg"


@pytest.mark.slow
def test_a_review_is_walked_through_by_its_line(page: Any) -> None:
    """A bank at the start of Toss Up! throws points away: it is marked, and can be tried again."""
    page.goto("/games/tossup/review?target=12&dice=3&strategy=me&strategy=bank_over:5&seed=3&moves=1,0,1")
    page.click("text=Next mistake", timeout=60_000)
    walked = page.locator(".walked")
    expect(walked).to_contain_text("you: bank")
    expect(walked).to_contain_text("better: roll")
    row = page.locator("tr.chosen")
    expect(row).to_contain_text("?")
    step = int(row.locator("th").first.inner_text())
    page.locator("svg.line").focus()
    page.keyboard.press("ArrowLeft")
    expect(walked).to_contain_text(f"Step {step - 1} of")
    page.keyboard.press("Home")
    expect(walked).to_contain_text("The start")
    box = page.locator("svg.line").bounding_box()
    page.locator("svg.line").click(position={"x": box["width"] - 8, "y": 10})
    expect(walked).to_contain_text(re.compile(r"Step (\d+) of \1\b"))
    page.click("text=Next mistake")
    walked.locator("text=try from here").click()
    expect(page.locator("h1")).to_have_text("tossup")
    assert "coach=before" in page.url


@pytest.mark.slow
def test_work_is_cancelled_or_goes_on_in_the_background_with_a_notice(page: Any) -> None:
    page.goto("/games/lcr/exact?players=8")
    expect(page.locator(".working .stage")).to_contain_text("states", timeout=120_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#content [role=alert]")).to_contain_text("cancelled", timeout=30_000)
    page.goto(f"/games/lcr/exact?players=7&coins=2{unasked(page)}")
    page.get_by_role("button", name="Go on in the background").click()
    expect(page.locator(".working")).to_contain_text("You may leave this page")
    page.goto("/games/hazard")
    expect(page.locator(".notice.behind")).to_contain_text("lcr: exact is done", timeout=120_000)
    page.locator(".notice.behind a").click()
    expect(page.locator("#content .answer")).to_contain_text("players", timeout=5_000)
    expect(page.locator(".working")).to_have_count(0)
    page.goto("/games/hazard")
    expect(page.locator(".notice.behind")).to_have_count(0)


@pytest.mark.slow
def test_reviewed_games_are_kept_with_puzzles_from_the_worst_decisions(page: Any) -> None:
    page.goto("/yours")
    expect(page.locator("#none")).to_be_visible()
    game = "/games/tossup/review?target=12&dice=3&strategy=me&strategy=bank_over:5&seed=3&moves="
    finished = game + "1,0,1"
    for _ in range(40):  # banking again and again, to the end
        page.goto(finished)
        expect(page.locator("#walk")).to_be_visible(timeout=60_000)
        if page.locator("text=not played to its end").count() == 0:
            break
        finished += ",1"
    page.goto("/yours")
    expect(page.locator("#games li")).to_have_count(1)
    expect(page.locator("#accuracy tbody tr")).to_have_count(1)
    expect(page.locator("#accuracy tbody")).to_contain_text("%")
    puzzle = page.locator("#puzzles li").first
    expect(puzzle).to_contain_text("you chose bank")
    expect(puzzle.locator("details p")).to_be_hidden()
    puzzle.locator("a").click()
    assert "coach=after" in page.url
    page.go_back()
    page.click("#clear")
    expect(page.locator("#none")).to_be_visible()


CLICKED = """(spot) => new Promise((done) => {
  const began = performance.now(), placed = `button[name=down][value=${spot}]`;
  new MutationObserver((_, seen) => {
    if (document.querySelector(placed)) { seen.disconnect(); done(performance.now() - began); }
  }).observe(document.getElementById("content"), { childList: true, subtree: true });
  document.querySelector(`button[name=bet][value=${spot}]`).click();
})"""


@pytest.mark.slow
def test_a_bet_at_craps_is_placed_at_once_and_the_others_move_step_by_step(page: Any) -> None:
    page.goto("/games/craps/play?players=2&seed=3&strategy=me&strategy=molly")
    page.evaluate("localStorage.setItem('dicelab-others', '300')")
    took = [page.evaluate(CLICKED, spot) for spot in ("pass", "field", "any7", "eleven", "any_craps")]
    print("milliseconds from the click to the chip:", *map(round, took))
    assert sorted(took)[2] < 1000, "0.2 s on a quiet machine"
    expect(page.locator("#acting")).to_be_hidden()
    page.click("#roll")
    expect(page.locator("#acting")).to_be_visible(timeout=30_000)
    expect(page.locator("#acting li").filter(has_text="player 2").first).to_be_visible()
    expect(page.locator("#after")).to_be_hidden()
    expect(page.locator("#after")).to_be_visible(timeout=30_000)
    expect(page.locator("#acting")).to_be_hidden()
    page.evaluate("localStorage.setItem('dicelab-others', '1500')")
    page.keyboard.press("r")
    expect(page.locator("#acting")).to_be_visible(timeout=30_000)
    page.keyboard.press("Escape")  # any key shows the table at once
    expect(page.locator("#after")).to_be_visible()


@pytest.mark.slow
def test_what_the_others_do_appears_step_by_step(page: Any) -> None:
    game = "/games/tossup/play?target=30&dice=3&strategy=me&strategy=bank_over:5&seed=3"
    page.goto(game)
    expect(page.locator("#after")).to_be_visible()
    page.evaluate("localStorage.setItem('dicelab-others', '300')")
    page.locator(".moves a", has_text="Bank").or_(page.locator(".moves a", has_text="bank")).first.click()
    expect(page.locator("#acting")).to_be_visible()
    expect(page.locator("#after")).to_be_hidden()
    steps = page.locator("#acting li")
    assert steps.count() > 2
    expect(steps.last).to_be_hidden()
    expect(page.locator("#after")).to_be_visible(timeout=30_000)
    expect(page.locator("#acting")).to_be_hidden()
    page.reload()
    expect(page.locator("#after")).to_be_visible()  # what was seen is not shown again
    page.go_back()
    page.evaluate("localStorage.setItem('dicelab-others', '0')")
    page.locator(".moves a", has_text="Bank").or_(page.locator(".moves a", has_text="bank")).first.click()
    expect(page.locator("#after")).to_be_visible()
    expect(page.locator("#acting")).to_be_hidden()


@pytest.mark.slow
def test_hidden_dice_are_covered_between_two_people_at_one_screen(page: Any) -> None:
    page.goto("/games/liars-dice/play?strategy=me&strategy=me&seed=3")
    content = page.locator("#content")
    expect(content).to_contain_text("It is the turn of player 1")
    expect(content).not_to_contain_text("No dice have been rolled yet")
    expect(content).not_to_contain_text("[4]")
    page.keyboard.press("Enter")
    expect(content).to_contain_text("[1] [4]")
    expect(content).to_contain_text("[?] [?]")
    page.get_by_role("link", name="2 dice with 6").click()
    expect(content).to_contain_text("It is the turn of player 2")
    expect(content).not_to_contain_text("[4]")
    expect(page.get_by_role("link", name="2 dice with 6")).to_have_count(0)
    page.get_by_role("link", name="player 2 looks").click()
    expect(content).to_contain_text("[4] [6]")
    expect(content).not_to_contain_text("[1] [4]")
    page.get_by_role("link", name="Take back").click()
    expect(content).to_contain_text("It is the turn of player 1")
    expect(content).not_to_contain_text("[6]")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["report", "publish"])
def test_a_report_and_a_published_page_are_saved_and_opened(page: Any, tmp_path: Path, kind: str) -> None:
    target = 5 if page.viewport_size["width"] > 1000 else 6
    page.goto(f"/games/tossup/{kind}?target={target}&dice=2")
    link = page.get_by_role("link", name=f"tossup-{kind}.html")
    expect(link).to_be_visible(timeout=100_000)
    with page.expect_download() as begun:
        link.click()
    assert begun.value.suggested_filename == f"tossup-{kind}.html"
    begun.value.save_as(tmp_path / "saved.html")
    opened, asked = page.context.new_page(), list[str]()
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto((tmp_path / "saved.html").as_uri())
    expect(opened.locator("h1").first).to_contain_text("tossup", ignore_case=True)
    assert opened.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
    opened.close()


@pytest.mark.slow
def test_the_forms_of_rate_and_learn_are_filled_in(page: Any) -> None:
    page.goto("/games/tossup/rate?target=6&dice=3")
    expect(page.locator("#content")).to_contain_text("Choose two strategies or more")
    lists = page.locator("aside select[name=strategy]")
    lists.nth(0).select_option("one_roll")
    lists.nth(1).select_option("bank_over:20")
    page.get_by_label("most games").fill("2000")
    page.get_by_label("seed").fill("1")
    page.click("aside form button")
    expect(page.locator("#content tbody").first).to_contain_text("one_roll", timeout=60_000)
    assert "--seed 1" in page.text_content("#command")
    page.goto("/games/tossup/learn?target=4&dice=2")
    open_settings(page)
    page.get_by_role("textbox", name="games").fill("many")
    with page.expect_navigation():  # the settings have been folded once the page has loaded
        page.click("aside form button")
    expect(page.locator("#content [role=alert], #content .bad").first).to_contain_text("many", timeout=60_000)
    open_settings(page)
    page.get_by_role("textbox", name="games").fill("4000")
    page.click("aside form button")
    expect(page.locator("#content table").first).to_be_visible(timeout=120_000)


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1440])
def test_pages_say_when_the_lab_is_stopped(chromium: Any, tmp_path: Path, width: int) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 900})
    silent, wrong, pages = "The lab does not answer; is it still running?", list[str](), dict[str, Any]()
    addresses = {
        "craps": "/games/craps/play?seed=1",
        "playing": "/games/lcr/simulate?players=50&games=1000000000&seed=1",
        "finished": "/games/hazard/simulate?games=500&seed=1",
        "map": "/games/tossup/solve?target=6&dice=3",
        "dice": "/",
        "pace": "/games/lcr/play?players=3&seed=1",
        "judge": "/games/lcr/judge?players=3",
        "solving": "/games/yahtzee/play?objective=most:score&seed=1&coach=before",
        "exact": "/games/lcr/exact?players=9",  # the last, because in a few seconds its states are too many
    }
    with started() as lab:
        for name, address in addresses.items():
            pages[name] = context.new_page()
            pages[name].on("pageerror", lambda error, name=name: wrong.append(f"{name}: {error.stack}"))
            pages[name].goto(lab + address, timeout=120_000)
        expect(pages["playing"].locator("#state")).to_have_text("playing", timeout=30_000)
        expect(pages["finished"].locator("#state")).to_have_text("finished", timeout=30_000)
        expect(pages["map"].locator("#axes select").first).to_be_visible(timeout=60_000)
    expect(pages["playing"].locator("#failed")).to_contain_text("the lab is not running any more", timeout=30_000)
    expect(pages["playing"].locator("#state")).to_have_text("failed")
    expect(pages["finished"].locator("#note")).to_contain_text("the lab is not running any more", timeout=30_000)
    expect(pages["finished"].locator("#state")).to_have_text("finished")
    expect(pages["exact"].locator("#content")).to_contain_text(silent)
    pages["map"].locator("#axes select").first.select_option(index=1)
    expect(pages["map"].locator("#state")).to_have_text(silent)
    pages["dice"].get_by_label("dice").fill("2d6")
    expect(pages["dice"].locator("#dicebox .answer")).to_have_text(silent)
    pages["pace"].click("text=Play by itself")
    expect(pages["pace"].locator("#pace button")).to_contain_text("The lab does not answer")
    (tmp_path / "results.csv").write_text("outcome\n0\n")
    pages["judge"].set_input_files("#table", tmp_path / "results.csv")
    expect(pages["judge"].locator("#refused")).to_contain_text("the lab does not answer")
    expect(pages["solving"].locator("#solving")).to_contain_text(silent)
    expect(pages["solving"].get_by_text("Ask again")).to_be_visible()
    pages["craps"].locator(".spot button[name=bet]:enabled:visible").last.click()
    expect(pages["craps"].locator("#silent")).to_have_text(silent)
    expect(pages["craps"].locator("#silent")).to_be_in_viewport()
    widest = [page.evaluate("document.documentElement.scrollWidth") for page in pages.values()]
    context.close()
    assert max(widest) <= width
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1440])
def test_a_visitor_simulates_and_plays_but_edits_nothing(chromium: Any, tmp_path: Path, width: int) -> None:
    (tmp_path / "mine.py").write_text(Path("examples/pig.py").read_text())
    with started(str(tmp_path / "mine.py"), "--host", "0.0.0.0") as address:
        context = chromium.new_context(viewport={"width": width, "height": 900})
        page, wrong, port = context.new_page(), list[str](), address.rpartition(":")[2]
        page.on("pageerror", lambda error: wrong.append(str(error)))
        lab = f"http://{socket.gethostbyname(socket.gethostname())}:{port}"
        page.goto(f"{lab}/games/hazard/simulate?games=500&seed=1")
        expect(page.locator("#state")).to_have_text("finished", timeout=60_000)
        page.evaluate("document.querySelector('meta[name=token]').content = 'guessed'")
        refused = page.evaluate(
            "fetch(document.getElementById('run').dataset.start, {method: 'POST', headers: "
            "{'X-Dicelab-Token': document.querySelector('meta[name=token]').content}}).then((r) => r.status)"
        )
        assert refused == 403
        page.goto(f"{lab}/games/mine/check")
        expect(page.locator(".listing")).to_contain_text("class Pig(Game):", timeout=60_000)
        expect(page.locator("#text")).to_have_count(0)
        page.goto(f"{lab}/games/craps/play?seed=3")
        page.click("button[name=bet][value=pass]")
        expect(page.locator("button[name=down][value=pass]")).to_be_visible(timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()
    assert not wrong
