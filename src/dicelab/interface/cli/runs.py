"""The command `runs`: what a store has; and the option --store of other commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.output import form, result_options, say

if TYPE_CHECKING:
    from dicelab.results.base import Forms

ENVIRONMENT = "DICELAB_STORE"


@click.command(cls=Command)
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
