"""The command `par`: the sheet of a game of money."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, BetCommand, question
from dicelab.interface.cli.keeping import writable
from dicelab.interface.cli.output import remark
from dicelab.interface.cli.progress import rows_done


@question(cls=BetCommand, rest="--only")
@options.strategy
@click.option("--only", multiple=True, metavar="B", help="Show only these bets (* matches anything); repeat for more.")
@click.option("--html", metavar="FILE", help="Also write the sheet of every bet into an HTML file that prints.")
@options.plot
@options.memory
@options.threads
@options.store
def par(asked: Asked, html: str | None, **settings: Any) -> None:
    """Compute the sheet of a game of money.

    Of each bet it has the return to player, the edge per bet and per roll, the hit frequency, the volatility index,
    the top award and its odds; of one bet also the pay table with exact probabilities, and the result of 100, 1,000
    and 10,000 rounds. It names the version of dicelab, the hash of the rules and the random stream. All figures are
    computed from the rules alone.

    The game must have a tally called money, as for dicelab edges.

    \b
    Examples:
      dicelab par pass-line
      dicelab par craps --only 'field_*' --html field.html
      dicelab par craps-bet --bet hard8 --plot hard8.svg
      dicelab par craps-bet --bet field_2x3x --json
    """
    from dicelab.questions.betting.par import par as run

    if html is not None:
        if not html.lower().endswith((".html", ".htm")):
            raise ParameterError(f"{html}: a sheet is written as .html; end the file's name with it")
        writable(html)
    with rows_done("bets") as progress:
        result = run(asked.kind, parameters=asked.parameters, progress=progress, **settings)
    if html is not None:
        from dicelab.interface.reporting.sheet import save

        save(result, html)
        remark(f"written: {html}")
    asked.answer(result, (lambda plots: plots.plot_par(result)) if any(row.bands for row in result.rows) else None)
