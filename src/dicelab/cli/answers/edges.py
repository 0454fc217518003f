"""The command `edges`: the exact house edge of each bet."""

from __future__ import annotations

from typing import Any

import click

from dicelab.cli.options import (
    BetCommand,
    apart,
    game_argument,
    memory_option,
    number,
    seed_option,
    store_option,
    strategy_option,
    threads_option,
)
from dicelab.cli.output import draw, drawable, end, page, plot_option, result_options, say
from dicelab.cli.progress import rows_done
from dicelab.rules.game import Game


@click.command(cls=BetCommand)
@game_argument
@strategy_option
@click.option("--only", multiple=True, metavar="B", help="Show only these bets (* matches anything); repeat for more.")
@click.option(
    "--sort",
    metavar="O",
    default="declared",
    help="Order of the rows: declared, edge, resolved, per-throw, throws or sd [default: declared].",
)
@click.option("--fractions", is_flag=True, help="Show fractions instead of decimals where they are known.")
@click.option("--check", metavar="N", callback=number("check"), help="Also simulate N games of each bet.")
@seed_option
@plot_option
@memory_option
@threads_option
@store_option
@result_options
@click.pass_obj
def edges(chosen: type[Game], /, game: str, fractions: bool, plot: str | None, **options: Any) -> None:
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
    """
    from dicelab.betting.edges import edges as run

    drawable(plot)
    parameters, settings = apart(options)
    with rows_done("bets") as progress:
        result = run(chosen, settings.pop("strategies"), parameters=parameters, progress=progress, **settings)
    say(result, result.text(page(), fractions))
    if result.rows:
        draw(plot, lambda plots: plots.plot_edges(result))
    end(result)
