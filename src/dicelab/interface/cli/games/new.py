"""The command `new`: write a commented rules file to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from dicelab.errors import InputError, ParameterError
from dicelab.interface.cli.commands import Command

STARTERS = {"game": ("starter.py", ""), "reroll": ("starter_reroll.py", " --objective reached")}
"""By what they are like: small complete games with comments, and the options with which they are solved."""

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
            starter, solved = STARTERS[like]
            text = Path(__file__).with_name(starter).read_text(encoding="utf-8")
            written.write(named(text, name, spoken))
    except FileExistsError:
        raise InputError(f"new: {file} exists already; choose another name, or remove it") from None
    click.echo(f"{file} is written. Now try:")
    for command in (f"check ./{file}", f"play ./{file}", f"simulate ./{file} --with-exact", f"solve ./{file}{solved}"):
        click.echo(f"  dicelab {command}")


def named(text: str, name: str, spoken: str | None = None) -> str:
    """Return the starter game under another name; `spoken` is that name in words.

    >>> named('class Starter(Game): name = "starter"', "my-game")
    'class MyGame(Game): name = "my-game"'
    """
    title = "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]", name) if word)
    spoken = spoken or " ".join(re.split(r"[-_]", name)).strip().capitalize()
    if re.search(rf"\b{title}\b", text):  # a name that the file uses already, such as Game
        title += "Game"
    text = text.replace('"""Starter: ', f'"""{spoken}: ').replace('"starter"', f'"{name}"')
    return re.sub(r"\bStarter\b", title, text)
