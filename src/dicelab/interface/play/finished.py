"""Saved games as a table of results, for `dicelab.judge`."""

from __future__ import annotations

from dicelab.errors import InputError
from dicelab.interface.play.review import game_of
from dicelab.interface.play.saved.file import read_all
from dicelab.interface.play.saved.moves import checked
from dicelab.rules.game import Game, counted, fresh, outcome_names, shown
from dicelab.runtime.interpreter import outcome_of


def finished(game: Game, place: str) -> list[list[str]]:
    """Return a table of the saved games of a file or a folder: names of columns, then a row for each game.

    Raises
    ------
    InputError
        When one can't be read, is of another game or not over, or has a move that is not legal; the message names it.
    """
    names = outcome_names(game)
    rows = [[*(["outcome"] if names else []), *game.declared.tallies]]
    for saved in read_all([place]):
        own = game_of(saved, type(game))(**saved.parameters)
        for name, value in shown(game).items():
            if shown(own)[name] != value:
                raise InputError(
                    f"{saved.path} has {name} {shown(own)[name]}, and the question is about {name} {value}"
                )
        ended = fresh(own)
        if not checked(ended, saved).over:
            raise InputError(f"{saved.path} is not over; judge takes finished games")
        outcome = outcome_of(ended)  # which may count, too
        rows.append([*([names[outcome]] if names else []), *map(str, counted(ended).values())])
    return rows
