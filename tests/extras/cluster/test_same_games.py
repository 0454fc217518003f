"""A simulation on a cluster has the totals of one in this process, whoever has played which games."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client

import dicelab
from dicelab.errors import PlayError
from dicelab.extras.cluster.player import ClusterPlayer
from dicelab.extras.cluster.workers import Tasks
from dicelab.questions.simulate import Lost, opened
from dicelab.results.result import Simulation
from dicelab.runtime.lineup import Run
from extras.cluster.conftest import Start, until
from long_game import LONG
from support import SetLimits

EXAMPLES = Path(__file__).parents[3] / "examples"


def must_be_the_same(found: Simulation, expected: Simulation) -> None:
    assert found.games == expected.games
    assert found.tallied.counts == expected.tallied.counts
    assert found.tallied.histograms == expected.tallied.histograms
    assert found.outcomes == expected.outcomes
    assert (found.seed, found.source_hash, found.parameters) == (
        expected.seed,
        expected.source_hash,
        expected.parameters,
    )


def test_workers_play_the_games_of_the_seed(threads: Client) -> None:
    asked: dict[str, Any] = {"game": "hazard", "games": 30_000, "seed": 5, "engine": "compiled"}
    calls = []
    found = dicelab.simulate(**asked, cluster=threads, progress=lambda done, total: calls.append((done, total)))
    must_be_the_same(found, dicelab.simulate(**asked))
    assert calls[-1] == (30_000, 30_000)
    assert calls == sorted(calls)
    assert (found.engine, found.threads, found.interrupted) == ("compiled", 3, False)


@pytest.mark.slow
def test_a_precision_stops_at_the_same_game(threads: Client) -> None:
    asked: dict[str, Any] = {"game": "lcr", "players": 3, "seed": 2, "precision": 0.02}
    must_be_the_same(dicelab.simulate(**asked, cluster=threads), dicelab.simulate(**asked))


@pytest.mark.slow
def test_every_game_is_recorded_in_order(threads: Client) -> None:
    asked: dict[str, Any] = {"game": "lcr", "games": 600, "seed": 2, "records": True, "engine": "reference"}
    found, expected = (dicelab.simulate(**asked, **more) for more in ({"cluster": threads}, {}))
    must_be_the_same(found, expected)
    assert np.array_equal(found.records, expected.records)


@pytest.mark.slow
def test_rows_of_sweep_and_compare_are_the_same(threads: Client) -> None:
    settings: dict[str, Any] = {"games": 300, "seed": 4}
    swept = [
        dicelab.sweep("lcr", over={"players": range(2, 4)}, **settings, **more) for more in ({"cluster": threads}, {})
    ]
    for found, expected in zip(swept[0].rows, swept[1].rows, strict=True):
        assert isinstance(found.result, Simulation)
        assert isinstance(expected.result, Simulation)
        must_be_the_same(found.result, expected.result)
    compared = [
        dicelab.compare("tossup", ["one_roll", "bank_over:5"], target=20, **settings, **more)
        for more in ({"cluster": threads}, {})
    ]
    assert compared[0].pairs == compared[1].pairs
    figures = [
        dicelab.solve_for("lcr", "0", 0.3, over={"players": range(2, 5)}, **settings, **more).crossings
        for more in ({"cluster": threads}, {})
    ]
    assert figures[0] == figures[1]


@pytest.mark.slow
def test_the_games_that_workers_leave_to_the_reference_engine_are_counted(threads: Client, tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text(LONG)
    asked: dict[str, Any] = {"game": str(path), "games": 1500, "seed": 1, "engine": "compiled"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = dicelab.simulate(**asked, cluster=threads)
    with pytest.warns(RuntimeWarning, match="played by the reference engine"):
        expected = dicelab.simulate(**asked)
    must_be_the_same(found, expected)
    twelves = int(expected.note.split()[0])
    assert 230 <= twelves <= 459  # an eleven or twelve in three rolls: 345 of 1,500, seven deviations
    assert found.note == expected.note
    assert [str(warning.message) for warning in caught] == [found.note]  # workers in this process warn of nothing


@pytest.mark.slow
def test_a_store_is_filled_by_a_cluster_and_continued_without_one(threads: Client, tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    asked: dict[str, Any] = {"game": "hazard", "seed": 5, "store": store}
    dicelab.simulate(**asked, games=2000, cluster=threads)
    dicelab.simulate(**asked, games=3000)
    found = dicelab.simulate(**asked, games=4000, cluster=threads)
    must_be_the_same(found, dicelab.simulate("hazard", games=4000, seed=5))
    assert [run.games for run in dicelab.Store(store).list().rows] == [4000]


def test_what_is_stored_needs_no_cluster(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"game": "hazard", "seed": 5, "games": 1000, "store": str(tmp_path / "runs.db")}
    expected = dicelab.simulate(**asked)
    must_be_the_same(dicelab.simulate(**asked, cluster="tcp://127.0.0.1:9"), expected)


def test_a_game_that_goes_wrong_is_reported_as_without_a_cluster(threads: Client) -> None:
    asked: dict[str, Any] = {"game": "hazard", "games": 4000, "seed": 3, "limit": 15}
    said = []
    for more in ({"cluster": threads}, {}):
        with pytest.raises(PlayError) as error:
            dicelab.simulate(**asked, **more)
        said.append((type(error.value), str(error.value)))
    assert said[0] == said[1]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_processes_gives_the_same(workers: int) -> None:
    asked: dict[str, Any] = {"game": str(EXAMPLES / "pig.py"), "games": 3_000_000, "seed": 6}
    found = dicelab.simulate(**asked, cluster=f"local:{workers}")
    must_be_the_same(found, dicelab.simulate(**asked))
    assert found.threads == workers


@pytest.mark.slow
def test_one_worker_is_killed_and_another_joins_late(nobody: Client, start: Start) -> None:
    workers = [start(), start()]
    until(lambda: len(nobody.nthreads()) == 2)
    present: list[set[str]] = [set(nobody.nthreads())]

    def progress(done: int, total: int | None) -> None:
        if done > 10_000 and len(workers) == 2:
            workers[0].kill()
            until(lambda: len(nobody.nthreads()) == 1)
            workers.append(start())
        if len(workers) == 3 and len(present) == 1 and done > 40_000:
            until(lambda: len(nobody.nthreads()) == 2)
            present.append(set(nobody.nthreads()))

    asked: dict[str, Any] = {"game": "hazard", "games": 150_000, "seed": 7}
    found = dicelab.simulate(**asked, engine="reference", cluster=nobody, progress=progress)
    must_be_the_same(found, dicelab.simulate(**asked))
    assert workers[0].poll() == -9
    assert len(present[0] & present[1]) == 1, "one of the first two, and the third"
    assert set(nobody.nthreads()) == present[1]


@pytest.mark.slow
def test_all_workers_are_lost_and_another_one_finishes(nobody: Client, start: Start) -> None:
    workers = [start()]
    until(lambda: len(nobody.nthreads()) == 1)

    def progress(done: int, total: int | None) -> None:
        if done > 5000 and len(workers) == 1:
            workers[0].kill()
            workers.append(start())

    asked: dict[str, Any] = {"game": "hazard", "games": 100_000, "seed": 8}
    found = dicelab.simulate(**asked, engine="reference", cluster=nobody, progress=progress)
    must_be_the_same(found, dicelab.simulate(**asked))


@pytest.mark.slow
def test_workers_that_are_refused_do_not_end_a_run_that_others_have_begun(nobody: Client, start: Start) -> None:
    workers = [start(), start("import dicelab.version as v; v.__version__ = '0.0.9'")]
    until(lambda: len(nobody.nthreads()) == 2)

    def progress(done: int, total: int | None) -> None:
        if done > 5000 and len(workers) == 2:
            workers[0].kill()
            until(lambda: len(nobody.nthreads()) == 1)
            workers.append(start())

    asked: dict[str, Any] = {"game": "hazard", "games": 60_000, "seed": 8}
    with pytest.warns(UserWarning, match="it has dicelab 0.0.9"):
        found = dicelab.simulate(**asked, engine="reference", cluster=nobody, progress=progress)
    must_be_the_same(found, dicelab.simulate(**asked))


@pytest.mark.slow
def test_a_cluster_without_workers_is_waited_for(nobody: Client, start: Start, limits: SetLimits) -> None:
    limits(cluster_wait=0.1)
    start()
    with pytest.warns(UserWarning, match="no worker of the cluster can play; waiting for one"):
        found = dicelab.simulate("hazard", games=500, seed=1, cluster=nobody)
    must_be_the_same(found, dicelab.simulate("hazard", games=500, seed=1))


def test_games_are_not_lost_with_the_scheduler(threads: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(self: Tasks, worker: str, *request: Any) -> Any:
        if request[0] == "play" and request[2] > 2000:
            raise Lost("gone")
        return ask(self, worker, *request)

    ask = Tasks.ask
    monkeypatch.setattr(Tasks, "ask", gone)
    found = dicelab.simulate("hazard", games=40_000, seed=5, cluster=threads)
    assert (found.interrupted, found.refused) == (True, "gone")
    must_be_the_same(found, dicelab.simulate("hazard", games=found.games, seed=5))


@pytest.mark.slow
def test_a_range_that_ends_every_worker_is_reported(nobody: Client, start: Start, limits: SetLimits) -> None:
    """A worker that ends at its first request is followed by others, but not for ever."""
    limits(cluster_losses=2)
    ends = "import dicelab.extras.cluster.job as w, os\nw.FUNCTIONS['play'] = lambda *given: os._exit(1)"
    for _ in range(4):
        start(ends)
    until(lambda: len(nobody.nthreads()) == 4)
    with pytest.raises(PlayError, match="2 workers in turn failed to play games 0 to"):
        dicelab.simulate("hazard", games=1000, seed=1, cluster=nobody)


@pytest.mark.slow
def test_less_than_two_percent_is_lost_once_ranges_have_grown() -> None:
    with opened("local:1") as cluster:
        assert cluster is not None
        player = ClusterPlayer(Run.of("hazard"), 1, "compiled", 1_000_000, False, cluster)
        player.play(0, 50_000_000, lambda chunk: None)
        spent, waited = player.sizes.spent, player.sizes.waited
        player.play(50_000_000, 250_000_000, lambda chunk: None)
        spent, waited = player.sizes.spent - spent, player.sizes.waited - waited
        assert waited < 0.02 * (spent + waited)
