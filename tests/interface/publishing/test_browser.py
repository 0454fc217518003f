"""Published pages in Chromium, opened from a file: they give the counts of `dicelab simulate`, and can be played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.interface.publishing.conftest import until

import dicelab
from dicelab.rules.loading.registry import find
from dicelab.runtime.philox import Stream, pool
from interface.publishing.pages import GAMES, SEED, must_be_the_game_of_its_seed, played
from small_games import Tokens

INCLUDED = sorted(name for name, game in dicelab.all_games().items() if game.__module__.startswith("dicelab.games."))


def simulated(page: Any, seed: int = SEED, games: int = GAMES) -> Any:
    """What the page has counted."""
    page.fill("#simulate form input[inputmode=numeric]", str(seed))
    page.select_option("#simulate form select:has(option[value='100000000'])", str(games))
    page.click("#simulate form button[type=submit]")
    until(page, "dicelab.result()?.over")
    return page.evaluate("dicelab.result()")


def must_agree(result: Any, expected: Any) -> None:
    """Compare every count of a page with a simulation."""
    assert result["failed"] == []
    assert result["played"] == expected.games
    assert result["counts"] == ([o.count for o in expected.outcomes.values()] or [expected.games])
    for histogram, tally in zip(result["histograms"], expected.tallies.values(), strict=True):
        assert {int(value): n for value, n in histogram.items()} == dict(tally.histogram)


def test_a_page_counts_what_simulate_counts(opened: Any) -> None:
    page = opened(dicelab.publish("hazard").html)
    must_agree(simulated(page), dicelab.simulate("hazard", games=GAMES, seed=SEED))


@pytest.mark.slow
@pytest.mark.parametrize("game", [one for one in INCLUDED if one != "hazard"])
def test_every_game_counts_what_simulate_counts(opened: Any, game: str) -> None:
    page = opened(dicelab.publish(game).html)
    must_agree(simulated(page), dicelab.simulate(game, games=GAMES, seed=SEED))


def test_a_game_played_in_the_page_is_the_game_of_its_seed(opened: Any, tmp_path: Path) -> None:
    must_be_the_game_of_its_seed(played(opened(dicelab.publish("hazard").html)), tmp_path / "game.json")


@pytest.mark.slow
@pytest.mark.parametrize("game", INCLUDED)
def test_every_game_can_be_played(opened: Any, tmp_path: Path, game: str) -> None:
    few = {"bankroll": 40, "until_rounds": 2} if game == "craps" else {}
    must_be_the_game_of_its_seed(played(opened(dicelab.publish(game, **few).html)), tmp_path / "game.json")


POWERS = '''"""A number that needs more than 64 bits in some games."""
from dicelab.rules import D6, OVER, Game, Int, Tally, throw, thrown


class Powers(Game):
    """One roll, and a power of it."""

    name = "powers"
    last = Int(0, 9, "the last digit")
    rolls = Tally("rolls")

    def next(self) -> int:
        return OVER if self.rolled() else throw(self.die)

    def rolled(self) -> bool:
        return self.last > 0

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.rolls += 1
        self.last = face**40 % 5 + 1
'''


@pytest.mark.slow
def test_games_that_need_more_than_64_bits_are_counted_and_shown(opened: Any, tmp_path: Path) -> None:
    (tmp_path / "powers.py").write_text(POWERS, encoding="utf-8")
    page = opened(dicelab.publish(tmp_path / "powers.py").html)
    result = simulated(page)
    powers = find(str(tmp_path / "powers.py"))
    dice = pool(powers(), powers.die, 1)
    large = sum(Stream(SEED, game).draw(dice)[0] >= 3 for game in range(GAMES))
    assert len(result["failed"]) == large
    assert result["played"] == GAMES - large
    assert f"{large} of 1,000 games could not be finished here" in page.inner_text("#simulate .results .notice.bad")


@pytest.mark.slow
def test_a_grid_by_seat_is_drawn_with_a_line_for_each_player(opened: Any) -> None:
    page = opened(dicelab.publish(Tokens).html)
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play .lying') !== null")
    assert page.inner_text("#play .lying").split("\n") == ["at", "you", "0 0", "player 2", "0 0"]
