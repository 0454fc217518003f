"""What a machine refuses: files that can't be written, memory that isn't there. One sentence, and a status to match."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

UNWRITABLE = [
    "simulate hazard --games 50 --out /proc/x.parquet",
    "simulate hazard --games 50 --plot /proc/x.svg",
    "exact lcr --players 2 --of turns --plot /proc/x.png",
    "edges craps-bet --only pass --plot /proc/x.svg",
    "sweep lcr --over players=2..3 --exact --plot /proc/x.svg",
    "solve tossup --target 10 --out /proc/x.npz",
    "learn tossup --target 10 --against bank_over:5 --games 100 --out /proc/x.npz",
]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has /proc, where no file can be made")
@pytest.mark.cases("words", UNWRITABLE)
def test_a_file_that_can_not_be_written_is_a_failure_in_one_sentence(dicelab, words):
    said = dicelab(*words.split())
    assert said.status in (1, 2)
    assert "/proc/x" in said.err
    assert "can't be written" in said.err
    assert said.err.strip().count("\n") == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited in another way elsewhere")
@pytest.mark.parametrize(
    ("megabytes", "said"),
    [(450, "dicelab: memory is limited to 450 MB"), pytest.param(800, "", marks=pytest.mark.slow)],
)
def test_too_little_memory_to_start_is_a_failure_in_one_sentence(megabytes, said):
    limit = megabytes * 10**6
    found = subprocess.run(
        [sys.executable, "-m", "dicelab", "exact", "hazard"],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert found.returncode == (1 if said else 0)
    assert found.stderr.startswith(said)
    assert found.stderr.count("\n") == (1 if said else 0)


@pytest.mark.slow_cases("1")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited in another way elsewhere")
@pytest.mark.parametrize("gigabytes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_memory_that_is_not_there_is_a_failure_in_one_sentence(gigabytes):
    limit = gigabytes * 10**9
    words = [sys.executable, "-m", "dicelab", "exact", "lcr", "--players", "8", "--memory", "16G"]
    found = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=200,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.splitlines()[-1].startswith("dicelab: not enough memory")
    assert "Traceback" not in found.stderr
