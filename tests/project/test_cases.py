"""Cases that are tried in a loop: every one of them, and those that fail are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support import TESTS

FILE = """
import pytest


@pytest.mark.cases(("one", "other"), [(1, 2), (3, 4), (5, 6)])
@pytest.mark.cases("more", [10, 20])
def test_of_cases(one, other, more, tmp_path):
    assert tmp_path.exists()
    assert one != 3
    if (one, more) == (5, 20):
        with pytest.raises(ValueError):
            pass
"""


def ran(folder: Path, *words: str) -> tuple[int, str]:
    """Exit status and output of pytest for a file with one test that fails in three of six cases."""
    (folder / "test_of_cases.py").write_text(FILE)
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "--rootdir", ".", *words]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(TESTS)}, text=True, capture_output=True)
    return done.returncode, done.stdout


def test_all_cases_are_tried_and_those_that_fail_are_named(tmp_path: Path) -> None:
    status, said = ran(tmp_path)
    assert status == 1
    assert "3 of 6 cases failed" in said
    assert [line.partition("in the case ")[2] for line in said.splitlines() if "in the case" in line] == [
        "more = 10, one = 3, other = 4",
        "more = 20, one = 3, other = 4",
        "more = 20, one = 5, other = 6",
    ]


@pytest.mark.slow_cases("20-5-6-1")
@pytest.mark.parametrize(("case", "status"), [("10-1-2", 0), ("20-5-6", 1)])
def test_apart_each_case_is_a_test_with_a_name(tmp_path: Path, case: str, status: int) -> None:
    found, said = ran(tmp_path, "--apart", "-k", case)
    assert found == status
    assert "5 deselected" in said
