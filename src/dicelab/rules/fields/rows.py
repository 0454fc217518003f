"""Rows of numbers as a game holds them: of fixed length, with every index and value checked."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

from dicelab.errors import RangeError
from dicelab.rules.fields.declared import Ints
from dicelab.rules.fields.ranges import Traced, checked

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
