"""Parameters of a game or a strategy, and arithmetic expressions of them.

This module must not import numpy or numba.
"""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Protocol, Self, overload

from dicelab.errors import ParameterError, unknown


class HasParameters(Protocol):
    """Anything with values of parameters, such as a game."""

    @property
    def parameters(self) -> dict[str, int]:
        """Value of each parameter."""
        ...


class Expr(ABC):
    """An integer that depends on the parameters, such as ``target + dice - 1``."""

    @abstractmethod
    def of(self, game: HasParameters) -> int:
        """Its value, given the parameters of `game`."""

    @property
    @abstractmethod
    def reach(self) -> tuple[int, int]:
        """An interval (low, high) that contains the value for all parameters in their ranges."""

    @property
    @abstractmethod
    def parameters(self) -> list[Param]:
        """The parameters in the expression."""

    def __repr__(self) -> str:
        return f"<{self}>"

    def __neg__(self) -> Expr:
        return 0 - self

    def __add__(self, other: Size) -> Expr:
        return _Binary(self, "+", other, operator.add)

    def __radd__(self, other: Size) -> Expr:
        return _Binary(other, "+", self, operator.add)

    def __sub__(self, other: Size) -> Expr:
        return _Binary(self, "-", other, operator.sub)

    def __rsub__(self, other: Size) -> Expr:
        return _Binary(other, "-", self, operator.sub)

    def __mul__(self, other: Size) -> Expr:
        return _Binary(self, "*", other, operator.mul)

    def __rmul__(self, other: Size) -> Expr:
        return _Binary(other, "*", self, operator.mul)

    def __floordiv__(self, other: Size) -> Expr:
        return _Binary(self, "//", other, operator.floordiv)

    def __rfloordiv__(self, other: Size) -> Expr:
        return _Binary(other, "//", self, operator.floordiv)


Size = int | Expr
"""A number that is fixed, or that depends on the parameters."""


class _Binary(Expr):
    """An operator applied to two sizes."""

    def __init__(self, left: Size, sign: str, right: Size, apply: Callable[[int, int], int]) -> None:
        self.sides = left, right
        self.sign = sign
        self.apply = apply

    def of(self, game: HasParameters) -> int:
        left, right = self.sides
        try:
            return self.apply(value_of(left, game), value_of(right, game))
        except ZeroDivisionError:
            raise ParameterError(f"{self}: with these parameters this divides by 0") from None

    @property
    def parameters(self) -> list[Param]:
        """The parameters of both operands."""
        return [param for side in self.sides if isinstance(side, Expr) for param in side.parameters]

    @property
    def reach(self) -> tuple[int, int]:
        """Interval arithmetic: the extremes are at the corners, except for a quotient whose divisor may be 0."""
        (a, b), (c, d) = map(reach_of, self.sides)
        if self.sign == "//" and c <= 0 <= d:  # |divisor| is at least 1 where the quotient exists
            most = max(abs(a), abs(b))
            return -most - 1, most
        corners = [self.apply(x, y) for x in (a, b) for y in (c, d)]
        return min(corners), max(corners)

    def __str__(self) -> str:
        left, right = (f"({s})" if isinstance(s, _Binary) and self.sign != "+" else str(s) for s in self.sides)
        return f"-{right}" if (left, self.sign) == ("0", "-") else f"{left} {self.sign} {right}"


def value_of(size: Size, game: HasParameters) -> int:
    """Return the value of a size, given the parameters of `game`."""
    return size if type(size) is int else size.of(game) if isinstance(size, Expr) else size


def reach_of(size: Size) -> tuple[int, int]:
    """Return an interval (low, high) that contains a size for all parameters in their ranges."""
    return size.reach if isinstance(size, Expr) else (size, size)


