"""A random game as a file, loaded twice: by dicelab, and with `fuzz.plain` in the place of its contract."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.games import GameText


class Mismatch(Exception):
    """Something that must not be: the name of the check, and what it found."""

    def __init__(self, check: str, said: str) -> None:
        super().__init__(f"{check}: {said}")
        self.check = check


def write(game: GameText, folder: Path) -> Path:
    """Write the file of a game, and the module that it imports."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fuzzed_helper.py").write_text(game.helper)
    file = folder / "fuzzed.py"
    file.write_text(game.text)
    return file


def plain_game(game: GameText) -> Any:
    """The class of a game that knows nothing of dicelab."""
    helper, space = types.ModuleType("fuzzed_helper"), types.ModuleType("plain_fuzzed")
    exec(game.helper, vars(helper))
    with _imported(fuzzed_helper=helper, plain_fuzzed=space):
        exec(compile(game.text.replace("dicelab.rules", "fuzz.plain"), "plain", "exec"), vars(space))
    return vars(space)["Fuzzed"]


@contextmanager
def _imported(**modules: types.ModuleType) -> Iterator[None]:
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]


@dataclass
class Case:
    """What one game is compared with.

    Attributes
    ----------
    file
        Its file.
    game
        Its class, as dicelab loads it.
    plain
        An object of the class that knows nothing of dicelab.
    seed
        Seed of the games that are played.
    compiled
        Whether kernels are compiled in this process, which takes seconds each.
    """

    file: Path
    game: Any
    plain: Any
    seed: int
    compiled: bool = False

    @property
    def strategies(self) -> list[str]:
        """Names of the strategies; none in a game without choices."""
        return list(self.game.declared.strategies) if self.game.declared.decisions else []

    @property
    def seats(self) -> int:
        return int(self.game.seats)

    @property
    def lineups(self) -> list[tuple[str, ...]]:
        """Who sits where: one strategy in all seats, and both."""
        if not self.strategies:
            return [()]
        one, two = self.strategies
        if self.seats == 1:
            return [(one,)] if self.compiled else [(one,), (two,)]
        return [tuple([one, two, one][: self.seats]), *([] if self.compiled else [(two,) * self.seats])]

    def seated(self, lineup: tuple[str, ...]) -> list[str | None]:
        """The same for `fuzz.chances.Table`."""
        return list(lineup) or [None] * self.seats
