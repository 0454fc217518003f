"""The command `solutions`: which solved games are kept in the cache folder."""

from __future__ import annotations

from datetime import datetime

import click

from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.output import csv_option, json_option, page, say_rows
from dicelab.results.base import head
from dicelab.results.text.writing import many


@click.command(cls=Command)
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
