"""Compiled loops over turns that are played by the best moves, from the first to the last.

By itself because `loops` would have more than 500 lines with them.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.solver.turns.loops import LANES


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
        if reached[n] == 0:
            continue
        if side[n] != 0:
            play_best(n, begin.size, program, value, leaf_value, inner, room, chance, leaf_chance)
            continue
        for e in range(row[n], row[n + 1]):
            for w in range(LANES):
                chance[target[e], w] += weight[e] * chance[n, w]
        for e in range(leaf_row[n], leaf_row[n + 1]):
            for w in range(begin.size):
                leaf_chance[leaf[e], w] += leaf_weight[e] * chance[n, w]
                if inner[w, leaf[e]] >= 0:
                    chance[inner[w, leaf[e]], w] += leaf_weight[e] * chance[n, w]


@guarded
def play_best(n, lanes, program, value, leaf_value, inner, room, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """Make the best move of a choice in all lanes; `room` is for the best value, where it leads, and the leaf."""
    side, row, target, _, gain, leaf_row, leaf, _, plain = program
    best, end, own = room
    sign = np.float64(side[n])
    for w in range(LANES):
        best[w] = -np.inf
        end[w] = -1.0
        own[w] = -1.0
    for e in range(row[n], row[n + 1]):  # numbers of nodes are floats, as wide as values, for the sake of vectors
        t, g = target[e], gain[e]
        for w in range(LANES):
            x = sign * (value[t, w] + g)
            better = x > best[w]
            best[w] = x if better else best[w]
            end[w] = np.float64(t) if better else end[w]
    for e in range(leaf_row[n], leaf_row[n + 1]):
        o = leaf[e]
        if plain[o]:
            for w in range(LANES):
                x = sign * leaf_value[o, w]
                better = x > best[w]
                best[w] = x if better else best[w]
                end[w] = -1.0 if better else end[w]
                own[w] = np.float64(o) if better else own[w]
            continue
        for w in range(lanes):
            x = leaf_value[o, w]
            if inner[w, o] >= 0:
                x += value[inner[w, o], w]
            if sign * x > best[w]:
                best[w], end[w], own[w] = sign * x, np.float64(inner[w, o]), np.float64(o)
    for w in range(lanes):
        if own[w] >= 0:
            leaf_chance[np.int64(own[w]), w] += chance[n, w]
        if end[w] >= 0:
            chance[np.int64(end[w]), w] += chance[n, w]


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
