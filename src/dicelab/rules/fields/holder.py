"""Games and memories hold the values of their fields: the initial ones, and those that are stored later."""

from __future__ import annotations

from collections.abc import Iterable

from dicelab.errors import RangeError
from dicelab.rules.fields.declared import LONGEST, Field, Flag, Grid, Int, Ints, Tally
from dicelab.rules.fields.ranges import checked
from dicelab.rules.fields.rows import Row
from dicelab.rules.params import HasParameters, Param, value_of


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
            length = value_of(f.length, game)
            if not 0 <= length <= LONGEST:
                raise RangeError(
                    f"{f.name}: a row of {length:,} numbers, with these parameters; the limit is {LONGEST:,}"
                )
            values[f.name] = Row(f, [first] * length, values)
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
