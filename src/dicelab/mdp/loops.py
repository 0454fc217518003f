"""Loops over the edges of a chain in which seats choose: values under best play, and what proves them.

Plain functions over arrays, interpreted or compiled as those of `dicelab.chains.loops`; positions are in topological
order. At a position `side` is 1 where the seat that chooses wants the value to be large, -1 where it wants it small,
and 0 where dice are thrown. `flip` (labels) is 1; -1 where an edge leads to a position that is seen from the other of
two seats: there the value is that of the other, so that minus it is added to a gain of 1.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

PASSES = 300
"""Passes over a block, after which its best moves are taken as they are and their values solved for."""


def settle(first, last, ends, row, target, label, chance, leave, flip, side, gain, prize, value, was, by, passes_most):
    """Values under best play, blocks ``last - 1`` down to `first`.

    `gain` (labels) is what an edge adds, `prize` (outcomes) what an outcome adds; `value` (positions) is filled; `was`
    and `by` are scratch, as long as the largest block. Where what is still missing shrinks by the same share with each
    pass, all of it is added at once (Aitken), unless more than `PASSES` are allowed: then values only rise, or fall,
    from 0. Returns the block that was not settled after `passes_most`, or -1; and ``-2 - s`` where ever more can be
    gained by staying at position s.
    """
    for b in range(last - 1, first - 1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        while moved > 1e-13:
            if passes == passes_most:
                return b
            passes += 1
            moved = 0.0
            if passes % 6 >= 4:
                for i in range(end - begin):
                    was[i] = value[begin + i]
            for i in range(end - begin):
                s = end - 1 - i
                here = side[s]
                total = 0.0
                leaves = leave[s]
                none = True
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]]
                    if t < 0:
                        worth += prize[-1 - t]
                    elif t != s:
                        worth += flip[label[e]] * value[t]
                    elif flip[label[e]] < 0.0:  # the same, but for the other: v = ... + p (1 - v)
                        leaves += chance[label[e]]
                        worth *= 1.0 if here == 0 else 0.5
                    elif here * worth > 0.0:
                        return -2 - s
                    elif here != 0:
                        continue
                    if here == 0:
                        total += chance[label[e]] * worth
                    elif none or here * worth > here * total:
                        total = worth
                        none = False
                if here == 0:
                    total /= leaves
                off = abs(total - value[s])
                if off > moved * abs(total):
                    moved = off / abs(total) if total != 0.0 else 1.0
                value[s] = total
            if end - begin == 1:
                break
            if passes_most > PASSES:
                continue
            if passes % 6 == 4:
                for i in range(end - begin):
                    by[i] = value[begin + i] - was[i]
            elif passes % 6 == 5 and moved > 1e-13:
                both = 0.0
                old = 0.0
                new = 0.0
                for i in range(end - begin):
                    step = value[begin + i] - was[i]
                    both += step * by[i]
                    old += by[i] * by[i]
                    new += step * step
                share = both / old if old > 0.0 else 0.0
                if 0.0 < share < 0.9999 and new - share * both < 1e-4 * new:
                    for i in range(end - begin):
                        value[begin + i] += (value[begin + i] - was[i]) * share / (1.0 - share)
    return -1


def pick(first, last, row, target, label, flip, side, gain, prize, value, picked):
    """The best edge of each position at which a seat chooses; -1 elsewhere."""
    for s in range(first, last):
        picked[s] = -1
        best = 0.0
        for e in range(row[s], row[s + 1]):
            if side[s] == 0:
                break
            t = target[e]
            if t == s and flip[label[e]] > 0.0:
                continue
            worth = gain[label[e]] + (prize[-1 - t] if t < 0 else flip[label[e]] * value[t])
            if picked[s] < 0 or side[s] * worth > side[s] * best:
                best = worth
                picked[s] = e


def last_steps(
    first, last, ends, row, target, label, chance, leave, flip, side, gain, prize, value, picked, idle, tie, steps
):
    """Throws and choices still to come from each position when the picked edges are taken, as `settle`.

    A choice by which nothing is gained counts `idle`. Where `tie` is not 0, the longest way is counted of all edges
    that are worth less than the best by no more. They need not be exact: it is enough that each step takes them nearly
    one further.
    """
    for b in range(last - 1, first - 1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        while moved > 1e-3:
            if passes == PASSES:
                return b
            passes += 1
            moved = 0.0
            for i in range(end - begin):
                s = end - 1 - i
                total = 1.0
                leaves = leave[s]
                if side[s] != 0:
                    total = 0.0
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if e != picked[s]:
                            if tie == 0.0 or t == s:
                                continue
                            worth = gain[label[e]] + (prize[-1 - t] if t < 0 else flip[label[e]] * value[t])
                            if abs(worth - value[s]) > tie * (1.0 + abs(value[s])):
                                continue
                        more = idle if gain[label[e]] == 0.0 else 1.0
                        if t >= 0:
                            more += steps[t]
                        total = max(total, more)
                else:
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if t == s and flip[label[e]] < 0.0:
                            leaves -= chance[label[e]]
                        elif t >= 0 and t != s:
                            total += chance[label[e]] * steps[t]
                    total /= leaves
                moved = max(moved, abs(total - steps[s]))
                steps[s] = total
            if end - begin == 1:
                break
    return -1


def shortest(begin, end, row, target, label, chance, leave, flip, side, gain, prize, value, picked, steps):
    """Of edges that are equally good, pick those by which a block is left soonest."""
    for s in range(begin, end):
        steps[s] = 0.0
    for _ in range(100 * PASSES):
        moved = 0.0
        for s in range(end - 1, begin - 1, -1):
            total = 1.0
            leaves = leave[s]
            if side[s] == 0:
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    if t == s and flip[label[e]] < 0.0:
                        leaves -= chance[label[e]]
                    elif t >= 0 and t != s:
                        total += chance[label[e]] * steps[t]
                total /= leaves
            else:
                total = 1e300
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]] + (prize[-1 - t] if t < 0 else flip[label[e]] * value[t])
                    more = 1.0 + (steps[t] if t >= 0 else 0.0)
                    if t != s and abs(worth - value[s]) <= 1e-12 * (1.0 + abs(value[s])) and more < total:
                        total = more
                        picked[s] = e
            moved = max(moved, abs(total - steps[s]))
            steps[s] = total
        if moved < 1e-3:
            break


def needed(row, target, label, chance, flip, side, rough, gain, prize, value, steps, picked, longer):
    """The least and the greatest d for which ``value + d steps`` and ``value - d steps`` prove each other.

    With such a d the one falls, and the other rises, with every throw and every choice of the side that would gain by
    its rising or falling: no value is off by more than ``d steps``. Where of two equal moves the longer should have
    been picked, `longer` receives it, else -1.
    """
    least = 0.0
    most = 1e300
    for s in range(row.size - 1):
        longer[s] = -1
        mean = 0.0
        size = abs(value[s])
        ahead = 0.0
        for e in range(row[s], row[s + 1]):
            t = target[e]
            worth = gain[label[e]] + (prize[-1 - t] if t < 0 else flip[label[e]] * value[t])
            more = steps[t] if t >= 0 else 0.0
            if side[s] == 0:
                mean += chance[label[e]] * worth
                ahead += chance[label[e]] * more
                if abs(worth) > size:
                    size = abs(worth)
                continue
            if t == s and flip[label[e]] > 0.0 and side[s] * gain[label[e]] <= 0.0:
                continue
            over = side[s] * (worth - value[s])
            if e == picked[s]:
                over = abs(over)
            if gain[label[e]] != 0.0:
                over += 2.5e-16 * (abs(worth) + abs(value[s]))
            fewer = steps[s] - more
            if fewer > 0.0:
                if over > least * fewer:
                    least = over / fewer
            elif over > 0.0 or (over == 0.0 and fewer < 0.0):
                longer[s] = e
            elif over == 0.0:
                continue
            elif -over < most * -fewer:
                most = over / fewer
        if side[s] == 0:
            off = abs(value[s] - mean) + 1.2e-16 * (row[s + 1] - row[s] + 5 + rough) * size
            fewer = steps[s] - ahead
            if fewer <= 0.0:
                most = -1.0
            elif off > least * fewer:
                least = off / fewer
    return least, most


def settle_all(ends, row, target, label, chance, leave, turn, mover, value, picked, chasing):
    """Values of all seats, each of which picks what is best for itself, while the others pick as they do.

    `value` (positions, seats) and `picked` are filled; `turn` (labels) is how many seats further the view is. A seat
    leaves the edge it has picked only for one that is better by more than rounding. In a block where moves chase each
    other they are left as they are after a while; `chasing` receives its number. Returns how many such blocks there
    are.
    """
    seats = value.shape[1]
    after = np.zeros(seats)
    found = 0
    for b in range(ends.size - 1, -1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        free = True
        alone = end - begin == 1
        while moved > 1e-14 and passes < 40 * PASSES:
            passes += 1
            if free and passes > 10 * PASSES:
                free = False
                chasing[found] = b
                found += 1
            moved = 0.0
            for i in range(end - begin):
                s = end - 1 - i
                for k in range(seats):
                    after[k] = 0.0
                if mover[s] < 0:
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if t < 0:
                            after[-1 - t] += chance[label[e]]
                        elif t != s or turn[label[e]] > 0:
                            alone = alone and t != s
                            for k in range(seats):
                                after[k] += chance[label[e]] * value[t, k - turn[label[e]]]
                    for k in range(seats):
                        after[k] /= leave[s]
                else:
                    me = mover[s]
                    best = -1.0
                    chosen = row[s]
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if t == s and turn[label[e]] == 0:
                            continue
                        alone = alone and t != s
                        worth = value[t, me - turn[label[e]]] if t >= 0 else (1.0 if -1 - t == me else 0.0)
                        if picked[s] == e:
                            worth += 1e-13
                        if (free or picked[s] == e) and worth > best:
                            best = worth
                            chosen = e
                    picked[s] = chosen
                    t = target[picked[s]]
                    for k in range(seats):
                        after[k] = value[t, k - turn[label[picked[s]]]] if t >= 0 else (1.0 if -1 - t == k else 0.0)
                for k in range(seats):
                    moved = max(moved, abs(after[k] - value[s, k]))
                    value[s, k] = after[k]
            if alone:
                break
    return found
