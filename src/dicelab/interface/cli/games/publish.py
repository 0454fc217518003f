"""The command `publish`: a game as one HTML file in which it can be played and simulated."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, game_command
from dicelab.interface.cli.keeping import writable
from dicelab.interface.cli.output import aside


@game_command()
@options.strategy
@click.option("--out", "-o", metavar="PATH", required=True, help="The file to write, game.html; or a folder of pages.")
@click.option(
    "--vary",
    multiple=True,
    metavar="NAME=A..B",
    help="A parameter that visitors may change, such as players=2..6 or last_turn=no,yes (repeatable) "
    "[default: those with few values].",
)
@click.option(
    "--policy",
    metavar="FILE|solve|none",
    help="Optimal play as an opponent, coach and reviewer: a policy that solve --out has saved, solve, or none "
    "[default: solve if the game is small].",
)
@click.option(
    "--with", "include", metavar="A,B", default="", help="Answers to show in the page: exact, best, sweep:NAME=A..B."
)
def publish(
    asked: Asked,
    out: str,
    include: str,
    policy: str | None,
    vary: Sequence[str],
    strategies: Sequence[str],
    **settings: Any,
) -> None:
    """Write a game into one HTML file in which everybody can play and simulate it.

    The page needs no server, no network and no Python: it works by double-click, and on any web host. It contains the
    rules, compiled to WebAssembly, and gives exactly the counts of dicelab simulate. Games played in it can be saved,
    for dicelab play --replay and dicelab review.

    With a folder the page is written there under the game's name, beside a start page that lists all pages in it.

    \b
    Examples:
      dicelab publish tossup -o tossup.html
      dicelab publish lcr --vary players=3..6 --with exact,sweep:players=2..5 -o lcr.html
      dicelab publish ./pig.py -o pages
      dicelab publish yahtzee --policy best.npz -o yahtzee.html
    """
    from dicelab.interface.play.again import called, differing, parameter_words
    from dicelab.interface.publishing.game_data import cannot_play
    from dicelab.interface.publishing.publish import add_to_folder
    from dicelab.interface.publishing.publish import publish as run
    from dicelab.questions.sweeps.points import parse_range
    from dicelab.rules.private import private_fields

    is_file = out.lower().endswith((".html", ".htm"))
    if not is_file and (os.path.isfile(out) or os.path.splitext(out)[1]):
        raise ParameterError(f"{out}: a page is written as .html; end the file's name with it, or name a folder")
    if is_file:
        writable(out)
    game = asked.game
    words = ["dicelab", "publish", called(type(game)), *parameter_words("publish", differing(game))]
    words += [word for text in strategies for word in ("-s", text)]
    chosen = _answers(include)
    words += ["--with", ",".join(chosen)] if chosen else []
    words += [word for text in vary for word in ("--vary", text)]
    words += ["--policy", policy] if policy else []
    if policy is None and game.declared.decisions and not cannot_play(game) and not private_fields(game):
        click.echo(f"{game.name} is solved if it is small; --policy none leaves that out", err=True)
    with aside():
        ranges = dict(_range(parse_range, text) for text in vary) if vary else None
        page = run(game, strategies, vary=ranges, include=chosen, policy=policy, command=shlex.join(words), **settings)
    if is_file:
        page.save(out)
    else:
        out = add_to_folder(page, out)
    for note in page.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"written: {out} ({len(page.html.encode()) / 1000:,.0f} kB)", err=True)


def _range(parse: Any, text: str) -> tuple[str, list[Any]]:
    """Parse a range; the message for a wrong one names this option."""
    try:
        name, values = parse(text)
    except ParameterError as error:
        raise ParameterError(str(error).replace("over:", "vary:", 1)) from error
    return name, values


def _answers(text: str) -> list[str]:
    """Return the answers in a text with commas between them; the values of a sweep may have commas, too."""
    found = list[str]()
    for part in (part.strip() for part in text.split(",") if part.strip()):
        if found and found[-1].startswith("sweep:") and ":" not in part and part not in ("exact", "best"):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found
