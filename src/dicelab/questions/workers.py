"""Where the games of a question are played instead of in this process: what `cluster` names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from dicelab.errors import DicelabError, ParameterError
from dicelab.rules.loading.registry import entry_points
from dicelab.runtime.lineup import Run

GROUP = "dicelab.clusters"
"""Entry points of installed packages: each returns the workers that an argument `cluster` names, or refuses it by a
`ParameterError`.
"""


class Lost(DicelabError):
    """The scheduler of a cluster doesn't answer any more."""


@runtime_checkable
class Workers(Protocol):
    """A cluster, which need not be connected to yet."""

    def player(self, run: Run, seed: int, engine: str, limit: int, keep: bool) -> Any:
        """Return what plays a run there, as `dicelab.engines.player.Player` does in this process."""

    def close(self) -> None:
        """Close what was opened for it."""


@contextmanager
def opened(cluster: Any) -> Iterator[Workers | None]:
    """Open the cluster that is named, closed at the end if it was opened here; None for none.

    Raises
    ------
    ParameterError
        When no package knows such a cluster; the message is that of the first one.
    """
    if cluster is None or isinstance(cluster, Workers):
        yield cluster
        return
    workers = _workers(cluster)
    try:
        yield workers
    finally:
        workers.close()


def _workers(where: Any) -> Workers:
    refused = ParameterError("cluster: this installation of dicelab lacks what plays on a cluster; install it again")
    for number, point in enumerate(entry_points(group=GROUP)):
        try:
            found: Workers = point.load()(where)
            return found
        except ParameterError as error:
            refused = refused if number else error
    raise refused
