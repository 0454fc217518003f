"""The command `report`: a report about a game, in one HTML file."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, game_command
from dicelab.interface.cli.keeping import writable
from dicelab.interface.cli.output import INTERRUPTED
from dicelab.interface.cli.progress import words_shown


@game_command()
@options.strategy
@click.option("--out", "-o", metavar="FILE", required=True, help="The file to write, such as report.html.")
@options.whole("--games", "-n", help="Games of each simulation [default: 20000].")
@click.option("--seed", metavar="N", help="Seed of all simulations [default: 1].")
@options.memory
def report(asked: Asked, out: str, seed: str | None, **settings: Any) -> None:
    """Write a report about a game into one HTML file.

    It has the rules, fairness and length of games, the strategies compared, optimal play and a short rule, and for
    games of money the edges and a session; each with its chart, and with the command that gives the answer again. What
    would take long to solve is simulated. The file is complete in itself, without scripts, and prints well.

    \b
    Examples:
      dicelab report tossup --target 50 -o tossup.html
      dicelab report ./pig.py -o pig.html
    """
    from dicelab.interface.reporting.report import report as run
    from dicelab.runtime.lineup import as_seed

    if not out.lower().endswith((".html", ".htm")):
        raise ParameterError(f"{out}: a report is written as .html; end the file's name with it")
    writable(out)
    with words_shown() as progress:
        found = run(asked.game, seed=None if seed is None else as_seed(seed), progress=progress, **settings)
    found.save(out)
    click.echo(f"written: {out}{', stopped before the end' if found.interrupted else ''}", err=True)
    if found.interrupted:
        raise SystemExit(INTERRUPTED)
