"""Explain an error in the rules: where it is, what is wrong, and what to write instead."""

from __future__ import annotations

import re

from dicelab.conformance.findings.finding import Broken
from dicelab.conformance.findings.where import Where, where_declared, where_raised, where_written
from dicelab.errors import DicelabError, EndlessGameError
from dicelab.rules.game import Game

INSTEAD: list[tuple[str, str]] = [
    (
        r"is outside its declared range",
        "declare a range that holds every value, or change the rules so that it stays inside",
    ),
    (r"at the start is outside", "declare start= inside the range"),
    (r"declared to grow", "leave out grows=True, or never lower it"),
    (r"the index must be", "use only indices inside the row, or declare a longer row"),
    (r"whole numbers only", "use // in place of /, or int(...)"),
    (r"rolls at most", "declare more dice with @thrown(most, ...), or ask for fewer in next"),
    (r"dice can't be rolled", "ask next for at least 1 die: throw(self.cup, dice)"),
    (r"seat \d+ is asked to choose", "let next ask a seat that is there: ask(self.choice, seat)"),
    (r"can't choose; seats", "let next ask a seat that is there: ask(self.choice, seat)"),
    (r"next\(\) returned", "write return throw(...), return ask(...) or return OVER on every path of next"),
    (r"which is not allowed", "let the strategy return only moves that the rules allow"),
    (r"a strategy returned", "let the strategy return a move on every path"),
    (r"positional argument", "give the strategy one argument for each that @strategy(...) declares, after the game"),
    (r"outcome\(\) returned", "let outcome return the number of an outcome on every path"),
    (r"ZeroDivisionError", "test the divisor before dividing"),
    (r"RecursionError", "end the recursion, or write a loop"),
    (r"SystemExit", "rules never end the program: return OVER in next"),
    (r"does not fit in 64 bits", "count in larger units"),
    (r"choices without a throw", "let every choice lead on to a throw or to the end of the game"),
    (r"not over after", "let every game reach a state at which next returns OVER"),
]
"""Pairs of a pattern in a message, and what to write instead."""


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
    said = re.sub(r" \(line \d+ of [^)]*\)", "", said)
    declared = _declared(game, said)
    where = (None if isinstance(error, EndlessGameError) else where_raised(error)) or fallback or declared
    begin = (f"{where}: " if where is not None else "") + (f"{at}: " if at else "")
    what, semicolon, state = said.partition("; state ")
    line = f" (declared in line {declared.line})" if declared is not None else ""
    return Broken(f"{begin}{what}{line}{instead(what)}{semicolon}{state}", where)


def instead(what: str) -> str:
    """Return what to write instead, to be appended to a message; empty if no advice is known."""
    return next((f": {advice}" for pattern, advice in INSTEAD if re.search(pattern, what)), "")


def _declared(game: type[Game] | None, what: str) -> Where | None:
    """Return the line that declares the field whose range is exceeded according to a message."""
    found = re.search(r"(\w+)(\[\d+\])? = .* is outside its declared range", what)
    return where_declared(game, found[1]) if game is not None and found else None
