"""Explain an error in the rules: where it is, what is wrong, and what to write instead."""

from __future__ import annotations

from dicelab.conformance.findings.finding import Broken
from dicelab.errors import DicelabError, EndlessGameError
from dicelab.rules.game import Game
from dicelab.runtime.advice import declared_in, explained
from dicelab.runtime.where import Where, where_raised, where_written


def broken(error: BaseException, game: type[Game] | None = None, fallback: Where | None = None, at: str = "") -> Broken:
    """Return an error as a broken rule: its place in the user's file, what is wrong, what to write instead.

    Parameters
    ----------
    error
        Raised by rules or by an engine.
    game
        The game, to find the declaration of a field whose range is exceeded.
    fallback
        The place to name if no line of the rules raised the error, as for a missing ``return``.
    at
        The setting, such as ``at players = 12``.
    """
    if isinstance(error, Broken):
        where = error.where or fallback
        return Broken(f"{at}: {error}" if at else str(error), where)
    said = str(error) if isinstance(error, DicelabError) else f"{type(error).__name__}: {error}".rstrip(": ")
    where = where_written(said)
    if where is not None:
        return Broken(f"{said} ({at})" if at else said, where)
    declared = declared_in(game, said)
    where = (None if isinstance(error, EndlessGameError) else where_raised(error)) or fallback or declared
    begin = (f"{where}: " if where is not None else "") + (f"{at}: " if at else "")
    what, semicolon, state = said.partition("; state ")
    return Broken(f"{begin}{explained(what, game)}{semicolon}{state}", where)
