"""The command `learn`: a policy learned from games alone."""

from __future__ import annotations

from typing import Any

import click

from dicelab.cli.keeping import keep, writable
from dicelab.cli.options import (
    GameCommand,
    against_option,
    apart,
    formerly,
    game_argument,
    memory_option,
    number,
    objective_option,
    out_option,
    real,
    seed_option,
    store_option,
)
from dicelab.cli.output import draw, drawable, end, plot_option, result_options, say
from dicelab.cli.progress import games_played
from dicelab.rules.game import Game


@click.command(cls=GameCommand)
@game_argument
@against_option
@formerly("-s", "--against", multiple=True)
@click.option(
    "--seat", metavar="N", default="0", callback=number("seat"), help="Seat that learns, with --against [default: 0]."
)
@objective_option
@click.option(
    "--games",
    "-n",
    metavar="N",
    default="20000",
    callback=number("games"),
    help="Number of games to learn from [default: 20000].",
)
@seed_option
@click.option(
    "--points",
    metavar="K",
    default="10",
    callback=number("points"),
    help="Number of points of the learning curve [default: 10].",
)
@click.option(
    "--epsilon",
    metavar="E",
    default="0.1",
    callback=real("epsilon"),
    help="Share of moves made at random while learning [default: 0.1].",
)
@click.option(
    "--omega",
    metavar="W",
    default="0.8",
    callback=real("omega"),
    help="Step size of the n-th update of a move's value: 1/n^W [default: 0.8].",
)
@out_option
@plot_option
@memory_option
@store_option
@result_options
@click.pass_obj
def learn(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Learn to play from games alone, and compare the learned policy with optimal play.

    One seat learns, alone or against given strategies; or two seats learn against each other.

    \b
    Examples:
      dicelab learn tossup --target 20 --against bank_over:20 --seed 1
      dicelab learn tossup --target 10 --seed 1 --games 1e5 --plot curve.svg
      dicelab learn tossup --target 20 --against bank_over:20 --out learned.npz
      dicelab learn ./pig.py --target 10 --seed 1 --points 4
    """
    from dicelab.learning.learn import learn as run

    parameters, settings = apart(options)
    out, plot = writable(settings.pop("out")), settings.pop("plot")
    drawable(plot)
    with games_played() as progress:
        result = run(chosen(**parameters), settings.pop("against"), progress=progress, **settings)
    say(result)
    if out is not None:
        keep(result.policy, out)
    if plot is not None:
        from dicelab.learning.plot import plot_learning

        draw(plot, lambda _: plot_learning(result))
    end(result)
