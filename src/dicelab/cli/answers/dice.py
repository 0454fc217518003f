"""The command `dice`: the exact distribution of a dice expression."""

from __future__ import annotations

import re
from typing import Any

import click

from dicelab.cli import options
from dicelab.cli.commands import Command
from dicelab.cli.output import csv_option, digits_option, draw, drawable, form, json_option, say
from dicelab.errors import ParameterError


class DiceCommand(Command):
    """A command whose arguments may begin with a minus sign and a digit or a die, such as -5, without being options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102
        return super().parse_args(ctx, [f" {word}" if re.match(r"-(\d|d\d|\()", word) else word for word in args])


@click.command(cls=DiceCommand)
@click.argument("expression", metavar="EXPRESSION")
@options.whole("--at-least", help="Also show the probability of N or a larger value.")
@options.whole("--depth", help="Maximum number of explosions of a die [default: 10].")
@options.plot
@csv_option
@json_option
@digits_option
def dice(expression: str, at_least: int | None, depth: int | None, plot: str | None) -> None:
    """Compute the exact distribution of a dice expression, with mean and standard deviation.

    Dice are written 4d6. After them: keep or drop, then highest or lowest and a number; highest or lowest alone, which
    keeps one die; exploding, which rolls a die again and adds it whenever it shows its highest face. Dice and numbers
    are joined by + - * and parentheses. 10d6 >= 5 counts the dice that show 5 or more. A vs B compares two totals.

    \b
    Examples:
      dicelab dice "4d6 keep highest 3" --at-least 15
      dicelab dice "10d6 >= 5"
      dicelab dice "2d20 lowest + 5" --plot total.svg
      dicelab dice "d6 exploding" --depth 3
      dicelab dice "3d6 vs 2d8" --json
    """
    from dicelab.notation.dice import DEPTH
    from dicelab.notation.dice import dice as run
    from dicelab.notation.errors import ExpressionError

    drawable(plot)
    try:
        result = run(expression, depth=DEPTH if depth is None else depth, at_least=at_least)
    except ExpressionError as error:
        if error.place and form() != "json":
            click.echo(error.place, err=True)
        raise ParameterError(error.sentence) from error
    say(result)
    draw(plot, lambda plots: plots.plot_dice(result))
