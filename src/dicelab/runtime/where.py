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
    found = None
    while True:
        found = _innermost(error.__traceback__) or found
        if error.__cause__ is None:
            return found
        error = error.__cause__


def _innermost(trace: TracebackType | None) -> Where | None:
    found = None
    while trace is not None:
        code = trace.tb_frame.f_code
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        ours = module.startswith("dicelab.") and not module.startswith(GAMES)
        if not ours and not code.co_filename.startswith((*LIBRARIES, "<")):
            found = Where(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return found


def where_written(message: str) -> Where | None:
    """Return the place that a message begins with, as those of the contract do; None if there is none."""
    found = WRITTEN.match(message)
    return Where(found["file"], int(found["line"]), found["method"] or "") if found else None


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
