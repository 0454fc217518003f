"""The option --replay of the command `play`: the game comes from the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from dicelab.cli.options import GameCommand
from dicelab.errors import ParameterError
from dicelab.rules.game import Game

REPLAY = "--replay"


class PlayCommand(GameCommand):
    """The command `play`; with --replay the name of the game may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102 (as in click)
        path = _value(args)
        alone = {REPLAY, "--pace", f"{REPLAY}={path}"}
        if path is not None and all(word in alone or word == path or _is_number(word) for word in args):
            from dicelab.play.saved.file import game_of

            args = [game_of(path), *args]
        return super().parse_args(ctx, args)


def _value(args: Sequence[str]) -> str | None:
    """The value of --replay on a command line."""
    for word, after in zip(args, [*args[1:], None], strict=True):
        if word == REPLAY:
            return after
        if word.startswith(f"{REPLAY}="):
            return word.partition("=")[2]
    return None


def _is_number(word: str) -> bool:
    try:
        float(word.removeprefix("--pace="))
    except ValueError:
        return False
    return True


def replayed(game: type[Game], path: str, pace: float, others: Mapping[str, Any]) -> int:
    """Replay a saved game; returns the exit status.

    Raises
    ------
    InputError
        Also when other options are given: everything else is in the file.
    """
    from dicelab.play.replay import replay

    for name, value in others.items():
        if value:
            raise ParameterError(f"{REPLAY} shows what is in the file; leave out --{name.replace('_', '-')}")
    return replay(game, path, pace=pace)
