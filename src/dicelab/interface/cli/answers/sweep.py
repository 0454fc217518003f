"""The command `sweep`: one question for a range of values, or the value that gives a figure."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, question
from dicelab.interface.cli.progress import rows_done
from dicelab.rules.params import share


@question()
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=A..B[..STEP]",
    help="Values of a parameter or of a strategy's argument; give it once or twice.",
)
@options.strategy
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@options.memory
@options.games
@options.precision
@options.on
@options.seed
@options.threads
@options.store
@options.cluster
@options.plot
@click.option("--of", metavar="WHAT", help="What to draw: an outcome, a tally, p90:TALLY, gap, total_variation, ratio.")
@click.option(
    "--best-by",
    metavar="FIGURE",
    help="Name the best value by this outcome, tally or measure of fairness; least:FIGURE for the smallest [default: "
    "money, win, or the win of the only seat that varies].",
)
@click.option(
    "--solve-for",
    metavar="FIGURE=X",
    help="Find the values between which an outcome's probability, or a tally's mean, passes X: 0=50%, turns=20.",
)
def sweep(asked: Asked, over: tuple[str, ...], of: str | None, solve_for: str | None, **settings: Any) -> None:
    """Simulate or solve a game for every value of a parameter, or for all pairs of values of two.

    --over takes a parameter of the game or an argument of a strategy. The argument varies in each seat whose strategy
    is given without it; where one seat varies, the best value is named, and those that can't be told from it. The
    strategy best stands for optimal play, of one seat or of all; the game is then solved at
    every point. With --solve-for, only the values are computed that are needed to find where a figure passes X.

    \b
    Examples:
      dicelab sweep lcr --over players=2..5 --exact
      dicelab sweep tossup --over bank_over=0..60..5 -s bank_over -s bank_over:20
      dicelab sweep tossup --over bank_over=15..25 -s bank_over -s best --target 50
      dicelab sweep tossup --over last_turn=no,yes -s best --target 20
      dicelab sweep tossup --over target=10..60 -s best --solve-for 0=60%
      dicelab sweep lcr --over players=2..4 --over coins=1..3 --exact --plot lcr.svg --of gap
      dicelab sweep craps-bet --over bet=pass,field_2x3x,hard8 --exact --plot money.svg --of money
    """
    from dicelab.questions.sweeps.points import parse_range

    if not over:
        raise ParameterError("over: give the values to sweep, such as --over players=2..12")
    settings |= {"over": dict(parse_range(text) for text in over), "parameters": asked.parameters}
    if len(settings["over"]) < len(over):
        raise ParameterError("over: the same name is given twice")
    if of is not None and asked.plot is None:
        raise ParameterError("--of chooses what --plot draws; give --plot FILE as well")
    if solve_for is None:
        _everywhere(asked, of, settings)
    elif of is not None:
        raise ParameterError("--of can't be used with --solve-for, which draws the figure that it is about")
    else:
        _find(asked, solve_for, settings)


def _everywhere(asked: Asked, of: str | None, settings: dict[str, Any]) -> None:
    """Answer at every point."""
    from dicelab.questions.sweeps.points import points_of
    from dicelab.questions.sweeps.sweep import sweep as run

    if of is not None:
        from dicelab.interface.cli.pictures import sweepable

        points = points_of(asked.kind, settings["strategies"], settings["over"], asked.parameters)
        of = sweepable([point.game for point in points], of)
    with rows_done("points") as progress:
        result = run(asked.kind, progress=progress, **settings)
    asked.answer(result, (lambda plots: plots.plot_sweep(result, of)) if result.rows else None)


def _find(asked: Asked, wanted: str, settings: dict[str, Any]) -> None:
    """Find the values between which a figure passes a number."""
    from dicelab.questions.sweeps.solve_for import solve_for as run

    for name in ("precision", "on", "best_by"):
        if settings.pop(name) is not None:
            option, instead = name.replace("_", "-"), "" if name == "best_by" else "; give a number of games"
            raise ParameterError(f"--{option} can't be used with --solve-for{instead}")
    figure, equals, text = wanted.partition("=")
    if not figure or not equals:
        raise ParameterError(f"solve-for: {wanted!r} is not allowed; it is written FIGURE=X, such as 0=50% or turns=20")
    target = share(text, "solve-for")
    with rows_done("values") as progress:
        result = run(asked.kind, figure, target, progress=progress, **settings)
    asked.answer(result, (lambda plots: plots.plot_sweep(result, figure, target=target)) if result.rows else None)
