"""Rolls that were written down: a file with a line for each roll, or counts of the faces."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError
from dicelab.questions.judging.sample import encoding_of
from dicelab.questions.notation.expression import distribution
from dicelab.questions.options import COUNTS
from dicelab.rules.params import whole_number

USUAL = (4, 6, 8, 10, 12, 20, 100)
"""Faces of dice that are assumed where none are named: the smallest of these that has all values."""
MOST_FACES = 1000
"""Largest number of faces of a die that can be tested."""
MOST_ROLLS = 10**12
"""Largest count of a face."""
LARGEST = 20_000_000
"""Largest size of a file, in bytes."""
COUNTER = 8
"""Lines from which on a column 1, 2, 3, ... is taken for line numbers, and one that adds up the others for totals."""
FEW = 3
"""Lines from which on a first column 1, 2, 3, ... of several may be that of the faces, with their counts."""
COUNTED = (
    {"face", "faces", "value", "side", "number", "result", "total", "sum", "pips"},
    {"count", "counts", "rolls", "rolled", "times", "frequency", "observed"},
)
"""Names of the two columns of a file of counts."""

Grid = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rolls:
    """Rolls of one die, or of several dice that are alike.

    Attributes
    ----------
    die
        The die, as it is written: ``d6``.
    faces, chances
        The values, rising, and the probability of each if the die is fair.
    counts
        How often each value was rolled, with all dice together.
    rows
        The rolls in order, a row each, with a column for each die; None where only counts are known.
    assumed
        Whether the die was assumed from the values.

    Examples
    --------
    >>> Rolls("d2", (1, 2), (Fraction(1, 2), Fraction(1, 2)), (9, 11)).number
    20
    """

    die: str
    faces: tuple[int, ...]
    chances: tuple[Fraction, ...]
    counts: tuple[int, ...]
    rows: Grid | None = None
    assumed: bool = False

    @property
    def number(self) -> int:
        """Number of dice rolled, in all rolls together."""
        return sum(self.counts)

    @property
    def dice(self) -> int:
        """Number of dice in a roll."""
        return 1 if self.rows is None else int(self.rows.shape[1])

    @cached_property
    def places(self) -> Grid:
        """The rows with the place of each value in place of it."""
        assert self.rows is not None
        return np.searchsorted(np.array(self.faces), self.rows)


def rolls_of(given: str | os.PathLike[str] | Sequence[int] | Sequence[Sequence[int]], die: str | None = None) -> Rolls:
    """Return the rolls of a file, of counts such as ``16,18,21,15,14,16``, or of a list.

    Parameters
    ----------
    given
        The path of a file; counts of the faces, separated by commas; or rolls, in order: values, or rows of values.
    die
        The die, such as ``d20`` or ``d{1,1,2,3}``; any dice expression whose values are the rolls. None assumes the
        smallest usual die with all of the values, or with as many faces as there are counts.

    Raises
    ------
    ParameterError
        When there are no rolls, a value is not on the die, or the file can't be read as rolls; says in which line.

    Examples
    --------
    >>> rolls_of("16,18,21,15,14,16").counts, rolls_of([3, 3, 6, 1]).die
    ((16, 18, 21, 15, 14, 16), 'd6')
    """
    if not isinstance(given, str | os.PathLike):
        listed = [[row] if isinstance(row, int | np.integer) else list(row) for row in given]
        return _in_order(_rectangular([(f"roll {at}", row) for at, row in enumerate(listed, 1)], "the rolls"), die)
    text = os.fspath(given)
    if COUNTS.fullmatch(text) and not os.path.exists(text):
        counts = [int(part) for part in text.split(",")]
        if max(counts) > MOST_ROLLS:
            raise ParameterError(f"a count of {max(counts):,} is too large; at most {MOST_ROLLS:,} are allowed")
        return _in_places(counts, die or f"d{len(counts)}", die is None)
    return _read(text, die)


def _in_places(counts: Sequence[int], die: str, assumed: bool) -> Rolls:
    """Return the counts of all values of a die, in their order."""
    values = list(distribution(die).probabilities)
    if len(values) != len(counts):
        raise ParameterError(f"{len(counts)} counts are given, and {die} has {len(values)} values")
    return replace(_counted(values, counts, die), assumed=assumed)


def _read(path: str, die: str | None) -> Rolls:
    """Return the rolls of a file."""
    try:
        if os.path.getsize(path) > LARGEST:
            raise ParameterError(f"{path} has more than {LARGEST // 10**6} MB")
        text = Path(path).read_text(encoding=encoding_of(path))
    except OSError as error:
        reason = error.strerror or "it can't be opened"
        wanted = "give a file with a line for each roll, or counts such as 16,18,21,15,14,16"
        raise ParameterError(f"{path} can't be read: {reason}; {wanted}") from error
    except UnicodeError as error:
        raise ParameterError(f"{path} is not text; save the rolls as CSV in UTF-8") from error
    return rolls_in(text, path, die)


def rolls_in(text: str, path: str, die: str | None = None) -> Rolls:
    """Return the rolls of a text, which is that of a file; `path` is what it is called in errors."""
    names, rows = _columns(text, path)
    if not rows:
        raise ParameterError(f"there are no rolls in {path}; write a line for each roll, with the value of each die")
    if len(names) == 2 and names[0] in COUNTED[0] and names[1] in COUNTED[1]:
        grid = _rectangular(rows, path)
        if len({*grid[:, 0].tolist()}) < len(grid) or grid[:, 1].min() < 0:
            raise ParameterError(f"{path}: a face stands there twice, or has a negative count")
        return _counted(grid[:, 0].tolist(), grid[:, 1].tolist(), die)
    if len(rows) == 1:  # all rolls of one die, in one line
        rows = [(rows[0][0], [value]) for value in rows[0][1]]
    grid = _rectangular(rows, path)
    _must_be_rolls(grid, path)
    return _in_order(grid, die)


def _columns(text: str, path: str) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Return the names of the columns, empty without a header, and the rows: where each is, and its numbers."""
    lines = text.splitlines()
    split = [(n, [cell for cell in re.split(r"[\s,;]+", line.strip()) if cell]) for n, line in enumerate(lines, 1)]
    split = [(n, cells) for n, cells in split if cells and not cells[0].startswith("#") and cells[0].lower() != "sep="]
    names = [cell.strip("\"'").lower() for cell in split[0][1]] if split else []
    headed = bool(names) and _number(names[0]) is None
    rows = [(f"{path}, line {n}", [_whole(path, n, cell) for cell in cells]) for n, cells in split[headed:]]
    return names if headed else [], rows