class Param(Expr):
    """A parameter of a game or of a strategy: a whole number with a default, a range and a line of help.

    Raises
    ------
    ParameterError
        When the default or an end of the range is not a whole number, or the default is outside the range.

    Examples
    --------
    >>> players = Param(4, 2, 50, "players at the table")
    >>> players.accept("7")
    7
    """

    kind = "whole number"

    def __init__(self, default: int, low: int, high: int, help: str) -> None:
        self.name = "?"
        self.low, self.high, self.default = (_declared_number(value) for value in (low, high, default))
        self.help = help
        if not isinstance(self.help, str):
            raise ParameterError(f"a parameter: help = {help!r}; it must be a text")
        self.accept(default)

    def __set_name__(self, owner: type, name: str) -> None:
        if self.name == "?":  # ``seats = players`` must not rename players
            self.call(name)

    def call(self, name: str) -> Self:
        """Give the parameter its name; returns the parameter."""
        self.name = name
        return self

    def of(self, game: HasParameters) -> int:
        """Its value in `game`."""
        return game.parameters[self.name]

    @property
    def parameters(self) -> list[Param]:
        """A list of the parameter itself."""
        return [self]

    @property
    def reach(self) -> tuple[int, int]:
        """Smallest and largest value."""
        return self.low, self.high

    def __str__(self) -> str:
        return self.name if self.name != "?" else repr(self)

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self.name == "?":  # in the body of its class, where it has no name yet: as it is written there
            return f"{kind}({self.word(self.default)}, {self.allowed}, {self.help!r})"
        return f"<{kind} {self.name}: {self.allowed}; default {self.word(self.default)}>"

    @overload
    def __get__(self, game: None, owner: type) -> Self: ...
    @overload
    def __get__(self, game: object, owner: type) -> int: ...
    def __get__(self, game: object | None, owner: type) -> Self | int:
        return self

    @property
    def allowed(self) -> str:
        """The allowed values as text."""
        return f"{self.low} to {self.high}"

    def accept(self, value: object) -> int:
        """Return the value as an integer, from an integer or its text.

        Raises
        ------
        ParameterError
            When the value is not allowed; the message gives the parameter, the value and what is allowed.
        """
        number = self._parse(value)
        if number is None or not self.low <= number <= self.high:
            raise ParameterError(f"{self.name}: {value!r} is not allowed; it takes a {self.kind}, {self.allowed}")
        return number

    def _parse(self, value: object) -> int | None:
        if isinstance(value, str):
            return whole_number(value)
        return as_integer(value)

    def seen(self, value: int) -> int | bool:
        """Return the value as rules receive it."""
        return value

    def show(self, value: int) -> Any:
        """Return the value as written in JSON: a number, a boolean or a name."""
        return value

    def word(self, value: int) -> str:
        """Return the value as written on the command line."""
        return str(value)


class Switch(Param):
    """A parameter that is yes or no.

    Examples
    --------
    >>> Switch(False, "the others get one more turn").accept("yes")
    1
    """

    kind = "yes or no"

    def __init__(self, default: bool, help: str) -> None:
        if default not in (False, True):
            raise ParameterError(f"a switch: {default!r} is not allowed; its default is True or False")
        super().__init__(int(default), 0, 1, help)

    @overload
    def __get__(self, game: None, owner: type) -> Self: ...
    @overload
    def __get__(self, game: object, owner: type) -> bool: ...
    def __get__(self, game: object | None, owner: type) -> Self | bool:
        return self

    @property
    def allowed(self) -> str:  # noqa: D102 (as in Param, also below)
        return "yes or no"

    def accept(self, value: object) -> int:  # noqa: D102
        number = self._parse(value)
        if number is None:
            raise ParameterError(f"{self.name}: {value!r} is not allowed; it is yes or no")
        return number

    def _parse(self, value: object) -> int | None:
        # str(True).lower() and str(1) are among these words too
        words = {"yes": 1, "true": 1, "on": 1, "1": 1, "no": 0, "false": 0, "off": 0, "0": 0}
        return words.get(str(value).lower()) if isinstance(value, str | int) else None

    def seen(self, value: int) -> bool:  # noqa: D102
        return bool(value)

    def show(self, value: int) -> bool:  # noqa: D102
        return bool(value)

    def word(self, value: int) -> str:  # noqa: D102
        return "yes" if value else "no"


NAME = re.compile(r"(?=.*[^\W\d])\w[\w+-]*( [\w+-]+)*", re.ASCII)
"""The name of a value: words of letters, digits, ``_``, ``-`` and ``+``; at least one is a letter or ``_``."""
SHOWN = 8
"""Messages list up to this many names of a choice; if there are more, only the first and the last."""


class Choice(Param):
    """A parameter whose values have names; rules receive the index of the name, a whole number from 0.

    Parameters
    ----------
    names
        The names, or an `enum.IntEnum` numbered from 0, whose members in small letters are the names. Names may have
        spaces; on a command line they are quoted, or written with hyphens: ``any-triple``.
    help
        What the parameter selects.
    default
        One of the names; the first one unless given.

    Raises
    ------
    ParameterError
        When names can't be written on a command line, or the default is not one of them.

    Examples
    --------
    >>> bet = Choice(("pass", "field", "hard8"), "the bet that is made")
    >>> bet.accept("hard8"), bet.word(1)
    (2, 'field')
    """

    kind = "name"

    def __init__(self, names: Sequence[str] | type[IntEnum], help: str, *, default: str | None = None) -> None:
        self.name = "?"
        self.names = _checked_names(names)
        self._places = {typed: place for place, name in enumerate(self.names) for typed in (name, hyphened(name))}
        place = self.accept(self.names[0] if default is None else default)
        super().__init__(place, 0, len(self.names) - 1, help)

    @property
    def allowed(self) -> str:  # noqa: D102 (as in Param, also below)
        if len(self.names) > SHOWN:
            return f"{self.names[0]} ... {self.names[-1]}, {len(self.names)} names"
        return ", ".join(self.names)

    def accept(self, value: object) -> int:
        """Return the index of a name; an index is accepted too.

        Raises
        ------
        ParameterError
            When there is no such name; the message gives the nearest name, or all names.
        """
        number = self._parse(value)
        if number is None or not 0 <= number < len(self.names):
            near = str(unknown("value", value, self.names)) if isinstance(value, str) and number is None else ""
            if near and (len(self.names) <= SHOWN or "did you mean" in near):
                raise ParameterError(f"{self.name}: {near}")
            raise ParameterError(f"{self.name}: {value!r} is not allowed; it takes a {self.kind}: {self.allowed}")
        return number

    def _parse(self, value: object) -> int | None:
        place = self._places.get(value) if isinstance(value, str) else None
        return super()._parse(value) if place is None else place

    def knows(self, text: str) -> bool:
        """Return whether a text is one of the names, as it may be typed."""
        return text in self._places

    def show(self, value: int) -> str:  # noqa: D102
        return self.names[value]

    def word(self, value: int) -> str:  # noqa: D102
        return hyphened(self.names[value])


