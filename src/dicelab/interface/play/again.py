"""The command line that plays the same game again."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module

from dicelab.rules.game import Game
from dicelab.rules.loading.registry import games_in
from dicelab.rules.params import spellings


def command(
    game: Game,
    texts: Sequence[str],
    dice: Sequence[str],
    *,
    hint: bool = False,
    policy: str | None = None,
    objective: str | None = None,
) -> str:
    """Return the command line that plays this game; `dice` is the option for its dice, ``--seed 5`` or ``--stream
    r:1``.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> command(TossUp(players=3), ["me", "one_roll", "me"], ["--seed", "5"])
    'dicelab play tossup --players 3 --strategy me --strategy one_roll --strategy me --seed 5'
    """
    words = ["dicelab", "play", called(type(game)), *parameter_words("play", differing(game))]
    for text in texts:
        words += ["--strategy", text]
    words += [*dice, *(["--hint"] if hint else [])]
    for option, given in {"--policy": policy, "--objective": objective}.items():
        words += [option, given] if given else []
    return shlex.join(words)


def differing(game: Game) -> dict[str, str]:
    """Return the parameters of a game that are not at their defaults, as they are typed."""
    values = game.parameters
    return {name: p.word(values[name]) for name, p in game.declared.params.items() if values[name] != p.default}


def parameter_words(verb: str, given: Mapping[str, str]) -> list[str]:
    """Return parameters of a game as words of a command; ``--set`` gives one with the name of an option of it.

    >>> parameter_words("exact", {"last_turn": "no", "seed": "3", "store": "5"})
    ['--last-turn', 'no', '--seed', '3', '--set', 'store=5']
    """
    words = []
    for name, text in given.items():
        names = spellings(name)
        words += ["--set", f"{name}={text}"] if taken(verb).intersection(names) else [names[0], text]
    return words


@cache
def taken(verb: str) -> frozenset[str]:
    """Return the spellings of the options that a command has for every game, as it declares them.

    The commands are the top layer. They are imported by name, and only when a command line is written.
    """
    return frozenset(import_module("dicelab.interface.cli.main").app.get_command(None, verb).taken)


def on(game: type[Game], path: str) -> str:
    """Return the command line that plays on a saved game."""
    named = called(game)
    words = [*([named] if named != game.name else []), "--replay", path, "--save", "FILE"]
    return shlex.join(["dicelab", "play", *words])


def called(game: type[Game]) -> str:
    """Return the game's argument on the command line: its name, or the path of the file it was loaded from."""
    module = sys.modules.get(game.__module__)
    if module is None or not module.__name__.startswith("dicelab_file_"):
        return game.name
    path = inspect.getfile(game)
    with suppress(OSError, ValueError):  # the folder is gone, or on another drive
        path = os.path.relpath(path)
    return path if len(games_in(module)) == 1 else f"{path}:{game.name}"
