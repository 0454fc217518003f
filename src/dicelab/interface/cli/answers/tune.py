"""The command `tune`: the values of parameters with which a game is as wished."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, question
from dicelab.interface.cli.progress import rows_done


@question()
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=A..B[..STEP]",
    help="Values of a parameter; give it up to four times. Every combination is a candidate.",
)
@click.option(
    "--want",
    multiple=True,
    metavar="WISH",
    help="An outcome, a tally or a measure of fairness with a range: 'gap<1%', 'turns=8..12', '0>=45%'; repeat for "
    "more.",
)
@click.option(
    "--play",
    multiple=True,
    metavar="P",
    help="Kind of play: best, casual, or a strategy of all seats (of each seat: joined by +); repeat for more "
    "[default: best and casual].",
)
@options.objective
@options.decimal("--slack", metavar="X", help="What a move of casual play may cost [default: 0.05].")
@options.whole("--games", "-n", help="Games of each candidate that can't be solved [default: 50000].")
@options.seed
@options.plot
@options.memory
@options.threads
def tune(asked: Asked, over: tuple[str, ...], **settings: Any) -> None:
    """Find values of parameters with which a game is as wished, for optimal and for casual play.

    A candidate is a combination of values. Those that satisfy all wishes with every kind of play come first; what is
    as wished with one kind only, such as a handicap that is fair for experts and not for beginners, is named.

    Optimal play (best) and casual play are exact. A casual player makes one of the moves at random that cost at most
    --slack. With a strategy, a candidate is solved if it has few states; otherwise it is screened with 2,000 games,
    and simulated if it may be as wished, with intervals that allow for the number of candidates.

    \b
    Examples:
      dicelab tune lcr --over players=2..4 --over coins=1..3 --want 'gap<10%' --want turns=8..20
      dicelab tune tossup --dice 5 --over target=10..40..10 --over last_turn=no,yes --want 'gap<10%' --plot tune.svg
      dicelab tune tossup --over target=20..100..20 --want 'turns<12' --play bank_over:20 --seed 1
    """
    from dicelab.questions.sweeps.points import parse_range
    from dicelab.questions.sweeps.tune import tune as run

    if not over:
        raise ParameterError("over: give the values to try, such as --over players=2..5")
    values = dict(parse_range(text) for text in over)
    if len(values) < len(over):
        raise ParameterError("over: the same name is given twice")
    given = {name: value for name, value in settings.items() if value is not None}
    with rows_done("candidates") as progress:
        result = run(asked.kind, over=values, parameters=asked.parameters, progress=progress, **given)
    asked.answer(result, (lambda plots: plots.plot_tune(result)) if result.rows else None)
