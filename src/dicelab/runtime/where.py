"""The place of an error in a user's file: file, line and method."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from dicelab.errors import DicelabError
from dicelab.rules.game import Game
from dicelab.rules.loading.source import GAMES, Text, text_of

LIBRARIES = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
WRITTEN = re.compile(r"(?P<file>\S[^\n]*?), line (?P<line>\d+)(, in (?P<method>[\w<>]+))?: ")


@dataclass(frozen=True)
class Where:
    """A line of a file, and the method or function that contains it."""

    file: str
    line: int
    method: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" + (f", in {self.method}" if self.method else "")


def where_is(rule: Callable[..., Any]) -> Where:
    """Return the line of the ``def`` of a method or function.

    >>> def die(face): ...
    >>> where_is(die).method
    'die'
    """
    code, text = rule.__code__, _text(rule)
    nodes = text.functions.get((code.co_name, code.co_firstlineno), []) if text is not None else []
    return Where(code.co_filename, nodes[0].lineno if nodes else code.co_firstlineno, code.co_name)


def _text(rule: Any) -> Text | None:
    """Return the source file of a function; None if it can't be read."""
    with suppress(DicelabError):
        return text_of(rule)
    return None


def where_raised(error: BaseException) -> Where | None:
    """Return the innermost line of rules in the traceback of an error or of its causes; None if there is none."""
    place = None
    while True:
        place = _innermost(error.__traceback__) or place
        if error.__cause__ is None:
            return place
        error = error.__cause__


def _innermost(trace: TracebackType | None) -> Where | None:
    place = None
    while trace is not None:
        code = trace.tb_frame.f_code
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        ours = module.startswith("dicelab.") and not module.startswith(GAMES)
        if not ours and not code.co_filename.startswith((*LIBRARIES, "<")):
            place = Where(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return place


def where_written(message: str) -> Where | None:
    """Return the place that a message begins with, as those of the contract do; None if there is none."""
    match = WRITTEN.match(message)
    return Where(match["file"], int(match["line"]), match["method"] or "") if match else None


def file_of_class(kind: type) -> Text | None:
    """Return the source file of a class; None if the class has no methods, or the file can't be read."""
    rules = [getattr(member, "rule", member) for member in vars(kind).values()]
    return next((_text(rule) for rule in rules if hasattr(rule, "__code__")), None)


def where_class(game: type[Game]) -> Where | None:
    """Return the line of the ``class`` of a game; None if it can't be read."""
    text = file_of_class(game)
    nodes = text.classes.get(game.__name__, []) if text is not None else []
    return Where(text.file, nodes[0].lineno, "") if text is not None and nodes else None


def where_declared(game: type[Game], name: str) -> Where | None:
    """Return the line that declares a field or parameter, in the class or a parent; None if it can't be read."""
    for base in game.__mro__[: game.__mro__.index(Game)]:
        text = file_of_class(base)
        given = text.assigned.get((base.__name__, name)) if text is not None else None
        if name in vars(base) and text is not None and given:
            return Where(text.file, getattr(given[0], "lineno", 1), "")
    return None


# Advice ---------------------------------------------------------------------------------------------------------------
#
# What an error in the rules means: where the field is declared, and what to write instead.


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
    match = re.search(r"(\w+)(\[\d+\])? = .* is outside its declared range", what)
    return where_declared(game, match[1]) if game is not None and match else None


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
