"""The command line that plays the same game again."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress

from dicelab.rules.game import Game
from dicelab.rules.loading.registry import games_in

OPTIONS = {"help", "hint", "pace", "policy", "replay", "review", "save", "seed", "set", "strategy", "stream"}
"""Options of the command; parameters with these names are given by ``--set``."""


def command(
    game: Game, texts: Sequence[str], dice: Sequence[str], *, hint: bool = False, policy: str | None = None
) -> str:
    """The command line that plays this game; `dice` is the option for its dice, ``--seed 5`` or ``--stream r:1``.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> command(TossUp(players=3), ["me", "one_roll", "me"], ["--seed", "5"])
    'dicelab play tossup --players 3 --strategy me --strategy one_roll --strategy me --seed 5'
    """
    words = ["dicelab", "play", called(type(game))]
    for param in game.declared.params.values():
        value = game.parameters[param.name]
        if value != param.default and param.name in OPTIONS:
            words += ["--set", f"{param.name}={param.word(value)}"]
        elif value != param.default:
            words += [f"--{param.name.replace('_', '-')}", param.word(value)]
    for text in texts:
        words += ["--strategy", text]
    return shlex.join([*words, *dice, *(["--hint"] if hint else []), *(["--policy", policy] if policy else [])])


def on(game: type[Game], path: str) -> str:
    """The command line that plays on a saved game."""
    named = called(game)
    words = [*([named] if named != game.name else []), "--replay", path, "--save", "FILE"]
    return shlex.join(["dicelab", "play", *words])


def called(game: type[Game]) -> str:
    """The game's argument on the command line: its name, or the path of the file it was loaded from."""
    module = sys.modules.get(game.__module__)
    if module is None or not module.__name__.startswith("dicelab_file_"):
        return game.name
    path = inspect.getfile(game)
    with suppress(OSError, ValueError):  # the folder is gone, or on another drive
        path = os.path.relpath(path)
    return path if len(games_in(module)) == 1 else f"{path}:{game.name}"
