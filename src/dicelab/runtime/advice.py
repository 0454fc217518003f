"""What an error in the rules means: where the field is declared, and what to write instead."""

from __future__ import annotations

import re

from dicelab.rules.game import Game
from dicelab.runtime.where import Where, where_declared

INSTEAD: list[tuple[str, str]] = [
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


def instead(what: str) -> str:
    """Return what to write instead, to be appended to a message; empty if no advice is known."""
    return next((f": {advice}" for pattern, advice in INSTEAD if re.search(pattern, what)), "")


def declared_in(game: type[Game] | None, what: str) -> Where | None:
    """Return the line that declares the field whose range is exceeded according to a message."""
    found = re.search(r"(\w+)(\[\d+\])? = .* is outside its declared range", what)
    return where_declared(game, found[1]) if game is not None and found else None


def explained(what: str, game: type[Game] | None) -> str:
    """Return a message with the line that declares its field, and what to write instead."""
    beyond = re.search(r" = (-?\d+) is outside its declared range (-?\d+) to (-?\d+)$", what)
    if beyond is not None:
        value, low, high = map(int, beyond.groups())
        needed = f"at least {min(value, low)} to {max(value, high)}"
        advice = f": declare a range that holds every value, {needed}, or change the rules so that it stays inside"
    else:
        advice = instead(what)
    declared = declared_in(game, what)
    line = f" (declared in line {declared.line})" if declared is not None else ""
    return f"{what}{line}{advice}"
