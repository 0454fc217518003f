"""Compiled loops that evaluate turns: many beginnings side by side, a row of values for each node.

A program (`dicelab.solver.turns.program.Arrays`) is a tuple of its arrays.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept

LANES = 16
"""Beginnings that are solved side by side."""
ULP = 2.0**-52


@kept
def reach(begin, program, cuts, inner, reached):  # type: ignore[no-untyped-def]
    """Mark which nodes each lane reaches, as bits of `reached`, given the node at which each lane begins.

    Nodes are in the order of a program: targets before sources, so that one pass is enough unless it has `cuts`.
    """
    _, row, target, _, _, leaf_row, leaf, _, plain = program
    reached[:] = 0
    back = cuts.size > 0
    for w in range(begin.size):
        reached[begin[w]] |= 1 << w
    changed = True
    while changed:
        changed = False
        for m in range(reached.size):
            n = reached.size - 1 - m
            lanes = reached[n]
            if lanes == 0:
                continue
            for e in range(row[n], row[n + 1]):
                t = target[e]
                if t >= reached.size:
                    t = cuts[t - reached.size]
                if back and reached[t] | lanes != reached[t]:
                    changed = True
                reached[t] |= lanes
            for e in range(leaf_row[n], leaf_row[n + 1]):
                o = leaf[e]
                if plain[o]:
                    continue
                for w in range(begin.size):
                    t = inner[w, o]
                    if t >= reached.size:
                        t = cuts[t - reached.size]
                    if t >= 0 and lanes >> w & 1:
                        if back and not reached[t] >> w & 1:
                            changed = True
                        reached[t] |= 1 << w


@kept
def load(lanes, status, gain, step, by, exits, sign, prize, value, off, direction, out):  # type: ignore[no-untyped-def]
    """The value of each leaf in each lane, ``out[l, w]``: raised by its error if `direction` is 1, lowered if -1.

    A leaf that ends at a node has its gain only. ``off[b]`` is the error of the value of beginning b. Moves that are
    not allowed are worth ``-inf * sign``.
    """
    for w in range(lanes):
        for o in range(status.shape[1]):
            state = status[w, o]
            x = float(gain[w, o])
            if state == 0 or state == 3:
                x = -np.inf * sign[o]
            elif abs(x) > 2.0**53:  # not represented exactly: no bound on the error is found
                x = np.nan
            elif state == 2:
                x += prize[step[w, o]]
                x += direction * ULP * abs(x)
            elif exits[w, o] >= 0:
                v = value[exits[w, o]]
                if by[w, o] > 0:
                    v = 1.0 - v
                x += v
                x += direction * (off[exits[w, o]] + 2.0 * ULP * (abs(x) + abs(v) + 1.0))
            out[o, w] = x


@kept
def sweep(program, reached, value, leaf_value, inner, lanes, direction):  # type: ignore[no-untyped-def]
    """Values of the nodes, targets before sources: ``value[n, w]`` in lane w.

    Edges against the order read copies of cut nodes, in rows beyond the nodes, which the caller sets. With `direction`
    1 results are not below the exact ones, with -1 not above, given what is read; with 0 they are rounded.
    """
    size = np.zeros(LANES)
    for n in range(program[0].size):
        if reached[n] == 0:
            continue
        if program[0][n] == 0:
            roll(n, program, value, leaf_value, inner, lanes, direction, size)
        else:
            choose(n, program, value, leaf_value, inner, lanes, direction)


@guarded
def roll(n, program, value, leaf_value, inner, lanes, direction, size):  # type: ignore[no-untyped-def]
    """The mean of what follows a roll; `size` collects what bounds the rounding."""
    _, row, target, chance, gain, leaf_row, leaf, leaf_chance, _ = program
    for w in range(LANES):
        value[n, w] = 0.0
        size[w] = 0.0
    for e in range(row[n], row[n + 1]):
        t, p, g = target[e], chance[e], gain[e]
        for w in range(LANES):
            value[n, w] += p * (value[t, w] + g)
        if direction != 0.0:
            for w in range(LANES):
                size[w] += p * abs(value[t, w] + g)
    for e in range(leaf_row[n], leaf_row[n + 1]):
        o, p = leaf[e], leaf_chance[e]
        for w in range(lanes):
            x = leaf_value[o, w]
            if inner[w, o] >= 0:
                x += value[inner[w, o], w]
            value[n, w] += p * x
            size[w] += p * abs(x)
    if direction != 0.0:
        many = row[n + 1] - row[n] + leaf_row[n + 1] - leaf_row[n] + 6
        for w in range(LANES):
            value[n, w] += direction * many * ULP * size[w]


@guarded
def choose(n, program, value, leaf_value, inner, lanes, direction):  # type: ignore[no-untyped-def]
    """The best of what follows a choice."""
    side, row, target, _, gain, leaf_row, leaf, _, plain = program
    sign = np.float64(side[n])
    for w in range(LANES):
        value[n, w] = -np.inf
    for e in range(row[n], row[n + 1]):  # until the end, the largest of all values times the sign
        t, g = target[e], gain[e]
        for w in range(LANES):
            x = sign * (value[t, w] + g)
            value[n, w] = x if x > value[n, w] else value[n, w]
    for e in range(leaf_row[n], leaf_row[n + 1]):
        o = leaf[e]
        if plain[o]:
            for w in range(LANES):
                x = sign * leaf_value[o, w]
                value[n, w] = x if x > value[n, w] else value[n, w]
            continue
        for w in range(lanes):
            x = leaf_value[o, w]
            if inner[w, o] >= 0:
                x += value[inner[w, o], w]
            value[n, w] = max(value[n, w], sign * x)
    for w in range(LANES):
        value[n, w] = sign * value[n, w] + direction * 2.0 * ULP * abs(value[n, w])


@kept
def play(program, reached, value, leaf_value, inner, begin, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """The probability of each node and leaf in a turn by the best moves, for each lane: ``chance[n, w]``.

    `value` and `leaf_value` are those of `sweep`, and lane w begins at node ``begin[w]``. Only for programs without
    cut nodes.
    """
    side, row, target, weight, _, leaf_row, leaf, leaf_weight, _ = program
    chance[:] = 0.0
    leaf_chance[:] = 0.0
    for w in range(begin.size):
        chance[begin[w], w] = 1.0
    for m in range(side.size):
        n = side.size - 1 - m  # sources before targets
        if reached[n] == 0:
            continue
        if side[n] != 0:
            for w in range(begin.size):
                if chance[n, w] > 0.0:
                    play_best(n, w, program, value, leaf_value, inner, chance, leaf_chance)
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
def play_best(n, w, program, value, leaf_value, inner, chance, leaf_chance):  # type: ignore[no-untyped-def]
    """Make the best move of a choice in one lane."""
    side, row, target, _, gain, leaf_row, leaf, _, _ = program
    best, end, own = -np.inf, -1, -1
    for e in range(row[n], row[n + 1]):
        x = side[n] * (value[target[e], w] + gain[e])
        if x > best:
            best, end = x, target[e]
    for e in range(leaf_row[n], leaf_row[n + 1]):
        o = leaf[e]
        x = leaf_value[o, w]
        if inner[w, o] >= 0:
            x += value[inner[w, o], w]
        if side[n] * x > best:
            best, end, own = side[n] * x, inner[w, o], o
    if own >= 0:
        leaf_chance[own, w] += chance[n, w]
    if end >= 0:
        chance[end, w] += chance[n, w]


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
