"""The command `exercise`: a page to hand out to a class, and its key."""

from __future__ import annotations

import os
from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, game_command
from dicelab.interface.cli.keeping import writable
from dicelab.interface.cli.output import aside
from dicelab.rules.params import whole_number


@game_command()
@options.strategy
@click.option("--out", "-o", metavar="FILE", required=True, help="The file to write, such as exercise.html.")
@click.option("--pupils", metavar="N|FILE", help="Number of pupils, or a file with a name in each line [default: 30].")
@options.whole("--games", "-n", help="Number of games that each pupil is to play [default: 1000].")
@click.option("--seed", metavar="N", help="What the seeds of the pupils are made from [default: 1].")
@click.option("--question", metavar="TEXT", help="The question, in place of the usual one.")
@options.memory
def exercise(asked: Asked, out: str, pupils: str | None, seed: str | None, **settings: Any) -> None:
    """Write an exercise for a class: simulate a game, count how it ends, check the counts.

    The page works without a server. It has the question, a seed for each pupil, fields for the counts, and the verdict
    of dicelab judge on them. Printed, it is an answer sheet and the list of seeds. The key, FILE-key.html, has the
    exact answer and the counts that dicelab finds with each seed. The page contains the exact probabilities, which a
    pupil who reads its source can find.

    \b
    Examples:
      dicelab exercise lcr --players 3 -o exercise.html
      dicelab exercise hazard --pupils names.txt --games 500 -o exercise.html
    """
    from dicelab.interface.reporting.exercise import exercise as run
    from dicelab.runtime.lineup import as_seed

    if not out.lower().endswith((".html", ".htm")):
        raise ParameterError(f"{out}: an exercise is written as .html; end the file's name with it")
    writable(out)
    given = {name: value for name, value in settings.items() if value is not None}
    if pupils is not None:
        given["pupils"] = _pupils(pupils)
    if seed is not None:
        given["seed"] = as_seed(seed)
    with aside():
        found = run(asked.game, **given)
    for path in found.save(out):
        click.echo(f"written: {path}", err=True)


def _pupils(text: str) -> int | list[str]:
    """Return a number of pupils, or the names in a file."""
    number = whole_number(text)
    if number is not None:
        return number
    if not os.path.isfile(text):
        raise ParameterError(f"pupils: {text!r} is not a number, and there is no such file with names")
    try:
        with open(text, encoding="utf-8-sig") as opened:
            return [line.strip() for line in opened if line.strip()]
    except (OSError, UnicodeError) as error:
        raise ParameterError(f"pupils: {text} can't be read as text in UTF-8: {error}") from error
