"""The command line that plays the same game again."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
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
    words = ["dicelab", "play", called(type(game)), *parameter_words(differing(game), OPTIONS)]
    for text in texts:
        words += ["--strategy", text]
    return shlex.join([*words, *dice, *(["--hint"] if hint else []), *(["--policy", policy] if policy else [])])


def differing(game: Game) -> dict[str, str]:
    """The parameters of a game that are not at their defaults, as they are typed."""
    values = game.parameters
    return {name: p.word(values[name]) for name, p in game.declared.params.items() if values[name] != p.default}


def parameter_words(given: Mapping[str, str], options: Collection[str]) -> list[str]:
    """Parameters of a game on the command line; ``--set`` gives one with the name of one of the command's `options`.

    >>> parameter_words({"last_turn": "no", "seed": "3"}, ["seed"])
    ['--last-turn', 'no', '--set', 'seed=3']
    """
    words = []
    for name, text in given.items():
        dashed = name.replace("_", "-")
        words += ["--set", f"{name}={text}"] if dashed in options else [f"--{dashed}", text]
    return words


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
