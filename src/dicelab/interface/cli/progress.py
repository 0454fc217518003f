"""Progress bars on stderr, if that is a terminal.

Inside each of these blocks, what a game's file prints goes to stderr: stdout is for results only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from time import perf_counter
from typing import Any

from dicelab.interface.cli.output import remark
from dicelab.limits import LIMITS
from dicelab.questions.declare import DeclaredQuestion
from dicelab.runtime.timing import watched_by

Bar = Callable[[str, float, float | None], None]
"""Shows words, or those before if they are empty, and how much is done of how much, if that is known."""
SHARE = 0.05
"""Share of the work after which the time that is left can be estimated, if it also took `LIMITS.left_seconds`."""


def foreseeable(done: float, total: float | None, seconds: float | None) -> bool:
    """Return whether enough is done to say how long the rest will take.

    >>> foreseeable(10, 1000, 60), foreseeable(500, 1000, 0.5), foreseeable(500, 1000, 5)
    (False, False, True)
    """
    return total is not None and seconds is not None and done >= SHARE * total and seconds >= LIMITS.left_seconds


@contextmanager
def _bar(alike: bool = True) -> Iterator[Bar | None]:
    """Show words, and how much is done of how much, if that is known; the time starts again where less is done. What is
    done for one part of the work is said after the number of the parts that are done.

    The time that is left is shown if all parts of the work are `alike`.
    """
    if not sys.stderr.isatty():
        with redirect_stdout(sys.stderr):
            yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Remaining(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            known = foreseeable(task.completed, task.total, task.elapsed)
            return super().render(task) if known else Text("")

    words_and_bar = [TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.elapsed:,.0f} s")]
    columns: list[ProgressColumn] = [*words_and_bar, *([Remaining()] if alike else [])]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar, redirect_stdout(sys.stderr):
        task, parts = bar.add_task("", total=None), ""

        def show(words: str, done: float, total: float | None) -> None:
            nonlocal parts
            parts = f"{words}; " if words and total is not None else parts
            if done < bar.tasks[0].completed:
                bar.reset(task)
            bar.update(task, completed=done, total=total, description=words or bar.tasks[0].description)

        def said(words: str, stays: bool) -> None:
            if stays:
                remark(f"dicelab: {words}")
            else:
                bar.update(task, description=f"{parts}{words}")

        with watched_by(said):
            yield show


@contextmanager
def games_played() -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a progress bar of games."""
    with _bar() as bar:
        yield _games(bar)


@contextmanager
def states_expanded() -> Iterator[dict[str, Any]]:
    """Show a progress bar of states found and expanded, then of the solution: `progress` and `share` for a call.

    It shows a remaining time once a share of the work is known.
    """
    with _bar() as bar:
        yield _states(bar)


def _games(bar: Bar | None) -> Callable[[int, int | None], None] | None:
    return None if bar is None else lambda done, total: bar(f"{done:,} games", done, total)


def _states(bar: Bar | None) -> dict[str, Any]:
    """Return what shows states: how many are found meanwhile is said in words (`dicelab.runtime.timing`)."""

    def progress(found: int, expanded: int) -> None:
        if bar is not None and expanded >= found:
            bar(f"{found:,} states; solving", 0.0, None)

    def share(done: float) -> None:
        if bar is not None:
            bar("", done, 1.0)

    return {"progress": progress, "share": share}


def _words(bar: Bar | None) -> Callable[[object], None]:
    return lambda words: None if bar is None else bar(str(words), 0, None)


def _rows(bar: Bar | None, label: str) -> Callable[[int, int], None]:
    return lambda done, total: None if bar is None else bar(f"{label}: {done:,} of {total:,}", done, total)


@contextmanager
def words_shown() -> Iterator[Callable[[str], None]]:
    """Show what is being done, in words, on a line that is removed at the end."""
    with _bar(alike=False) as bar:
        yield _words(bar)


@contextmanager
def rows_done(label: str, alike: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar of rows, with the time that is left only if all rows take about as long."""
    with _bar(alike) as bar:
        yield _rows(bar, label)


@contextmanager
def watched(one: DeclaredQuestion) -> Iterator[dict[str, Any]]:
    """Show the progress of a question; yields the arguments that are called while it is computed."""
    kinds, first = {*one.watches.values()}, list[tuple[float, str]]()
    if not kinds:
        with redirect_stdout(sys.stderr):
            yield {}
        return
    with _bar(one.alike if "rows" in kinds else "words" not in kinds) as bar:
        states = _states(bar)

        def solving(found: int, expanded: int) -> None:
            if first and perf_counter() - first[0][0] > LIMITS.first_seconds:
                remark(first.pop()[1])
            states["progress"](found, expanded)

        def result(known: Any) -> None:
            more = "The exact answer is being computed; Ctrl-C stops it and keeps this one."
            first.append((perf_counter(), f"Simulated: {known.summary} {more}"))

        shown = {"games": _games(bar), "rows": _rows(bar, one.rows), "words": _words(bar), "result": result}
        shown |= {"states": solving}
        yield {name: states["share"] if name == "share" else shown[of] for name, of in one.watches.items()}
