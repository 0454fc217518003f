"""The command `report`: a report about a game, in one HTML file."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import click

from dicelab.cli.keeping import writable
from dicelab.cli.options import (
    GameCommand,
    apart,
    game_argument,
    memory_option,
    number,
    strategy_option,
)
from dicelab.errors import ParameterError
from dicelab.rules.game import Game


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@click.option("--out", "-o", metavar="FILE", required=True, help="The file to write, such as report.html.")
@click.option("--games", "-n", metavar="N", callback=number("games"), help="Games of each simulation [default: 20000].")
@click.option("--seed", metavar="N", help="Seed of all simulations [default: 1].")
@memory_option
@click.pass_obj
def report(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Write a report about a game into one HTML file.

    It has the rules, fairness and length of games, the strategies compared, optimal play and a short rule, and for
    games of money the edges and a session; each with its chart, and with the command that gives the answer again. What
    would take long to solve is simulated. The file is complete in itself, without scripts, and prints well.

    \b
    Examples:
      dicelab report tossup --target 50 -o tossup.html
      dicelab report ./pig.py -o pig.html
    """
    from dicelab.reporting.report import report as run
    from dicelab.runtime.lineup import as_seed

    parameters, settings = apart(options)
    path = settings.pop("out")
    if not path.lower().endswith((".html", ".htm")):
        raise ParameterError(f"{path}: a report is written as .html; end the file's name with it")
    writable(path)
    settings["seed"] = None if settings["seed"] is None else as_seed(settings["seed"])
    with redirect_stdout(sys.stderr):
        found = run(chosen(**parameters), settings.pop("strategies"), **settings)
    found.save(path)
    click.echo(f"written: {path}", err=True)
