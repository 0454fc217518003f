"""The command `par`: the sheet of a game of money, also as HTML that prints."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Asked, answer_to, extended, show
from dicelab.interface.cli.keeping import writable
from dicelab.interface.cli.output import remark


@extended("par")
@click.option("--html", metavar="FILE", help="Also write the sheet of every bet into an HTML file that prints.")
def par(asked: Asked, settings: dict[str, Any]) -> None:
    """Write the sheet into a file as well, if that is asked for."""
    html = settings["html"]
    if html is not None:
        if not html.lower().endswith((".html", ".htm")):
            raise ParameterError(f"{html}: a sheet is written as .html; end the file's name with it")
        writable(html)
    result = answer_to("par", asked, settings)
    if html is not None:
        from dicelab.interface.reporting.sheet import save

        save(result, html)
        remark(f"written: {html}")
    show("par", asked, result)
