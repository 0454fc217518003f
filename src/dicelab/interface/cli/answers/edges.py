"""The command `edges`: the exact house edge of each bet; fractions, and somebody's dice."""

from __future__ import annotations

from typing import Any

import click

from dicelab.interface.cli import options
from dicelab.interface.cli.answers.own_dice import asked_with_dice
from dicelab.interface.cli.commands import Asked, answer_to, extended, show
from dicelab.interface.cli.output import page


@extended("edges")
@click.option("--fractions", is_flag=True, help="Show fractions instead of decimals where they are known.")
@options.dice_from
@options.dice_in
def edges(asked: Asked, settings: dict[str, Any]) -> None:
    """Answer with the dice of --dice-from, or with fair ones."""
    if not asked_with_dice(asked, "edges", settings):
        result = answer_to("edges", asked, settings)
        show("edges", asked, result, result.text(page(), settings["fractions"]))
