"""Show a saved game again, after all of its moves have been checked against the rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import cast

from dicelab.errors import InputError
from dicelab.interface.play.again import on
from dicelab.interface.play.course import at_table
from dicelab.interface.play.keyboard import Left
from dicelab.interface.play.resume import play_on
from dicelab.interface.play.saved.faces import Rolled
from dicelab.interface.play.saved.file import read as read_file
from dicelab.interface.play.saved.moves import Script, checked
from dicelab.interface.play.screen.text import encodable
from dicelab.results.text.writing import many
from dicelab.rules.dice import FACES
from dicelab.rules.game import Game, Strategy, fresh, seat_count
from dicelab.rules.loading.registry import looks_like_file
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call
from dicelab.runtime.philox import Pool


def replay(
    game: type[Game],
    path: str,
    *,
    save: str | None = None,
    strategies: Sequence[str] = (),
    pace: float = 0.0,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Check a saved game, and show it roll by roll; or play it on.

    Parameters
    ----------
    game
        The game, which must be that of the file.
    path
        The file.
    save, strategies
        If it is to be played on, the file to write, and who plays (`dicelab.interface.play.resume`).
    pace
        Seconds to wait after each step.
    read, write
        Functions that read a line after showing a prompt, and that print a line.

    Returns
    -------
    int
        The exit status; 0 if the game is only shown.

    Raises
    ------
    InputError
        When the file can't be read, or a move is not legal; the message gives its number.
    """
    saved = read_file(path)
    if saved.game != game.name and not looks_like_file(saved.game):
        raise InputError(f"{path} is a game of {saved.game}, not of {game.name}")
    table = game(**saved.parameters)
    script = checked(fresh(table), saved)
    seats = seat_count(table) if table.declared.decisions else 0
    if saved.seats and len(saved.seats) != max(1, seat_count(table)):
        raise InputError(
            f"{path}: {len(saved.seats)} seats are named, and {table.name} has {max(1, seat_count(table))}"
        )
    if save is not None:
        return play_on(table, saved, script, save, strategies, pace=pace, read=read, write=write)
    names = saved.seats or ["player"] * seats
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def say(text: str) -> None:
        write(encodable(text, encoding))

    calls = list(_calls(table, names[:seats], script))
    try:
        at_table(table, calls, _Dice(script, path), None, LIMIT, say, _nobody, pace=pace)
    except Left as left:
        say("")
        say(f"{left.why} To play on: {on(game, path)}")
    return 0


def _calls(game: Game, names: list[str], script: Script) -> Iterator[Call | None]:
    """For each seat a strategy that makes the moves of the script."""
    moves = iter(script.choices)

    def made(game: Game) -> tuple[int, ...]:
        for move in moves:
            return move
        raise _ended(script)

    for name in names:
        yield Call(Strategy(name, cast(FunctionType, made), type(game)), ())


class _Dice:
    """A source of dice that rolls those of the script."""

    def __init__(self, script: Script, path: str) -> None:
        self.script, self.path = script, path
        self._rolls = iter(script.rolls)

    def __str__(self) -> str:
        return f"saved in {self.path}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll; or its faces, for the picture."""
        rolled: Rolled | None = next(self._rolls, None)
        if rolled is None:
            raise _ended(self.script)
        asks_for_faces = pool.view is FACES and len(rolled.seen) == 1 and pool.width == pool.count != 1
        return rolled.faces if asks_for_faces and rolled.faces is not None else rolled.seen


def _ended(script: Script) -> Left:
    moves = many(len(script.rolls) + len(script.choices), "move")
    return Left(0, f"The saved game ends here, after {moves}; it is not over.")


def _nobody(prompt: str) -> str:
    raise AssertionError("nobody is asked in a replay")
