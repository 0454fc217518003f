"""What translated rules call on a GPU instead of `dicelab.kernels.rule_support` and `move_support`.

Dividing by zero doesn't stop a kernel there, and a list of moves has less room: both are recorded as errors.
"""

from __future__ import annotations

import numpy as np

from dicelab.kernels import move_support, rule_support
from dicelab.kernels.core import FIRST_LANE, below, guarded, place


@guarded
def divisor(game, y):  # type: ignore[no-untyped-def]
    """A divisor; 0 is recorded as an error, and 1 is returned."""
    game._outside |= -np.int64(y == 0)
    return np.int64(1) if y == 0 else np.int64(y)


@guarded
def quotient(game, x, y):  # type: ignore[no-untyped-def]
    """``x // y``."""
    return rule_support.quotient(game, x, divisor(game, y))


@guarded
def remainder(game, x, y):  # type: ignore[no-untyped-def]
    """``x % y``."""
    return rule_support.remainder(game, x, divisor(game, y))


@guarded
def divided(game, x, y):  # type: ignore[no-untyped-def]
    """``divmod(x, y)``."""
    return rule_support.divided(game, x, divisor(game, y))


@guarded
def add_move(game, moves, count, move):  # type: ignore[no-untyped-def]
    """Add a move to the first `count` of `moves`, unless it is among them; returns how many there are then."""
    if count >= moves.shape[0] - 1:
        game._outside |= -1
        return count
    return move_support.add_move(game, moves, count, move)


@guarded
def draw_slowly(k0, k1, game, t, row, pools, guide, sums, values, apart, shown):  # type: ignore[no-untyped-def]
    """As `dicelab.kernels.core.draw_slowly`; dice drawn one at a time are written to `shown`, and -1 is returned.

    All threads read the same `values`, so they have no scratch space there.
    """
    dice, die, view, width = apart[row, 0], apart[row, 1], apart[row, 2], apart[row, 3]
    if dice == 0:
        return place(below(k0, k1, game, t, pools[4 * row], FIRST_LANE), row, width, pools, guide, sums)
    for j in range(width):
        shown[j] = 0
    for k in range(dice):
        u = below(k0, k1, game, t, pools[4 * die], k << 16)
        value = values[place(u, die, width, pools, guide, sums)]
        if view == 0:
            shown[0] += value
        elif view == 1:
            shown[value] += 1
        else:
            shown[k] = value
    return -1
