"""Temporary files of killed runs are removed, those of live ones are not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dicelab.runtime import leftovers
from dicelab.runtime.leftovers import Draft

pytestmark = pytest.mark.skipif(not leftovers.HAS_LOCKS, reason="there are no locks of this kind")

WRITER = """
import sys, time
from dicelab.runtime.leftovers import Draft
draft = Draft(sys.argv[1])
draft.path.write_text("half")
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def writer(tmp_path):
    """Another process that is writing ``out`` in the folder."""
    command = [sys.executable, "-c", WRITER, str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        yield child
        child.kill()


def parts(folder):
    return [path for path in folder.iterdir() if path.suffix == ".part"]


def publish(target, text):
    with Draft(target) as draft:
        draft.path.write_text(text)
        draft.publish()


def test_the_draft_of_a_killed_run_is_removed_by_the_next(writer, tmp_path):
    writer.kill()
    writer.wait()
    assert len(parts(tmp_path)) == 1
    publish(tmp_path / "other", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_the_draft_of_a_live_run_is_left_alone(writer, tmp_path):
    publish(tmp_path / "other", "whole")
    assert [path.read_text() for path in parts(tmp_path)] == ["half"]


def test_two_drafts_of_one_process_do_not_remove_each_other(tmp_path):
    with Draft(tmp_path / "a") as first, Draft(tmp_path / "b") as second:
        first.path.write_text("1")
        second.path.write_text("2")
        first.publish()
        second.publish()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_folder_is_tidied_only_by_who_is_alone(tmp_path):
    told = []
    code = f"""
from pathlib import Path
from dicelab.runtime import leftovers
leftovers.share(Path({str(tmp_path)!r}), lambda: print("tidied"))
"""
    leftovers.share(tmp_path, lambda: told.append("tidied"))
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        assert (told, done.stdout) == (["tidied"], "")
    finally:
        import os

        os.close(leftovers._shared.pop(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "tidied\n"


def test_a_private_folder_of_a_killed_run_is_removed(tmp_path):
    for name, held in (("dicelab-kernels-a", False), ("dicelab-kernels-b", True)):
        (tmp_path / name).mkdir()
        (tmp_path / name / leftovers.LOCK).touch()
        if held:
            leftovers.claim(tmp_path / name)
    leftovers.sweep(tmp_path.iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["dicelab-kernels-b"]
    leftovers.release(tmp_path / "dicelab-kernels-b")
    leftovers.sweep(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []
