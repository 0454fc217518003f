"""Declarations of what changes during a game: its state, its tallies, and the memory of a strategy.

Every field is an integer with a declared range. A declaration is a class attribute; on a game it reads as a plain
``int`` (``list[int]`` for `Ints`, ``bool`` for `Flag`), so that type checkers understand rules. Ranges may be
expressions of parameters: ``Ints(players, 0, players * coins)``.

These modules must not import numpy or numba.
"""

from dicelab.rules.fields.declared import (
    LONGEST,
    MOST_COUNTED,
    Capped,
    Field,
    Flag,
    Flags,
    Grid,
    Int,
    Ints,
    Peak,
    Seat,
    Tally,
    fields_of,
)
from dicelab.rules.fields.rows import Traced, applied, checked, fill, store

__all__ = [
    "LONGEST",
    "MOST_COUNTED",
    "Capped",
    "Field",
    "Flag",
    "Flags",
    "Grid",
    "Int",
    "Ints",
    "Peak",
    "Seat",
    "Tally",
    "Traced",
    "applied",
    "checked",
    "fields_of",
    "fill",
    "store",
]
