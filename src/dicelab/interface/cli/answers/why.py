"""The command `why`: why do the seats differ?"""

from __future__ import annotations

from typing import Any

import click

from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, question
from dicelab.interface.cli.progress import states_expanded


@question()
@options.strategy
@options.whole("--depth", default="1", help="Number of rolls and choices [default: 1].")
@click.option("--on", metavar="TALLY", help="Show the mean of a tally instead of the chances.")
@options.fractions
@options.memory
@options.plot
def why(asked: Asked, **settings: Any) -> None:
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
    from dicelab.questions.why import why as run

    with states_expanded() as watched:
        result = run(asked.game, progress=watched["progress"], **settings)
    asked.answer(result, lambda plots: plots.plot_why(result))
