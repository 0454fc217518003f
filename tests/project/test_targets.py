"""`make cuda` and `make bench` with the packages of a Python that is already installed, shown by a stand-in for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="only where there is make")


@pytest.mark.parametrize(
    ("target", "runs"),
    [
        (
            ["cuda"],
            [
                "-m pytest -n 2 tests/extras/gpu/test_simulated.py",
                "-m pytest -n 2 tests/extras/gpu/test_compiled.py tests/extras/gpu/test_device.py",
            ],
        ),
        (["bench", "TABLES=cuda"], ["benchmarks/speed.py cuda"]),
    ],
)
def test_installed_packages_are_used_without_an_environment_or_a_network(
    target: list[str], runs: list[str], tmp_path: Path
) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    python, calls = tmp_path / "installed", tmp_path / "calls"
    python.write_text(f'#!/bin/sh\necho "$PYTHONPATH $*" >> {calls}\n')
    python.chmod(0o755)
    asked = ["make", *target, f"PYTHON={python}", "JOBS=2", "PY=false"]
    said = subprocess.run(
        asked, cwd=tmp_path, env=os.environ | {"MAKEFLAGS": "", "PYTEST_ARGS": ""}, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr
    assert [call.split() for call in calls.read_text().splitlines()] == [["src", *run.split()] for run in runs]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".venv")]
