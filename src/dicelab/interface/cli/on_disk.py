"""The commands `kernels`, `solutions` and `runs`: what is kept on disk.

By itself because these commands ask nothing about a game.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.listing import HELP
from dicelab.interface.cli.output import csv_option, form, json_option, page, result_options, say, say_rows
from dicelab.questions import FILES
from dicelab.results.base import head
from dicelab.results.text.writing import many

if TYPE_CHECKING:
    from dicelab.compile.kernels.kept import KeptKernel
    from dicelab.results.base import Forms

ENVIRONMENT = "DICELAB_STORE"


@click.command(cls=Command, short_help="what a file written by --store contains", group=FILES)
@click.argument("file", envvar=ENVIRONMENT)
@click.option("--show", metavar="N", type=int, help="Show the result of a run.")
@click.option("--compare", metavar="N N", type=(int, int), help="Show the results of two runs side by side.")
@click.option("--delete", metavar="N", type=int, multiple=True, help="Delete a run; repeat for more.")
@result_options
def runs(
    file: str,
    show: int | None,
    compare: tuple[int, int] | None,
    delete: tuple[int, ...],
) -> None:
    """List, show, compare, export and delete the runs in a file written by --store.

    Without options, one line for each run, the latest first. FILE may be left out if the environment variable
    DICELAB_STORE names it; that variable is the --store of other commands too.

    \b
    Examples:
      dicelab runs runs.db
      dicelab runs runs.db --show 1
      dicelab runs runs.db --compare 1 2
      dicelab runs runs.db --csv
      dicelab runs runs.db --delete 1
      dicelab simulate hazard --games 1e6 --seed 1 --store runs.db
    """
    from dicelab.results.store.runs import RunsCompared, Store

    if sum(map(bool, (show is not None, compare, delete))) > 1:
        raise ParameterError("give one of --show, --compare and --delete")
    store = Store(file)
    if delete:
        store.delete(*delete)
    answer: Forms
    if show is not None:
        answer = store.show(show)
    elif compare is not None:
        one, other = compare
        answer = RunsCompared((f"run {one}", f"run {other}"), (store.show(one), store.show(other)))
    else:
        answer = store.list(results=form() == "json")
    say(answer)


@click.command(cls=Command, short_help="solved games that are kept on disk, for hints and best", group=HELP)
@click.option("--clear", is_flag=True, help="Delete them; a game is then solved again when it is needed.")
@csv_option
@json_option
def solutions(clear: bool) -> None:
    """List or delete the solved games that are kept for hints, the coach, reviews and dicelab best.

    They take at most 2 GB; the least recently used are deleted first. DICELAB_CACHE_DIR says where they are kept, and
    with DICELAB_SOLUTIONS=off nothing is kept or used.

    \b
    Examples:
      dicelab solutions
      dicelab solutions --clear
    """
    from dicelab.questions.policies.kept_solutions import clear_solutions, is_off, kept_solutions, solutions_folder

    found = clear_solutions() if clear else kept_solutions()
    rows, lines = [], [["game", "kind", "size", "used"]]
    for one in found:
        used = f"{datetime.fromtimestamp(one.used):%Y-%m-%d}"
        rows.append({"game": one.game, "kind": one.kind, "bytes": one.size, "used": used, "file": one.path.name})
        lines.append([one.game, one.kind, f"{one.size / 1e6:,.1f} MB", used])
    size = sum(one.size for one in found) / 1e6
    off = "; off: nothing is kept or used" if is_off() else ""
    total = f"{solutions_folder()}: {'deleted ' if clear else ''}{many(len(found), 'solution')}, {size:,.1f} MB{off}"
    data = head("solutions") | {"folder": str(solutions_folder()), "deleted": clear, "rows": rows}
    say_rows(data, rows, page().text([total, *(["", *page().listed(lines)] if found else [])]))


@click.command(cls=Command, short_help="compiled code that is kept on disk", group=HELP)
@click.option("--show", metavar="ID", help="Show the source of a kernel; the first characters of its id are enough.")
@click.option("--prune", is_flag=True, help="Delete the outdated kernels, which no run can use any more.")
@click.option("--days", type=click.FloatRange(0), metavar="N", help="With --prune: also those not used for N days.")
@csv_option
@json_option
def kernels(show: str | None, prune: bool, days: float | None) -> None:
    """List, show and delete the compiled kernels that are kept on disk.

    A kernel is outdated when it was written for another version of dicelab, Numba, NumPy or Python. A kernel that was
    deleted is compiled again when it is needed. DICELAB_CACHE_DIR says where they are kept.

    \b
    Examples:
      dicelab kernels
      dicelab kernels --show 1f2e
      dicelab kernels --prune
      dicelab kernels --prune --days 30
    """
    from dicelab.compile.kernels.cache import cache_folder
    from dicelab.compile.kernels.kept import kept_kernels
    from dicelab.compile.kernels.kept import prune as deleted

    if (show is not None and prune) or (days is not None and not prune):
        raise ParameterError("--days belongs to --prune, and --show stands alone")
    if show is not None:
        return _show(show, kept_kernels())
    found = deleted(days) if prune else kept_kernels()
    rows, said = [], [["id", "size", "used", "for"]]
    for one in found:
        used = f"{datetime.fromtimestamp(one.used):%Y-%m-%d}"
        rows.append({"id": one.name, "about": one.about, "bytes": one.size, "used": used, "outdated": one.outdated})
        said.append([one.name[:8], f"{one.size / 1000:,.0f} kB", used, one.about + ", outdated" * one.outdated])
    size = sum(one.size for one in found) / 1e6
    total = f"{cache_folder()}: {'deleted ' if prune else ''}{many(len(found), 'kernel')}, {size:,.1f} MB"
    data = head("kernels") | {"folder": str(cache_folder()), "deleted": prune, "rows": rows}
    say_rows(data, rows, page().text([total, *(["", *page().listed(said)] if found else [])]))


def _show(name: str, found: list[KeptKernel]) -> None:
    """Print the source of a kernel."""
    named = [one for one in found if one.name.startswith(name)]
    if len(named) != 1 or not name:
        problem = "several kernels have" if named else "no kernel has"
        raise ParameterError(f"{problem} an id that begins with {name!r}; dicelab kernels lists them")
    row = {"id": named[0].name, "source": named[0].source.read_text(encoding="utf-8")}
    say_rows(head("kernels") | row, [row], row["source"].rstrip("\n"))
