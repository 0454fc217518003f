"""Progress bars on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHARE, SECONDS = 0.05, 2.0
"""Share of the work, and time, after which the time that is left can be estimated."""


def foreseeable(done: float, total: float | None, seconds: float | None) -> bool:
    """Whether enough is done to say how long the rest will take.

    >>> foreseeable(10, 1000, 60), foreseeable(500, 1000, 0.5), foreseeable(500, 1000, 5)
    (False, False, True)
    """
    return total is not None and seconds is not None and done >= SHARE * total and seconds >= SECONDS


@contextmanager
def _bar(label: str, alike: bool) -> Iterator[Callable[[int, int | None, str], None] | None]:
    """A progress bar; with the time that is left if all parts of the work are `alike`."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Remaining(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            known = foreseeable(task.completed, task.total, task.elapsed)
            return super().render(task) if known else Text("")

    columns: list[ProgressColumn] = [TextColumn("{task.completed:,} " + label + "{task.description}"), BarColumn()]
    columns += [Remaining()] if alike else []
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, words: bar.update(task, completed=done, total=total, description=words)


@contextmanager
def games_played() -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar of games."""
    with _bar("games", alike=True) as bar:
        yield None if bar is None else lambda done, total: bar(done, total, "")


@contextmanager
def states_expanded() -> Iterator[Callable[[int, int], None]]:
    """A progress bar of states found and expanded, without a time: how many more will be found isn't known."""
    with _bar("states expanded", alike=False) as bar:

        def show(found: int, expanded: int) -> None:
            if bar is not None:
                bar(expanded, None, f" of {found:,} found so far" if expanded < found else "; solving")

        yield show


@contextmanager
def rows_done(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of rows, without a time: a row may take much longer than the one before."""
    with _bar(label, alike=False) as bar:
        yield lambda done, total: None if bar is None else bar(done, total, "")
