"""What changes while a game is played: its state, its tallies, and the memory of a strategy.

Everything is an integer with a declared range. A declaration is a class attribute; on a game it reads as a plain
``int`` (``list[int]`` for `Ints`, ``bool`` for `Flag`), so that rules are ordinary Python that a type
checker follows. Ranges may be written with parameters: ``Ints(players, 0, players * coins)``.

Nothing here plays a game and nothing here may import numpy or numba.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from math import inf
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, overload

from dicelab.errors import RangeError
from dicelab.rules.params import HasParameters, Size, value_of

LARGEST = 2**31 - 1
"""Largest value of a field whose range is left open."""
MOST_COUNTED = 2**62
"""No tally may be further from 0 than this."""


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


class Seat(Int):
    """The number of a seat, as whose turn it is: ``player = Seat(players, "whose turn it is", alike=True)``.

    Parameters
    ----------
    players
        Number of seats.
    help
        What the seat is or does.
    nobody
        It may be -1, for nobody, and is so at the start.
    alike
        The game is alike from every seat: if all seats at the table moved up by one (this field, every other `Seat`
        that is somebody, and the rows that are ``by_seat=True``), the game would go on in the same way, moved up by
        one. A hint for exact answers, which then look from this seat; ``dicelab check`` tries it out.
    """

    def __init__(self, players: Size, help: str = "", *, nobody: bool = False, alike: bool = False) -> None:
        super().__init__(-1 if nobody else 0, players - 1, help, start=-1 if nobody else 0)
        self.alike = alike


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

    Parameters are those of `Int`, after the length; and `by_seat`, which says that there is a number for each seat (see
    `Seat`). Indices run from 0; negative ones are refused.
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


class Tally(Field):
    """Something that one merely counts: rules add to it (``self.turns += 1``) and never read it.

    Parameters
    ----------
    help
        What is counted.
    low, high
        Smallest and largest value at the end of a game, where there is one; may use parameters. Checked at the end of
        every game, and used for the intervals of means.
    """

    def __init__(self, help: str, low: Size | None = None, high: Size | None = None) -> None:
        super().__init__(-MOST_COUNTED, MOST_COUNTED, help, 0, False)
        self.end_low = low
        self.end_high = high

    def end_bounds(self, game: HasParameters) -> tuple[float, float]:
        """Smallest and largest value at the end of a game; infinite where none is declared."""
        low = -inf if self.end_low is None else value_of(self.end_low, game)
        return low, inf if self.end_high is None else value_of(self.end_high, game)

    def check_end(self, game: HasParameters, value: int) -> None:
        """Refuse a value at the end of a game that is outside the declared bounds.

        Raises
        ------
        RangeError
        """
        low, high = self.end_bounds(game)
        if value < low:
            raise RangeError(f"the tally {self.name} ends at {value}; it is declared to end at {low} or more")
        if value > high:
            raise RangeError(f"the tally {self.name} ends at {value}; it is declared to end at {high} or less")

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> int: ...
        def __get__(self, game: object | None, owner: type) -> Self | int: ...
        def __set__(self, game: object, value: int) -> None: ...


class Peak(Tally):
    """A tally that keeps the largest value: ``self.best = max(self.best, points)`` and never otherwise read."""


class Traced:
    """Parent of what engines put into a field to see what rules do with it; it is kept there as it is."""

    def stored(self, least: object, bounds: tuple[int, int]) -> None:
        """Called when it is stored: what it stands for must be within `bounds`, and not below `least` unless None."""


def checked(field: Field, value: object, old: int | None, bounds: tuple[int, int]) -> int:
    """`value` as an integer that `field` may hold.

    Raises
    ------
    RangeError
        When it is no integer, outside the range, or lower than before in a field that `grows`.
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
        if isinstance(index, Traced):
            index = operator.index(index)  # type: ignore[arg-type]
        if not isinstance(index, int):
            raise RangeError(f"{self._field.name}[{index!r}]: set one value at a time, by its number")
        self._check(index)
        super().__setitem__(index, checked(self._field, value, super().__getitem__(index), self._bounds))

    def _fixed(self, *_: object, **__: object) -> NoReturn:
        raise RangeError(f"{self._field.name}: its length is fixed; only its values may be set")

    append = extend = insert = remove = pop = clear = sort = reverse = __delitem__ = __iadd__ = __imul__ = _fixed


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
