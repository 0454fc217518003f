"""Rules that loop for ever: compiled code stops and says where; commands end soon after Ctrl-C in every engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dicelab as library

FILE = str(Path(__file__).with_name("endless.py"))
WHERE = {1: "next", 2: "die", 3: "die", 4: "inner", 5: "outcome"}
SOON = 2.5
"""Seconds: two, and some for the machine that runs the tests."""


def line_of(where):
    """The line of the loop that does not end."""
    loops = {
        1: "while self.total > 80",
        2: "while True",
        3: "for i in",
        4: "while count > -1",
        5: "while self.total > 80",
    }
    lines = [i for i, line in enumerate(Path(FILE).read_text().splitlines(), 1) if loops[where] in line]
    return lines[-1] if where == 5 else lines[0]


@pytest.mark.slow_cases("1", "2")
@pytest.mark.parametrize("where", WHERE)
def test_a_compiled_loop_is_stopped_and_the_error_says_where(where):
    with pytest.raises(library.DicelabError) as error:
        library.simulate(FILE, games=2000, seed=1, where=where, engine="compiled", threads=2)
    assert f"10,000,000 times in one call ({FILE}, line {line_of(where)}, {WHERE[where]})" in str(error.value)
    assert "seed 1, game " in str(error.value)


def test_the_game_that_is_named_is_the_first_that_loops():
    """Games before it are played; so it is the first whose total is large in the reference engine as well."""
    with pytest.raises(library.DicelabError) as error:
        library.simulate(FILE, games=2000, seed=1, where=1, engine="compiled", threads=1)
    game = int(str(error.value).rpartition("game ")[2])
    before = library.simulate(FILE, games=game, seed=1, where=1, engine="compiled")
    assert before.tallied == library.simulate(FILE, games=game, seed=1, engine="reference").tallied
    with pytest.raises(library.DicelabError, match=f"game {game}$"):
        library.simulate(FILE, games=game + 1, seed=1, where=1, engine="compiled")


@pytest.mark.slow
def test_exact_answers_stop_as_well():
    from dicelab.runtime.lineup import Run
    from dicelab.solver.enumeration.graph import graph_of

    with pytest.raises(library.DicelabError, match="10,000,000 times in one call"):
        graph_of(Run.of(FILE, where=2), engine="compiled")


def run(*words, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "dicelab", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def ended(child, after, by=signal.SIGINT):
    """Interrupt a command after some seconds; seconds until its end, exit status, stdout, stderr."""
    with child:
        try:
            try:
                child.wait(after)
            except subprocess.TimeoutExpired:
                child.send_signal(by)
            began = time.perf_counter()
            out, err = child.communicate(timeout=60)
            return time.perf_counter() - began, child.returncode, out, err
        finally:
            child.kill()


@pytest.mark.slow_cases(
    "2-exact lcr --players 12 --memory 6G",
    "2-play FILE --where 2 --seed 9",
    "2-simulate FILE --where 2 --games 1e9",
    "2-simulate FILE --where 2 --games 1e9 --engine reference",
    "2-simulate FILE --where 7 --limit 1000000000000 --games 1e9 --engine compiled",
    "2-sweep FILE --over where=2..3 --games 1e6",
)
@pytest.mark.parametrize(
    "words",
    [
        "simulate FILE --where 2 --games 1e9",
        "simulate FILE --where 2 --games 1e9 --engine reference",
        "simulate FILE --where 7 --limit 1000000000000 --games 1e9 --engine compiled",
        "exact lcr --players 12 --memory 6G",
        "sweep FILE --over where=2..3 --games 1e6",
        "play FILE --where 2 --seed 9",
    ],
)
@pytest.mark.parametrize("by", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_command_ends_soon(words, by):
    seconds, status, _, err = ended(run(*words.replace("FILE", FILE).split()), 2.5, by)
    assert status == 130, err
    assert seconds < SOON
    assert "Traceback" not in err


SOME = ["simulate tossup --games 1e12", "exact lcr --players 5", "solve tossup --target 60", "demo"]


@pytest.mark.slow_cases(
    "0.5-demo", "0.5-exact lcr --players 5", "0.5-simulate tossup --games 1e12", "0.5-solve tossup --target 60"
)
@pytest.mark.parametrize("words", SOME)
@pytest.mark.parametrize("after", [0.1, 0.5, *(pytest.param(n, marks=pytest.mark.slow) for n in (0.25, 1.0, 3.0))])
def test_there_is_no_traceback_whenever_ctrl_c_comes(words, after, tmp_path):
    fresh = {**os.environ, "DICELAB_CACHE_DIR": str(tmp_path / "cache")}
    seconds, status, _, err = ended(run(*words.split(), cwd=tmp_path, env=fresh), after)
    assert status in (0, 130) or (after < 0.25 and status == -signal.SIGINT), err
    assert seconds < SOON
    assert "Traceback" not in err or "dicelab" not in err


@pytest.mark.slow
@pytest.mark.parametrize("after", [n / 20 for n in range(3, 43)])
def test_there_is_no_traceback_at_forty_moments(after, tmp_path):
    test_there_is_no_traceback_whenever_ctrl_c_comes(SOME[int(after * 20) % 3], after, tmp_path)


@pytest.mark.slow
def test_ctrl_c_that_is_ignored_stays_so():
    child = run(
        *["simulate", "tossup", "--games", "1e12"], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(2)
    child.send_signal(signal.SIGINT)
    seconds, status, out, _ = ended(child, 2, signal.SIGTERM)
    assert (status, "stopped after" in out) == (130, True)
    assert seconds < SOON
