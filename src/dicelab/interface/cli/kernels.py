"""The command `kernels`: what the cache of compiled code holds."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.output import csv_option, json_option, page, say_rows
from dicelab.results.base import head
from dicelab.results.text.writing import many

if TYPE_CHECKING:
    from dicelab.compile.kernels.kept import Kept


@click.command(cls=Command)
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


def _show(name: str, found: list[Kept]) -> None:
    """Print the source of a kernel."""
    named = [one for one in found if one.name.startswith(name)]
    if len(named) != 1 or not name:
        problem = "several kernels have" if named else "no kernel has"
        raise ParameterError(f"{problem} an id that begins with {name!r}; dicelab kernels lists them")
    row = {"id": named[0].name, "source": named[0].source.read_text(encoding="utf-8")}
    say_rows(head("kernels") | row, [row], row["source"].rstrip("\n"))
