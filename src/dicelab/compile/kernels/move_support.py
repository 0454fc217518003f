"""Functions that kernels call in games that list moves, or whose kinds of choices have different numbers of values.

Where moves are listed, a kernel has the array ``_moves``: a row for each move, then one row for the move that is tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from dicelab.compile.kernels.core import guarded


@guarded
def add_move(game, moves, count, move):  # type: ignore[no-untyped-def]
    """Add a move to the first `count` of `moves`, unless it is among them; returns how many there are then."""
    if count == moves.shape[0] - 1:
        game._outside |= -1
        return count
    width = 0
    for value in move:
        moves[count, width] = value
        width += 1
    for i in range(count):
        same = True
        for j in range(width):
            same &= moves[i, j] == moves[count, j]
        if same:
            return count
    return count + 1


@guarded
def has_move(game, moves, count, move, spans):  # type: ignore[no-untyped-def]
    """Return whether a move is among the first `count` of `moves`; one of these outside the ranges
    `spans` is an error.
    """
    found = False
    for i in range(count):
        same = True
        for j, value in enumerate(move):
            same &= moves[i, j] == value
            if moves[i, j] < spans[j, 0] or moves[i, j] > spans[j, 1]:
                game._outside |= -1
        found |= same
    return found


@guarded
def next_kept(moves, dice):  # type: ignore[no-untyped-def]
    """Go from one choice of dice to the next, in the last row of `moves`: its last number changes fastest.

    Returns False after the last one.
    """
    last, j = moves.shape[0] - 1, dice.size - 1
    while j >= 0 and moves[last, j] >= dice[j]:
        moves[last, j] = 0
        j -= 1
    if j < 0:
        return False
    moves[last, j] += 1
    return True


def filled(move: Any, empty: tuple[int, ...]) -> tuple[int, ...]:
    """Return a move with as many numbers as `empty`, filled up from there; all of `empty` if it has more."""
    numbers = tuple(map(int, move)) if isinstance(move, tuple) else (int(move),)
    return (*numbers, *empty[len(numbers) :]) if len(numbers) <= len(empty) else empty


@overload(filled)
def _filled(move, empty):  # type: ignore[no-untyped-def]
    count, width = len(move) if isinstance(move, types.BaseTuple) else 1, len(empty)
    own = [f"np.int64(move[{i}])" for i in range(count)] if isinstance(move, types.BaseTuple) else ["np.int64(move)"]
    kept = own if count <= width else []
    parts = [*kept, *(f"np.int64(empty[{i}])" for i in range(len(kept), width))]
    made: dict[str, Any] = {}
    exec(f"def made(move, empty):\n    return ({', '.join(parts)},)", {"np": np}, made)
    return made["made"]
