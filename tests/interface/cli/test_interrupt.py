"""Ctrl-C: what has been played is not lost, and is what a shorter run would have played."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

import dicelab as library
from dicelab.runtime.timing import stage, stopped_at, watched_by
from interface.cli.interrupting import SOME_GAMES, interrupted, pty, rest_of


@pytest.mark.slow
def test_a_program_that_is_asked_to_end_does_as_with_ctrl_c():
    words = ["simulate", "hazard", "--games", "1e12", "--seed", "9", "--engine", "compiled", "--json"]
    status, out, seen = interrupted(words, SOME_GAMES, by=signal.SIGTERM)
    assert status == 130
    assert "Traceback" not in seen
    assert 0 < json.loads(out)["games"] < 1e12


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", ["--engine reference", "--engine compiled --threads 1", "--engine compiled --threads 2"]
)
def test_the_games_played_before_ctrl_c_are_those_of_a_shorter_run(how):
    words = f"simulate hazard --games 1e12 --seed 9 {how} --json".split()
    status, out, seen = interrupted(words, SOME_GAMES)
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    assert 0 < stopped["games"] < 1e12
    again = library.simulate("hazard", games=stopped["games"], seed=9, threads=2, engine=how.split()[1]).to_dict()
    assert "interrupted" not in again
    for key in ("games", "seed", "outcomes", "tallies"):
        assert stopped[key] == again[key]


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", ["--engine reference", "--engine compiled --threads 1", "--engine compiled --threads 2"]
)
def test_a_file_of_games_has_those_played_before_ctrl_c(how, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    words = f"simulate hazard --games 1e12 --seed 9 {how} --json --out games.parquet".split()
    status, out, seen = interrupted(words, SOME_GAMES, cwd=tmp_path)
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    assert stopped["out"] == "games.parquet"
    file = parquet.ParquetFile(tmp_path / "games.parquet")
    assert file.metadata.num_rows == stopped["games"] > 0
    assert json.loads(file.metadata.metadata[b"dicelab"])["games"] == stopped["games"]
    some = next(file.iter_batches(1000)).to_pydict()
    again = library.simulate("hazard", games=len(some["game"]), seed=9, engine="reference", records=True).records
    assert [["win", "lose"].index(name) for name in some["outcome"]] == again[:, 0].tolist()
    assert some["throws"] == again[:, 1].tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["games.parquet"]


@pytest.mark.slow
def test_a_precision_that_is_out_of_reach_may_be_interrupted():
    words = ["simulate", "hazard", "--precision", "1e-9", "--seed", "9", "--engine", "reference", "--json"]
    status, out, _ = interrupted(words, SOME_GAMES)
    assert (status, json.loads(out)["interrupted"]) == (130, True)


@pytest.mark.slow
def test_the_table_says_that_it_was_stopped():
    words = ["simulate", "hazard", "--games", "1e12", "--engine", "reference"]
    status, out, seen = interrupted(words, SOME_GAMES)
    assert status == 130
    assert re.search(r"stopped after [1-9][\d,]* games", out)
    assert "Traceback" not in seen


@pytest.mark.slow
def test_progress_goes_to_the_terminal_and_the_result_to_stdout():
    words = ["simulate", "hazard", "--games", "3e3", "--seed", "1", "--engine", "reference", "--json"]
    screen, keyboard = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "dicelab", *words],
        stdout=subprocess.PIPE,
        stderr=keyboard,
        text=True,
        check=False,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(keyboard)
    with os.fdopen(screen, "rb", buffering=0) as told:
        assert re.search(SOME_GAMES, rest_of(told))
    assert (done.returncode, json.loads(done.stdout)["games"]) == (0, 3000)


@pytest.mark.slow
def test_progress_of_rows_says_how_many_there_are():
    words = ["sweep", "hazard", "--over", "main=5..7", "--exact", "--json"]
    screen, keyboard = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "dicelab", *words],
        stdout=subprocess.DEVNULL,
        stderr=keyboard,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(keyboard)
    with os.fdopen(screen, "rb", buffering=0) as told:
        assert "points: 3 of 3" in rest_of(told)


@pytest.mark.slow
def test_games_that_were_interrupted_are_shown_without_the_exact_answer():
    words = ["simulate", "hazard", "--games", "1e12", "--engine", "reference", "--with-exact", "--json", "--seed", "9"]
    status, out, seen = interrupted(words, SOME_GAMES)
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    assert not {"exact", "z"} & set(stopped)


@pytest.mark.slow
def test_an_exact_answer_may_be_interrupted():
    """LCR with 12 players has more states than are found in any test."""
    status, out, seen = interrupted(["exact", "lcr", "--players", "12", "--memory", "6G"], r"[1-9][\d,]* states")
    assert (status, out) == (130, "")
    assert re.search(r"dicelab: interrupted; reached: [\d,]+ states found so far", seen)
    assert "Traceback" not in seen


def test_what_was_reached_outlasts_a_part_that_nobody_watches():
    """As the estimate of a game that is being solved."""
    with watched_by(lambda words, stays: None):
        stage("finding the states")
        with watched_by(None):
            stage("counting those of a smaller game")
        assert stopped_at() == "interrupted; reached: finding the states"
    assert stopped_at() == "interrupted"


def test_a_command_that_is_stopped_before_its_work_says_how_far_it_came(dicelab, tmp_path):
    (tmp_path / "stopped.py").write_text("raise KeyboardInterrupt\n")
    said = dicelab("solve", str(tmp_path / "stopped.py"))
    assert (said.status, said.err.strip()) == (130, "dicelab: interrupted; reached: reading the rules")


@pytest.mark.slow
def test_a_search_for_a_rule_may_be_interrupted(tmp_path):
    library.solve("tossup", target=30).policy.save(tmp_path / "best.npz")
    words = ["policy", "tossup", str(tmp_path / "best.npz"), "--rule", "--leaves", "12"]
    status, out, seen = interrupted(words, "states; solving")
    assert (status, out) == (130, "")
    assert "dicelab: interrupted" in seen
    assert "Traceback" not in seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "begun", "rows"),
    [
        ("compare tossup -s one_roll -s bank_over:20 --games 5e5 --seed 1", "line-ups: 1", 1),
        ("sweep tossup --over target=5,1000 --games 5e5 --seed 1", "points: 1", 1),
    ],
)
def test_line_ups_and_rows_that_were_finished_are_kept(words, begun, rows):
    status, out, seen = interrupted([*words.split(), "--json"], begun)
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    assert len(stopped["rows"]) == rows
    assert all(row["games"] == 500_000 for row in stopped["rows"])


@pytest.mark.slow
def test_strategies_whose_sessions_were_played_are_kept():
    words = "session craps -s line -s molly --simulated --games 3e5 --until-rounds 20 --seed 1 --json"
    status, out, seen = interrupted(words.split(), "strategies: 1")
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    first, *begun = stopped["sessions"]
    assert ("interrupted" in first, first["games"]) == (False, 300_000)
    assert all(one["interrupted"] and one["games"] < 300_000 for one in begun)


TWO_BETS = """
from dicelab.rules import D6, OVER, Casino, Choice, Flag, Tally, throw, thrown

