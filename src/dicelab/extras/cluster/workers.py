"""The workers that play a job, and the requests to them.

Each worker loads the rules first, and is refused if they are not the same there.

By itself because it is about requests and lost workers, while the player is about games and their order.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property, reduce
from operator import call
from pkgutil import resolve_name
from typing import Any

from dicelab import errors
from dicelab.errors import DicelabError, ParameterError
from dicelab.extras.cluster.job import ClusterJob
from dicelab.limits import LIMITS
from dicelab.questions.simulate import Lost
from dicelab.rules.params import whole_number
from dicelab.version import __version__

# Tasks ----------------------------------------------------------------------------------------------------------------
#
# Requests to the workers of a Dask cluster, each answered by `dicelab.extras.cluster.job.answer` there.

ANSWER = "dicelab.extras.cluster.job:answer"


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
        """
        with _answering():
            where: dict[str, Any] = {"workers": [worker], "allow_other_workers": False}
            future = self._client.submit(reduce, call, [resolve_name, ANSWER, request], pure=False, **where)
        self._under_way.add(future)
        return future

    def answers(self, seconds: float) -> list[tuple[Any, Any]]:
        """Return the futures that are done, each with its result or, as `sys.exc_info` has it, its exception.

        Waits up to so many seconds for the first one.
        """
        if not self._under_way.queue.qsize():
            time.sleep(seconds)
        answers: list[tuple[Any, Any]] = self._under_way.next_batch(block=False)
        return answers

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
        """Return the addresses of all workers, each with its number of threads."""
        with _answering():
            threads: dict[str, int] = self._client.nthreads()
        return threads


@contextmanager
def _answering() -> Iterator[None]:
    """Raise Lost for what Dask raises without a scheduler."""
    try:
        yield
    except (OSError, RuntimeError, TimeoutError, ValueError) as error:
        raise Lost("the scheduler of the cluster doesn't answer any more") from error


# The workers that may play --------------------------------------------------------------------------------------------


LOOK_SECONDS = 0.5
"""Time between two looks at which workers there are."""


class ClusterWarning(UserWarning):
    """Workers of a cluster are missing or refused."""


class Crew:
    """The workers of a cluster that have the rules of a job.

    Parameters
    ----------
    tasks
        By which workers are asked.
    job
        What is played.

    Attributes
    ----------
    threads
        The number of threads of each worker that plays, by its address.
    """

    def __init__(self, tasks: Tasks, job: ClusterJob) -> None:
        self.tasks, self.job = tasks, job
        self.threads: dict[str, int] = {}
        self._present: dict[str, int] = {}
        self._loading: dict[Any, str] = {}
        self._refused: dict[str, str] = {}
        self._named: set[str] = set()
        self._begun = False
        self._looked = self._alone_since = time.monotonic() - LOOK_SECONDS

    def look(self) -> list[str]:
        """See which workers there are, now and then; those that are new load the rules. Returns those that are gone.

        Raises
        ------
        ParameterError
            When all workers are refused.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return []
        present, self._looked = self.tasks.workers(), now
        gone = [worker for worker in self._present if worker not in present]
        for worker in gone:
            self.threads.pop(worker, None)
            self._refused.pop(worker, None)
        self.tasks.drop(future for future, worker in self._loading.items() if worker in gone)
        self._loading = {future: worker for future, worker in self._loading.items() if worker not in gone}
        for worker in [worker for worker in present if worker not in self._present]:
            self.load(worker)
        self._present = present
        self._say(now)
        return gone

    def load(self, worker: str) -> None:
        """Let a worker load the rules; it plays once it has."""
        self.threads.pop(worker, None)
        future = self.tasks.ask(worker, "enlist", __version__, self.job.content, self.job.policies)
        self._loading[future] = worker

    def loaded(self, future: Any, result: Any) -> bool:
        """Note the answer of a worker that has loaded the rules; returns whether it is such an answer.

        Raises
        ------
        DicelabError
            When no worker could play this, as with an engine that can't play the game.
        """
        worker = self._loading.pop(future, None)
        if worker is None:
            return False
        if isinstance(result, tuple) and result[0] == "error":
            raise as_error(result)
        refused = result if isinstance(result, str) else _why(result)
        if refused:
            self._refused[worker] = refused
        elif worker in self._present:
            self.threads[worker] = self._present[worker]
        return True

    def _say(self, now: float) -> None:
        """Name the workers that are refused, and raise if there have never been others."""
        if self.threads:
            self._begun = True
        if self.threads or self._loading:
            self._alone_since = now
        elif self._refused and not self._begun:
            worker, why = next(iter(self._refused.items()))
            raise ParameterError(f"cluster: the worker {worker} can't play: {why}")
        elif now - self._alone_since > LIMITS.cluster_wait and "" not in self._named:
            self._named.add("")
            warnings.warn("no worker of the cluster can play; waiting for one", ClusterWarning, stacklevel=2)
        for worker in self._refused.keys() - self._named if self._begun else ():
            self._named.add(worker)
            warnings.warn(f"the worker {worker} doesn't play: {self._refused[worker]}", ClusterWarning, stacklevel=2)


def _why(result: Any) -> str:
    """Return why a worker could not even try to load the rules."""
    error = result[1] if isinstance(result, tuple) and len(result) == 3 else result
    if isinstance(error, ModuleNotFoundError) and error.name == "dicelab":
        return f"it has no dicelab; install dicelab {__version__} there"
    if isinstance(error, ImportError) and (error.name or "").startswith("dicelab"):
        return f"it has another version of dicelab; install {__version__} there"
    return f"it can't load dicelab: {type(error).__name__}: {error}"


def as_error(answer: tuple[Any, ...]) -> DicelabError:
    """Return the error that a worker has answered with: ``"error"``, class and text."""
    kind: type[DicelabError] = getattr(errors, answer[1], DicelabError)
    return kind(answer[2])


# Connect --------------------------------------------------------------------------------------------------------------
#
# Finds the cluster that the user names, and connects to it when the first games are to be played.


MISSING = "a cluster needs dask.distributed: pip install 'dicelab[cluster]'"
WRITTEN = "write tcp://HOST:PORT, local:4 for processes on this machine, or the scheduler's FILE.json"
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
            client = Client(timeout=LIMITS.cluster_timeout, set_as_default=False, name="dicelab", **where)
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
