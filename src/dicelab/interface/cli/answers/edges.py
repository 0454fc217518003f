"""The command `edges`: the exact house edge of each bet; as fractions."""

from __future__ import annotations

from typing import Any

import click

from dicelab.interface.cli.commands import Asked, answer_to, extended, show
from dicelab.interface.cli.output import page


@extended("edges")
@click.option("--fractions", is_flag=True, help="Show fractions instead of decimals where they are known.")
def edges(asked: Asked, settings: dict[str, Any]) -> None:
    """Answer, with fractions if they are asked for."""
    result = answer_to("edges", asked, settings)
    show("edges", asked, result, result.text(page(), settings["fractions"]))
