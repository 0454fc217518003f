"""Declarations of what changes during a game: its state, its tallies, and the memory of a strategy.

Every field is an integer with a declared range. A declaration is a class attribute; on a game it reads as a plain
``int`` (``list[int]`` for `Ints`, ``bool`` for `Flag`), so that type checkers understand rules. Ranges may be
expressions of parameters: ``Ints(players, 0, players * coins)``.

This module must not import numpy or numba.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, overload

from dicelab.errors import RangeError
from dicelab.rules.params import HasParameters, Param, Size, value_of

LARGEST = 2**31 - 1
"""Default upper bound of a field."""
MOST_COUNTED = 2**62
"""Largest absolute value of a tally."""


class Field:
    """Base class of fields. `low` and `high` are the declared range, both included."""

    def __init__(self, low: Size, high: Size, help: str, start: Size | None, grows: bool) -> None:
        self.name = "?"
        self.low = low
        self.high = high
        self.help = help
        self.start = start
        self.grows = grows

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.low} to {self.high}>"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def bounds(self, game: HasParameters) -> tuple[int, int]:
        """Smallest and largest value, given the parameters of `game`."""
        return value_of(self.low, game), value_of(self.high, game)

    def initial(self, game: HasParameters) -> int:
        """Value before `Game.start` runs: `start` if declared, otherwise the value of the range nearest to 0."""
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
        Value before `Game.start` runs; by default the value of the range nearest to 0.
    grows
        Declares that it never decreases during a game (checked by the reference engine).

    Examples
    --------
    ::

        points = Int(0, 2000, "points of this turn")
        left = Int(0, coins, "coins left", start=coins)  # `coins` is a parameter
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


class Seat(Int):
    """The number of a seat: ``player = Seat(players, "whose turn it is", alike=True)``.

    Parameters
    ----------
    players
        Number of seats.
    help
        What the seat is or does.
    nobody
        It may also be -1, for no seat, and is -1 at the start.
    alike
        Declares that the game is symmetric under rotation of the seats: adding 1 (modulo `players`) to this field and
        to every other `Seat` that isn't -1, and rotating the rows with ``by_seat=True`` by one, gives a state from
        which the game goes on in the same way, rotated by one. Exact answers then merge states that are rotations
        of each other; ``dicelab check`` verifies the symmetry.

    Examples
    --------
    ::

        player = Seat(players, "whose turn it is", alike=True)
        banker = Seat(players, "who has bid most", nobody=True)
    """

    def __init__(self, players: Size, help: str = "", *, nobody: bool = False, alike: bool = False) -> None:
        super().__init__(-1 if nobody else 0, players - 1, help, start=-1 if nobody else 0)
        self.alike = alike


class Flag(Field):
    """A yes or no of the state; no at the start.

    Examples
    --------
    ::

        rolled = Flag("the player may choose")
    """

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
    """A row of whole numbers of the state, of fixed length: ``coins = Ints(players, 0, 99)``.

    Parameters are the length, those of `Int`, and `by_seat`, which declares that the row has one number for each seat
    (see `Seat`). Indices run from 0; negative ones are refused.

    Examples
    --------
    ::

        scores = Ints(players, 0, target, "points of each seat", grows=True, by_seat=True)
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
        by_seat: bool = False,
    ) -> None:
        super().__init__(low, high, help, start, grows)
        self.length = length
        self.by_seat = by_seat

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> list[int]: ...
        def __get__(self, game: object | None, owner: type) -> Self | list[int]: ...


class Flags(Ints):
    """A row of yes or no; a `start` of 1 means that all are yes at first.

    Examples
    --------
    ::

        open = Flags(9, "boxes still open", start=1)
    """

    def __init__(self, length: Size, help: str = "", *, start: Size | None = None, by_seat: bool = False) -> None:
        super().__init__(length, 0, 1, help, start=start, by_seat=by_seat)

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> list[bool]: ...
        def __get__(self, game: object | None, owner: type) -> Self | list[bool]: ...


class Grid(Ints):
    """Rows of rows: ``board = Grid(8, 8, 0, 2)``, of which rules read and set ``self.board[i][j]``.

    Parameters are the numbers of rows and of columns, and those of `Ints`. With `by_seat` there is one row for each
    seat. The numbers are kept one row after the other.

    Examples
    --------
    ::

        board = Grid(8, 8, 0, 2, "0: free, 1: white, 2: black")
    """

    def __init__(
        self,
        rows: Size,
        columns: Size,
        low: Size = 0,
        high: Size = LARGEST,
        help: str = "",
        *,
        start: Size | None = None,
        grows: bool = False,
        by_seat: bool = False,
    ) -> None:
        super().__init__(rows * columns, low, high, help, start=start, grows=grows, by_seat=by_seat)
        self.columns = columns

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> list[list[int]]: ...
        def __get__(self, game: object | None, owner: type) -> Self | list[list[int]]: ...
    else:

        def __get__(self, game: Any, owner: type) -> Self | Lines:
            """The rows of a game; the declaration, of a class."""
            return self if game is None else Lines(game.__dict__[self.name], value_of(self.columns, game))

        def __set__(self, game: Any, value: object) -> None:
            store(game, self.name, value)


