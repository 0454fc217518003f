"""The command `new`: write a commented rules file to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from dicelab.errors import InputError, ParameterError
from dicelab.interface.cli.commands import Command
from dicelab.interface.starters import STARTERS, starter

NAME, TITLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*"), re.compile(r"[A-Za-z][A-Za-z0-9' -]*[!?]?")
"""What a game may be called, and names in words from which that is made: Dragon's Hoard is dragons-hoard."""


@click.command(cls=Command)
@click.argument("name")
@click.option(
    "--like",
    type=click.Choice(list(STARTERS)),
    default="game",
    help="A game with turns, or one roll of which some dice are rolled again [default: game].",
)
def new(name: str, like: str) -> None:
    """Write a rules file NAME.py to start from: a small complete game with comments.

    \b
    Examples:
      dicelab new mygame
      dicelab new "Dragon's Hoard"
      dicelab new pool --like reroll
      dicelab check ./mygame.py
      dicelab play ./mygame.py
    """
    name, spoken = name.removesuffix(".py"), None
    if not NAME.fullmatch(name) and TITLE.fullmatch(name):
        name, spoken = "-".join(re.findall(r"[a-z0-9]+", name.lower().replace("'", ""))), name
    if not NAME.fullmatch(name):
        raise ParameterError(f"new: {name!r} is not a name for a game; use letters, digits, - and _")
    file = Path(f"{name.replace('-', '_')}.py")
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(starter(like, name, spoken))
    except FileExistsError:
        raise InputError(f"new: {file} exists already; choose another name, or remove it") from None
    click.echo(f"{file} is written. Now try:")
    for command in (
        f"check ./{file}",
        f"play ./{file}",
        f"simulate ./{file} --with-exact",
        f"solve ./{file}{STARTERS[like]}",
    ):
        click.echo(f"  dicelab {command}")
