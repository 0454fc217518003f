"""The command `sweep`: one question for a range of values, or the value that gives a figure."""

from __future__ import annotations

from typing import Any

import click

from dicelab.cli.options import (
    GameCommand,
    apart,
    cluster_option,
    game_argument,
    games_option,
    memory_option,
    on_option,
    precision_option,
    seed_option,
    store_option,
    strategy_option,
    threads_option,
)
from dicelab.cli.output import draw, drawable, end, plot_option, result_options, say
from dicelab.cli.progress import rows_done
from dicelab.errors import ParameterError
from dicelab.rules.game import Game
from dicelab.rules.params import share


@click.command(cls=GameCommand)
@game_argument
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=A..B[..STEP]",
    help="Values of a parameter or of a strategy's argument; give it once or twice.",
)
@strategy_option
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@memory_option
@games_option
@precision_option
@on_option
@seed_option
@threads_option
@store_option
@cluster_option
@plot_option
@click.option("--of", metavar="WHAT", help="What to draw: an outcome, a tally, p90:TALLY, gap, total_variation, ratio.")
@click.option(
    "--solve-for",
    metavar="FIGURE=X",
    help="Find the values between which an outcome's probability, or a tally's mean, passes X: 0=50%, turns=20.",
)
@result_options
@click.pass_obj
def sweep(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Simulate or solve a game for every value of a parameter, or for all pairs of values of two.

    --over takes a parameter of the game or an argument of a strategy. The argument varies in each seat whose strategy
    is given without it. The strategy best stands for optimal play, of one seat or of all; the game is then solved at
    every point. With --solve-for, only the values are computed that are needed to find where a figure passes X.

    \b
    Examples:
      dicelab sweep lcr --over players=2..5 --exact
      dicelab sweep tossup --over bank_over=0..60..5 -s bank_over -s bank_over:20
      dicelab sweep tossup --over last_turn=no,yes -s best --target 20
      dicelab sweep tossup --over target=10..60 -s best --solve-for 0=60%
      dicelab sweep lcr --over players=2..4 --over coins=1..3 --exact --plot lcr.svg --of gap
      dicelab sweep craps-bet --over bet=pass,field_2x3x,hard8 --exact --plot money.svg --of money
    """
    from dicelab.sweeps.ranges import parse_range

    parameters, settings = apart(options)
    drawable(settings["plot"])
    if not settings["over"]:
        raise ParameterError("over: give the values to sweep, such as --over players=2..12")
    over = dict(parse_range(text) for text in settings["over"])
    if len(over) < len(settings["over"]):
        raise ParameterError("over: the same name is given twice")
    if settings["of"] is not None and settings["plot"] is None:
        raise ParameterError("--of chooses what --plot draws; give --plot FILE as well")
    settings |= {"over": over, "parameters": parameters}
    (_everywhere if settings["solve_for"] is None else _find)(chosen, settings)


def _everywhere(chosen: type[Game], settings: dict[str, Any]) -> None:
    """Answer at every point."""
    from dicelab.sweeps.points import points_of
    from dicelab.sweeps.sweep import sweep as run

    path, of, strategies = settings.pop("plot"), settings.pop("of"), settings.pop("strategies")
    del settings["solve_for"]
    if of is not None:
        from dicelab.cli.pictures import sweepable

        points = points_of(chosen, strategies, settings["over"], settings["parameters"])
        sweepable([point.game for point in points], of)
    with rows_done("points") as progress:
        result = run(chosen, strategies, progress=progress, **settings)
    say(result)
    if result.rows:
        draw(path, lambda plots: plots.plot_sweep(result, of))
    end(result)


def _find(chosen: type[Game], settings: dict[str, Any]) -> None:
    """Find the values between which a figure passes a number."""
    from dicelab.sweeps.solve_for import solve_for as run

    path, of, wanted = settings.pop("plot"), settings.pop("of"), settings.pop("solve_for")
    for name in ("precision", "on"):
        if settings.pop(name) is not None:
            raise ParameterError(f"--{name} can't be used with --solve-for; give a number of games")
    if of is not None:
        raise ParameterError("--of can't be used with --solve-for, which draws the figure that it is about")
    figure, equals, text = wanted.partition("=")
    if not figure or not equals:
        raise ParameterError(f"solve-for: {wanted!r} is not allowed; it is written FIGURE=X, such as 0=50% or turns=20")
    target = share(text, "solve-for")
    with rows_done("values") as progress:
        result = run(chosen, figure, target, settings.pop("strategies"), progress=progress, **settings)
    say(result)
    if result.rows:
        draw(path, lambda plots: plots.plot_sweep(result, figure, target=target))
    end(result)
