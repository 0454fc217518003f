"""Show a saved game again, after all of its moves have been checked against the rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FunctionType
from typing import cast

from dicelab.errors import InputError, ParameterError
from dicelab.interface.play.again import on
from dicelab.interface.play.course import Past, at_table, to_the_end
from dicelab.interface.play.keyboard import Left, listener, somebody
from dicelab.interface.play.saved import FORMAT, Recorder, RolledDice, SavedGame, Script, checked
from dicelab.interface.play.saved import read as read_file
from dicelab.interface.play.screen.text import PERSON, encodable, seated
from dicelab.results.text.writing import many
from dicelab.rules.dice import FACES
from dicelab.rules.game import Game, Strategy, fresh, seat_count, shown
from dicelab.rules.loading.registry import looks_like_file
from dicelab.rules.loading.strategies import in_file, split, strategies_of
from dicelab.runtime.foreign_streams import source_of
from dicelab.runtime.interpreter import LIMIT, Source
from dicelab.runtime.lineup import Call, as_seed
from dicelab.runtime.philox import Pool, Stream
from dicelab.runtime.strategies import is_policy
from dicelab.translation.contract import must_be_lawful

# Play on a saved game that is not over.


def play_on(
    game: Game,
    saved: SavedGame,
    script: Script,
    save: str,
    strategies: Sequence[str] = (),
    *,
    pace: float = 0.0,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Make the moves of a saved game once more, and play on.

    Seats that are named after a strategy are played by it, all others by people. The dice go on where they were, if
    the file says where they came from.

    Parameters
    ----------
    game
        The game with its parameters.
    saved, script
        The file, and its moves.
    save
        The file to write, with all moves.
    strategies
        Who plays from now on, as in `dicelab.interface.play.play`; by default those of the file.
    pace
        Seconds to wait after each step of a strategy.
    read, write
        Functions that read a line after showing a prompt, and that print a line.

    Returns
    -------
    int
        The exit status, as that of `dicelab.interface.play.play`.

    Raises
    ------
    InputError
        When the game is over, or the file to write exists.
    """
    if script.over:
        raise InputError(f"{saved.path}: the game is over; leave out --save to see it")
    calls = seated(game, list(strategies) or _seats(game, saved))
    must_be_lawful(type(game), [call.strategy for call in calls if call is not None])
    source, dice = _dice(saved)
    head = {"format": FORMAT, "game": saved.game, "parameters": shown(game), "seats": saved.seats, "dice": dice}
    recorder = Recorder(save, {key: value for key, value in head.items() if value or key == "parameters"})
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def say(text: str) -> None:
        write(encodable(text, encoding))

    hear = listener(read, say, encoding)
    table = partial(at_table, game, calls, Past(script, source), None, LIMIT, say, hear)
    by_hand = not calls and somebody(read)
    playing = partial(table, by_hand=by_hand, pace=pace, recorder=recorder)
    return to_the_end(playing, source, recorder, say, f"to play on: {on(type(game), save)}")


def _seats(game: Game, saved: SavedGame) -> list[str]:
    """Return a strategy or ``me`` for each seat; nothing for a game without choices.

    Raises
    ------
    InputError
        When a strategy is in a file: a program, which a saved game must not start.
    """
    if not game.declared.decisions:
        return []
    for name in saved.seats:
        if in_file(name):
            raise InputError(
                f"{saved.path}: {name} is a program; name the strategy of every seat, if you trust it (--strategy)"
            )
    known = strategies_of(type(game))
    names = [name if is_policy(name) or split(name)[0] in known else PERSON[0] for name in saved.seats]
    return names or [PERSON[0]] * max(1, seat_count(game))


def _dice(saved: SavedGame) -> tuple[Source, str]:
    """Return the dice of a saved game, and their name in the file; new dice if the file does not say where they came
    from.
    """
    kind, _, number = saved.dice.partition(" ")
    try:
        if kind == "stream":
            return source_of(number), saved.dice
        if kind == "seed":
            return Stream(as_seed(number), 0), saved.dice
    except ParameterError:
        pass
    seed = as_seed(None)
    return Stream(seed, 0), f"seed {seed}, after move {len(saved.moves)}"


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
        If it is to be played on, the file to write, and who plays on.
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
        rolled: RolledDice | None = next(self._rolls, None)
        if rolled is None:
            raise _ended(self.script)
        asks_for_faces = pool.view is FACES and len(rolled.seen) == 1 and pool.width == pool.count != 1
        return rolled.faces if asks_for_faces and rolled.faces is not None else rolled.seen


def _ended(script: Script) -> Left:
    moves = many(len(script.rolls) + len(script.choices), "move")
    return Left(0, f"The saved game ends here, after {moves}; it is not over.")


def _nobody(prompt: str) -> str:
    raise AssertionError("nobody is asked in a replay")
