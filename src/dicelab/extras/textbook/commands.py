"""The commands `text` and `demo`: the programs of the five texts, and answers to their questions."""

from __future__ import annotations

import click

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.options import GAMES
from dicelab.interface.cli.output import csv_option, drawable, json_option, remark, say_rows, words_shown
from dicelab.results.base import head
from dicelab.results.text.page import Printing
from dicelab.rules.params import whole_number


@click.command(cls=Command, group=GAMES, short_help="run the program of one of the five texts")
@click.argument("n")
@click.option(
    "--seed",
    metavar="N",
    help="Seed of random.seed; in text 3, of R's set.seed [default: drawn at random; 1 in text 3].",
)
def text(n: str, seed: str | None) -> None:
    """Run the program of text N: 1 Hazard, 2 craps, 3 Toss Up!, 4 throws of craps, 5 LCR.

    The programs are the modules of dicelab.textbook, with the prompts of the texts. Exit status: 1 if the program
    rejects what was typed.

    \b
    Examples:
      dicelab text 1
      dicelab text 2 --seed 5
    """
    from importlib import import_module

    from dicelab.extras.textbook import MODULES

    chosen, first = whole_number(n), None if seed is None else whole_number(seed)
    if chosen not in MODULES:
        raise ParameterError(f"there is no text {n}; there are texts 1 to {len(MODULES)}")
    if seed is not None and first is None:
        raise ParameterError(f"seed: {seed!r} is not a whole number")
    raise SystemExit(import_module(f"dicelab.extras.textbook.{MODULES[chosen]}").main(first))


@click.command(cls=Command, short_help="the questions of the five texts, answered")
@options.whole("--text", "only", help="Answer only the questions of text N.")
@click.option("--plot", "path", metavar="FILE", help=f"Also draw how long games of LCR take, into {options.PICTURE}.")
@csv_option
@json_option
def demo(only: int | None, path: str | None) -> None:
    """Answer the questions of the five texts that dicelab started from.

    Each published figure is shown beside a simulated and an exact answer.

    \b
    Examples:
      dicelab demo
      dicelab demo --text 3
      dicelab demo --text 5 --plot lcr.svg
    """
    from dicelab.extras.textbook.demo import SEED, demo_text, draw, questions_of
    from dicelab.extras.textbook.demo import demo as run

    asked = questions_of(only)
    if path is not None:
        drawable(path)
        if only not in (None, 5):
            raise ParameterError(f"--plot draws games of text 5, and the questions are those of text {only}")
    with words_shown() as progress:
        rows, drawn = run(asked, progress)
    said, refused = head("demo", seed=SEED) | {"rows": rows}, None
    if path is not None and drawn is not None:
        try:
            draw(path, *drawn)
            said["picture"] = path
        except DicelabError as error:  # print the answers first, then raise
            refused = error
    say_rows(said, rows, demo_text(asked, rows, Printing.here()))
    if "picture" in said:
        remark(f"drawn: {path}")
    if refused is not None:
        raise refused
