"""Finds the cluster that the user names, and connects to it when the first games are to be played.

By itself because it knows nothing of a run.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any

from dicelab.errors import ParameterError
from dicelab.rules.params import whole_number

MISSING = "a cluster needs dask.distributed: pip install 'dicelab[cluster]'"
WRITTEN = "write tcp://HOST:PORT, local:4 for processes on this machine, or the scheduler's FILE.json"
TIMEOUT = "10s"
MOST_LOCAL = 1024
"""Limit of the number of processes on this machine."""


class Cluster:
    """A cluster, not yet connected to.

    Parameters
    ----------
    where
        ``tcp://HOST:PORT`` (or another address that Dask knows), ``local:4``, the path of a scheduler's ``.json`` file,
        or a `distributed.Client`.

    Raises
    ------
    ParameterError
        When it is none of these, or Dask isn't installed.
    """

    def __init__(self, where: Any) -> None:
        if importlib.util.find_spec("distributed") is None:
            raise ParameterError(MISSING)
        self._ending = ExitStack()
        self._connect = _connection(where)

    @cached_property
    def client(self) -> Any:
        """The `distributed.Client`.

        Raises
        ------
        ParameterError
            When there is no cluster.
        """
        return self._connect(self._ending)

    def close(self) -> None:
        """Close what was opened here: connections, and processes on this machine."""
        self._ending.close()


Connect = Callable[[ExitStack], Any]
"""Returns a client; what must be closed is added to the stack."""


def _connection(where: Any) -> Connect:
    """Return how to connect to a cluster."""
    from distributed import Client

    if isinstance(where, Client):
        if where.asynchronous:
            raise ParameterError("cluster: this Client is asynchronous; give one that isn't")
        return lambda ending: where
    text = os.fspath(where) if isinstance(where, str | os.PathLike) else ""
    if text.startswith("local:"):
        number = whole_number(text.removeprefix("local:"))
        if number is None or not 1 <= number <= MOST_LOCAL:
            raise ParameterError(f"cluster: {text!r} is not allowed; write local:1 to local:{MOST_LOCAL}")
        return lambda ending: _local(number, ending)
    if text.endswith(".json"):
        if not os.path.isfile(text):
            raise ParameterError(f"cluster: there is no file {text}; dask scheduler --scheduler-file writes it")
        return lambda ending: _client(ending, text, scheduler_file=text)
    if re.fullmatch(r"\w+://\S+:\d+", text):
        return lambda ending: _client(ending, text, address=text)
    raise ParameterError(f"cluster: {where!r} is not allowed; {WRITTEN}")


def _client(ending: ExitStack, name: str, **where: Any) -> Any:
    """Return a client of a scheduler."""
    import logging

    from distributed import Client

    for logger in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # what goes wrong is said in dicelab's words
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other versions of Dask or Python do no harm: only plain data is sent
            client = Client(timeout=TIMEOUT, set_as_default=False, name="dicelab", **where)
    except (OSError, ValueError, TimeoutError, ImportError) as error:
        raise ParameterError(f"cluster: no scheduler of Dask answers at {name}") from error
    ending.callback(client.close)
    return client


def _local(workers: int, ending: ExitStack) -> Any:
    """Return a client of new processes on this machine, each with one thread."""
    import logging

    from distributed import LocalCluster

    settings: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": 0}
    with _children_without_ctrl_c():
        cluster = LocalCluster(dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL, **settings)
    ending.callback(cluster.close)
    return _client(ending, f"local:{workers}", address=cluster)


@contextmanager
def _children_without_ctrl_c() -> Iterator[None]:
    """Start processes that never get SIGINT: a terminal sends it to them too, but this process tells them to stop.

    Threads and processes that are started inherit which signals are blocked.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield  # Windows
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # started later, it would unblock the signal in the thread that starts processes
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
