"""Games and memories hold the values of their fields: the initial ones, and those that are stored later."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dicelab.errors import RangeError
from dicelab.rules.fields.declared import LONGEST, Capped, Field, Flag, Grid, Int, Ints, Tally
from dicelab.rules.fields.ranges import checked
from dicelab.rules.fields.rows import Row
from dicelab.rules.params import HasParameters, Param, value_of


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
    """Set a declared field of a game or a memory after checking the value against its range.

    Raises
    ------
    RangeError
    """
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
