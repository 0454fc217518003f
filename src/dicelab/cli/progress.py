"""Progress bars on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int | None, str], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.completed:,} " + label + "{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, words: bar.update(task, completed=done, total=total, description=words)


@contextmanager
def games_played() -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar of games."""
    with _bar("games") as bar:
        yield None if bar is None else lambda done, total: bar(done, total, "")


@contextmanager
def states_expanded() -> Iterator[Callable[[int, int], None]]:
    """A progress bar of states found and expanded, without a time: how many more will be found isn't known."""
    with _bar("states expanded") as bar:

        def show(found: int, expanded: int) -> None:
            if bar is not None:
                bar(expanded, None, f" of {found:,} found so far" if expanded < found else "; solving")

        yield show


@contextmanager
def rows_done(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of rows."""
    with _bar(label) as bar:
        yield lambda done, total: None if bar is None else bar(done, total, "")
