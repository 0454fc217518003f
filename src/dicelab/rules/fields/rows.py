"""Rows of numbers as a game holds them: of fixed length, with every index and value checked."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any, NoReturn

from dicelab.errors import RangeError
from dicelab.rules.fields.declared import LONGEST, Capped, Field, Flag, Grid, Int, Ints, Tally
from dicelab.rules.params import HasParameters, Param, value_of

_item, _set_item = list.__getitem__, list.__setitem__


class Row(list[int]):
    """The list of values of an `Ints` field: its length is fixed, and every index and value is checked."""

    __slots__ = ("_bounds", "_field", "_holder", "_plain")

    def __init__(self, field: Ints, values: Iterable[int], holder: dict[str, Any]) -> None:
        super().__init__(values)
        self._field = field
        self._holder = holder
        self._bounds: tuple[int, int] = holder["_bounds"][field.name]
        self._plain = type(field) is Ints and not field.grows

    def _check(self, index: object) -> None:
        if isinstance(index, int) and not 0 <= index < len(self):
            raise RangeError(f"{self._field.name}[{index}]: the index must be 0 to {len(self) - 1}")

    def __getitem__(self, index: Any) -> Any:
        if index.__class__ is not int or not 0 <= index < len(self):
            self._check(index)
        return _item(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._plain and index.__class__ is value.__class__ is int:  # what nearly all stores are
            low, high = self._bounds
            if low <= value <= high and 0 <= index < len(self):
                _set_item(self, index, value)
                return
        if isinstance(index, Traced):
            index = operator.index(index)  # type: ignore[arg-type]
        if isinstance(index, slice):
            self._set_part(range(len(self))[index], value)
            return
        if not isinstance(index, int):
            raise RangeError(f"{self._field.name}[{index!r}]: an index is a whole number")
        self._check(index)
        old, beyond = _item(self, index), self._holder.get("_beyond")
        _set_item(self, index, checked(self._field, value, old, self._bounds, beyond))

    def _set_part(self, places: range, values: Iterable[int]) -> None:
        """Set the numbers at these places, as many as there are values."""
        numbers = list(values)
        if len(numbers) != len(places):
            raise RangeError(f"{self._field.name}: {len(numbers)} values for {len(places)} places; its length is fixed")
        for place, number in zip(places, numbers, strict=True):
            self[place] = number

    def lines(self, columns: int) -> Lines:
        """Return the rows of a `Grid` whose numbers these are."""
        return Lines(self, columns)

    def _fixed(self, *_: object, **__: object) -> NoReturn:
        raise RangeError(f"{self._field.name}: its length is fixed; only its values may be set")

    append = extend = insert = remove = pop = clear = sort = reverse = __delitem__ = __iadd__ = __imul__ = _fixed


class GridRow(Sequence[int]):
    """One row of a `Grid`, whose numbers may be read and set."""

    __slots__ = ("_columns", "_first", "_row")

    def __init__(self, row: Any, first: int, columns: int) -> None:
        self._row, self._first, self._columns = row, first, columns

    def _at(self, index: Any) -> int:
        at = operator.index(index)
        if not 0 <= at < self._columns:
            raise RangeError(f"{self._row._field.name}[i][{at}]: the index must be 0 to {self._columns - 1}")
        return self._first + at

    def __len__(self) -> int:
        return self._columns

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index] if isinstance(index, slice) else self._row[self._at(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            numbers, places = list(value), range(self._columns)[index]
            if len(numbers) != len(places):
                name = self._row._field.name
                raise RangeError(f"{name}[i]: {len(numbers)} values for {len(places)} places; its length is fixed")
            for place, number in zip(places, numbers, strict=True):
                self[place] = number
        else:
            self._row[self._at(index)] = value

    def __iter__(self) -> Iterator[int]:
        return map(self._row.__getitem__, range(self._first, self._first + self._columns))

    def __add__(self, other: Sequence[int]) -> list[int]:
        return [*self, *other]

    def __radd__(self, other: Sequence[int]) -> list[int]:
        return [*other, *self]

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, GridRow) else other)

    __hash__ = None  # type: ignore[assignment]


class Lines(Sequence[GridRow]):
    """All rows of a `Grid`."""

    __slots__ = ("_columns", "_row")

    def __init__(self, row: Any, columns: int) -> None:
        self._row, self._columns = row, columns

    def __len__(self) -> int:
        return len(self._row) // self._columns

    def __getitem__(self, index: Any) -> Any:
        at = operator.index(index)
        if not 0 <= at < len(self):
            raise RangeError(f"{self._row._field.name}[{at}]: the index must be 0 to {len(self) - 1}")
        return GridRow(self._row, at * self._columns, self._columns)

    def __iter__(self) -> Iterator[GridRow]:
        return map(self.__getitem__, range(len(self)))

    def __setitem__(self, index: object, value: object) -> NoReturn:
        name = self._row._field.name
        raise RangeError(f"{name}[{index!r}]: set one number at a time: {name}[i][j] = ...")


# Ranges ---------------------------------------------------------------------------------------------------------------
#
# Values that are stored in fields are checked: at once, or when the rule that stores them ends.


class Traced:
    """Base class of symbolic values that engines store in fields to record what rules do with them.

    There are three, because they answer three questions: how much was added to a field and what it was compared with
    (`runtime.states.counters`), whether two branches do the same operations, and on which values a branch depends (both
    `solver.turns.residuals`). What they don't follow they refuse (`refuse_rest`).
    """

    def stored(self, least: object, bounds: tuple[int, int]) -> object:
        """Return what is stored: the value itself once it is checked, or a number that has yet to be.

        It must lie within `bounds`, and not be below `least` unless that is None.
        """
        return self


ALONE = (
    "bool index int float complex round len iter next getitem setitem delitem contains eq ne lt le gt ge hash neg pos "
    "abs invert str format"
)
PAIRED = "add sub mul floordiv truediv mod divmod pow lshift rshift and or xor"
"""What Python may do with a value, and with two of them."""


def refuse_rest(kind: type, refuse: Callable[..., Any]) -> None:
    """Let all that Python may do with a value, and its class doesn't define, call a function with the value first."""
    for name in [*ALONE.split(), *PAIRED.split(), *(f"r{name}" for name in PAIRED.split())]:
        if vars(kind).get(f"__{name}__") is None:
            setattr(kind, f"__{name}__", refuse)


