"""The option --replay of the command `play`: the game comes from the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import GameCommand
from dicelab.rules.game import Game

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
