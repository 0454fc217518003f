"""The kinds of fields, as a game declares them."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from dicelab.errors import RangeError, RulesError
from dicelab.rules.params import Expr, HasParameters, Size, reach_of, value_of

LARGEST = 2**31 - 1
"""Default upper bound of a field."""
LONGEST = 65_536
"""Limit of the numbers in a row."""
MOST_COUNTED = 2**62
"""Largest absolute value of a tally."""


class Field:
    """Base class of fields. `low` and `high` are the declared range, both included."""

    def __init__(
        self, low: Size, high: Size, help: str, start: Size | None, grows: bool, private: bool | Field = False
    ) -> None:
        self.name = "?"
        self.low = low
        self.high = high
        self.help = help
        self.start = start
        self.grows = grows
        self.private = private
        _must_make_sense(self, low, high)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.low} to {self.high}>"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def bounds(self, game: HasParameters) -> tuple[int, int]:
        """Smallest and largest value, given the parameters of `game`."""
        return value_of(self.low, game), value_of(self.high, game)

    def initial(self, game: HasParameters) -> int:
        """Return the value before `Game.start` runs: `start` if declared, otherwise the value of the range nearest to
        0.
        """
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
    private
        Declares that no seat sees it; of a row by seat, that each seat sees only its own numbers. Given a number or
        flag declared above it, such as ``private=begun``, the terminal shows the numbers to everybody when that goes
        back to 0, as they were until then; strategies never see them.

    Examples
    --------
    ::

        points = Int(0, 2000, "points of this turn")
        left = Int(0, coins, "coins left", start=coins)  # `coins` is a parameter
    """

    def __init__(
        self,
        low: Size = 0,
        high: Size = LARGEST,
        help: str = "",
        *,
        start: Size | None = None,
        grows: bool = False,
        private: bool | Int | Flag = False,
    ) -> None:
        super().__init__(low, high, help, start, grows, private)

    if TYPE_CHECKING:

        @overload
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> int: ...
        def __get__(self, game: object | None, owner: type) -> Self | int: ...
        def __set__(self, game: object, value: int) -> None: ...


class Capped(Int):
    """A number of the state that starts at 0, only grows, and stays at its upper bound once it is there.

    Games don't declare it: it replaces a tally if all that matters is whether that reaches an amount.
    """

    def __init__(self, high: int, help: str = "") -> None:
        super().__init__(0, high, help, grows=True)


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

    def __init__(
        self,
        players: Size,
        help: str = "",
        *,
        nobody: bool = False,
        alike: bool = False,
        private: bool | Int | Flag = False,
    ) -> None:
        _must_be_size("Seat", players)
        super().__init__(-1 if nobody else 0, players - 1, help, start=-1 if nobody else 0, private=private)
        self.players = players
        self.alike = alike


class Flag(Field):
    """A yes or no of the state; no at the start.

    Examples
    --------
    ::

        rolled = Flag("the player may choose")
    """

    def __init__(self, help: str = "", *, private: bool | Int | Flag = False) -> None:
        super().__init__(0, 1, help, 0, False, private)

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
        private: bool | Int | Flag = False,
    ) -> None:
        super().__init__(low, high, help, start, grows, private)
        self.length = length
        self.by_seat = by_seat
        given: object = length
        if isinstance(given, int | Expr) and reach_of(given)[1] < 1:
            raise RulesError(f"{type(self).__name__}: a row of {length} numbers; it needs at least 1")
        if isinstance(length, int) and length > LONGEST:
            raise RulesError(f"{type(self).__name__}: a row of {length:,} numbers; the limit is {LONGEST:,}")

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

    def __init__(
        self,
        length: Size,
        help: str = "",
        *,
        start: Size | None = None,
        by_seat: bool = False,
        private: bool | Int | Flag = False,
    ) -> None:
        super().__init__(length, 0, 1, help, start=start, by_seat=by_seat, private=private)

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> list[bool]: ...
        def __get__(self, game: object | None, owner: type) -> Self | list[bool]: ...


class Grid(Ints):
    """Rows of rows of whole numbers, which rules read and set as ``self.board[i][j]``.

    Parameters are the numbers of rows and of columns, and those of `Ints`. With `by_seat` there is one row for each
    seat. The numbers are kept one row after the other.

    Examples
    --------
    ::

        board = Grid(8, 8, 0, 2, "who holds each square")
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
        private: bool | Int | Flag = False,
    ) -> None:
        _must_be_size("Grid", rows, columns)
        super().__init__(rows * columns, low, high, help, start=start, grows=grows, by_seat=by_seat, private=private)
        self.rows = rows
        self.columns = columns

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def __get__(self, game: None, owner: type) -> Self: ...
        @overload
        def __get__(self, game: object, owner: type) -> list[list[int]]: ...
        def __get__(self, game: object | None, owner: type) -> Self | list[list[int]]: ...
    else:

        def __get__(self, game: Any, owner: type) -> Any:
            """Return the rows of a game; the declaration, of a class."""
            return self if game is None else game.__dict__[self.name].lines(value_of(self.columns, game))

        def __set__(self, game: Any, value: object) -> None:
            setattr(game, self.name, value)


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
        _must_make_sense(self, low, high)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.help}>"

    def end_bounds(self, game: HasParameters) -> tuple[float, float]:
        """Return the bounds of the value at the end of a game; infinite where none is declared."""
        low = -inf if self.end_low is None else value_of(self.end_low, game)
        return low, inf if self.end_high is None else value_of(self.end_high, game)

    def check_end(self, game: HasParameters, value: int) -> None:
        """Refuse a final value outside the declared bounds.

        Raises
        ------
        RangeError
        """
        if self.end_low is None and self.end_high is None:
            return
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


def _must_make_sense(field: Field, low: object, high: object) -> None:
    """Refuse a range without values, or of too large ones, a help that is no text, and several numbers at the start."""
    kind = type(field).__name__
    start: object = field.start
    if isinstance(start, tuple | list):
        raise RulesError(
            f"{kind}: start = {start!r}; it is one number, the same for the whole row; set different ones in a method "
            f"def start(self): self.NAME[:] = {start!r}"
        )
    help: object = field.help
    if not isinstance(help, str):
        raise RulesError(f"{kind}: help = {help!r}; it must be a text")
    until: object = field.private
    if not isinstance(until, bool) and (not isinstance(until, Int | Flag) or until.private):
        raise RulesError(f"{kind}: private = {until!r}; it must be True, False, or an Int or Flag that everybody sees")
    ends = [end for end in (low, high) if isinstance(end, int | Expr)]
    if any(isinstance(end, int) and abs(end) > MOST_COUNTED for end in ends):
        raise RulesError(f"{kind}: its range, {low} to {high}, goes beyond 2**62")
    if len(ends) == 2 and reach_of(ends[0])[0] > reach_of(ends[1])[1]:
        raise RulesError(f"{kind}: its range, {low} to {high}, is empty")


def _must_be_size(kind: str, *sizes: object) -> None:
    """Refuse sizes that could not be numbers of things."""
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int | Expr) or reach_of(size)[1] < 1:
            given = ", ".join(map(str, sizes))
            raise RulesError(f"{kind}({given}, ...): {size!r} must be a whole number above 0, or made of parameters")


T = TypeVar("T")


def fields_of(owner: type, kind: type[T]) -> Iterator[T]:
    """Yield the declarations of type `kind` in a class and its parents, parents first, in the order written."""
    seen: dict[str, T] = {}
    for base in reversed(owner.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, kind):
                seen[name] = value
            else:
                seen.pop(name, None)
    yield from seen.values()
