"""Progress bars on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def _bar() -> Iterator[Callable[[str, float, float | None], None] | None]:
    """Shows words, and how much is done of how much, if that is known; the time starts again where less is done."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(words: str, done: float, total: float | None) -> None:
            if done < bar.tasks[0].completed:
                bar.reset(task)
            bar.update(task, completed=done, total=total, description=words)

        yield show


@contextmanager
def games_played() -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar of games."""
    with _bar() as bar:
        yield None if bar is None else lambda done, total: bar(f"{done:,} games", done, total)


@contextmanager
def states_expanded() -> Iterator[dict[str, Any]]:
    """A progress bar of states found and expanded, then of the solution: `progress` and `share` for a call.

    It shows a remaining time once a share of the work is known.
    """
    with _bar() as bar:
        words, shown = "", 0.0

        def progress(found: int, expanded: int) -> None:
            nonlocal words, shown
            if expanded < found:
                words = f"{expanded:,} states expanded of {found:,} found so far"
            else:
                words, shown = f"{found:,} states; solving", 0.0
            if bar is not None:
                bar(words, shown, None)

        def share(done: float) -> None:
            nonlocal shown
            shown = done
            if bar is not None:
                bar(words, done, 1.0)

        yield {"progress": progress, "share": share}


@contextmanager
def rows_done(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of rows."""
    with _bar() as bar:
        yield lambda done, total: None if bar is None else bar(f"{done:,} {label}", done, total)
