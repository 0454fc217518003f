"""The commands `check` and `new`, and the option --replay of the command `play`: the game comes from the file.

By itself because these commands work on files of games, and share their arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from dicelab.errors import InputError, ParameterError
from dicelab.interface.cli.commands import Command, GameCommand
from dicelab.interface.cli.listing import GAMES
from dicelab.interface.cli.options import must_be_file
from dicelab.interface.cli.output import INTERRUPTED, csv_option, json_option, say_rows
from dicelab.interface.cli.progress import words_shown
from dicelab.interface.starters import STARTERS, starter
from dicelab.rules.game import Game

NAME, TITLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*"), re.compile(r"[A-Za-z][A-Za-z0-9' -]*[!?]?")
"""What a game may be called, and names in words from which that is made: Dragon's Hoard is dragons-hoard."""


@click.command(cls=Command, short_help="write a rules file to start from", group=GAMES)
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


UNFINISHED = 3
"""Exit status of a check that ran out of time."""


@click.command(cls=Command, short_help="verify a file of rules or strategies", group=GAMES)
@click.argument("file")
@click.option("--seconds", default=120.0, metavar="S", help="Time limit of the check in seconds [default: 120].")
@click.option("--verbose", "-v", is_flag=True, help="Also say which engines cannot play the game, and why.")
@csv_option
@json_option
def check(file: str, seconds: float, verbose: bool) -> None:
    """Verify the rules or the strategies in a file; report what is wrong, on which line, and what to write instead.

    The check covers all reachable states if there are few, and random play otherwise; parameters at their limits, alone
    and in pairs; line-ups of different strategies; all engines; exact answers; and an optimal policy. The report says
    what was covered.

    Strategies for a game of another file are checked with that game, alone and against its default strategy.

    Exit status: 0 if all is lawful, 1 if something is broken, 3 if the time limit came before the end.

    \b
    Examples:
      dicelab check ./pig.py
      dicelab check ./mine.py:cautious
    """
    from dicelab.conformance.findings import BROKEN
    from dicelab.conformance.in_child import examine

    must_be_file(file, "check")
    if not 0 < seconds < float("inf"):
        raise ParameterError(f"seconds: {seconds!r} is not allowed; it takes a number above 0")
    with words_shown() as progress:
        result = examine(file, seconds, progress)
    data = result.to_dict()
    say_rows(data, data["findings"], result.text(verbose=verbose))
    if result.interrupted:
        raise SystemExit(INTERRUPTED)
    if not result.lawful:
        raise SystemExit(1 if result.verdict == BROKEN else UNFINISHED)


REPLAY = "--replay"
VALUED = {REPLAY, "--objective", "--pace", "--policy", "--save", "--strategy", "-s"}
"""Options that have a value, and may stand beside --replay."""


class PlayCommand(GameCommand):
    """The command `play`; with --replay the name of the game may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102 (as in click)
        path = _value(args)
        if path is not None and "--help" not in args and not _names_a_game(args):
            from dicelab.interface.play.saved.file import game_of

            args = [game_of(path), *args]
        return super().parse_args(ctx, args)


def _value(args: Sequence[str]) -> str | None:
    """Return the value of --replay on a command line."""
    for word, after in zip(args, [*args[1:], None], strict=True):
        if word == REPLAY:
            return after
        if word.startswith(f"{REPLAY}="):
            return word.partition("=")[2]
    return None


def _names_a_game(args: Sequence[str]) -> bool:
    """Return whether there is a word on a command line that is neither an option nor the value of one."""
    before = ["", *args]
    return any(not word.startswith("-") and option not in VALUED for option, word in zip(before, args, strict=False))


def replayed(
    game: type[Game], path: str, save: str | None, strategies: Sequence[str], pace: float, others: Mapping[str, Any]
) -> int:
    """Replay a saved game, and play it on if it is to be saved; returns the exit status.

    Raises
    ------
    InputError
        Also when other options are given: everything else is in the file.
    """
    from dicelab.interface.play.replay import replay

    for name, value in others.items():
        if value:
            raise ParameterError(f"{REPLAY} shows what is in the file; leave out --{name.replace('_', '-')}")
    if strategies and save is None:
        raise ParameterError(f"{REPLAY} shows what is in the file; to play on with other strategies, give --save FILE")
    return replay(game, path, save=save, strategies=strategies, pace=pace)