class Refused:
    """A stand-in for a value that must not be used: whatever is done with it calls `refuse`."""

    def __init__(self, refuse: Callable[[], NoReturn]) -> None:
        self._refuse = refuse

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself looks for special methods
            raise AttributeError(name)
        self._refuse()


refuse_rest(Refused, lambda value, *_: value._refuse())

Beyond = dict[str, tuple[Field, TracebackType | None]]
"""The fields that had a value outside their ranges while a rule ran, and where that was stored."""


def checked(field: Field, value: object, old: int | None, bounds: tuple[int, int], beyond: Beyond | None = None) -> int:
    """Return `value` as the ``int`` (or ``bool``) that is stored in `field`; a `Traced` value is returned as it is.

    While a rule runs, `beyond` notes a value outside the range, which is refused when the rule ends (`applied`).

    Raises
    ------
    RangeError
        When it is not an integer, outside the range, or below `old` in a field that `grows`.
    """
    low, high = bounds
    if isinstance(value, Traced):
        value = value.stored(old if field.grows else None, bounds)
        if isinstance(value, Traced):
            return value  # type: ignore[return-value]
    if not isinstance(value, int):
        raise RangeError(f"{field.name} = {value!r}: the state holds whole numbers only")
    if isinstance(field, Capped):
        if old is not None and value < old:
            raise RangeError(f"{field.name} falls; only a tally that never falls can be asked to reach an amount")
        value = min(value, high)
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
    """Return the place in the rules at which a value is stored now."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        frame.f_globals.get("__package__") == __package__ or frame.f_code.co_name == "__setattr__"
    ):
        frame = frame.f_back
    return TracebackType(None, frame, frame.f_lasti, frame.f_lineno) if frame is not None else None


def applied(rule: Callable[..., object], game: Any, values: Sequence[int]) -> None:
    """Run a rule that may change the state of a game: what a roll or a choice does, or `Game.start`.

    Inside it a field may have a value outside its range; at its end none may.
    """
    state, beyond = game.__dict__, Beyond()
    state["_beyond"] = beyond
    try:
        rule(game, *values)
    finally:
        state["_beyond"] = None
    if beyond:
        _must_be_inside(state, beyond)


def _must_be_inside(state: dict[str, Any], beyond: Beyond) -> None:
    """Refuse what is outside its range when a rule ends."""
    for name, (f, where) in beyond.items():
        for value in state[name] if isinstance(f, Ints) else (state[name],):
            try:
                checked(f, value, None, state["_bounds"][name])
            except RangeError as error:
                raise error.with_traceback(where) from None


# Holder ---------------------------------------------------------------------------------------------------------------
#
# Games and memories hold the values of their fields: the initial ones, and those that are stored later.


def fill(holder: object, fields: Iterable[Field], game: HasParameters) -> None:
    """Set every field of a game or a memory to its initial value.

    Parameters don't change, so the first time are kept: the ranges (``_bounds``), what a value must be to be stored
    without a closer look (``_quick``), and the initial values (``_first``).
    """
    values = holder.__dict__
    if "_first" not in values:
        values.update(_bounds={}, _quick={})
        values["_first"] = [_first(f, values, game) for f in fields]
    for name, row, first in values["_first"]:
        values[name] = first if row is None else Row(row, first, values)


def _first(f: Field, values: dict[str, Any], game: HasParameters) -> tuple[str, Ints | None, Any]:
    """Return the name of a field, the field itself if it is a row, and its initial value."""
    first, bounds = f.initial(game), f.bounds(game)
    values["_bounds"][f.name] = bounds
    _must_begin_inside(f, first, bounds)
    if isinstance(f, Ints):
        length = value_of(f.length, game)
        if not 0 <= length <= LONGEST:
            raise RangeError(f"{f.name}: a row of {length:,} numbers, with these parameters; the limit is {LONGEST:,}")
        return f.name, f, [first] * length
    if isinstance(f, Flag):
        values["_quick"][f.name] = bool, *bounds
        return f.name, None, bool(first)
    if isinstance(f, Int | Tally) and not f.grows and not isinstance(f, Capped):
        values["_quick"][f.name] = int, *bounds
    return f.name, None, first


def _must_begin_inside(f: Field, first: int, bounds: tuple[int, int]) -> None:
    low, high = bounds
    if low <= high and not low <= first <= high:
        raise RangeError(f"{f.name} = {first} at the start is outside its declared range {low} to {high}")


def store(holder: object, name: str, value: Any) -> None:
    """Set a declared field of a game or a memory after checking the value against its range."""
    values = holder.__dict__
    try:
        kind, low, high = values["_quick"][name]
        if value.__class__ is kind and low <= value <= high:  # what nearly all stores are
            values[name] = value
            return
    except KeyError:
        pass
    f = getattr(type(holder), name, None)
    if isinstance(f, Int | Flag | Tally) and name in values:
        values[name] = checked(f, value, values[name], values["_bounds"][name], values.get("_beyond"))
    elif isinstance(f, Param):
        raise RangeError(f"{name} is a parameter; rules can't change it")
    elif isinstance(f, Ints):
        at = "[i][j]" if isinstance(f, Grid) else "[i]"
        raise RangeError(f"{name} is a row; set its values one at a time: {name}{at} = ...")
    else:
        raise RangeError(f"{name} is not declared; declare what changes as Int, Ints, Flag or Tally in the class")
