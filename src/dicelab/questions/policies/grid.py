"""A policy over two fields of the state: the best move, the value of each move, and the thresholds between moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.questions.policies.advice import states_at
from dicelab.runtime.states.codec import Slots

MOST = 20_000
"""Limit of the states in a grid."""
CHANGES = 3
"""Maximum changes of the move along a column that is described by thresholds."""


@dataclass(frozen=True)
class Cell:
    """One state: its values on both axes, its best move, and the value of each move (moves as text)."""

    x: int
    y: int
    best: str
    worth: dict[str, float]


@dataclass(frozen=True)
class Threshold:
    """Where moves change along y, for x from `low` to `high`: the move from each value of y on."""

    low: int
    high: int
    steps: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Grid:
    """A policy over two fields.

    Attributes
    ----------
    x, y
        The fields.
    at
        The values of the other fields that vary.
    fields
        All fields that vary, with their smallest and largest value.
    cells
        The states.
    """

    x: str
    y: str
    at: dict[str, int]
    fields: dict[str, tuple[int, int]]
    cells: tuple[Cell, ...]

    @property
    def thresholds(self) -> list[Threshold]:
        """The values of y at which the move changes, for each range of x in which they are the same.

        Columns in which the move changes more than `CHANGES` times have none.
        """
        columns = groupby(sorted(self.cells, key=lambda cell: (cell.x, cell.y)), key=lambda cell: cell.x)
        found: list[Threshold] = []
        for x, column in columns:
            steps: list[tuple[int, str]] = []
            for cell in column:
                if not steps or steps[-1][1] != cell.best:
                    steps.append((cell.y, cell.best))
            if len(steps) > CHANGES + 1:
                continue
            if found and found[-1].high == x - 1 and found[-1].steps == tuple(steps):
                found[-1] = Threshold(found[-1].low, x, tuple(steps))
            else:
                found.append(Threshold(x, x, tuple(steps)))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        moves = list(dict.fromkeys(move for cell in self.cells for move in cell.worth))
        cells = [[c.x, c.y, moves.index(c.best), [c.worth.get(move) for move in moves]] for c in self.cells]
        steps = [{"from": t.low, "to": t.high, "steps": list(map(list, t.steps))} for t in self.thresholds]
        fields = {name: list(span) for name, span in self.fields.items()}
        return {
            "x": self.x,
            "y": self.y,
            "at": self.at,
            "fields": fields,
            "moves": moves,
            "cells": cells,
            "thresholds": steps,
        }


def grid(policy: Policy, x: str | None = None, y: str | None = None, at: Mapping[str, int] | None = None) -> Grid:
    """A policy over two fields of the state, with the others at given values.

    Parameters
    ----------
    policy
        As solved.
    x, y
        The fields; by default the two with the most values.
    at
        Values of others; those left out have the value that occurs in most of the states left.

    Raises
    ------
    ParameterError
        When there is no such field or state, or the states are too many.

    Examples
    --------
    >>> import dicelab
    >>> found = grid(dicelab.solve("tossup", target=20).policy, "scores[0]", "points", {"player": 0, "scores[1]": 5})
    >>> found.thresholds[0].steps
    ((0, 'roll'), (20, 'bank'))
    """
    given = dict(at or {})
    wanted = [name for name in (*given, x, y) if name is not None]
    columns = {name: policy.column(name) for name in (*Slots.of(policy.game, ()).names, *wanted)}
    fields = {name: (int(c.min()), int(c.max())) for name, c in columns.items() if c.min() < c.max()}
    across, up = _axes(policy, columns, [name for name in fields if name not in given], x, y)
    must_be_axes(across, up, given)
    states = states_at(policy, given)
    for name in fields:
        if name not in (across, up, *given):
            given[name] = _most_frequent(columns[name][states])
            states = states[columns[name][states] == given[name]]
    if len(states) > MOST:
        raise ParameterError(f"a map of {len(states):,} states is too large; the limit is {MOST:,}")
    cells = []
    for state in states.tolist():
        choices = policy.choices(state)
        cells.append(Cell(int(columns[across][state]), int(columns[up][state]), choices.best_move, choices.worths))
    return Grid(across, up, {name: value for name, value in given.items() if name in fields}, fields, tuple(cells))


def _axes(
    policy: Policy, columns: Mapping[str, NDArray[np.int64]], free: list[str], x: str | None, y: str | None
) -> tuple[str, str]:
    """The fields on both axes: those given, else those with the most values among `free`.

    Raises
    ------
    ParameterError
    """
    widest = sorted(free, key=lambda name: -len(np.unique(columns[name])))
    y = y or next((name for name in widest if name != x), None)
    x = x or next((name for name in widest if name != y), None)
    if x is None or y is None:
        raise ParameterError(f"{policy.game.name}: a map needs two different fields of the state that vary")
    return x, y


def must_be_axes(x: str, y: str, at: Mapping[str, int]) -> None:
    """Refuse axes that are the same field, or a field that has one value.

    Raises
    ------
    ParameterError
    """
    if x == y:
        raise ParameterError(f"x and y are both {x}; the axes must be two different fields of the state")
    for axis, name in (("x", x), ("y", y)):
        if name in at:
            raise ParameterError(
                f"at: {name} is on the {axis} axis, where it has every value; leave out {name}={at[name]}"
            )


def _most_frequent(values: NDArray[np.int64]) -> int:
    """The smallest of the values that occur most often."""
    different, counts = np.unique(values, return_counts=True)
    return int(different[np.argmax(counts)])
