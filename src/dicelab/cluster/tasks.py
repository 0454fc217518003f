"""Requests to the workers of a Dask cluster, each answered by `dicelab.cluster.worker.answer` there."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from operator import call
from pkgutil import resolve_name
from typing import Any

from dicelab.cluster.connect import Lost

ANSWER = "dicelab.cluster.worker:answer"


class Tasks:
    """Requests to workers that are under way, and their answers in the order in which they arrive.

    Parameters
    ----------
    client
        A `distributed.Client`.
    """

    def __init__(self, client: Any) -> None:
        from distributed import as_completed

        self._client = client
        self._under_way = as_completed(loop=client.loop, with_results=True, raise_errors=False)

    def ask(self, worker: str, *request: Any) -> Any:
        """Ask a worker, given by its address, and no other; returns a Dask future.

        Dask's scheduler and workers unpickle what is called, so that is made from functions of Python's library alone:
        ``reduce(call, [resolve_name, "module:answer", request])`` is ``resolve_name("module:answer")(request)``. So no
        code is sent, the scheduler needs no dicelab, and a worker that has none says so.

        Raises
        ------
        Lost
        """
        with _answering():
            where: dict[str, Any] = {"workers": [worker], "allow_other_workers": False}
            future = self._client.submit(reduce, call, [resolve_name, ANSWER, request], pure=False, **where)
        self._under_way.add(future)
        return future

    def answers(self, seconds: float) -> list[tuple[Any, Any]]:
        """Futures that are done, each with its result or, as `sys.exc_info` has it, its exception.

        Waits up to so many seconds for the first one.
        """
        if not self._under_way.queue.qsize():
            time.sleep(seconds)
        found: list[tuple[Any, Any]] = self._under_way.next_batch(block=False)
        return found

    def drop(self, futures: Iterable[Any]) -> None:
        """Forget requests; those that nobody has begun to answer are not answered."""
        dropped = list(futures)
        if dropped and self._client.status == "running":
            with suppress(OSError, RuntimeError, TimeoutError):
                self._client.cancel(dropped, force=True)

    def tell(self, workers: Iterable[str], *request: Any) -> None:
        """Send workers a request that they answer at once, also while they play; the answers are ignored."""
        receivers = list(workers)
        if receivers and self._client.status == "running":
            with suppress(OSError, RuntimeError, TimeoutError):
                step = [resolve_name, ANSWER, request]
                self._client.run(reduce, call, step, workers=receivers, on_error="ignore")

    def workers(self) -> dict[str, int]:
        """The addresses of all workers, each with its number of threads.

        Raises
        ------
        Lost
        """
        with _answering():
            found: dict[str, int] = self._client.nthreads()
        return found


@contextmanager
def _answering() -> Iterator[None]:
    """Raise Lost for what Dask raises without a scheduler."""
    try:
        yield
    except (OSError, RuntimeError, TimeoutError, ValueError) as error:
        raise Lost("the scheduler of the cluster doesn't answer any more") from error