def hyphened(name: str) -> str:
    """Return a name as it is typed on a command line without quotes.

    >>> hyphened("any triple")
    'any-triple'
    """
    return name.replace(" ", "-")


def _checked_names(names: Sequence[str] | type[IntEnum]) -> tuple[str, ...]:
    """Return the names of a choice, after checking that each can be written on a command line."""
    if isinstance(names, type):
        if not issubclass(names, IntEnum):
            raise ParameterError(f"a choice: {names!r} is not allowed; give names, or an IntEnum")
        if [int(member) for member in names] != list(range(len(names))):
            raise ParameterError(f"a choice: the members of {names.__name__} must be numbered from 0, in their order")
        names = [member.name.lower() for member in names]
    if not isinstance(names, tuple | list) or not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f'a choice: {names!r} is not allowed; give names: ("pass", "field")')
    for name in names:
        if not NAME.fullmatch(name):
            raise ParameterError(
                f"a choice: {name!r} is not allowed; a name is made of letters, digits, _, - and +, not of digits "
                "alone, with single spaces between words"
            )
    typed = [hyphened(name) for name in names]
    if len(set(typed)) < len(typed):
        twice = next(name for name, one in zip(names, typed, strict=True) if typed.count(one) > 1)
        raise ParameterError(
            f"a choice: the name {twice!r} occurs twice; names that differ only in spaces and hyphens count as the same"
        )
    return tuple(names)


MOST = 2**62
"""Largest absolute value of a number that rules declare."""


def _declared_number(value: object) -> int:
    """Return a number of a parameter's declaration."""
    number = as_integer(value)
    if number is None or abs(number) > MOST:
        raise ParameterError(f"a parameter: {value!r} is not allowed; its default and its range are whole numbers")
    return number


def as_integer(value: object) -> int | None:
    """Return a whole number of any type (also NumPy's) as an ``int``; None for anything else, also for booleans."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def whole(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return the value of an argument that must be a whole number from `least` to `most`."""
    number = as_integer(value)
    if number is None or number < least or (most is not None and number > most):
        span = f"at least {least}" if most is None else f"{least} to {most}"
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a whole number, {span}")
    return number


def bytes_allowed(memory: object) -> int | None:
    """Return a limit of memory as a whole number of bytes; None for None."""
    count = None if memory is None else as_integer(memory)
    if memory is not None and (count is None or count < 1):
        raise ParameterError(f"memory: {memory!r} is not allowed; it takes a whole number of bytes, at least 1")
    return count


def whole_number(text: str) -> int | None:
    """Return the whole number that a text stands for: ``12``, ``10_000``, ``1e6``; None if it stands for none.

    >>> whole_number("1e6"), whole_number("10_000"), whole_number("2.5")
    (1000000, 10000, None)
    """
    try:
        return int(text)
    except ValueError:
        pass
    mantissa, e, exponent = text.lower().partition("e")
    if e and len(text) <= 24 and mantissa.isdecimal() and exponent.isdecimal() and int(exponent) <= 18:
        return int(f"{mantissa}{'0' * int(exponent)}")
    return None


def spellings(parameter: str) -> list[str]:
    """Return the options that give a parameter of a game, unless the command has one of them itself.

    >>> spellings("last_turn"), spellings("seed")
    (['--last-turn', '--last_turn'], ['--seed'])
    """
    return [*dict.fromkeys((f"--{parameter.replace('_', '-')}", f"--{parameter}"))]


def share(text: str, what: str) -> float:
    """Return the number that a text stands for, also as a percentage: ``0.05`` or ``5%``; `what` is its name in errors.

    Examples
    --------
    >>> share("5%", "ruin")
    0.05
    """
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ParameterError(f"{what}: {text!r} is not a number; write 0.05 or 5%") from None
