"""What runs on a worker: it loads the rules of a job, and plays ranges of its games.

Arguments and results are text, bytes and numbers only, so that Dask never has to unpickle anything of dicelab: neither
its scheduler nor a worker with another version could. Exceptions are returned as text for the same reason.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from dicelab.engines.player import Player
from dicelab.errors import DicelabError
from dicelab.extras.cluster.job import ClusterJob, OtherRules
from dicelab.results.store.games import Segment
from dicelab.rules.game import outcome_names
from dicelab.runtime.scheduler import Tallied
from dicelab.version import __version__

KEPT = 8
"""Number of jobs that a worker remembers."""


class _Forgotten(Exception):
    """The games that are being played are not wanted any more."""


@dataclass
class _Ready:
    """A job whose rules are loaded."""

    player: Player
    forgotten: bool = False

    def play(self, low: int, high: int) -> Tallied:
        """Return the games `low` to ``high - 1``, on this thread; one thread at a time until an engine is chosen and
        compiled.
        """
        with _alone:
            if self.player.engine_used == "reference":
                return self._played(low, high)
        return self._played(low, high)

    def _played(self, low: int, high: int) -> Tallied:
        game = self.player.run.game
        total = Tallied.empty(max(1, len(outcome_names(game))), len(game.declared.tallies))

        def done(chunk: Tallied) -> None:
            if self.forgotten:
                raise _Forgotten
            total.merge(chunk)

        self.player.play(low, high, done)
        return total


_jobs: dict[str, _Ready] = {}
_alone = threading.Lock()
"""Held while rules are loaded and kernels are compiled, and by the reference engine (threads gain it nothing)."""
_thread = threading.local()
"""`last` of a thread: the job whose games it played last, and when it had finished."""


def answer(request: tuple[Any, ...]) -> Any:
    """Return what one of `FUNCTIONS` returns; the request has its name, then its arguments."""
    function, *given = request
    return FUNCTIONS[function](*given)


def enlist(version: str, *given: Any) -> str | tuple[str, ...]:
    """Load the rules of a job.

    Parameters
    ----------
    version
        That of dicelab on the other side. It is compared first, whatever the other arguments are.
    *given
        `ClusterJob.content`, `ClusterJob.policies`.

    Returns
    -------
    str or tuple
        "", or a sentence part that says why this worker can't play. Or ``"error"`` with class and text of an error that
        every worker would have.
    """
    if version != __version__:
        return f"it has dicelab {__version__}, and this is dicelab {version}; install the same version"
    job = ClusterJob(*given)
    with _alone:
        if job.name in _jobs:
            return ""
        try:
            run = job.run()
        except OtherRules as error:
            return f"it has {error}; install the same version of them"
        except Exception as error:  # the import of a package can raise anything
            return f"it can't load the rules: {error}"
        try:
            _jobs[job.name] = _Ready(Player(run, *job.settings, quiet=True))
        except DicelabError as error:
            return _as_text(error)
        while len(_jobs) > KEPT:
            del _jobs[next(iter(_jobs))]
    return ""


def _as_text(error: DicelabError) -> tuple[str, ...]:
    """Return an error as text."""
    return "error", type(error).__name__, str(error)


def play(name: str, low: int, high: int) -> tuple[Any, ...]:
    """Play games `low` to ``high - 1`` of a job.

    Parameters
    ----------
    name
        `ClusterJob.name`.

    Returns
    -------
    tuple
        The games as a segment (`dicelab.results.store.games`), the seconds that they took, the seconds for which
        this thread had waited, the name of the engine, a note for the user about it, and the number of games that
        compiled code left to the reference engine. Or ``"error"`` with class and text of an error; or ``"unknown"``, if
        this worker doesn't know the job.
    """
    ready = _jobs.get(name)
    if ready is None:
        return ("unknown",)
    began = perf_counter()
    job, ended = getattr(_thread, "last", (name, began))
    try:
        total = ready.play(low, high)
    except DicelabError as error:
        return _as_text(error)
    except (_Forgotten, KeyboardInterrupt):  # Ctrl-C: the worker may be a thread of the command itself
        return ("unknown",)
    content = Segment(low, high, total).content
    _thread.last = name, perf_counter()
    waited = began - ended if job == name else 0.0
    player = ready.player
    return content, _thread.last[1] - began, waited, player.engine_used, player.note_on_engine, total.left


def forget(name: str) -> None:
    """Play no more games of a job; what is being played ends soon, and is not counted."""
    ready = _jobs.pop(name, None)
    if ready is not None:
        ready.forgotten = True


FUNCTIONS: dict[str, Callable[..., Any]] = {"enlist": enlist, "play": play, "forget": forget}
