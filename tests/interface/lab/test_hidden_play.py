"""Pages of games with hidden fields show a person what its seat sees, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest

from dicelab.errors import ParameterError
from dicelab.interface.lab.work.play import play, reviewed, saved
from dicelab.interface.lab.work.process import GameRequest
from dicelab.interface.lab.work.sitting import Sitting, solve
from support import ROOT

LIARS = str(ROOT / "src/dicelab/games/liars_dice.py")
POKER = str(ROOT / "tests" / "games" / "hidden_dice.py:dice-poker")


class Sent:
    """A wire that keeps what is sent."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}

    def send(self, **data: Any) -> None:
        self.data |= data


def asked(game: str, *strategies: str) -> GameRequest:
    return {"called": game, "parameters": {}, "strategies": list(strategies)}


def table(game: str, strategies: list[str], seed: int, moves: list[list[int]], look: bool = False) -> dict[str, Any]:
    """What a page shows of a game."""
    wire: Any = Sent()
    play(wire, asked(game, *strategies), str(seed), moves, None, "off", None, look=look)
    shown: dict[str, Any] = wire.data["table"]
    return shown


@pytest.mark.slow
def test_a_page_is_the_same_whatever_the_others_have_rolled() -> None:
    """Games of poker with dice in which the person has rolled the same, before the other has shown anything."""
    pages: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for seed in range(40):
        sitting = Sitting(asked(POKER, "me", "high"), str(seed), [], None)
        mine, theirs = (step.values[0] for step in sitting.steps)
        pages.setdefault(mine, []).append((theirs, table(POKER, ["me", "high"], seed, [])))
    several = [games for games in pages.values() if len({theirs for theirs, _ in games}) > 1]
    assert several
    for games in several:
        assert all(page == games[0][1] for _, page in games)
    mine, games = next(iter(pages.items()))
    assert games[0][1]["events"][0]["dice"] == [str(mine)]
    assert games[0][1]["events"][1] == {"kind": "throw", "name": "die", "dice": [], "told": ["in secret"]}


def test_the_board_shows_ones_own_cup_and_the_dice_when_they_are_laid_open() -> None:
    page = table(LIARS, ["me", "honest"], 3, [])
    assert [(cell["name"], cell["value"]) for cell in page["board"][0]["cells"]] == [
        ("you", "[1] [4]"),
        ("player 2", "[?] [?]"),
    ]
    assert [field["value"] for field in page["state"] if field["name"] == "dice"] == ["1 0 0 1 0 0"]
    assert not page["saves"]
    after = table(LIARS, ["me", "honest"], 3, [[1, 6], [0, 1]])
    assert "dice: you [1] [4], player 2 [4] [6]" in after["events"][4]["told"]


def test_nobody_sees_hidden_dice_where_several_people_share_a_page() -> None:
    page = table(POKER, ["me", "me"], 3, [])
    assert [event["dice"] for event in page["events"]] == [[], []]


def test_a_page_that_several_people_share_is_covered_until_the_next_one_looks() -> None:
    page = table(LIARS, ["me", "me"], 3, [])
    assert (page["covered"], page["choices"]) == ("player 1", [])
    assert "typed" not in page
    assert [cell["value"] for cell in page["board"][0]["cells"]] == ["[?] [?]", "[?] [?]"]
    assert not any(field["name"] == "dice" for field in page["state"])
    page = table(LIARS, ["me", "me"], 3, [], look=True)
    assert page["covered"] == ""
    assert [cell["value"] for cell in page["board"][0]["cells"]] == ["[1] [4]", "[?] [?]"]
    assert len(page["choices"]) == 24
    page = table(LIARS, ["me", "me"], 3, [[1, 6]])
    assert (page["covered"], page["choices"]) == ("player 2", [])
    page = table(LIARS, ["me", "me"], 3, [[1, 6]], look=True)
    assert [cell["value"] for cell in page["board"][0]["cells"]] == ["[?] [?]", "[4] [6]"]


@pytest.mark.slow
def test_who_looks_alone_sees_nothing_of_the_others() -> None:
    """The second rolls last: pages of the first are the same for all games in which it has rolled the same."""
    pages: dict[int, list[dict[str, Any]]] = {}
    theirs: dict[int, set[int]] = {}
    for seed in range(30):
        mine, other = (step.values[0] for step in Sitting(asked(POKER, "me", "me"), str(seed), [], None).steps)
        pages.setdefault(mine, []).append(table(POKER, ["me", "me"], seed, [], look=True))
        theirs.setdefault(mine, set()).add(other)
    assert any(len(dice) > 1 for dice in theirs.values())
    assert all(page == games[0] for games in pages.values() for page in games)
    assert len({str(games[0]) for games in pages.values()}) == len(pages) > 1


