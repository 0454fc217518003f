"""The command `dicelab lab` as a process: its address, its end, and the end of its workers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "dicelab", "lab"]


@pytest.fixture
def server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A lab on a free port, and its address."""
    process = subprocess.Popen(
        [*COMMAND, "examples/pig.py", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def children(process: int) -> set[int]:
    """The processes that a process has started, and those that they have started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            continue
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_it_prints_its_address_answers_there_and_ends_with_ctrl_c(server: tuple[subprocess.Popen[str], str]) -> None:
    process, address = server
    assert address.startswith("http://127.0.0.1:")
    page = urllib.request.urlopen(address, timeout=60).read().decode()
    assert 'href="/games/pig"' in page
    assert b'id="editor"' in urllib.request.urlopen(f"{address}games/pig/check", timeout=60).read()
    started = children(process.pid)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=10)
    assert time.monotonic() - began < 5
    assert process.returncode == 130
    assert out == ""
    assert error.startswith("The lab runs at this address until you press Ctrl-C:\n")
    assert "Traceback" not in error
    time.sleep(0.5)
    assert not [child for child in started if alive(child)]


def test_a_server_that_is_killed_leaves_no_workers(server: tuple[subprocess.Popen[str], str]) -> None:
    process, address = server
    urllib.request.urlopen(f"{address}games/lcr/exact?players=6", timeout=60).read()
    started = children(process.pid)
    assert started
    os.kill(process.pid, signal.SIGKILL)
    until = time.monotonic() + 60
    while any(alive(child) for child in started) and time.monotonic() < until:
        time.sleep(0.1)
    assert not [child for child in started if alive(child)]


def test_it_listens_on_this_machine_only(server: tuple[subprocess.Popen[str], str]) -> None:
    port = int(server[1].rstrip("/").rpartition(":")[2])
    with socket.socket() as asking:
        asking.settimeout(2)
        assert asking.connect_ex(("127.0.0.2", port)) != 0


def test_another_host_is_a_warning_and_its_name_is_accepted() -> None:
    command = [*COMMAND, "examples/pig.py", "--port", "0", "--host", "127.0.0.2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().strip()
        try:
            assert address.startswith("http://127.0.0.2:")
            assert urllib.request.urlopen(address, timeout=60).status == 200
            assert b'id="editor"' not in urllib.request.urlopen(f"{address}games/pig/check", timeout=60).read()
            foreign = urllib.request.Request(address, headers={"Host": "example.org"})
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(foreign, timeout=60)
        finally:
            process.kill()
        assert "warning: others who can reach 127.0.0.2 can use this lab" in process.stderr.read()


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = subprocess.run(
            [*COMMAND, "--port", str(taken.getsockname()[1])], capture_output=True, text=True, timeout=60, check=False
        )
    assert ended.returncode == 1
    assert "choose another with --port" in ended.stderr
    assert ended.stderr.count("\n") == 1
