"""What a game declares: parameters, state, tallies and the memory of a strategy.

Everything is an integer with a declared range. A declaration is a class attribute; on a game it reads as a plain
``int`` (``list[int]`` for `Ints`, ``bool`` for `Flag` and `Switch`), so that rules are ordinary Python that a type
checker follows. Ranges may be written with parameters: ``Ints(players, 0, players * coins)``.

Nothing here plays a game and nothing here may import numpy or numba.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self, TypeVar, overload

from dicelab.errors import ParameterError, RangeError

LARGEST = 2**31 - 1
"""Largest value of a field whose range is left open."""

Formula = Callable[["HasParameters"], int]


class HasParameters(Protocol):
    """Anything whose parameters have values: a game."""

    @property
    def parameters(self) -> dict[str, int]: ...


class Expr:
    """An integer that depends on the parameters, such as ``target + dice - 1``."""

    def __init__(self, formula: Formula, text: Callable[[], str]) -> None:
        self._formula = formula
        self._text = text

    def of(self, game: HasParameters) -> int:
        """Value for the parameters of `game`."""
        return self._formula(game)

    def __str__(self) -> str:
        return self._text()

    def __add__(self, other: Size) -> Expr:
        return _binary(self, "+", other, operator.add)

    def __radd__(self, other: Size) -> Expr:
        return _binary(other, "+", self, operator.add)

    def __sub__(self, other: Size) -> Expr:
        return _binary(self, "-", other, operator.sub)

    def __rsub__(self, other: Size) -> Expr:
        return _binary(other, "-", self, operator.sub)

    def __mul__(self, other: Size) -> Expr:
        return _binary(self, "*", other, operator.mul)

    def __rmul__(self, other: Size) -> Expr:
        return _binary(other, "*", self, operator.mul)

    def __floordiv__(self, other: Size) -> Expr:
        return _binary(self, "//", other, operator.floordiv)


Size = int | Expr
"""A number that is fixed, or that depends on the parameters."""


def _binary(left: Size, sign: str, right: Size, apply: Callable[[int, int], int]) -> Expr:
    def part(size: Size) -> str:
        return f"({size})" if " " in str(size) and sign != "+" else str(size)

    return Expr(
        lambda game: apply(value_of(left, game), value_of(right, game)), lambda: f"{part(left)} {sign} {part(right)}"
    )


def value_of(size: Size, game: HasParameters) -> int:
    """The number itself, or its value for the parameters of `game`."""
    return size.of(game) if isinstance(size, Expr) else size


class Param(Expr):
    """A parameter of a game or of a strategy: a whole number with a default, a range and a line of help.

    Raises
    ------
    ParameterError
        When the default is outside the range.

    Examples
    --------
    >>> players = Param(4, 2, 50, "players at the table")
    >>> players.accept("7")
    7
    """

    kind = "whole number"

    def __init__(self, default: int, low: int, high: int, help: str) -> None:
        super().__init__(lambda game: game.parameters[self.name], lambda: self.name)
        self.name = "?"
        self.default = default
        self.low = low
        self.high = high
        self.help = help
        self.accept(default)

    def __set_name__(self, owner: type, name: str) -> None:
        if self.name == "?":  # not again for ``seats = players``
            self.call(name)

    def call(self, name: str) -> Self:
        """Give the parameter its name; returns the parameter."""
        self.name = name
        return self

    @overload
    def __get__(self, game: None, owner: type) -> Self: ...
    @overload
    def __get__(self, game: object, owner: type) -> int: ...
    def __get__(self, game: object | None, owner: type) -> Self | int:
        return self

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"{self.low} to {self.high}"

    def accept(self, value: object) -> int:
        """The value as an integer of the allowed range, from an integer or its text.

        Raises
        ------
        ParameterError
            Naming the parameter, the value and what is allowed.
        """
        number = self._parse(value)
        if number is None or not self.low <= number <= self.high:
            raise ParameterError(f"{self.name}: {value!r} is not allowed; it takes a {self.kind}, {self.allowed}")
        return number

    def _parse(self, value: object) -> int | None:
        if isinstance(value, str):
            return whole_number(value)
        if isinstance(value, bool):
            return None
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            return None

    def show(self, value: int) -> int | bool:
        """The value as JSON sees it."""
        return value

    def word(self, value: int) -> str:
        """The value as people write it."""
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
        super().__init__(int(default), 0, 1, help)

    @overload
    def __get__(self, game: None, owner: type) -> Self: ...
    @overload
    def __get__(self, game: object, owner: type) -> bool: ...
    def __get__(self, game: object | None, owner: type) -> Self | bool:
        return self

    @property
    def allowed(self) -> str:
        return "yes or no"

    def accept(self, value: object) -> int:
        number = self._parse(value)
        if number is None:
            raise ParameterError(f"{self.name}: {value!r} is not allowed; it is yes or no")
        return number

    def _parse(self, value: object) -> int | None:
        words = {"yes": 1, "true": 1, "on": 1, "1": 1, "no": 0, "false": 0, "off": 0, "0": 0}
        return words.get(str(value).lower()) if isinstance(value, str | int) else None

    def show(self, value: int) -> int | bool:
        return bool(value)

    def word(self, value: int) -> str:
        return "yes" if value else "no"


def whole_number(text: str) -> int | None:
    """A whole number as people write it: ``12``, ``10_000``, ``1e6``; None when it is not one.

    >>> whole_number("1e6"), whole_number("10_000"), whole_number("2.5")
    (1000000, 10000, None)
    """
    try:
        return int(text)
    except ValueError:
        pass
    mantissa, e, exponent = text.lower().partition("e")
    if e and len(text) <= 24 and mantissa.isdecimal() and exponent.isdecimal() and int(exponent) <= 18:
        return int(mantissa) * 10 ** int(exponent)
    return None


class Field:
    """Parent of what changes during a game. `low` and `high` are the declared range, both included."""

    def __init__(self, low: Size, high: Size, help: str, start: Size | None, grows: bool) -> None:
        self.name = "?"
        self.low = low
        self.high = high
        self.help = help
        self.start = start
        self.grows = grows

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def bounds(self, game: HasParameters) -> tuple[int, int]:
        """Smallest and largest value for the parameters of `game`."""
        return value_of(self.low, game), value_of(self.high, game)

    def initial(self, game: HasParameters) -> int:
        """Value before `Game.start` runs: `start` when declared, else 0 or the nearest to it in range."""
        low, high = self.bounds(game)
        return value_of(self.start, game) if self.start is not None else min(max(0, low), high)


class Int(Field):
    """A whole number of the state.

    Parameters
    ----------
    low, high
        Declared range, both included; may use parameters.
    help
        What the number means.
    start
        Value before `Game.start` runs; without it 0, or the nearest to 0 in the range.
    grows
        It never decreases during a game (checked by the reference engine).
    """

    def __init__(
        self, low: Size = 0, high: Size = LARGEST, help: str = "", *, start: Size | None = None, grows: bool = False
    ) -> None:
        super().__init__(low, high, help, start, grows)

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> int: ...
        def __get__(self, game: object | None, owner: type) -> Self | int: ...
        def __set__(self, game: object, value: int) -> None: ...


class Flag(Field):
    """A yes or no of the state; no at the start."""

    def __init__(self, help: str = "") -> None:
        super().__init__(0, 1, help, 0, False)

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> bool: ...
        def __get__(self, game: object | None, owner: type) -> Self | bool: ...
        def __set__(self, game: object, value: bool) -> None: ...


class Ints(Field):
    """A row of whole numbers of the state, its length fixed for the game: ``coins = Ints(players, 0, 99)``.

    Parameters are those of `Int`, after the length. Indices run from 0; negative ones are refused.
    """

    def __init__(
        self,
        length: Size,
        low: Size = 0,
        high: Size = LARGEST,
        help: str = "",
        *,
        start: Size | None = None,
        grows: bool = False,
    ) -> None:
        super().__init__(low, high, help, start, grows)
        self.length = length

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> list[int]: ...
        def __get__(self, game: object | None, owner: type) -> Self | list[int]: ...


class Tally(Field):
    """Something that one merely counts: rules add to it (``self.turns += 1``) and never read it."""

    def __init__(self, help: str) -> None:
        super().__init__(-(2**62), 2**62, help, 0, False)

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> int: ...
        def __get__(self, game: object | None, owner: type) -> Self | int: ...
        def __set__(self, game: object, value: int) -> None: ...


class Peak(Tally):
    """A tally that keeps the largest value: ``self.best = max(self.best, points)`` and never otherwise read."""


def checked(field: Field, value: object, old: int | None, bounds: tuple[int, int]) -> int:
    """`value` as an integer that `field` may hold.

    Raises
    ------
    RangeError
        When it is no integer, outside the range, or lower than before in a field that `grows`.
    """
    if not isinstance(value, int):
        raise RangeError(f"{field.name} = {value!r}: the state holds whole numbers only")
    low, high = bounds
    if not low <= value <= high:
        raise RangeError(f"{field.name} = {value} is outside its declared range {low} to {high}")
    if field.grows and old is not None and value < old:
        raise RangeError(f"{field.name} fell from {old} to {value}, but is declared to grow")
    return bool(value) if isinstance(field, Flag) else int(value)


T = TypeVar("T")


class Row(list[int]):
    """The values of an `Ints` field in the reference engine: fixed length, every index and value checked."""

    __slots__ = ("_bounds", "_field")

    def __init__(self, field: Ints, values: Iterable[int], bounds: tuple[int, int]) -> None:
        super().__init__(values)
        self._field = field
        self._bounds = bounds

    def _check(self, index: object) -> None:
        if isinstance(index, int) and not 0 <= index < len(self):
            raise RangeError(f"{self._field.name}[{index}]: the index must be 0 to {len(self) - 1}")

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, int):
            raise RangeError(f"{self._field.name}[{index!r}]: set one value at a time, by its number")
        self._check(index)
        super().__setitem__(index, checked(self._field, value, super().__getitem__(index), self._bounds))

    def _fixed(self, *_: object, **__: object) -> NoReturn:
        raise RangeError(f"{self._field.name}: its length is fixed; only its values may be set")

    append = extend = insert = remove = pop = clear = sort = reverse = __delitem__ = __iadd__ = __imul__ = _fixed  # type: ignore[assignment]


def fields_of(owner: type, kind: type[T]) -> Iterator[T]:
    """Declarations of one kind in a class and its parents, parents first, in the order written."""
    seen: dict[str, T] = {}
    for base in reversed(owner.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, kind):
                seen[name] = value
            else:
                seen.pop(name, None)
    yield from seen.values()