class Tally(Field):
    """Something that is counted during a game: rules add to it (``self.turns += 1``) and never read it.

    Parameters
    ----------
    help
        What is counted.
    low, high
        Bounds of its value at the end of a game, if known; may use parameters. They are checked at the end of every
        game, and make the confidence intervals of means narrower in small samples.

    Examples
    --------
    ::

        turns = Tally("turns, the lost ones included")
        money = Tally("money won", low=-stake, high=35 * stake)
    """

    def __init__(self, help: str, low: Size | None = None, high: Size | None = None) -> None:
        super().__init__(-MOST_COUNTED, MOST_COUNTED, help, 0, False)
        self.end_low = low
        self.end_high = high

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.help}>"

    def end_bounds(self, game: HasParameters) -> tuple[float, float]:
        """Bounds of the value at the end of a game; infinite where none is declared."""
        low = -inf if self.end_low is None else value_of(self.end_low, game)
        return low, inf if self.end_high is None else value_of(self.end_high, game)

    def check_end(self, game: HasParameters, value: int) -> None:
        """Refuse a final value outside the declared bounds.

        Raises
        ------
        RangeError
        """
        low, high = self.end_bounds(game)
        if value < low:
            raise RangeError(f"the tally {self.name} ends at {value}, below its declared lower bound {low}")
        if value > high:
            raise RangeError(f"the tally {self.name} ends at {value}, above its declared upper bound {high}")

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> int: ...
        def __get__(self, game: object | None, owner: type) -> Self | int: ...
        def __set__(self, game: object, value: int) -> None: ...


class Peak(Tally):
    """A tally that keeps the largest value so far: ``self.best = max(self.best, points)``.

    Examples
    --------
    ::

        best = Peak("the most points of a turn")
    """


class Traced:
    """Base class of symbolic values that engines store in fields to record what rules do with them."""

    def stored(self, least: object, bounds: tuple[int, int]) -> None:
        """Called when the value is stored: it must lie within `bounds`, and not below `least` unless that is None."""


Beyond = dict[str, tuple[Field, TracebackType | None]]
"""The fields that had a value outside their ranges while a rule ran, and where that was stored."""


def checked(field: Field, value: object, old: int | None, bounds: tuple[int, int], beyond: Beyond | None = None) -> int:
    """`value` as the ``int`` (or ``bool``) that is stored in `field`; a `Traced` value is returned as it is.

    While a rule runs, `beyond` notes a value outside the range, which is refused when the rule ends (`applied`).

    Raises
    ------
    RangeError
        When it is not an integer, outside the range, or below `old` in a field that `grows`.
    """
    low, high = bounds
    if isinstance(value, Traced):
        value.stored(old if field.grows else None, bounds)
        return value  # type: ignore[return-value]
    if not isinstance(value, int):
        raise RangeError(f"{field.name} = {value!r}: the state holds whole numbers only")
    if not low <= value <= high and isinstance(field, Tally):
        raise RangeError(f"the tally {field.name} = {value} does not fit in 64 bits")
    if not low <= value <= high:
        if beyond is None:
            raise RangeError(f"{field.name} = {value} is outside its declared range {low} to {high}")
        beyond[field.name] = field, _of_rule()
        return int(value)
    if field.grows and old is not None and value < old:
        raise RangeError(f"{field.name} fell from {old} to {value}, but is declared to grow")
    return bool(value) if isinstance(field, Flag) else int(value)


