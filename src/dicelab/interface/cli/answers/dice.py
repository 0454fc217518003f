"""The command `dice`: the exact distribution of dice expressions, and whether dice are fair."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.output import csv_option, digits_option, draw, drawable, form, json_option, say


class DiceCommand(Command):
    """A command whose arguments may begin with a minus sign and a digit or a die, such as -5, without being options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102
        return super().parse_args(ctx, [f" {word}" if re.match(r"-(\d|d\d|\()", word) else word for word in args])


@click.command(cls=DiceCommand)
@click.argument("expressions", metavar="EXPRESSION...", nargs=-1)
@options.whole("--at-least", help="Also show the probability of N or a larger value.")
@options.whole("--at-most", help="Also show the probability of N or a smaller value.")
@options.whole("--depth", help="Maximum number of explosions of a die [default: 10].")
@click.option(
    "--of",
    type=click.Choice(["exactly", "at-least", "at-most"]),
    help="Draw the probability of each value, or of at least or at most this value [default: exactly].",
)
@click.option(
    "--test",
    "rolls",
    metavar="ROLLS",
    help="Instead: are these dice fair? A file with a line for each roll, or counts such as 16,18,21,15,14,16. "
    "EXPRESSION is then the die, such as d20.",
)
@options.plot
@csv_option
@json_option
@digits_option
def dice(
    expressions: tuple[str, ...], depth: int | None, plot: str | None, of: str | None, rolls: str | None, **limits: Any
) -> None:
    """Compute the exact distribution of a dice expression, with mean and standard deviation; of several, beside each
    other.

    Dice are written 4d6, d%, 4dF or d{1,1,2,3}. After them, in this order: r1 or ro<3 rolls faces again, always or
    once; ! rolls another die at the highest face, !>4 above 4, !! or exploding adds it to the same die; kh3, kl3, dh1,
    dl1, or keep or drop, highest or lowest and a number, select dice. Dice and numbers are joined by + - *,
    parentheses, max(...) and min(...). 10d6 >= 5 counts the dice that show 5 or more, and 10d6 >= 5f1 subtracts those
    that show 1. (2d6)d8 rolls as many d8 as 2d6 say. A vs B compares two totals.

    \b
    Examples:
      dicelab dice 4d6kh3 --at-least 15
      dicelab dice "10d6 >= 5"
      dicelab dice "2d20 lowest + 5" --plot total.svg
      dicelab dice "3d6!" --depth 3
      dicelab dice "3d6 vs 2d8" --json
      dicelab dice 3d6 4d6kh3 "max(2d6, d12)" --plot three.svg --of at-least
      dicelab dice d6 --test 16,18,21,15,14,16
      dicelab dice d20 --test rolls.csv --plot mine.svg
    """
    from dicelab.questions.notation.dice import DEPTH
    from dicelab.questions.notation.several import compare_dice

    drawable(plot)
    if rolls is not None:
        _test(rolls, expressions, plot, [of, depth, *limits.values()])
        return
    if not expressions:
        raise ParameterError("EXPRESSION is missing: write one such as 4d6kh3, or --test FILE with rolls of your dice")
    if of is not None and plot is None:
        raise ParameterError("--of says what --plot FILE draws; give both")
    with _pointing(len(expressions)):
        result = compare_dice(*expressions, depth=DEPTH if depth is None else depth, **limits)
    say(result if len(expressions) > 1 else result.results[0])
    draw(plot, lambda plots: plots.plot_dice(*result.results, of=of or "exactly"))


@contextmanager
def _pointing(expressions: int) -> Iterator[None]:
    """Show the place of an error in an expression on a line of its own."""
    from dicelab.questions.notation.errors import ExpressionError

    try:
        yield
    except ExpressionError as error:
        if error.place and form() != "json":
            click.echo(error.place, err=True)
        apart = f"; {expressions} expressions were given: put quotes around one with spaces" if expressions > 1 else ""
        raise ParameterError(error.sentence + apart) from error


def _test(rolls: str, expressions: tuple[str, ...], plot: str | None, others: list[Any]) -> None:
    """Answer whether dice are fair."""
    from dicelab.questions.rolled.fair import fair

    if len(expressions) > 1 or any(other is not None for other in others):
        raise ParameterError(
            "with --test there is one expression at most, the die, and of the other options only --plot"
        )
    with _pointing(1):
        result = fair(rolls, die=expressions[0] if expressions else None)
    say(result)
    draw(plot, lambda plots: plots.plot_fair(result))
