"""Saved games: what was played is what is read, whatever the game; what is wrong is named with its move."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dicelab.errors import InputError
from dicelab.interface.play import play
from dicelab.interface.play.course import replay
from dicelab.interface.play.saved import Recorder, checked, entry, game_of, read, result_of
from dicelab.interface.play.screen.views import Faces
from dicelab.rules.game import Game, fresh, shown
from dicelab.runtime.interpreter import finished, steps
from dicelab.runtime.philox import Stream
from support import CASE_IDS, CASES, GAMES, run_of

SEEDS = range(3)


def saved(name: str, lineup: tuple[str, ...], seed: int, path: Path) -> Game:
    """Play a game and save it; returns the game at its end."""
    run = run_of(name, lineup)
    game, dice = fresh(run.game), Faces(Stream(seed, 0))
    recorder = Recorder(str(path), {"format": 1, "game": name, "parameters": shown(game)})
    for event in steps(game, [call.chooser(game) for call in run.calls], dice):
        recorder.add(entry(game, event, dice.last))
    recorder.finish(result_of(game))
    return game


@pytest.mark.slow
@pytest.mark.cases(("name", "lineup"), CASES, ids=CASE_IDS)
def test_every_game_is_read_as_it_was_played(name: str, lineup: tuple[str, ...], tmp_path: Path) -> None:
    for seed in SEEDS:
        path = tmp_path / f"{name}-{'-'.join(lineup).replace('/', '')}-{seed}.json"
        game = saved(name, lineup, seed, path)
        found = read(str(path))
        again = GAMES[name](**found.parameters)
        script = checked(again, found)
        assert script.over
        assert finished(again) == finished(game)
        path.unlink()


# Games by hand --------------------------------------------------------------------------------------------------------

SHEET: dict[str, Any] = {
    "game": "tossup",
    "parameters": {"target": 3, "dice": 4},
    "seats": ["Anna", "Ben"],
    "moves": [
        {"roll": ["red", "yellow", "yellow", "green"]},
        {"choice": "b", "note": "too early"},
        {"roll": {"red": 1, "green": 3}},
        {"seat": 2, "choice": "bank"},
    ],
    "result": {"winner": 2},
}


def written(tmp_path: Path, **changed: Any) -> str:
    path = tmp_path / "sheet.json"
    path.write_text(json.dumps({**SHEET, **changed}))
    return str(path)


def shown_of(path: str) -> str:
    lines: list[str] = []
    assert replay(GAMES[read(path).game], path, write=lines.append) == 0
    return "\n".join(lines)


def test_a_score_sheet_is_shown(tmp_path: Path) -> None:
    text = shown_of(written(tmp_path))
    assert "player 1: Anna; player 2: Ben" in text
    assert "Player 2 (Ben) wins." in text


def test_a_game_that_is_not_over_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path, moves=SHEET["moves"][:2], result={})
    with pytest.raises(InputError, match="after move 2 the game is not over"):
        shown_of(path)
    data = {key: value for key, value in SHEET.items() if key != "result"} | {"moves": SHEET["moves"][:2]}
    Path(path).write_text(json.dumps(data))
    assert shown_of(path).endswith(
        f"after 2 moves; it is not over. To play on: dicelab play --replay {path} --save FILE"
    )


def test_totals_may_stand_for_faces(tmp_path: Path) -> None:
    path = written(tmp_path, game="hazard", parameters={}, seats=[], moves=[{"roll": 10}, {"roll": [4, 6]}], result={})
    assert "The caster wins." in shown_of(path)


MOVES = SHEET["moves"]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"moves": [{"roll": ["red"] * 3}]}, "move 1: 4 dice are rolled here, not 3"),
    ({"moves": [{"roll": {"red": 4, "green": 1}}]}, "move 1: 4 dice are rolled here, not 5"),
    ({"moves": [{"roll": ["rot"] * 4}]}, "move 1: the die has no 'rot'; its faces are red, yellow, green"),
    ({"moves": [{"roll": 7}]}, "move 1: 7 is not a roll; write the faces of the dice as a list"),
    ({"moves": [{"choice": "bank"}]}, r"move 1: dice are rolled here \(cup\), nobody"),
    ({"moves": [MOVES[0], MOVES[0]]}, r"move 2: player 1 chooses here \(roll_or_bank\), no dice"),
    ({"moves": [MOVES[0], {"seat": 2, "choice": "bank"}]}, "move 2: player 1 chooses here, not player 2"),
    ({"moves": [MOVES[0], {"choice": "fold"}]}, "move 2: 'fold' is not a choice; allowed: r roll, b bank"),
    ({"moves": [MOVES[0], {"choice": 7}]}, "move 2: 7 is not a choice"),
    ({"moves": [*MOVES, MOVES[0]]}, "move 5: the game is over before this move"),
    ({"moves": [{"rol": 1}]}, "move 1: write "),
    ({"moves": [{"roll": 1, "sead": 1}]}, "move 1: no key 'sead'; did you mean 'seat'"),
    ({"moves": 5}, "moves must be a list"),
    ({"seats": ["Anna"]}, "1 seats are named, and tossup has 2"),
    ({"result": {"winner": 1}}, "result: winner is 1, but by the rules it is 2"),
    ({"result": {"tallies": {"turns": 3}}}, "result: tallies is"),
    ({"paramters": {}}, "no key 'paramters'; did you mean 'parameters'"),
    ({"format": 2}, "has format 2, and this dicelab reads format 1"),
    ({"parameters": {"target": -1}}, "target"),
]


@pytest.mark.cases(("changed", "says"), WRONG)
def test_what_is_wrong_is_named(changed: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        shown_of(written(tmp_path, **changed))


def test_a_total_that_dice_cannot_show(tmp_path: Path) -> None:
    for total in (1, 13):
        path = written(tmp_path, game="hazard", parameters={}, seats=[], moves=[{"roll": total}], result={})
        with pytest.raises(InputError, match=f"move 1: 2 dice can't show {total} together"):
            shown_of(path)


@pytest.mark.cases("text", ["", "[]", "{", '{"game": 5}', "[" * 100_000, '{"game": NaN}'])
def test_what_is_no_saved_game_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"is not (JSON|a saved game)"):
        read(str(path))


def test_a_score_sheet_may_begin_with_the_mark_of_some_editors_and_is_text(tmp_path: Path) -> None:
    path = Path(written(tmp_path))
    path.write_text(path.read_text(), encoding="utf-8-sig")
    assert len(read(str(path)).moves) == len(SHEET["moves"])
    path.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(InputError, match="it is not text in UTF-8"):
        read(str(path))


def test_a_saved_game_is_for_its_game(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a game of tossup, not of hazard"):
        replay(GAMES["hazard"], written(tmp_path), write=print)


def test_a_game_in_a_file_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"name it, if you trust it: dicelab play \./pig\.py --replay"):
        game_of(written(tmp_path, game="./pig.py"))


# Written as the game goes ---------------------------------------------------------------------------------------------


def test_after_each_move_the_file_is_complete(tmp_path: Path) -> None:
    path, typed = tmp_path / "game.json", iter(["r", "b", "r", "q"])
    moves: list[int] = []

    def person(prompt: str) -> str:
        moves.append(len(read(str(path)).moves))
        return next(typed)

    status = play(GAMES["tossup"](), ["me", "one_roll"], seed=3, save=str(path), read=person, write=lambda line: None)
    assert status == 0
    assert moves == sorted(moves)
    assert moves[0] == 1
    assert len(read(str(path)).moves) == moves[-1]
    assert "ends here" in shown_of(str(path))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        play(GAMES["hazard"](), [], seed=1, save=str(path), write=lambda line: None)
    assert path.read_text() == "mine"
    with pytest.raises(InputError, match="can't be written"):
        play(GAMES["hazard"](), [], seed=1, save=str(tmp_path / "no" / "game.json"), write=lambda line: None)


# Playing on -----------------------------------------------------------------------------------------------------------


def cut(path: str, moves: int, to: Path, **changed: Any) -> str:
    """A saved game as if it had been left after some moves."""
    data = json.loads(Path(path).read_text())
    del data["result"]
    to.write_text(json.dumps(data | {"moves": data["moves"][:moves]} | changed))
    return str(to)


def typed(*lines: str) -> Callable[[str], str]:
    """A person who types these lines, and then the last one again and again."""
    given = iter(lines)
    return lambda prompt: next(given, lines[-1])


@pytest.mark.slow_cases(
    "craps-parameters3-seats3-seed",
    "craps-parameters3-seats3-stream",
    "craps-parameters4-seats4-seed",
    "craps-parameters4-seats4-stream",
)
@pytest.mark.parametrize("dice", ["seed", "stream"])
@pytest.mark.parametrize(
    ("name", "parameters", "seats"),
    [
        ("tossup", {"target": 6, "dice": 3}, ["me", "bank_over:3"]),
        ("tossup", {"target": 6, "dice": 3}, ["one_roll", "bank_over:3"]),
        ("hazard", {}, []),
        ("craps", {"until_rounds": 2}, ["me"]),
        ("craps", {"until_rounds": 5}, ["line:system=martingale"]),
    ],
)
def test_a_game_that_was_left_is_played_on(
    name: str, parameters: dict[str, Any], seats: list[str], dice: str, tmp_path: Path
) -> None:
    whole, game = str(tmp_path / "whole.json"), GAMES[name]
    given: dict[str, Any] = {"seed": 7} if dice == "seed" else {"stream": "python:3"}
    first = {"tossup": ["bank"], "hazard": [""], "craps": ["pass 5", "roll"]}[name]
    play(game(**parameters), seats, save=whole, **given, read=typed(*first), write=lambda line: None)
    expected = json.loads(Path(whole).read_text())
    for moves in range(len(expected["moves"])):
        left, more = cut(whole, moves, tmp_path / f"left{moves}.json"), tmp_path / f"more{moves}.json"
        made = [move for move in expected["moves"][moves:] if move.get("seat") == 1]
        answers = typed(*(move["choice"] for move in made), *first[-1:])
        assert replay(game, left, save=str(more), read=answers, write=lambda line: None) == 0
        assert json.loads(more.read_text()) == expected


def test_playing_on_shows_what_was_and_asks_for_more(tmp_path: Path) -> None:
    path, save, lines = written(tmp_path), tmp_path / "more.json", list[str]()
    left = cut(path, 2, tmp_path / "left.json")
    assert replay(GAMES["tossup"], left, save=str(save), read=typed("bank"), write=lines.append) == 0
    text = "\n".join(lines)
    assert "player 1: a person; player 2: a person" in text
    assert text.index("player 1: bank") < text.index(" wins.")
    data = json.loads(save.read_text())
    assert data["moves"][:2] == [{"roll": {"red": 1, "yellow": 2, "green": 1}}, {"seat": 1, "choice": "bank"}]
    assert data["seats"] == ["Anna", "Ben"]
    assert ", after move 2" in data["dice"]
    assert replay(GAMES["tossup"], str(save), write=lines.append) == 0, "what was written can be replayed"


def test_who_plays_on_may_be_chosen(tmp_path: Path) -> None:
    left, save = cut(written(tmp_path), 2, tmp_path / "left.json"), str(tmp_path / "more.json")
    assert replay(GAMES["tossup"], left, save=save, strategies=["one_roll"], write=lambda line: None) == 0
    assert "result" in json.loads(Path(save).read_text())


def test_a_game_that_is_over_is_not_played_on(tmp_path: Path) -> None:
    path, save = written(tmp_path), tmp_path / "more.json"
    with pytest.raises(InputError, match="the game is over; leave out --save"):
        replay(GAMES["tossup"], path, save=str(save))
    assert not save.exists()


def test_a_saved_game_starts_no_program(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit(99)")
    seats = [f"{tmp_path}/mine.py:mine", "Ben"]
    left, save = cut(written(tmp_path), 2, tmp_path / "left.json", seats=seats), str(tmp_path / "more.json")
    with pytest.raises(InputError, match="mine is a program; name the strategy of every seat"):
        replay(GAMES["tossup"], left, save=save)


def test_playing_on_overwrites_nothing(tmp_path: Path) -> None:
    left = cut(written(tmp_path), 2, tmp_path / "left.json")
    with pytest.raises(InputError, match="exists already"):
        replay(GAMES["tossup"], left, save=left, read=typed("bank"))
