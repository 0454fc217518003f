"""The command `edges`: the exact house edge of each bet."""

from __future__ import annotations

from typing import Any

import click

from dicelab.interface.cli import options
from dicelab.interface.cli.answers.own_dice import asked_with_dice, without_dice
from dicelab.interface.cli.commands import Asked, BetCommand, question
from dicelab.interface.cli.output import page
from dicelab.interface.cli.progress import rows_done


@question(cls=BetCommand, rest="--only")
@options.strategy
@click.option("--only", multiple=True, metavar="B", help="Show only these bets (* matches anything); repeat for more.")
@click.option(
    "--sort",
    metavar="O",
    default="declared",
    help="Order of the rows: declared, edge, resolved, per-throw, throws or sd [default: declared].",
)
@click.option("--fractions", is_flag=True, help="Show fractions instead of decimals where they are known.")
@options.whole("--check", help="Also simulate N games of each bet.")
@options.seed
@options.plot
@options.memory
@options.threads
@options.store
@options.dice_from
@options.dice_in
def edges(asked: Asked, fractions: bool, **settings: Any) -> None:
    """Compute the exact house edge of each bet.

    The table shows the probabilities of a win, a loss and a push; the edge per bet made, per bet resolved (excluding
    pushes) and per throw; the mean number of throws; and the standard deviation. An edge is a share of the stake,
    positive if the bettor loses.

    The game must have a tally called money. If a parameter chooses the bet, there is one row per value; give the
    parameter to see one bet in detail. A profile is a set of house rules. Bets that the house does not take are left
    out; asking for one by name is an error that says why.

    \b
    Examples:
      dicelab edges pass-line
      dicelab edges craps --profile atlantic_city
      dicelab edges craps --only 'place_*' --only 'buy_*_on_win' --plot numbers.svg
      dicelab edges craps-bet --sort edge
      dicelab edges craps-bet --bet hard8 --check 1e6 --seed 1 --json
      dicelab edges craps --only pass --only place_6 --dice-from 80,100,100,100,100,120
    """
    from dicelab.questions.betting.edges import edges as run

    if asked_with_dice(asked, "edges", settings):
        return
    without_dice(settings)
    with rows_done("bets") as progress:
        result = run(asked.kind, parameters=asked.parameters, progress=progress, **settings)
    picture = (lambda plots: plots.plot_edges(result)) if result.rows else None
    asked.answer(result, picture, result.text(page(), fractions))
