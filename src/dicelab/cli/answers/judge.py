"""The command `judge`: is my simulation right?"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import click

from dicelab.cli.options import (
    GameCommand,
    apart,
    game_argument,
    memory_option,
    number,
    strategy_option,
    threads_option,
)
from dicelab.cli.output import draw, drawable, end, plot_option, result_options, say
from dicelab.rules.game import Game


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@click.option("--counts", metavar="N,N,...", help="Games that ended with each outcome, in the order of the outcomes.")
@click.option("--mean", multiple=True, metavar="TALLY=X", help="Mean of a tally; repeat for more.")
@click.option("--sd", multiple=True, metavar="TALLY=X", help="Standard deviation of a tally; repeat for more.")
@click.option("--games", "-n", metavar="N", callback=number("games"), help="Number of games that were simulated.")
@click.option(
    "--file",
    metavar="FILE",
    help="Instead: a CSV file with a row per game and columns named like outcomes and tallies.",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="GAME",
    help="Other rules to try if the results don't fit: a game, or a file of games; repeat for more.",
)
@plot_option
@memory_option
@threads_option
@result_options
@click.pass_obj
def judge(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Compare the results of your own simulation with the exact answer.

    The verdict is consistent, doubtful (p-value below 0.05) or inconsistent (below 0.001). If the results don't fit,
    seats in another order, settings one step away and variants of the rules are tried, and those that fit are named.
    Means are taken as rounded to the digits given.

    Exit status: 0 if the results are consistent or doubtful, 1 if they are inconsistent.

    \b
    Examples:
      dicelab judge lcr --players 3 --counts 616,655,729 --mean turns=18.9
      dicelab judge lcr --players 3 --mean turns=18.9 --sd turns=8.1 --games 2000
      dicelab judge tossup -s one_roll --counts 5910,4090 --plot judge.svg
      dicelab judge lcr --players 3 --file results.csv --json
    """
    from dicelab.analysis.judge import judge as run
    from dicelab.analysis.judging.sample import named

    parameters, settings = apart(options)
    path, counts = settings.pop("plot"), settings.pop("counts")
    settings["counts"] = None if counts is None else counts.split(",")
    settings |= {name: named(name, settings[name]) for name in ("mean", "sd")}
    drawable(path)
    with redirect_stdout(sys.stderr):
        result = run(chosen(**parameters), settings.pop("strategies"), **settings)
    say(result)
    draw(path, lambda plots: plots.plot_judgement(result))
    end(result)
    if result.verdict == "inconsistent":
        raise SystemExit(1)
