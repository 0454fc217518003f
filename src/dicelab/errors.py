"""The errors that dicelab raises on purpose.

::

    DicelabError
    ├── InputError            something given to dicelab is wrong: exit status 2 on the command line
    │   ├── UnknownNameError      no such game, strategy, parameter, outcome ...; suggests the nearest name
    │   ├── ParameterError        a value that is not allowed
    │   ├── RulesError            a game's file breaks the contract; gives the file, line or state
    │   └── StoreError            a file of stored runs can't be read or written
    ├── NotSmall              too many states or outcomes for a lookup table: another engine is used
    └── PlayError             a game failed while it was played: exit status 1
        ├── RangeError            a field left its declared range
        ├── IllegalMoveError      a strategy chose a move that is not allowed
        ├── EndlessGameError      a game exceeded the limit on its length
        └── EngineMismatchError   two engines played different games for the same seed and index

A message says what was wrong, where, and what to do.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class DicelabError(Exception):
    """Base class of every error raised on purpose.

    Examples
    --------
    >>> import dicelab
    >>> try:
    ...     dicelab.exact("hazzard")
    ... except dicelab.DicelabError as error:
    ...     print(error)
    no game 'hazzard'; did you mean 'hazard'?
    """


class InputError(DicelabError):
    """Something given to dicelab is wrong."""


class UnknownNameError(InputError, KeyError):
    """No such game, strategy, parameter, outcome or tally; also a `KeyError`.

    Attributes
    ----------
    kind, name, known
        What was looked up, its name, and the names that there are; empty where the message alone says it.
    """

    kind: str = ""
    name: str = ""
    known: tuple[str, ...] = ()

    __str__ = Exception.__str__  # that of KeyError puts the message in quotation marks


class ParameterError(InputError, ValueError):
    """A value that is not allowed; also a `ValueError`."""


class RulesError(InputError):
    """A game's file breaks the contract."""


class StoreError(InputError):
    """A file of stored runs can't be read or written, or is none; the file is then left as it is."""


class NotSmall(DicelabError):
    """A game has too many states, or its dice too many outcomes, for a lookup table; the message says which."""


class TooLarge(DicelabError):
    """A chain that does not fit; the message says what is known of its size, and what would help."""


class PlayError(DicelabError):
    """A game failed while it was being played."""


class RangeError(PlayError):
    """A field left its declared range."""


class IllegalMoveError(PlayError):
    """A strategy chose a move that is not allowed."""


class EndlessGameError(PlayError):
    """A game exceeded the limit on its length."""


class EngineMismatchError(PlayError):
    """Two engines played different games for the same seed and index."""


SHORTEST = 3
"""Smallest number of letters that are taken for a part of a known name."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like another one, or has it as a part; letters may be small or large.

    >>> (
    ...     nearest("simulat", ["simulate", "solve"]),
    ...     nearest("sim", ["simulate", "solve"]),
    ...     nearest("vegas", ["las_vegas"]),
    ... )
    ('simulate', 'simulate', 'las_vegas')
    """
    small, by_small = name.lower(), {known_name.lower(): known_name for known_name in known}
    near = difflib.get_close_matches(small, by_small, n=1, cutoff=0.6)
    if not near and len(small) >= SHORTEST:
        near = sorted((one for one in by_small if small in one), key=lambda one: (one.find(small), len(one)))
    return by_small[near[0]] if near else None


def unknown(kind: str, name: str, known: Iterable[str], meant: str | None = None) -> UnknownNameError:
    """Return the error for a name that is not known, with what was `meant`, the nearest known name or a list of all
    names.

    >>> print(unknown("game", "hazzard", ["hazard", "lcr"]))
    no game 'hazzard'; did you mean 'hazard'?
    >>> print(unknown("strategy", "zzz", ["one_roll", "bank_over"]))
    no strategy 'zzz'; there are: bank_over, one_roll
    """
    names = sorted(known)
    near = nearest(name, names) if meant is None else meant
    if near is not None:
        hint = f"did you mean {near!r}?"
    elif names:
        hint = "there are: " + ", ".join(names)
    else:
        hint = "there is none"
    error = UnknownNameError(f"no {kind} {name!r}; {hint}")
    error.kind, error.name, error.known = kind, name, tuple(names)
    return error


_part: ContextVar[str] = ContextVar("part", default="")


@contextmanager
def concerning(part: str) -> Iterator[None]:
    """Say in warnings of `slow` which part of an answer they concern, such as a row of a sweep."""
    before = _part.set(part)
    try:
        yield
    finally:
        _part.reset(before)


def slow(note: str) -> None:
    """Warn that games are played slowly, and say why; an empty note warns of nothing."""
    if note:
        part = _part.get()
        warnings.warn(f"{part}: {note}" if part else note, RuntimeWarning, stacklevel=3)
