"""--store and runs: what was played survives Ctrl-C, SIGTERM and kill -9, and no game is counted twice."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dicelab as library
from dicelab.interface.play.saved import read
from dicelab.solver.turns.values import Solver
from interface.cli.conftest import Said
from interface.cli.stores import begun, must_be_the_games_of_the_seed, stored, until
from recorded.answers import VALID
from support import SetLimits

Run = Callable[..., Said]
GAMES = 10_000_000_000


ASKED = ("simulate", "hazard", "--seed", "5", "--engine", "compiled", "--games", str(GAMES))


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_when_it_is_interrupted_all_that_is_shown_is_stored(by: signal.Signals, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    child = begun(*ASKED, "--store", str(store), "--json")
    until(lambda: stored(store) > 0)
    child.send_signal(by)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, "")
    games = json.loads(out)["games"]
    assert stored(store) == games
    must_be_the_games_of_the_seed(store, games)


@pytest.mark.slow
def test_what_was_killed_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    child = begun(*ASKED, "--store", str(store))
    until(lambda: stored(store) > 0)
    child.kill()
    child.communicate()
    games = stored(store)
    library.simulate("hazard", seed=5, games=games + 1000, store=store)
    must_be_the_games_of_the_seed(store, games + 1000)


@pytest.mark.slow
def test_twenty_kills_lose_seconds_and_count_nothing_twice(tmp_path: Path) -> None:
    store, chance, lost = tmp_path / "runs.db", random.Random(20), []
    for _ in range(20):
        before = stored(store)
        child = begun(*ASKED, "--store", str(store))
        if chance.random() < 0.8:
            until(lambda before=before: stored(store) > before)  # type: ignore[misc]
        time.sleep(chance.uniform(0, 1.5))
        child.kill()
        child.communicate()
        must_be_the_games_of_the_seed(store, stored(store)) if stored(store) else None
        lost.append(stored(store) - before)
    assert min(lost) >= 0, "nothing that was stored is lost"
    assert sum(gained > 0 for gained in lost) >= 10


LARGE = {
    "farkle": ("--target", "800"),
    "yahtzee": ("--boxes", "15", "--objective", "most:score"),
}
"""Games that are solved turn by turn in seconds, if they count as large: their options."""


@pytest.mark.slow
@pytest.mark.parametrize("game", LARGE)
def test_a_solution_turn_by_turn_goes_on_after_ctrl_c_and_after_kill(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: SetLimits
) -> None:
    """To the same bits, in processes whose sets have other orders; and nothing that is stored is solved again."""
    store = tmp_path / "runs.db"
    asked = "solve", game, *LARGE[game], "--json"
    always = "from dicelab.limits import LIMITS\nLIMITS.many = LIMITS.many_with_policy = 0\n"
    always += "LIMITS.layer_seconds = LIMITS.layer_share = LIMITS.layer_pause = 0\n"
    whole, err = begun(*asked, first=always, PYTHONHASHSEED="1").communicate(timeout=120)
    assert err == ""
    ends = [0]
    for seed, by in enumerate((signal.SIGINT, signal.SIGKILL)):
        child = begun(*asked, "--store", str(store), first=always, PYTHONHASHSEED=str(seed + 2))
        until(lambda: stored(store) > ends[-1])
        child.send_signal(by)
        child.communicate(timeout=60)
        assert child.returncode == (130 if by == signal.SIGINT else -by), "it was still solving"
        ends.append(stored(store))
    assert ends == sorted(set(ends)), "each goes on where the one before was"
    solved: list[int] = []
    one = Solver._group

    def counted(self: Solver, group: list[Any], loop: bool) -> Any:
        solved.append(sum(map(len, group)))
        return one(self, group, loop)

    monkeypatch.setattr(Solver, "_group", counted)
    limits(many=0)
    options = {name[2:]: text for name, text in zip(LARGE[game][::2], LARGE[game][1::2], strict=True)}
    result = library.solve(game, policy=False, store=store, **options)
    found, expected = json.loads(result.to_json()), json.loads(whole)
    assert found | {"seconds": 0} == expected | {"seconds": 0}
    assert sum(solved) == found["exact"]["states"] - ends[-1]


@pytest.mark.slow
def test_others_wait_and_read(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    child = begun(*ASKED, "--store", str(store))
    until(lambda: stored(store) > 0)
    games = stored(store) + 1_000_000
    other = begun("simulate", "hazard", "--seed", "5", "--games", str(games), "--store", str(store), "--json")
    out, err = other.communicate(timeout=60)
    assert err == "" or "waiting for another process, which is busy with this run" in err
    assert child.poll() is None, "the first one still plays"
    child.kill()
    child.communicate()
    expected = library.simulate("hazard", seed=5, games=games)
    assert json.loads(out)["outcomes"] == expected.to_dict()["outcomes"]


def test_a_game_that_is_killed_is_saved(tmp_path: Path) -> None:
    saved = tmp_path / "game.json"
    child = begun("play", "tossup", "-s", "one_roll", "--seed", "1", "--pace", "0.2", "--save", str(saved))
    until(lambda: saved.exists() and len(read(str(saved)).moves) > 2)
    child.kill()
    child.communicate()
    assert len(read(str(saved)).moves) > 2


# The command runs -----------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path, dicelab: Run) -> str:
    path = str(tmp_path / "runs.db")
    dicelab("simulate", "hazard", "--main", "5", "--games", "1000", "--seed", "1", "--store", path)
    dicelab("exact", "hazard", "--main", "5", "--store", path)
    dicelab("solve", "tossup", "--target", "8", "--store", path)
    dicelab("learn", "tossup", "--target", "4", "--games", "50", "--seed", "1", "--store", path)
    return path


def test_runs_are_listed(store: str, dicelab: Run) -> None:
    said = dicelab("runs", store)
    assert said.status == 0
    lines = said.out.splitlines()
    assert [line.split()[:2] for line in lines[1:6]] == [
        ["4", "learn"], ["5", "learn"], ["3", "solve"], ["2", "exact"], ["1", "simulate"],
    ]  # fmt: skip
    assert [line.split()[-1] for line in lines[1:3]] == ["done", "checkpoint"], "the two runs of learn look different"
    data = dicelab("runs", store, "--json").json
    VALID.validate(data)
    results = {row["run"]: row.get("result") for row in data["rows"]}
    assert results[2] == library.exact("hazard", main=5).to_dict() | {"seconds": results[2]["seconds"]}


def test_a_run_is_shown(store: str, dicelab: Run) -> None:
    for run in (1, 2, 3, 4):
        said = dicelab("runs", store, "--show", str(run))
        assert (said.status, said.err) == (0, "")
        VALID.validate(dicelab("runs", store, "--show", str(run), "--json").json)
    expected = dicelab("simulate", "hazard", "--main", "5", "--games", "1000", "--seed", "1").out
    assert dicelab("runs", store, "--show", "1").out.splitlines()[:-1] == expected.splitlines()[:-1]


def test_runs_are_exported(store: str, dicelab: Run) -> None:
    rows = list(csv.DictReader(dicelab("runs", store, "--csv").out.splitlines()))
    assert [(row["run"], row["method"], row["games"]) for row in rows[-1:]] == [("1", "simulate", "1000")]
    rows = list(csv.DictReader(dicelab("runs", store, "--show", "1", "--csv").out.splitlines()))
    assert [row["name"] for row in rows] == ["win", "lose", "throws"]


def test_runs_are_compared_and_deleted(store: str, dicelab: Run) -> None:
    said = dicelab("runs", store, "--compare", "1", "2")
    assert said.out.splitlines()[3].split() == ["run", "1", "run", "2", "difference", "z"]
    VALID.validate(dicelab("runs", store, "--compare", "1", "2", "--json").json)
    assert "4 runs" in dicelab("runs", store, "--delete", "1").out
    dicelab("runs", store, "--show", "1").must_refuse(2, "has no run 1")


def test_bad_use_is_refused(store: str, tmp_path: Path, dicelab: Run) -> None:
    dicelab("runs", store, "--show", "1", "--delete", "2").must_refuse(2, "give one of --show")
    dicelab("runs", str(tmp_path / "none.db")).must_refuse(2, "there is no such file")
    dicelab("simulate", "hazard", "--store", "").must_refuse(2, "store: ''")
    text = tmp_path / "notes.txt"
    text.write_text("notes")
    for words in (("simulate", "hazard"), ("exact", "hazard"), ("solve", "tossup"), ("learn", "tossup")):
        dicelab(*words, "--store", str(text)).must_refuse(2, "is not a store")
    dicelab("simulate", "hazard", "--store", store, "--out", "a.parquet").must_refuse(2, "give one of them")
    assert text.read_text() == "notes"


@pytest.mark.slow
def test_the_environment_names_the_store(store: str, dicelab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICELAB_STORE", store)
    before = dicelab("runs").out
    said = dicelab("simulate", "hazard", "--main", "5", "--games", "1000", "--seed", "1", "--json").json
    assert said["outcomes"] == library.simulate("hazard", main=5, games=1000, seed=1).to_dict()["outcomes"]
    assert dicelab("runs").out == before
    out = str(Path(store).with_name("games.parquet"))
    assert dicelab("simulate", "hazard", "--games", "10", "--out", out).status == 0


@pytest.mark.slow
def test_every_command_takes_a_store(tmp_path: Path, dicelab: Run) -> None:
    store = str(tmp_path / "runs.db")
    commands: list[tuple[str, ...]] = [
        ("compare", "tossup", "-s", "one_roll", "-s", "bank_over:5", "--target", "6", "--games", "50"),
        ("sweep", "hazard", "--over", "main=5..6", "--games", "50"),
        ("edges", "pass-line", "--check", "50"),
        ("session", "craps", "--until-rounds", "2", "--games", "20", "--simulated"),
        ("simulate", "hazard", "--games", "50", "--with-exact"),
        ("learn", "tossup", "--target", "3", "--games", "50"),
    ]
    for words in commands:
        first, again = (_answer(dicelab(*words, "--store", store, "--json").json) for _ in range(2))
        assert first == again, "without a seed, the stored run is found"
    assert os.path.getsize(store) > 0
    assert not os.path.exists(f"{store}-wal"), "one file when nobody uses it"


def _answer(data: Any) -> Any:
    """Plain data without what differs between two askings of the same question."""
    if isinstance(data, dict):
        return {name: _answer(value) for name, value in data.items() if name != "seconds"}
    return [_answer(value) for value in data] if isinstance(data, list) else data
