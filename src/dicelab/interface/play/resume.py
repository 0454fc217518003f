"""Play on a saved game that is not over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from dicelab.errors import InputError, ParameterError
from dicelab.interface.play.again import on
from dicelab.interface.play.course import at_table
from dicelab.interface.play.ending import to_the_end
from dicelab.interface.play.keyboard import listener, somebody
from dicelab.interface.play.past import Past
from dicelab.interface.play.saved.file import FORMAT, Recorder, SavedGame
from dicelab.interface.play.saved.moves import Script
from dicelab.interface.play.screen.seats import PERSON, seated
from dicelab.interface.play.screen.text import encodable
from dicelab.rules.game import Game, seat_count, shown
from dicelab.rules.loading.strategies import in_file, split, strategies_of
from dicelab.runtime.foreign_streams import source_of
from dicelab.runtime.interpreter import LIMIT, Source
from dicelab.runtime.lineup import as_seed
from dicelab.runtime.philox import Stream
from dicelab.runtime.strategies import is_policy
from dicelab.translation.contract import must_be_lawful


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
