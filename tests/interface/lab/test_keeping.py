"""The lab with a store: answers that are kept, and the runs page that lists, shows, compares and deletes them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import dicelab
from asking import HEADERS, TOKEN, Watched, printed, untimed
from dicelab.interface.lab.app import application
from dicelab.interface.lab.pages import stored as stored
from dicelab.interface.lab.render import fragment
from dicelab.interface.lab.shelf import filled
from dicelab.limits import limited
from support import SetLimits


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("store") / "runs.db")


@pytest.fixture(scope="module")
def lab(store: str) -> Iterator[TestClient]:
    """A lab that has kept three answers."""
    app = application(filled([]), TOKEN, store=store)
    with limited(stream_seconds=0.3), TestClient(app, base_url="http://127.0.0.1") as client:
        client.get("/games/lcr/exact.json?players=2")
        client.get("/games/lcr/exact.json?players=3")
        client.get("/games/tossup/simulate.json?target=20&strategy=one_roll&strategy=bank_over:12&games=300&seed=7")
        yield client


def test_the_json_of_the_runs_is_that_of_the_commands(lab: TestClient, store: str) -> None:
    assert lab.get("/runs.json").json() == json.loads(json.dumps(dicelab.Store(store).list(True).to_dict()))
    for address, options in {
        "/runs/1.json": ["--show", "1"],
        "/runs/3.json": ["--show", "3"],
        "/runs/compare.json?run=1&run=2": ["--compare", "1", "2"],
    }.items():
        assert untimed(lab.get(address).json()) == printed("runs", store, *options)


def test_the_page_lists_the_runs_and_reopens_their_questions(lab: TestClient) -> None:
    page = lab.get("/runs").text
    opened = [unescape(found) for found in re.findall(r'href="(/games/[^"]+)"', page)]
    assert opened == [
        "/games/tossup/simulate?target=20&strategy=one_roll&strategy=bank_over:12&games=300&seed=7",
        "/games/lcr/exact?players=3",
        "/games/lcr/exact?players=2",
    ]
    for address in opened:
        assert lab.get(address, follow_redirects=False).status_code == 200


def test_many_runs_take_several_pages(lab: TestClient, limits: SetLimits) -> None:
    limits(listed_runs=2)
    first = lab.get("/runs").text
    assert len(re.findall(r'aria-label="compare run', first)) == 2
    assert 'href="/runs?from=2"' in first
    second = lab.get("/runs?from=2").text
    assert "earlier ones" not in second
    assert re.findall(r"compare run (\d+)", first + second) == ["3", "2", "1"]


def test_a_run_has_a_page_with_the_text_of_the_command(lab: TestClient) -> None:
    assert "player 3 wins     0.365138" in lab.get("/runs/2").text
    compared = lab.get("/runs/compare?run=1&run=2").text
    assert "lcr: players 2" in compared
    assert "18.863028" in compared


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/runs/77", 400, "has no run 77"),
        ("/runs/nothing", 404, "there is no run nothing"),
        ("/runs/compare?run=1", 400, "choose two runs"),
        ("/runs/compare?run=1&run=x", 404, "there is no run x"),
    ],
)
def test_mistakes_are_explained(lab: TestClient, address: str, status: int, words: str) -> None:
    response = lab.get(address)
    assert response.status_code == status
    assert words in response.text


def test_a_question_is_computed_once(lab: TestClient, store: str) -> None:
    before = len(dicelab.Store(store).list().rows)
    dicelab.exact("lcr", players=2, memory=1 << 30, store=store)
    assert len(dicelab.Store(store).list().rows) == before


@pytest.mark.slow
def test_a_simulation_that_is_watched_is_kept_and_goes_on_from_there(lab: TestClient, store: str) -> None:
    query = "players=3&games=2000&seed=11"
    Watched(lab, "lcr", query).until("numbers", "finished")
    deadline = time.monotonic() + 10
    while True:
        kept = [run for run in dicelab.Store(store).list().rows if run.question["seed"] == 11]
        if (kept and kept[0].games == 2000) or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    assert kept[0].games == 2000
    played = dicelab.simulate("lcr", players=3, games=2000, seed=11)
    assert dicelab.Store(store).show(kept[0].id).outcomes["0"].count == played.outcomes["0"].count
    again = Watched(lab, "lcr", "players=3&games=3000&seed=11").until("numbers", "finished")
    more = dicelab.simulate("lcr", players=3, games=3000, seed=11)
    assert f">{more.outcomes['0'].count:,}</td>" in again["html"]


def whole(lab: TestClient, query: str) -> tuple[str, dict[str, Any]]:
    """The numbers of a simulation that is finished, and what its charts show by name."""
    watched = Watched(lab, "lcr", query)
    html = watched.until("numbers", "finished")["html"]
    tallies = [*dicelab.find("lcr").declared.tallies]
    run = lab.app.state.lab.runs.find(watched.run)  # type: ignore[attr-defined]
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = {name: figure for name, (_, figure) in run.charts.items()}
        if tallies[-1] in found:  # the last one that is drawn
            break
        time.sleep(0.2)
    return html, found


@pytest.mark.parametrize(
    ("games", "command"),
    [
        (300, False),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in [(300, True), (3000, False), (30_000, True)]),
    ],
)
def test_the_page_is_the_same_when_its_games_come_from_the_store(tmp_path: Path, games: int, command: bool) -> None:
    store, query = str(tmp_path / "runs.db"), f"players=3&games={games}&seed=5"
    if command:
        dicelab.simulate("lcr", players=3, games=games, seed=5, store=store)
    with TestClient(application(filled([]), TOKEN), base_url="http://127.0.0.1") as fresh:
        played, charts = whole(fresh, query)
    with TestClient(application(filled([]), TOKEN, store=store), base_url="http://127.0.0.1") as lab:
        if not command:
            whole(lab, query)
            while dicelab.Store(store).list().rows[0].games < games:
                time.sleep(0.1)
        stored, again = whole(lab, query)
    assert charts == again
    assert {*charts} > {"convergence"}
    assert "These games were in the store" in stored
    assert stored.partition('<p class="muted">')[0] == played.partition('<p class="muted">')[0]


def test_the_rate_is_that_of_the_games_that_were_played(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    dicelab.simulate("lcr", players=3, games=100_000, seed=5, store=store)
    with TestClient(application(filled([]), TOKEN, store=store), base_url="http://127.0.0.1") as lab:
        watched = Watched(lab, "lcr", "players=3&games=101000&seed=5")
        watched.until("numbers", "finished")
        number, sent = lab.app.state.lab.runs.find(watched.run).last["now"]  # type: ignore[attr-defined]
    assert number
    assert sent["played"] == 1000
    html = fragment("numbers.html", data=sent["now"] | {"seconds": 0.5}, tables=sent["tables"], played=sent["played"])
    assert ", 2,000 games a second; 100,000 of these games were in the store." in html


def test_what_is_computed_for_a_hint_is_not_listed_under_runs(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    with TestClient(application(filled([]), TOKEN, store=store), base_url="http://127.0.0.1") as lab:
        page = lab.get("/games/craps/play?seed=1").text
        hints = re.search(r'data-edges="([^"]+)"', page)
        assert hints is not None
        for bet in ("place_6", "big6"):
            row = lab.get(f"{unescape(hints[1])}{bet}").json()["rows"][0]
            assert row["bet"] == bet
        assert lab.get("/runs.json").json()["rows"] == []
        assert lab.get("/games/craps-bet/edges.json?only=big6").json()["rows"][0] == row
        assert len(lab.get("/runs.json").json()["rows"]) == 1


def test_a_run_is_deleted_with_the_token_only(lab: TestClient, store: str) -> None:
    number = dicelab.Store(store).list().rows[0].id
    assert lab.post(f"/runs/{number}/delete").status_code == 403
    assert lab.get(f"/runs/{number}/delete").status_code == 405
    assert lab.post(f"/runs/{number}/delete", headers=HEADERS).status_code == 204
    assert number not in [run.id for run in dicelab.Store(store).list().rows]
    assert lab.post(f"/runs/{number}/delete", headers=HEADERS).status_code == 400


def test_without_a_store_the_page_says_how_to_keep_answers(client: TestClient) -> None:
    assert "dicelab lab --store runs.db" in client.get("/runs").text
    assert client.get("/runs.json").status_code == 400
    assert client.get("/runs/1").status_code == 400


def test_a_file_that_is_no_store_is_refused_before_the_lab_starts(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    file.write_text("not a store")
    command = [sys.executable, "-m", "dicelab", "lab", "--port", "0", "--store", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1


def test_a_server_that_is_killed_loses_no_stored_run(tmp_path: Path) -> None:
    file = str(tmp_path / "runs.db")
    command = [sys.executable, "-m", "dicelab", "lab", "--port", "0", "--store", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        said = json.load(urllib.request.urlopen(f"{address}games/lcr/exact.json?players=3", timeout=60))
        os.kill(process.pid, signal.SIGKILL)
    assert dicelab.Store(file).show(1).to_dict()["outcomes"] == said["outcomes"]
