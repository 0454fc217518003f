"""The command `check`: is a file of rules lawful?"""

from __future__ import annotations

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.options import must_be_file
from dicelab.interface.cli.output import INTERRUPTED, csv_option, json_option, say_rows
from dicelab.interface.cli.progress import words_shown

UNFINISHED = 3
"""Exit status of a check that ran out of time."""


@click.command(cls=Command)
@click.argument("file")
@click.option("--seconds", default=120.0, metavar="S", help="Time limit of the check in seconds [default: 120].")
@click.option("--verbose", "-v", is_flag=True, help="Also say which engines cannot play the game, and why.")
@csv_option
@json_option
def check(file: str, seconds: float, verbose: bool) -> None:
    """Verify the rules or the strategies in a file; report what is wrong, on which line, and what to write instead.

    The check covers all reachable states if there are few, and random play otherwise; parameters at their limits, alone
    and in pairs; line-ups of different strategies; all engines; exact answers; and an optimal policy. The report says
    what was covered.

    Strategies for a game of another file are checked with that game, alone and against its default strategy.

    Exit status: 0 if all is lawful, 1 if something is broken, 3 if the time limit came before the end.

    \b
    Examples:
      dicelab check ./pig.py
      dicelab check ./mine.py:cautious
    """
    from dicelab.conformance.findings.finding import BROKEN
    from dicelab.conformance.in_child import examine

    must_be_file(file, "check")
    if not 0 < seconds < float("inf"):
        raise ParameterError(f"seconds: {seconds!r} is not allowed; it takes a number above 0")
    with words_shown() as progress:
        result = examine(file, seconds, progress)
    data = result.to_dict()
    say_rows(data, data["findings"], result.text(verbose=verbose))
    if result.interrupted:
        raise SystemExit(INTERRUPTED)
    if not result.lawful:
        raise SystemExit(1 if result.verdict == BROKEN else UNFINISHED)