class Two(Casino):
    edges_over = "bet"
    bet = Choice(("low", "high"), "what is bet on")
    done = Flag("thrown")
    money = Tally("money")
    def next(self):
        return OVER if self.done else throw(self.die)
    @thrown(1, D6)
    def die(self, face):
        self.done = True
        self.money += 1 if (face > 3) == (self.bet == 1) else -1
"""


@pytest.mark.slow
def test_bets_that_were_checked_are_kept(tmp_path):
    (tmp_path / "two.py").write_text(TWO_BETS)
    words = ["edges", str(tmp_path / "two.py"), "--check", "2e8", "--seed", "1", "--threads", "1", "--json"]
    status, out, seen = interrupted(words, "bets: 1")
    assert status == 130
    assert "Traceback" not in seen
    stopped = json.loads(out)
    assert stopped["interrupted"] is True
    assert [row["bet"] for row in stopped["rows"]] == ["low"]
    assert stopped["rows"][0]["check"]["games"] == 2 * 10**8


@pytest.mark.slow
def test_a_check_may_be_interrupted(tmp_path):
    (tmp_path / "loop.py").write_text("while True:\n    pass\n")
    status, out, seen = interrupted(["check", str(tmp_path / "loop.py")], "read the file")
    assert (status, out.strip()) == (130, "interrupted: nothing was checked")
    assert "Traceback" not in seen


@pytest.mark.parametrize(("engine", "threads"), [("auto", 1), ("reference", 1), ("compiled", 1), ("compiled", 2)])
def test_a_call_that_is_interrupted_returns_the_games_played(engine, threads):
    def stop(played, wanted):
        if played >= 700:
            raise KeyboardInterrupt

    result = library.simulate("hazard", games=10**9, seed=3, engine=engine, threads=threads, progress=stop)
    assert result.interrupted
    assert 700 <= result.games < 10**9
    again = library.simulate("hazard", games=result.games, seed=3, engine=engine, threads=2)
    assert not again.interrupted
    assert again.tallied == result.tallied
    assert json.loads(result.to_json())["interrupted"] is True
    assert f"stopped after {result.games:,} games" in str(result)


CHILD = """
import os, signal, time
from dicelab.interface.cli import program
program._watch_signals()
signal.signal(signal.SIGTERM, lambda number, frame: None)
child = os.fork()
if child == 0:
    time.sleep(0.5)
    os._exit(0)
time.sleep(0.1)
os.kill(child, signal.SIGTERM)
time.sleep(program.SECONDS + 0.5)
print("alive")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no fork")
def test_a_signal_to_a_child_does_not_interrupt_its_parent():
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")
