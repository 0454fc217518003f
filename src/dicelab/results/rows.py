"""The rows of a result, computed one after the other: progress, Ctrl-C, and errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dicelab.errors import DicelabError, InputError
from dicelab.results.result import Simulation
from dicelab.runtime.timing import Stopwatch

Job = TypeVar("Job")
Row = TypeVar("Row")
Progress = Callable[[int, int], None]
"""Called with the number of finished rows and the number of all."""


class Partial(KeyboardInterrupt):
    """Ctrl-C came while a row was computed, and what there is of it is worth keeping."""

    def __init__(self, row: Any) -> None:
        super().__init__()
        self.row = row


def completed(played: Simulation) -> Simulation:
    """Return a simulation that was not interrupted, as it is; for any other KeyboardInterrupt is raised again."""
    if played.interrupted:
        raise KeyboardInterrupt
    return played


def each(jobs: Sequence[Job], row: Callable[[Job], Row], progress: Progress) -> tuple[list[Row], dict[str, Any]]:
    """Return the row of each job, and how it ended: `seconds`, `interrupted` and `refused` of `BaseResult`.

    Rows that are finished are never lost: Ctrl-C and errors only end the list. An error in the first row is raised, and
    so is one in what was asked for, since it doesn't depend on the row.

    Parameters
    ----------
    jobs
        What the rows are about.
    row
        Computes the row of a job. It raises KeyboardInterrupt if it was interrupted, `Partial` to keep its row.
    progress
        Called before each row, and after the last.

    Examples
    --------
    >>> rows, ending = each([1, 2], lambda job: 10 * job, lambda done, total: None)
    >>> rows, ending["interrupted"], ending["refused"]
    ([10, 20], False, '')
    """
    watch, rows, interrupted, refused = Stopwatch(), list[Row](), False, ""
    try:
        for job in jobs:
            progress(len(rows), len(jobs))
            rows.append(row(job))
        progress(len(rows), len(jobs))
    except KeyboardInterrupt as stop:
        interrupted = True
        rows += [stop.row] if isinstance(stop, Partial) else []
    except DicelabError as error:
        if not rows or isinstance(error, InputError):
            raise
        refused = str(error)
    return rows, {"seconds": watch.seconds, "interrupted": interrupted, "refused": refused}
