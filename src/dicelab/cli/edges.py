"""The command about what bets cost: edges."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import click

from dicelab.cli.options import (
    BetCommand,
    game_argument,
    json_option,
    memory_option,
    number,
    plot_option,
    seed_option,
    strategy_option,
    threads_option,
)
from dicelab.cli.questions import apart, end, rows_done
from dicelab.rules.game import Game


@click.command(cls=BetCommand)
@game_argument
@strategy_option
@click.option("--only", multiple=True, metavar="B", help="Bets that are wanted, * for anything; repeat for more.")
@click.option("--sort", metavar="O", default="declared", help="declared, edge, resolved, per-throw, throws or sd.")
@click.option("--fractions", is_flag=True, help="Show fractions, where there are some, in place of decimals.")
@click.option("--check", metavar="N", callback=number("check"), help="Play N games of each bet as well.")
@seed_option
@plot_option
@memory_option
@threads_option
@json_option
@click.pass_obj
def edges(chosen: type[Game], /, game: str, as_json: bool, fractions: bool, plot: str | None, **options: Any) -> None:
    """Say what each bet of a game with money costs, exactly.

    Chances to win, to lose and to be pushed; the edge per bet made, per bet resolved (not pushed) and per throw; the
    mean number of throws; the standard deviation. Edges are shares of the stake, positive where the bettor loses.

    A game with money has a tally called money. Where its bets differ by a parameter, there is a row for each of its
    values; name one of them for a row alone. A profile is a house: bets that it does not take are left out, and
    refused with the reason when they are named.

    \b
    Examples:
      dicelab edges pass-line
      dicelab edges craps --profile atlantic_city
      dicelab edges craps --only 'place_*' --only 'buy_*_on_win' --plot numbers.svg
      dicelab edges craps-bet --sort edge
      dicelab edges craps-bet --bet hard8 --check 1e6 --seed 1 --json
    """
    from dicelab.betting.edges import edges as run

    if plot is not None:
        from dicelab.plots import check_path

        check_path(plot)
    parameters, settings = apart(options)
    with rows_done("bets") as progress, redirect_stdout(sys.stderr):
        result = run(chosen, settings.pop("strategies"), progress=progress, **settings, **parameters)
    click.echo(result.to_json() if as_json else result.text(fractions))
    if plot is not None and result.rows:
        from dicelab.plots import plot_edges, save

        save(plot_edges(result), plot)
        click.echo(f"drawn: {plot}", err=True)
    end(result)
