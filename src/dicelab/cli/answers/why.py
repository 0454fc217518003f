"""The command `why`: why do the seats differ?"""

from __future__ import annotations

from typing import Any

import click

from dicelab.cli.options import (
    GameCommand,
    apart,
    fractions_option,
    game_argument,
    memory_option,
    number,
    strategy_option,
)
from dicelab.cli.output import draw, drawable, plot_option, result_options, say
from dicelab.cli.progress import states_expanded
from dicelab.rules.game import Game


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@click.option(
    "--depth", metavar="N", default="1", callback=number("depth"), help="Number of rolls and choices [default: 1]."
)
@click.option("--on", metavar="TALLY", help="Show the mean of a tally instead of the chances.")
@fractions_option
@memory_option
@plot_option
@result_options
@click.pass_obj
def why(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Compute each seat's chance to win after each possible first roll or choice, exactly.

    Luck is the difference from the start. Rolls that lead to the same state are one row. A choice has a row for every
    sensible move: the chances if it is made this once; strategies play on. Of many rows the most important ones are
    shown; --all shows all of them.

    \b
    Examples:
      dicelab why lcr --players 3
      dicelab why pass-line --on throws
      dicelab why tossup --dice 3 --target 10 --depth 2
      dicelab why lcr --players 3 --plot why.svg
    """
    from dicelab.analysis.why import why as run

    parameters, settings = apart(options)
    path = settings.pop("plot")
    drawable(path)
    with states_expanded() as watched:
        result = run(chosen(**parameters), settings.pop("strategies"), progress=watched["progress"], **settings)
    say(result)
    draw(path, lambda plots: plots.plot_why(result))
