"""Many saved games together: counts and costs beside those of each game by itself, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.errors import InputError

GAME: dict[str, Any] = {"game": "tossup", "parameters": {"dice": 2, "target": 5}}
BANKED = [{"roll": {"green": 2}}, {"seat": 1, "choice": "bank"}]
ROLLED = [{"roll": {"green": 2}}, {"seat": 1, "choice": "roll"}]
WON = [
    *({"roll": {"green": 2}} if step % 2 == 0 else {"choice": "roll" if step < 5 else "bank"} for step in range(6)),
]


def write(folder: Path, name: str, moves: list[Any], **more: Any) -> Path:
    file = folder / name
    file.write_text(json.dumps(GAME | {"moves": moves} | more), encoding="utf-8")
    return file


def test_mistakes_are_those_of_the_reviews(tmp_path: Path) -> None:
    write(tmp_path, "a.json", BANKED)
    write(tmp_path, "b.json", BANKED, seats=["Ann", "me"])
    write(tmp_path, "c.json", ROLLED)
    write(tmp_path, "d.json", BANKED, seats=["one_roll", "me"])  # a strategy's mistake is no one's
    (tmp_path / "notes.txt").write_text("no saved game")
    found = dicelab.playtests(tmp_path)
    assert (found.logs, found.finished, found.decisions, len(found.mistakes)) == (4, 0, 3, 1)
    one = found.mistakes[0]
    assert (one.choice, one.move, one.better, one.made, one.chances, one.people) == (
        "roll or bank", "bank", "roll", 2, 3, 2,
    )  # fmt: skip
    assert one.cost == pytest.approx(float(dicelab.review(tmp_path / "a.json").costs[0]))
    assert one.usual
    assert found.summary.startswith("Where “roll” is best, people usually chose “bank”: in 2 of 3 decisions")


@pytest.mark.slow
def test_many_games_in_one_file_are_those_of_many_files(tmp_path: Path) -> None:
    games = {"a.json": GAME | {"moves": BANKED}, "b.json": GAME | {"moves": ROLLED}, "c.json": GAME | {"moves": WON}}
    for name, game in games.items():
        (tmp_path / name).write_text(json.dumps(game), encoding="utf-8")
    together = tmp_path / "together.txt"
    together.write_text(json.dumps(games), encoding="utf-8")
    apart, found = dicelab.playtests(tmp_path), dicelab.playtests(together)
    assert (found.logs, found.finished, found.luck) == (3, 1, apart.luck)
    assert found.mistakes[0].where == ("a.json", 2)
    again = tmp_path / "again.txt"
    again.write_text(together.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match=r"two saved games are called a\.json; give each a name of its own"):
        dicelab.playtests(together, again)
    together.write_text(json.dumps(games | {"d.json": {"moves": []}}), encoding="utf-8")
    with pytest.raises(InputError, match=r"d\.json is not a saved game"):
        dicelab.playtests(together)


def test_one_game_says_nothing_about_people(tmp_path: Path) -> None:
    found = dicelab.playtests(write(tmp_path, "a.json", BANKED))
    assert not found.mistakes[0].usual
    assert found.summary.startswith("No mistake is usual; the most expensive one is “bank” instead of “roll”")
    assert dicelab.playtests(write(tmp_path, "c.json", ROLLED)).summary == "In 1 decision people made no mistake."


def test_finished_games_beside_the_exact_answer(tmp_path: Path) -> None:
    file, other = write(tmp_path, "a.json", WON), write(tmp_path, "b.json", BANKED)
    found = dicelab.playtests(file, other, file, strategies="one_roll")
    exact, review = dicelab.exact("tossup", "one_roll", dice=2, target=5), dicelab.review(file)
    assert (found.logs, found.finished, found.how) == (2, 1, "exact")
    assert [one.value for one in found.outcomes] == [1, 0]
    assert [one.expected for one in found.outcomes] == [o.probability for o in exact.outcomes.values()]
    assert [(one.value, one.expected) for one in found.tallies] == [
        (value, pytest.approx(tally.mean)) for value, tally in zip((1, 3, 0), exact.tallies.values(), strict=True)
    ]
    assert found.luck[0] == pytest.approx((float(review.luck[0]), float(review.costs[0])))
    simulated = dicelab.playtests(file, strategies="one_roll", games=500, seed=1)
    assert simulated.how == "simulated (500 games)"
    assert "expected: simulated (500 games) with one_roll" in simulated.text()


def test_games_without_choices_have_no_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "hazard.json"
    file.write_text(json.dumps({"game": "hazard", "moves": [{"roll": 7}]}))
    found = dicelab.playtests(file)
    assert found.unreviewed == "hazard has no choices"
    assert [one.value for one in found.outcomes] == [1, 0]
    assert "not reviewed: hazard has no choices" in found.text()


def test_what_is_refused(tmp_path: Path) -> None:
    first = write(tmp_path, "a.json", BANKED)
    with pytest.raises(InputError, match=r"b.json has target 6, and .*a.json has target 5"):
        dicelab.playtests(first, write(tmp_path, "b.json", BANKED, parameters={"dice": 2, "target": 6}))
    with pytest.raises(InputError, match=r"a game of hazard, and .*a\.json one of tossup"):
        dicelab.playtests(first, write(tmp_path, "c.json", [], game="hazard", parameters={}))
    with pytest.raises(InputError, match=r"d.json: move 2"):
        dicelab.playtests(first, write(tmp_path, "d.json", [BANKED[0], {"choice": "fly"}]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no file in it ends with \.json"):
        dicelab.playtests(tmp_path / "empty")
    with pytest.raises(InputError, match="at least one saved game"):
        dicelab.playtests()


@pytest.mark.slow
def test_saved_games_are_judged_as_the_table_of_their_results(tmp_path: Path) -> None:
    games = tmp_path / "games"
    games.mkdir()
    for at in range(2):
        write(games, f"{at}.json", WON)
    table = tmp_path / "table.csv"
    table.write_text("outcome,turns,throws,busts\n" + "0,1,3,0\n" * 2, encoding="utf-8")
    saved, expected = (dicelab.judge("tossup", "one_roll", dice=2, target=5, file=file) for file in (games, table))
    assert saved.games == 2
    assert saved.tests == expected.tests
    one = write(tmp_path, "one.txt", WON)
    assert dicelab.judge("tossup", "one_roll", dice=2, target=5, file=one).games == 1
    with pytest.raises(InputError, match=r"0\.json has target 5, and the question is about target 6"):
        dicelab.judge("tossup", dice=2, target=6, file=games)
    write(games, "left.json", BANKED)
    with pytest.raises(InputError, match=r"left\.json is not over; judge takes finished games"):
        dicelab.judge("tossup", dice=2, target=5, file=games)
    with pytest.raises(InputError, match=r"is a game of tossup, not of lcr"):
        dicelab.judge("lcr", file=one)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="empty has no saved games"):
        dicelab.judge("tossup", file=empty)
