"""The command about what bets cost: edges."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import click

from dicelab.interfaces.options import (
    BetCommand,
    game_argument,
    json_option,
    memory_option,
    number,
    seed_option,
    strategy_option,
    threads_option,
)
from dicelab.interfaces.questions import apart, end, rows_done
from dicelab.rules.game import Game


@click.command(cls=BetCommand)
@game_argument
@strategy_option
@click.option("--sort", metavar="O", default="declared", help="declared, edge, resolved, per-throw, throws or sd.")
@click.option("--fractions", is_flag=True, help="Show fractions, where there are some, in place of decimals.")
@click.option("--check", metavar="N", callback=number("check"), help="Play N games of each bet as well.")
@seed_option
@memory_option
@threads_option
@json_option
@click.pass_obj
def edges(chosen: type[Game], /, game: str, as_json: bool, fractions: bool, **options: Any) -> None:
    """Say what each bet of a game with money costs, exactly.

    Chances to win, to lose and to be pushed; the edge per bet made, per bet resolved (not pushed) and per throw; the
    mean number of throws; the standard deviation. Edges are shares of the stake, positive where the bettor loses.

    A game with money has a tally called money. Where its bets differ by a parameter, there is a row for each of its
    values; name one of them for a row alone.

    \b
    Examples:
      dicelab edges pass-line
      dicelab edges craps-bet --sort edge
      dicelab edges craps-bet --bet hard8 --check 1e6 --seed 1 --json
    """  # noqa: D301 (click reads the character \b as "leave these lines as they are")
    from dicelab.analysis.edges import edges as run

    parameters, settings = apart(options)
    with rows_done("bets") as progress, redirect_stdout(sys.stderr):
        result = run(chosen, settings.pop("strategies"), progress=progress, **settings, **parameters)
    click.echo(result.to_json() if as_json else result.text(fractions))
    end(result)
