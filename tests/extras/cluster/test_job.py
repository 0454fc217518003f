"""What workers are sent: rules by name or as texts, never code; and which workers are refused."""

from __future__ import annotations

import json
import pickle
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

import dicelab
from dicelab.errors import ParameterError
from dicelab.extras.cluster import job as worker
from dicelab.extras.cluster.job import ClusterJob, OtherRules
from dicelab.extras.cluster.workers import Tasks
from dicelab.games.tossup import TossUp
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.version import __version__
from extras.cluster.conftest import Start, until

TESTS = Path(__file__).parents[2]
PIG = str(TESTS.parent / "examples" / "pig.py")
PLAYING = {"seed": 3, "engine": "auto", "limit": 1000, "keep": False}


def text_of(job: ClusterJob) -> str:
    return zlib.decompress(job.content).decode("utf-8", "replace")


def test_a_game_of_dicelab_is_sent_by_name_and_one_in_a_file_as_text() -> None:
    assert '"dicelab.games.lcr"' in text_of(ClusterJob.of(Run.of("lcr", players=4), **PLAYING))
    assert "def hold_at" not in text_of(ClusterJob.of(Run.of("lcr"), **PLAYING))
    assert json.dumps(Path(PIG).read_text())[1:-1] in text_of(ClusterJob.of(Run.of(PIG), **PLAYING)).encode().decode()


@pytest.mark.slow_cases("file", "strategy of another module")
@pytest.mark.parametrize(
    "run",
    [
        lambda: Run.of("lcr", players=4),
        lambda: Run.of("tossup", ["bank_over:20", "one_roll"], target=30),
        lambda: Run.of(PIG, ["hold_at:15", "hold_at:25"]),
        lambda: Run.of("craps", "iron_cross", until_rounds=4),
    ],
    ids=["parameters", "strategies", "file", "strategy of another module"],
)
def test_a_run_is_the_same_again(run: Callable[[], Run]) -> None:
    there = (job := ClusterJob.of(run(), **PLAYING)).run()
    assert there.game.parameters == run().game.parameters
    assert there.strategies == run().strategies
    assert ClusterJob.of(there, **PLAYING).settings == job.settings


def test_helpers_of_a_file_are_sent_and_files_are_removed_once_loaded(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("")
    (tmp_path / "mine" / "deep.py").write_text("ADDED = 3\n")
    game = Path(PIG).read_text().replace("class ", "from mine.deep import ADDED\n\nclass ", 1)
    (tmp_path / "pig2.py").write_text(game)
    job = ClusterJob.of(Run.of(str(tmp_path / "pig2.py")), **PLAYING)
    for file in [*(tmp_path / "mine").glob("*.py"), tmp_path / "pig2.py"]:
        file.unlink()
    run = job.run()
    folder = Path(sys.modules[type(run.game).__module__].__file__ or "").parent
    assert folder != tmp_path
    assert not folder.exists()


@pytest.mark.slow
def test_a_policy_and_a_strategy_in_another_file_are_sent(tmp_path: Path) -> None:
    policy = tmp_path / "best.npz"
    found = dicelab.solve(TossUp(target=10, dice=2)).policy
    assert found is not None
    found.save(policy)
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from dicelab.games.tossup import TossUp\nfrom dicelab.rules import strategy\n\n\n"
        '@strategy(TossUp)\ndef wary(game):\n    """Bank."""\n    return 1 if game.points > 2 else 0\n'
    )
    run = Run.of("tossup", [f"policy:{policy}", f"{mine}:wary"], target=10, dice=2)
    job = ClusterJob.of(run, **PLAYING)
    policy.unlink()
    mine.unlink()
    assert job.run().strategies == run.strategies


def test_mixed_strategies_are_sent(tmp_path: Path) -> None:
    given: dict[str, object] = {"dice": 1, "faces": 2, "once": True}
    dicelab.equilibrium("liars-dice", **given).policy.save(tmp_path / "best.npz")
    run = Run.of("liars-dice", f"policy:{tmp_path / 'best.npz'}", **given)
    job = ClusterJob.of(run, **PLAYING)
    (tmp_path / "best.npz").unlink()
    there = job.run()
    assert there.strategies == run.strategies
    here, sent = (Reference(one.game, one.calls).play(5, 0, 30) for one in (run, there))
    assert here == sent


