"""Optimal play in a page: the values that it holds, and the same review in Chromium as by dicelab."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.interface.publishing.conftest import until

import dicelab
from dicelab.errors import DicelabError, InputError, PlayError
from dicelab.interface.play.asking.estimated import EstimatedHints
from dicelab.interface.publishing.optimal import Optimal, optimal
from dicelab.questions.policies.skill.values import values
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, fresh, reset
from dicelab.rules.loading.registry import find
from dicelab.runtime.interpreter import asked, steps
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.states.codec import Place
from dicelab.solver.enumeration.model import moves_at
from interface.publishing.pages import SEED, played
from support import SetLimits

EXAMPLES = Path(__file__).parents[3] / "examples"
PIG = str(EXAMPLES / "pig.py")


def held(found: Optimal) -> list[tuple[list[int], float]]:
    """The states of a page and their values, read as the page reads them."""
    many, about = found.about["states"], found.about
    planes = np.frombuffer(found.content, np.uint8).reshape(2, 4, many)
    steps, levels = (planes[k].T.copy().view("<u4")[:, 0] for k in range(2))
    states = []
    for place, level in zip(np.cumsum(steps.astype(np.int64)).tolist(), levels.tolist(), strict=True):
        numbers = []
        for low, size in zip(reversed(about["low"]), reversed(about["size"]), strict=True):
            numbers.append(low + place % size)
            place //= size
        states.append((numbers[::-1], about["first"] + about["step"] * level))
    return states


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("tossup", {"target": 6, "dice": 2}), (PIG, {"target": 6})],
    ids=["tossup", "pig"],
)
def test_values_are_those_of_the_solution(name: str, parameters: dict[str, int]) -> None:
    game: Game = find(name)(**parameters)
    found, why = optimal(game, None)
    assert found is not None, why
    solved, table = values(game), fresh(game)
    states = held(found)
    assert len(states) == found.about["states"] > 1
    for numbers, value in states:
        Place(table, ()).set(numbers)
        assert value == pytest.approx(float(solved.of(table)[0]), abs=1e-7)


def test_pages_say_why_optimal_play_is_missing(limits: SetLimits) -> None:
    found, note = optimal(find("tossup")(players=3), None)
    assert found is None
    assert "a page holds that of one or two seats" in note
    limits(page_beginnings=20)
    found, note = optimal(find("tossup")(target=7, dice=2), None)
    assert found is None
    assert "solving it takes long; dicelab publish --policy solve adds it" in note


def test_policies_that_are_refused(tmp_path: Path) -> None:
    game = find("tossup")(target=5, dice=2)
    with pytest.raises(DicelabError, match="one or two seats"):
        optimal(find("tossup")(players=3, target=5), "solve")
    with pytest.raises(InputError, match="there is no such file"):
        optimal(game, str(tmp_path / "none.npz"))
    file = tmp_path / "best.npz"
    dicelab.solve(game, "one_roll").policy.save(file)
    with pytest.raises(InputError, match="against given strategies"):
        optimal(game, file)
    dicelab.solve(game).policy.save(file)
    assert optimal(game, file)[0] == optimal(game, None)[0]
    with pytest.raises(InputError, match="target"):
        optimal(find("tossup")(target=6, dice=2), file)
    with pytest.raises(InputError, match="can't be played in a page"):
        dicelab.publish(Path(__file__).parents[2] / "games" / "risk_mixed.py", policy="solve")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"), [("tossup", {"target": 20}), (PIG, {"target": 40}), ("yahtzee", {"boxes": 4})]
)
def test_the_review_is_that_of_dicelab(opened: Any, tmp_path: Path, name: str, parameters: dict[str, int]) -> None:
    page = opened(dicelab.publish(name, **parameters).html)
    page.check("#play form input[type=checkbox]")
    log = played(page)
    found = page.evaluate("dicelab.review()")
    file = tmp_path / "game.json"
    file.write_text(json.dumps(log), encoding="utf-8")
    expected = dicelab.review(file, game=name) if name == PIG else dicelab.review(file)
    assert len(found["steps"]) == len(expected.steps)
    for one, right in zip(found["steps"], expected.steps, strict=True):
        assert one["before"] == pytest.approx([float(v) for v in right.before], abs=1e-6)
        assert one["after"] == pytest.approx([float(v) for v in right.after], abs=1e-6)
        assert one.get("cost", 0) == pytest.approx(float(right.cost), abs=1e-6)
    for seat, sums in enumerate(found["seats"]):
        for sum_, name_ in ("start", "start"), ("luck", "luck"), ("costs", "costs"), ("given", "given"):
            assert sums[sum_] == pytest.approx(float(getattr(expected, name_)[seat]), abs=1e-6)
    page.click("text=Review")
    until(page, "document.querySelector('.review') !== null")
    page.locator(".review .stage").focus()
    page.keyboard.press("End")
    last = f"{len(expected.steps)} steps: "
    assert last in page.inner_text(".review .readout")


@pytest.mark.slow
def test_optimal_play_in_every_seat_costs_nothing(opened: Any) -> None:
    page = opened(dicelab.publish("tossup", target=20).html)
    for select in page.query_selector_all("#play form .player select"):
        select.select_option("best")
    log = played(page)
    assert log["seats"] == ["best", "best"]
    assert all(abs(one.get("cost", 0)) < 1e-9 for one in page.evaluate("dicelab.review()")["steps"])


@pytest.mark.slow
def test_an_objective_comes_with_the_file(tmp_path: Path) -> None:
    game = find(str(Path(PIG).parents[1] / "verification" / "pig_alone.py"))(target=6)
    unsaid = find(str(Path(PIG).parents[1] / "tests" / "games" / "odd_dice.py"))()
    assert "nothing says what is played for" in optimal(unsaid, None)[1]
    file = tmp_path / "best.npz"
    dicelab.solve(game, objective="fewest:turns").policy.save(file)
    found, _ = optimal(game, file)
    assert found is not None
    assert (found.about["objective"], found.about["sign"]) == ("fewest:turns", -1)
    solved, table = values(game, objective="fewest:turns"), fresh(game)
    for numbers, value in held(found):
        Place(table, ()).set(numbers)
        assert value == pytest.approx(float(solved.of(table)[0]), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_where_optimal_play_is_missing_the_coach_estimates(opened: Any, width: int) -> None:
    """As the hints at the terminal do, by games after each move; the page says by how many."""
    game = find("tossup")(target=20)
    page = opened(dicelab.publish(game, policy="none").html, width)
    for select in page.query_selector_all("#play form .player select"):
        select.select_option("me")
    page.fill("#play form input[inputmode=numeric]", str(SEED))
    page.check("#play form input[type=checkbox]")
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play table') !== null")
    rows = [row.split("\t") for row in page.inner_text("#play table tbody").splitlines()]
    said = page.inner_text("#play")
    assert "games after each move, in which all players follow" in said
    table = fresh(game)
    reset(table)
    applied(table.declared.throws[0].run, table, Stream(SEED, 0).draw(pool(table, table.declared.throws[0], 0)))
    decision = table.declared.decisions[0]
    hints = EstimatedHints(game, None)(table, decision, 0)
    expected = {decision.describe(move): worth for move, worth in hints.after.items()}
    for name, worth, error, _ in rows:
        off = 2 * float(error.split()[1]) / 100 + 0.05
        assert float(worth.split()[0]) / 100 == pytest.approx(expected[name], abs=off)
    assert len(rows) == len(expected) == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_the_coach_of_who_chooses_at_the_same_time_does_not_see_what_others_chose(opened: Any) -> None:
    """It estimates what the hints at the terminal do, whatever the first player has just chosen."""
    game, found = fresh(find("sealed-bids")()), list[Any]()

    def advised(table: Any, decision: Any, seat: int) -> int:
        found.append(EstimatedHints(game, None)(table, decision, seat))
        return 1

    with suppress(PlayError):
        for _ in steps(game, [lambda *_: 1, advised], Stream(SEED, 0)):
            pass
    expected = {game.declared.decisions[0].describe(move): worth for move, worth in found[0].after.items()}
    page = opened(dicelab.publish("sealed-bids", policy="none").html)
    for chosen in (0, 2):
        for select in page.query_selector_all("#play form .player select"):
            select.select_option("me")
        page.fill("#play form input[inputmode=numeric]", str(SEED))
        page.check("#play form input[type=checkbox]")
        page.click("#play form button[type=submit]")
        page.click("#play button:has-text('I am player 1')")
        page.locator("#play .moves button").nth(chosen).click()
        page.click("#play button:has-text('I am player 2')")
        until(page, "document.querySelector('#play table') !== null")
        rows = [row.split("\t") for row in page.inner_text("#play table tbody").splitlines()]
        assert "What others have chosen now is taken to be the same half of the time" in page.inner_text("#play")
        assert {name for name, *_ in rows} == {*expected}
        for name, worth, error, _ in rows:
            assert float(worth) == pytest.approx(expected[name], abs=2 * float(error.split()[1]) + 0.01)


LEARNED = [
    (str(EXAMPLES / "pig.py"), {"target": 15}, {}),
    (str(EXAMPLES / "cant_stop_race.py"), {"sides": 3, "needed": 1}, {}),
    (str(EXAMPLES / "backgammon.py"), {"setup": "hypergammon"}, {"objective": "win"}),
]
"""Games, their parameters, and what else is asked for when a player learns them."""
COACH = "#play table:has(th:has-text('loss')) tbody"
"""Where the coach says what moves are worth."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters", "more"), LEARNED, ids=["pig", "cant-stop", "backgammon"])
def test_the_coach_shows_what_a_learned_player_thinks(
    opened: Any, tmp_path: Path, name: str, parameters: dict[str, Any], more: dict[str, str]
) -> None:
    """At each choice of a game, in which the page's first move is made, the hints are those of the terminal."""
    game, file = find(name)(**parameters), str(tmp_path / "learned.npz")
    dicelab.learn(game, method="values", games=300, seed=1, **more).policy.save(file)
    page = opened(dicelab.publish(game, policy=file).html)
    for select in page.query_selector_all("#play form .player select"):
        assert "the learned player" in select.inner_text()
        select.select_option("me")
    page.fill("#play form input[inputmode=numeric]", str(SEED))
    page.check("#play form input[type=checkbox]")
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play').innerText.includes('nothing bounds their error')")
    assert "Review" not in page.inner_text("#play")
    hints, table, rolls = EstimatedHints(game, file), fresh(game), Stream(SEED, 0)
    reset(table)
    choices = 0
    while choices < 6 and (step := table.next()) != OVER:
        kind, number = asked(table, step)
        if not isinstance(kind, Decision):
            applied(kind.run, table, rolls.draw(pool(table, kind, number)))
            continue
        said = hints(table, kind, number)
        expected = sorted(said.after.values(), reverse=said.sign > 0)[:8]
        rows = [row.split("\t") for row in page.inner_text(COACH).splitlines()]
        scale, digits = (100, 0.06) if "%" in rows[0][1] else (1, 0.006)
        assert [float(row[1].split()[0]) / scale for row in rows] == pytest.approx(expected, abs=digits / scale)
        moves = [move for move in moves_at(kind, table) if kind.allows(table, move)]
        page.click("#play .moves button")
        applied(kind.run, table, moves[0])
        choices += 1
    assert choices > 2


@pytest.mark.slow
def test_a_page_takes_no_other_learned_values(tmp_path: Path) -> None:
    """Values of turns need rules that the page hasn't; those of other parameters are of another game."""
    game, file = find(PIG)(target=6), str(tmp_path / "learned.npz")
    dicelab.learn(game, method="turns", games=100, seed=1).policy.save(file)
    with pytest.raises(InputError, match="has values of turns, which a page can't use; learn with --method values"):
        dicelab.publish(game, policy=file)
    with pytest.raises(InputError, match="for other parameters"):
        dicelab.publish(find(PIG)(target=7), policy=file)
