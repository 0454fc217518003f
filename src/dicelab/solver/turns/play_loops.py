"""Compiled loops over turns that are played by the best moves, from the first to the last.

By itself because `loops` would have more than 500 lines with them.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.compile.kernels.vector_rows import LANES, pick_rows, spread_row
from dicelab.solver.turns.loops import plain_leaves, with_inner


@kept
def play(program, reached, value, leaf_value, inner, begin, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """Return the probability of each node and leaf in a turn by the best moves, for each lane: ``chance[n, w]``.

    `value` and `leaf_value` are those of `sweep`, and lane w begins at node ``begin[w]``. Only for programs without
    cut nodes.
    """
    side, row, target, weight, _, leaf_row, leaf, leaf_weight, _ = program
    chance[:] = 0.0
    leaf_chance[:] = 0.0
    room = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for w in range(begin.size):
        chance[begin[w], w] = 1.0
    for m in range(side.size):
        n = side.size - 1 - m  # sources before targets
        if reached[n] == 0 or not chance[n].any():
            continue
        if side[n] != 0:
            play_best(n, begin.size, program, value, leaf_value, inner, room, chance, leaf_chance)
            continue
        spread_row(chance[n], chance, target, row[n], row[n + 1], weight)
        spread_row(chance[n], leaf_chance, leaf, leaf_row[n], leaf_row[n + 1], leaf_weight)
        for e in range(leaf_row[n], leaf_row[n + 1]):
            for w in range(begin.size):
                if inner[w, leaf[e]] >= 0:
                    chance[inner[w, leaf[e]], w] += leaf_weight[e] * chance[n, w]


@guarded
def play_best(n, lanes, program, value, leaf_value, inner, room, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """Make the best move of a choice in all lanes; `room` is for the best value, its edge, and its leaf."""
    side, row, target, _, gain, leaf_row, leaf, _, plain = program
    best, edge, own = room
    sign = np.float64(side[n])
    best[:] = -np.inf
    edge[:] = -1.0
    own[:] = -1.0
    pick_rows(best, edge, value, target, row[n], row[n + 1], sign, gain)
    e, last = leaf_row[n], leaf_row[n + 1]
    while e < last:
        end = plain_leaves(e, last, leaf, plain)
        pick_rows(best, own, leaf_value, leaf, e, end, sign, None)
        if end < last:
            for w in range(lanes):
                x = sign * with_inner(leaf_value, value, inner, leaf[end], w)
                if x > best[w]:
                    best[w], own[w] = x, np.float64(end)
        e = end + 1
    for w in range(lanes):
        t = target[int(edge[w])] if edge[w] >= 0 else -1
        if own[w] >= 0:
            o = leaf[int(own[w])]
            leaf_chance[o, w] += chance[n, w]
            t = inner[w, o]
        if t >= 0:
            chance[t, w] += chance[n, w]


@kept
def shift(source, target, gain, chance, low, high, place, mass, out_place, out):  # type: ignore[no-untyped-def]
    """Add what transitions carry: of the distribution of each source, moved by `gain`, the share `chance`.

    The probability that beginning b is reached with the total x is ``mass[place[b] + x - low[b]]``, and for a target
    ``out[out_place[b] + x - low[b]]``; x is at most ``high[b]``.
    """
    for i in range(source.size):
        s, t, p = source[i], target[i], chance[i]
        first = out_place[t] + gain[i] + low[s] - low[t]
        for k in range(high[s] - low[s] + 1):
            out[first + k] += p * mass[place[s] + k]