def test_what_has_no_file_is_refused() -> None:
    class Local(TossUp):
        """In a function."""

        name = "local"

    def here(game: TossUp) -> int:
        return 0

    with pytest.raises(ParameterError, match="workers can't be sent local: write it at the top level of a file"):
        ClusterJob.of(Run(Local(), Run.of("tossup").calls), **PLAYING)
    with pytest.raises(ParameterError, match="workers can't be sent here"):
        ClusterJob.of(Run.of("tossup", here), **PLAYING)


@pytest.mark.slow
def test_only_plain_data_travels(threads: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Dask pickles names functions of Python's library, and has text, bytes and numbers."""
    seen: list[Any] = []
    ask = Tasks.ask

    def asked(self: Tasks, address: str, *request: Any) -> Any:
        seen.append(request)
        return ask(self, address, *request)

    monkeypatch.setattr(Tasks, "ask", asked)
    answers: list[Any] = []
    answered = Tasks.answers

    def answers_seen(self: Tasks, seconds: float) -> Any:
        found = answered(self, seconds)
        answers.extend(answer for _, answer in found)
        return found

    monkeypatch.setattr(Tasks, "answers", answers_seen)
    dicelab.simulate(PIG, games=2000, seed=1, cluster=threads)
    assert {request[0] for request in seen} == {"enlist", "play"}
    assert {kind for thing in [*seen, *answers] for kind in kinds(thing)} <= {str, bytes, int, float, tuple}
    assert b"dicelab" not in pickle.dumps([type(thing) for thing in [*seen, *answers]])


def kinds(thing: Any) -> set[type]:
    return {type(thing)}.union(*(kinds(part) for part in thing)) if isinstance(thing, tuple) else {type(thing)}


# Refusals ------------------------------------------------------------------------------------------------------------


def test_another_version_or_other_rules_are_refused_by_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    job = ClusterJob.of(Run.of("hazard"), **PLAYING)
    assert worker.enlist(__version__, job.content, job.policies) == ""
    assert worker.enlist("9.9", "whatever", 1, 2) == (
        f"it has dicelab {__version__}, and this is dicelab 9.9; install the same version"
    )
    worker.forget(job.name)
    monkeypatch.setattr("dicelab.results.store.encoding.source_hash", lambda *given: "another hash")
    with pytest.raises(OtherRules):
        job.run()
    assert worker.enlist(__version__, job.content, job.policies) == (
        "it has other rules of hazard; install the same version of them"
    )


def test_a_job_that_a_worker_does_not_know_is_not_played() -> None:
    assert worker.play("nothing", 0, 10) == ("unknown",)


BAD = {
    "no dicelab": (
        "import sys; sys.path = [p for p in sys.path if not p.endswith('/src')]",
        "it has no dicelab; install dicelab",
    ),
    "older": ("import sys; sys.modules['dicelab.extras.cluster'] = None", "it has another version of dicelab"),
    "version": ("import dicelab.version as v; v.__version__ = '0.0.9'", "it has dicelab 0.0.9, and this is dicelab"),
    "rules": (
        "import dicelab.rules.loading.source as s; f = s.text_of_module; s.text_of_module = lambda m: f(m) + '#'",
        "it has other rules of hazard",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("bad", list(BAD))
def test_a_worker_that_can_not_play_is_refused_and_others_play(bad: str, nobody: Client, start: Start) -> None:
    before, says = BAD[bad]
    start(before)
    until(lambda: len(nobody.nthreads()) == 1)
    with pytest.raises(ParameterError, match=says):
        dicelab.simulate("hazard", games=1000, seed=1, cluster=nobody)
    start()
    until(lambda: len(nobody.nthreads()) == 2)
    with pytest.warns(UserWarning, match=f"doesn't play: .*{says}"):
        found = dicelab.simulate("hazard", games=20_000, seed=1, cluster=nobody, engine="reference")
    expected = dicelab.simulate("hazard", games=20_000, seed=1)
    assert (found.tallied.counts, found.threads) == (expected.tallied.counts, 1)