def _must_be_rolls(grid: NDArray[np.int64], path: str) -> None:
    """Refuse columns that number the rolls, or that are sums of the others."""
    if len(grid) >= COUNTER and any(np.array_equal(np.diff(column), np.ones(len(grid) - 1)) for column in grid.T):
        raise ParameterError(f"{path}: a column goes 1, 2, 3, ..., as line numbers do; leave it out")
    if len(grid) >= FEW and grid.shape[1] > 1 and np.array_equal(np.diff(grid[:, 0]), np.ones(len(grid) - 1)):
        raise ParameterError(
            f"{path}: the first column goes {grid[0, 0]}, {grid[1, 0]}, {grid[2, 0]}, ...; leave it out if it numbers "
            "the rolls, and name the columns face,count if it has the faces"
        )
    if len(grid) >= COUNTER and grid.shape[1] > 2:
        totals = np.flatnonzero((2 * grid == grid.sum(axis=1, keepdims=True)).all(axis=0))
        if len(totals):
            raise ParameterError(f"{path}: column {totals[0] + 1} is the sum of the others; leave it out")


def _whole(path: str, line: int, cell: str) -> int:
    number = _number(cell)
    if number is None or abs(number) > 10**12:
        raise ParameterError(
            f"{path}, line {line}: {cell[:20]!r} is not the value of a die; values are whole numbers, and the columns "
            "are those of the dice"
        )
    return number


def _number(cell: str) -> int | None:
    """Return the whole number of a cell, which spreadsheets also write as ``4.0`` or in quotes."""
    return whole_number(re.sub(r"\.0+$", "", cell.strip("\"'")))


def _rectangular(rows: Sequence[tuple[str, Sequence[int]]], what: str) -> Grid:
    """Return the rows as an array."""
    if not rows or not rows[0][1]:
        raise ParameterError(f"{what}: there are no rolls")
    for where, row in rows:
        if len(row) != len(rows[0][1]):
            raise ParameterError(f"{where} has {len(row)} dice, and the first roll has {len(rows[0][1])}")
    return np.array([row for _, row in rows], np.int64)


def _in_order(grid: Grid, die: str | None) -> Rolls:
    """Return rolls whose order is known."""
    values, counts = np.unique(grid, return_counts=True)
    named = die or _usual(int(values[0]), int(values[-1]))
    rolls = _counted(values.tolist(), counts.tolist(), named)
    return replace(rolls, rows=grid, assumed=die is None)


def _usual(low: int, high: int) -> str:
    """Return the smallest usual die that has the values."""
    for faces in USUAL:
        if low >= 1 and high <= faces:
            return f"d{faces}"
    raise ParameterError(f"no usual die has the values {low} to {high}; say which one it is, such as d{{0..9}}")


def _counted(values: Sequence[int], counts: Sequence[int], die: str | None) -> Rolls:
    """Return the counts of values, completed by those that were never rolled."""
    named = die or _usual(min(values), max(values))
    known = distribution(named).probabilities
    if len(known) > MOST_FACES:
        raise ParameterError(f"{named} has {len(known):,} values; dice with at most {MOST_FACES:,} can be tested")
    strange = [value for value, count in zip(values, counts, strict=True) if value not in known and count]
    if strange:
        raise ParameterError(
            f"{strange[0]} was rolled, and {named} doesn't show that; say which die it is, such as d20"
        )
    if len(known) < 2:
        raise ParameterError(f"{named} always shows the same")
    counted = dict(zip(values, counts, strict=True))
    numbers = tuple(counted.get(value, 0) for value in known)
    if not sum(numbers):
        raise ParameterError("there are no rolls; all counts are 0")
    return Rolls(named, tuple(known), tuple(known.values()), numbers, None, die is None)