def _of_rule() -> TracebackType | None:
    """The place in the rules at which a value is stored now."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_globals is globals() or frame.f_code.co_name == "__setattr__"):
        frame = frame.f_back
    return TracebackType(None, frame, frame.f_lasti, frame.f_lineno) if frame is not None else None


def applied(rule: Callable[..., object], game: Any, values: Sequence[int]) -> None:
    """Run a rule that may change the state of a game: what a roll or a choice does, or `Game.start`.

    Inside it a field may have a value outside its range; at its end none may.

    Raises
    ------
    RangeError
    """
    state, beyond = game.__dict__, Beyond()
    state["_beyond"] = beyond
    try:
        rule(game, *values)
    finally:
        state["_beyond"] = None
    for name, (f, where) in beyond.items():
        for value in state[name] if isinstance(f, Ints) else (state[name],):
            try:
                checked(f, value, None, state["_bounds"][name])
            except RangeError as error:
                raise error.with_traceback(where) from None


def fill(holder: object, fields: Iterable[Field], game: HasParameters) -> None:
    """Set every field of a game or a memory to its initial value, and store its range in ``_bounds``."""
    values = holder.__dict__
    bounds = values.setdefault("_bounds", {})
    for f in fields:
        if f.name not in bounds:
            bounds[f.name] = f.bounds(game)
            _must_begin_inside(f, f.initial(game), bounds[f.name])
        first = f.initial(game)
        if isinstance(f, Ints):
            values[f.name] = Row(f, [first] * value_of(f.length, game), values)
        else:
            values[f.name] = bool(first) if isinstance(f, Flag) else first


def _must_begin_inside(f: Field, first: int, bounds: tuple[int, int]) -> None:
    low, high = bounds
    if low <= high and not low <= first <= high:
        raise RangeError(f"{f.name} = {first} at the start is outside its declared range {low} to {high}")


def store(holder: object, name: str, value: object) -> None:
    """Set a declared field of a game or a memory after checking the value against its range.

    Raises
    ------
    RangeError
    """
    f = getattr(type(holder), name, None)
    values = holder.__dict__
    if isinstance(f, Int | Flag | Tally) and name in values:
        values[name] = checked(f, value, values[name], values["_bounds"][name], values.get("_beyond"))
    elif isinstance(f, Param):
        raise RangeError(f"{name} is a parameter; rules can't change it")
    elif isinstance(f, Ints):
        at = "[i][j]" if isinstance(f, Grid) else "[i]"
        raise RangeError(f"{name} is a row; set its values one at a time: {name}{at} = ...")
    else:
        raise RangeError(f"{name} is not declared; declare what changes as Int, Ints, Flag or Tally in the class")


T = TypeVar("T")


class Row(list[int]):
    """The list of values of an `Ints` field: its length is fixed, and every index and value is checked."""

    __slots__ = ("_bounds", "_field", "_holder")

    def __init__(self, field: Ints, values: Iterable[int], holder: dict[str, Any]) -> None:
        super().__init__(values)
        self._field = field
        self._holder = holder
        self._bounds: tuple[int, int] = holder["_bounds"][field.name]

    def _check(self, index: object) -> None:
        if isinstance(index, int) and not 0 <= index < len(self):
            raise RangeError(f"{self._field.name}[{index}]: the index must be 0 to {len(self) - 1}")

    def __getitem__(self, index: Any) -> Any:
        self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, Traced):
            index = operator.index(index)  # type: ignore[arg-type]
        if not isinstance(index, int):
            raise RangeError(f"{self._field.name}[{index!r}]: set one value at a time, by its index")
        self._check(index)
        old, beyond = super().__getitem__(index), self._holder.get("_beyond")
        super().__setitem__(index, checked(self._field, value, old, self._bounds, beyond))

    def _fixed(self, *_: object, **__: object) -> NoReturn:
        raise RangeError(f"{self._field.name}: its length is fixed; only its values may be set")

    append = extend = insert = remove = pop = clear = sort = reverse = __delitem__ = __iadd__ = __imul__ = _fixed


class Line(Sequence[int]):
    """One row of a `Grid`, whose numbers may be read and set."""

    __slots__ = ("_columns", "_first", "_row")

    def __init__(self, row: Row, first: int, columns: int) -> None:
        self._row, self._first, self._columns = row, first, columns

    def _at(self, index: Any) -> int:
        if isinstance(index, slice):
            raise RangeError(f"{self._row._field.name}[i]: take one number at a time, by its index")
        at = operator.index(index)
        if not 0 <= at < self._columns:
            raise RangeError(f"{self._row._field.name}[i][{at}]: the index must be 0 to {self._columns - 1}")
        return self._first + at

    def __len__(self) -> int:
        return self._columns

    def __getitem__(self, index: Any) -> Any:
        return self._row[self._at(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._row[self._at(index)] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self._row[self._first : self._first + self._columns])

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, Line) else other)

    __hash__ = None  # type: ignore[assignment]


class Lines(Sequence[Line]):
    """All rows of a `Grid`."""

    __slots__ = ("_columns", "_row")

    def __init__(self, row: Row, columns: int) -> None:
        self._row, self._columns = row, columns

    def __len__(self) -> int:
        return len(self._row) // self._columns

    def __getitem__(self, index: Any) -> Any:
        at = operator.index(index)
        if not 0 <= at < len(self):
            raise RangeError(f"{self._row._field.name}[{at}]: the index must be 0 to {len(self) - 1}")
        return Line(self._row, at * self._columns, self._columns)

    def __iter__(self) -> Iterator[Line]:
        return map(self.__getitem__, range(len(self)))

    def __setitem__(self, index: object, value: object) -> NoReturn:
        name = self._row._field.name
        raise RangeError(f"{name}[{index!r}]: set one number at a time: {name}[i][j] = ...")


def fields_of(owner: type, kind: type[T]) -> Iterator[T]:
    """Declarations of type `kind` in a class and its parents, parents first, in the order written."""
    seen: dict[str, T] = {}
    for base in reversed(owner.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, kind):
                seen[name] = value
            else:
                seen.pop(name, None)
    yield from seen.values()
