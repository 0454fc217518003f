"""Simulations that are watched: started, followed by events, stopped, continued, ended."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest
from starlette.testclient import TestClient

from asking import HEADERS, Watched, printed, untimed


def interval_of(html: str) -> tuple[float, float]:
    """The first interval in a table."""
    found = re.search(r">([0-9.]+) \.\. ([0-9.]+)<", html)
    assert found is not None
    return float(found[1]), float(found[2])


def processor_time(process: int) -> int:
    """What a process has used of the processors, in ticks."""
    with open(f"/proc/{process}/stat") as stat:
        return sum(map(int, stat.read().rpartition(") ")[2].split()[11:13]))


def test_a_run_ends_with_the_numbers_of_the_command(client: TestClient) -> None:
    query = "players=3&games=500&seed=3"
    watched = Watched(client, "lcr", query)
    shown = watched.until("numbers", "finished")
    assert shown["games"] == 500
    told = client.get(f"/games/lcr/simulate.json?{query}").json()
    for outcome in told["outcomes"].values():
        assert f">{outcome['count']:,}</td>" in shown["html"]
    while (chart := watched.until("chart"))["name"] != "outcomes":
        pass
    rows = chart["figure"]["data"]["rows"]
    assert [row["share"] for row in rows] == [one["probability"] for one in told["outcomes"].values()]
    assert [[row["low"], row["high"]] for row in rows] == [
        [one["low"], one["high"]] for one in told["outcomes"].values()
    ]
    assert watched.tell("end") == 204


def test_a_run_stops_and_continues_with_the_games_of_its_seed(client: TestClient) -> None:
    watched = Watched(client, "lcr", "players=50&games=1000000000&seed=3")
    watched.until("numbers")
    played = 0
    for _ in range(2):
        assert watched.tell("stop") == 204
        shown = watched.until("numbers", "stopped")
        assert shown["games"] > played
        played = shown["games"]
        told = client.get(f"/games/lcr/simulate.json?players=50&games={played}&seed=3").json()
        for outcome in told["outcomes"].values():
            assert f">{outcome['count']:,}</td>" in shown["html"]
        assert watched.tell("continue") == 204
        assert watched.until("numbers", "playing")["games"] >= played
    watched.tell("end")


@pytest.mark.slow_cases("precision=0.05&on=throws&seed=3")
@pytest.mark.parametrize("query", ["precision=0.01&seed=3", "precision=0.05&on=throws&seed=3"])
def test_a_run_until_a_precision_plays_the_games_of_the_command(client: TestClient, query: str) -> None:
    shown = Watched(client, "hazard", query).until("numbers", "finished")
    words = [word for pair in query.split("&") for word in (f"--{pair.split('=')[0]}", pair.split("=")[1])]
    told = printed("simulate", "hazard", *words)
    assert untimed(client.get(f"/games/hazard/simulate.json?{query}").json()) == told
    assert shown["games"] == told["games"]
    page = client.get(f"/games/hazard/simulate?{query}").text
    assert f"dicelab simulate hazard {' '.join(words)}<" in page


def test_a_run_stops_after_the_seconds_that_are_allowed(client: TestClient) -> None:
    shown = Watched(client, "lcr", "games=1000000000&seconds=1&seed=3").until("numbers", "stopped")
    assert 0 < shown["games"] < 10**9
    told = client.get(f"/games/lcr/simulate.json?games={shown['games']}&seed=3").json()
    for outcome in told["outcomes"].values():
        assert f">{outcome['count']:,}</td>" in shown["html"]
    late = Watched(client, "lcr", "seconds=0&seed=3").until("failed")
    assert "no game was over in the time that was allowed" in late["html"]


def test_a_precision_replaces_the_number_of_games(client: TestClient) -> None:
    asked = client.get("/games/hazard/simulate?games=100&precision=0.1&on=win&seed=1", follow_redirects=False)
    assert asked.headers["location"] == "/games/hazard/simulate?precision=0.1&on=win&seed=1"
    asked = client.get("/games/hazard/simulate?games=100&on=win&seed=1", follow_redirects=False)
    assert asked.headers["location"] == "/games/hazard/simulate?games=100&seed=1"
    failed = Watched(client, "hazard", "precision=x&seed=1").until("failed")
    assert "precision: &#39;x&#39; is not allowed; it takes a number above 0" in failed["html"]


@pytest.mark.slow
def test_numbers_come_five_to_ten_times_a_second_and_intervals_shrink(client: TestClient) -> None:
    watched = Watched(client, "hazard", "games=1e12&seed=3")
    watched.until("numbers")
    for _ in range(4):  # other programs may take the processor for some seconds
        began = time.monotonic()
        seen = watched.during("numbers", 3.0)
        rate = len(seen) / (time.monotonic() - began)
        widths = [high - low for low, high in (interval_of(data["html"]) for data in seen)]
        assert widths == sorted(widths, reverse=True)
        assert widths[-1] < widths[0]
        assert rate < 10.5
        if rate >= 5:
            break
    watched.tell("end")
    assert rate >= 5


def test_the_exact_values_come_only_when_asked_for(client: TestClient) -> None:
    watched = Watched(client, "hazard", "games=200&seed=3&main=7")
    watched.until("chart")
    run = client.app.state.lab.runs.find(watched.run)  # type: ignore[attr-defined]
    assert "level" not in run.charts["convergence"][1]["data"]["series"][0]
    watched.tell("reveal")
    assert "0.4929" in watched.until("truth")["html"]
    watched.until("chart")
    assert run.charts["convergence"][1]["data"]["series"][0]["level"] == pytest.approx(244 / 495)


def test_closing_the_page_ends_the_process(client: TestClient) -> None:
    watched = Watched(client, "lcr", "players=20&games=1e9&seed=3")
    watched.until("numbers")
    process = watched.process
    watched.tell("end")
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with open(f"/proc/{process}/stat") if os.path.exists(f"/proc/{process}/stat") else open(os.devnull) as stat:
            if stat.read().partition(") ")[2][:1] in ("", "Z"):
                return
        time.sleep(0.05)
    pytest.fail("the process goes on")


def test_a_worker_that_dies_is_reported_and_replaced(client: TestClient) -> None:
    watched = Watched(client, "lcr", "players=20&games=1e9&seed=3")
    watched.until("numbers")
    os.kill(watched.process, signal.SIGKILL)
    failed = watched.until("failed")["html"]
    assert failed.count("died") == 1
    assert "No answer:</strong> the worker process died; a new one takes the next question" in failed
    assert Watched(client, "hazard", "games=100&seed=1").until("numbers", "finished")["games"] == 100


def test_a_mistake_is_shown_in_the_words_of_the_command(client: TestClient) -> None:
    failed = Watched(client, "lcr", "players=3&games=0&seed=3").until("failed")
    assert "games" in failed["html"]
    assert "it takes a whole number, at least 1" in failed["html"]


def test_a_run_that_has_ended_is_not_found(client: TestClient) -> None:
    assert client.get("/games/lcr/simulate/live/nothing?seed=1").status_code == 404
    assert client.post("/runs/nothing/stop", headers=HEADERS).status_code == 404


@pytest.mark.slow
def test_ten_pages_share_the_cores_and_the_shelf_stays_quick(client: TestClient) -> None:
    lab = client.app.state.lab  # type: ignore[attr-defined]
    watched = [Watched(client, "hazard", f"games=1e12&seed={seed}") for seed in range(10)]
    runs = [lab.runs.find(run.run) for run in watched]
    for run in runs:
        run.watched = 1  # as if a page followed each
    for one in watched:
        one.until("numbers")
    before = [processor_time(run.job.process_id) for run in runs]
    time.sleep(8)
    began = time.monotonic()
    assert client.get("/").status_code == 200
    assert time.monotonic() - began < 1
    spent = [processor_time(run.job.process_id) - first for run, first in zip(runs, before, strict=True)]
    for one in watched:
        one.tell("end")
    assert 0 < max(spent) < 3 * min(spent)


def test_without_a_seed_each_answer_is_that_of_other_games(client: TestClient) -> None:
    one, other = (client.get("/games/lcr/simulate.json?players=3&games=20").json() for _ in range(2))
    assert one["seed"] != other["seed"]
