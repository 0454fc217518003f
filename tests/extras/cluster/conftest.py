"""Clusters for the tests: workers that are threads of this process, or processes started by hand."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from distributed import Client, LocalCluster

Start = Callable[..., subprocess.Popen[bytes]]


def scheduler(ending: ExitStack, **settings: Any) -> Client:
    settings = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL, "memory_limit": 0, **settings}
    cluster = ending.enter_context(LocalCluster(**settings))
    return ending.enter_context(Client(cluster, set_as_default=False))


@pytest.fixture(scope="module")
def threads() -> Iterator[Client]:
    """Three workers in this process."""
    with ExitStack() as ending:
        yield scheduler(ending, n_workers=3, threads_per_worker=1, processes=False)


@pytest.fixture(scope="module")
def nobody() -> Iterator[Client]:
    """A scheduler without workers."""
    with ExitStack() as ending:
        yield scheduler(ending, n_workers=0, host="127.0.0.1")


@pytest.fixture
def start(nobody: Client) -> Iterator[Start]:
    """Start a worker as a process of its own, before whose first import some code is run; all are killed at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def worker(before: str = "", **environment: str) -> subprocess.Popen[bytes]:
        code = f"{before}\nfrom distributed.cli.dask_worker import main\nmain()"
        address = nobody.scheduler_info()["address"]
        words = [sys.executable, "-c", code, address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
        env = {**os.environ, **environment}
        started.append(subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    yield worker
    for process in started:
        process.kill()
        process.wait()
    until(lambda: not nobody.nthreads())


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)
