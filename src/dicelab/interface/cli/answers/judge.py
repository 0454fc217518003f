"""The command `judge`: is my simulation right?"""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, question
from dicelab.interface.cli.output import aside


@question(rest="--file")
@options.strategy
@click.option("--counts", metavar="N,N,...", help="Games that ended with each outcome, in the order of the outcomes.")
@click.option("--mean", multiple=True, metavar="TALLY=X", help="Mean of a tally; repeat for more.")
@click.option("--sd", multiple=True, metavar="TALLY=X", help="Standard deviation of a tally; repeat for more.")
@options.whole("--games", "-n", help="Number of games that were simulated.")
@click.option(
    "--file",
    metavar="FILE",
    help="Instead: a CSV file with a row per game and columns named like outcomes and tallies.",
)
@click.option(
    "--class",
    "pupils",
    metavar="FILE",
    help="Instead: a CSV file with the results of a class, a row per pupil, or per game with the pupil's name.",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="GAME",
    help="Other rules to try if the results don't fit: a game, or a file of games; repeat for more.",
)
@options.plot
@options.memory
@options.threads
def judge(asked: Asked, counts: str | None, pupils: str | None, **settings: Any) -> None:
    """Compare the results of your own simulation with the exact answer.

    The verdict is consistent, doubtful (p-value below 0.05) or inconsistent (below 0.001). If the results don't fit,
    seats in another order, settings one step away and variants of the rules are tried, and those that fit are named.
    Means are taken as rounded to the digits given.

    With --class each pupil has a verdict that allows for the number of pupils; identical counts are named, with their
    probability by chance, and the results are pooled. The names are in the answer only, not in the chart.

    Exit status: 0 if the results are consistent or doubtful, 1 if they, or those of a pupil, are inconsistent.

    \b
    Examples:
      dicelab judge lcr --players 3 --counts 616,655,729 --mean turns=18.9
      dicelab judge lcr --players 3 --mean turns=18.9 --sd turns=8.1 --games 2000
      dicelab judge tossup -s one_roll --counts 5910,4090 --plot judge.svg
      dicelab judge lcr --players 3 --file results.csv --json
      dicelab judge lcr --players 3 --class pupils.csv --plot board.svg
    """
    if pupils is not None:
        given = {name for name, value in settings.items() if value and name in ("mean", "sd", "games", "file")}
        if counts is not None or given:
            raise ParameterError("--class has the results of all pupils; give it without counts, means, games and file")
        return _class(asked, pupils, settings)
    from dicelab.questions.judge import judge as run
    from dicelab.questions.judging.sample import named

    settings |= {name: named(name, settings[name]) for name in ("mean", "sd")}
    with aside():
        result = run(asked.game, counts=None if counts is None else counts.split(","), **settings)
    asked.answer(result, lambda plots: plots.plot_judgement(result))
    if result.verdict == "inconsistent":
        raise SystemExit(1)


def _class(asked: Asked, pupils: str, settings: dict[str, Any]) -> None:
    """Judge the results of a class."""
    from dicelab.questions.judge_class import judge_class as run

    kept = {name: value for name, value in settings.items() if name not in ("mean", "sd", "games", "file")}
    with aside():
        result = run(asked.game, pupils, **kept)
    counted = any(row.counts for row in result.rows)
    asked.answer(result, (lambda plots: plots.plot_class(result)) if counted else None)
    if result.verdict == "inconsistent":
        raise SystemExit(1)