def test_the_coach_says_nothing_while_the_page_is_covered(tmp_path: Path) -> None:
    small = asked(LIARS, "me", "me") | {"parameters": {"dice": "1", "faces": "2", "once": "yes"}}
    file = str(tmp_path / "values.npz")
    solve(cast(Any, Sent()), small, file, 1 << 30)
    wire: Any = Sent()
    for look in (False, True):
        play(wire, small, "3", [], None, "before", file, look=look)
        assert ("coach" in wire.data["table"]) == look
    play(wire, small, "3", [[1, 1]], None, "after", file, look=True)
    assert "last" not in wire.data["table"]["coach"]  # what the other's move has cost depends on its die


def test_a_finished_game_is_reviewed_by_the_equilibrium(tmp_path: Path) -> None:
    small = asked(LIARS, "me", "best") | {"parameters": {"dice": "1", "faces": "2", "once": "yes"}}
    file = str(tmp_path / "values.npz")
    solve(cast(Any, Sent()), small, file, 1 << 30)
    wire: Any = Sent()
    with pytest.raises(ParameterError, match="would show what is hidden; play it to its end first"):
        reviewed(wire, small, "3", [], file)
    over = next(
        moves
        for moves in ([[2, 2]], [[2, 2], [0, 1]], [[1, 1], [2, 2]], [[1, 1], [0, 1]])
        if Sitting(small, "3", moves, file).over
    )
    reviewed(wire, small, "3", over, file)
    found = wire.data["review"]
    assert found["over"]
    parts = [found[name][0] for name in ("start", "luck", "given")] + ([found["drawn"][0]] if "drawn" in found else [])
    assert sum(parts) - found["costs"][0] == pytest.approx(found["result"][0])


def test_the_next_player_uncovers_the_page_by_a_button(client: Any) -> None:
    address = "/games/liars-dice/play?strategy=me&strategy=me&seed=3"
    page = client.get(address).text
    assert "player 1 looks</a>" in page
    assert "2 dice with 6" not in page
    page = client.get(f"{address}&look=0").text
    assert " looks</a>" not in page
    assert "2 dice with 6" in page
    moved = re.search(r'href="([^"]*moves=1.6[^"]*)"', page)
    assert moved is not None
    page = client.get(moved[1].replace("&amp;", "&")).text
    assert "player 2 looks</a>" in page
    assert "2 dice with 6" not in page


def test_an_unfinished_game_is_not_saved() -> None:
    wire: Any = Sent()
    with pytest.raises(ParameterError, match="play it to its end first"):
        saved(wire, asked(POKER, "me", "high"), "3", [], None)
    watched = asked(POKER, "high", "high")
    steps = [[]] * 6
    saved(wire, watched, "3", steps, None)
    assert '"roll"' in wire.data["saved"]


def test_a_page_says_what_can_be_computed_from_its_address(client: Any) -> None:
    told = "from which hidden dice can be computed"
    assert told in client.get("/games/liars-dice/play?strategy=me&strategy=honest&seed=3").text
    assert told not in client.get("/games/tossup/play?strategy=me&strategy=one_roll&seed=3").text


def test_the_coach_shows_the_mixture_and_what_moves_lose(tmp_path: Path) -> None:
    """Over the three rolls of a die, the best moves are worth the value of the game to the first player: 4/9."""
    small = asked(LIARS, "me", "best") | {"parameters": {"dice": "1", "faces": "3", "once": "yes"}}
    file = str(tmp_path / "values.npz")
    solve(cast(Any, Sent()), small, file, 1 << 30)

    def page(seed: int, moves: list[list[int]], coach: str) -> dict[str, Any]:
        wire: Any = Sent()
        play(wire, small, str(seed), moves, None, coach, file)
        shown: dict[str, Any] = wire.data["table"]
        return shown

    best = dict[str, float]()
    for seed in range(12):
        shown = page(seed, [], "before")
        coach = shown["coach"]
        assert sum(coach["shares"]) == pytest.approx(1)
        assert all(
            worth == pytest.approx(max(coach["worth"]))
            for worth, share in zip(coach["worth"], coach["shares"], strict=True)
            if share
        )
        best[shown["events"][0]["dice"][0]] = max(coach["worth"])
        worst = min(range(len(coach["worth"])), key=coach["worth"].__getitem__)
        after = page(seed, [shown["choices"][worst]["move"]], "after")["coach"]["last"]
        assert after["cost"] == pytest.approx(max(coach["worth"]) - coach["worth"][worst])
    assert len(best) == 3
    assert sum(best.values()) / 3 == pytest.approx(4 / 9)


@pytest.mark.slow
def test_the_equilibrium_draws_its_moves(tmp_path: Path) -> None:
    poker, file = asked(POKER, "best", "me"), str(tmp_path / "values.npz")
    solve(cast(Any, Sent()), poker, file, 1 << 30)
    tables = [Sitting(poker, str(seed), [], file) for seed in range(40)]
    made = {(one.steps[0].values, one.steps[2].values) for one in tables}
    assert max(sum(die == own for die, _ in made) for own, _ in made) > 1  # with the same die not always the same move
    assert Sitting(poker, "3", [], file).steps == tables[3].steps
    assert tables[0].names[0] == "player 1 (equilibrium)"
