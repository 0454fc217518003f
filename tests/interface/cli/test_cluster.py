"""--cluster: what is refused in a sentence, Ctrl-C, the store."""

from __future__ import annotations

import importlib.util
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dicelab as library
from interface.cli.conftest import Said
from interface.cli.stores import begun, must_be_the_games_of_the_seed, stored, until
from support import SetLimits

Run = Callable[..., Said]
ASKED = ("simulate", "hazard", "--games", "1000", "--seed", "1")


@pytest.mark.slow_cases(
    "words0-cluster: 'somewhere' is not allowed; write tcp://HOST:PORT, local:4 for",
    "words1-cluster: 'local:0' is not allowed; write local:1 to local:1024",
)
@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ((*ASKED, "--cluster", "somewhere"), "cluster: 'somewhere' is not allowed; write tcp://HOST:PORT, local:4 for"),
        ((*ASKED, "--cluster", "local:0"), "cluster: 'local:0' is not allowed; write local:1 to local:1024"),
        ((*ASKED, "--cluster", "local:many"), "cluster: 'local:many' is not allowed"),
        ((*ASKED, "--cluster", "none.json"), "cluster: there is no file none.json; dask scheduler --scheduler-file"),
        (
            (*ASKED, "--cluster", "local:2", "--threads", "2"),
            "threads: the workers of a cluster have their own threads",
        ),
        (
            (*ASKED, "--cluster", "local:2", "--explain"),
            "explain: each worker of a cluster chooses its engine by itself",
        ),
        (
            ("compare", "tossup", "-s", "one_roll", "-s", "bank_over", "--exact", "--cluster", "local:2"),
            "cluster is for",
        ),
        (("sweep", "lcr", "--over", "players=2..3", "--exact", "--cluster", "local:2"), "cluster is for simulations"),
    ],
)
def test_what_is_not_allowed(dicelab: Run, words: tuple[str, ...], fragment: str) -> None:
    dicelab(*words).must_refuse(2, fragment)


def test_without_the_extra_it_says_how_to_install_it(dicelab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "distributed" else found(name))
    said = dicelab(*ASKED, "--cluster", "local:2")
    said.must_refuse(2, "a cluster needs dask.distributed: pip install 'dicelab[cluster]'")


def test_where_nobody_answers(dicelab: Run, limits: SetLimits) -> None:
    limits(cluster_timeout="0.3s")
    dicelab(*ASKED, "--cluster", "tcp://127.0.0.1:9").must_refuse(
        2, "no scheduler of Dask answers at tcp://127.0.0.1:9"
    )


def test_a_client_of_coroutines_is_refused() -> None:
    from distributed import Client

    class Asynchronous(Client):
        asynchronous = True

        def __init__(self) -> None: ...
        def __del__(self) -> None: ...

    with pytest.raises(library.DicelabError, match="this Client is asynchronous"):
        library.simulate("hazard", games=10, cluster=Asynchronous())


@pytest.mark.slow
def test_an_engine_that_can_not_play_the_game_is_refused_as_without_a_cluster(shell: Run, pig: str) -> None:
    words = ("simulate", pig, "--games", "1000", "--engine", "table")
    without, with_one = shell(*words), shell(*words, "--cluster", "local:1")
    assert (with_one.status, with_one.err, with_one.out) == (without.status, without.err, "")
    assert with_one.status == 2


@pytest.mark.slow
def test_the_output_is_that_of_the_command_without_a_cluster(shell: Run, pig: str) -> None:
    words = ("simulate", pig, "-s", "hold_at:15", "-s", "hold_at:25", "--games", "30000", "--seed", "2", "--json")
    answers: list[dict[str, Any]] = []
    for more in ((), ("--cluster", "local:2")):
        said = shell(*words, *more)
        assert (said.status, said.err) == (0, "")
        answers.append({name: value for name, value in said.json.items() if name not in RUNS})
    assert answers[0] == answers[1]


RUNS = ("seconds", "threads", "engine")
"""What differs between two runs of the same games."""


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_when_it_is_interrupted_all_that_is_shown_is_stored(by: signal.Signals, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    words = ("simulate", "hazard", "--seed", "5", "--games", "1e12", "--cluster", "local:2", "--store", str(store))
    child = begun(*words, "--json")
    until(lambda: stored(store) > 1_000_000)
    child.send_signal(by)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, "")
    said = json.loads(out)
    assert said["interrupted"]
    assert said["games"] == stored(store)
    must_be_the_games_of_the_seed(store, said["games"])


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_no_process_and_its_games_are_stored(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    words = ("simulate", "hazard", "--seed", "5", "--games", "1e12", "--cluster", "local:2", "--store", str(store))
    child = begun(*words)
    until(lambda: stored(store) > 1_000_000)
    children = Path(f"/proc/{child.pid}/task").glob("*/children")
    others = [Path("/proc", number) for file in children for number in file.read_text().split()]
    assert len(others) >= 2
    child.kill()
    child.communicate(timeout=60)
    until(lambda: not any(process.exists() for process in others))
    must_be_the_games_of_the_seed(store, stored(store))
