"""Loops over the edges of a chain: the arithmetic of everything that is answered in floating point.

Plain functions over arrays, as they are for small chains and compiled for large ones (`fast`). Positions are in
topological order: edges lead on to later positions, or lie within a *block* of positions that can reach each other.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dicelab.runtime.timing import aside

INTERPRETED = 600
"""Chains with fewer edges than this are answered sooner than a compiled loop is loaded."""
PASSES = 400
"""Passes over a block, after which it is solved in another way."""


def fast(loop: Callable[..., Any], edges: int) -> Callable[..., Any]:
    """A loop as it is, or compiled where there is much to do."""
    return loop if edges < INTERPRETED else _compiled(loop)


@cache
def _compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    with aside():
        from dicelab.kernels.core import kept

        loop = kept(loop)
    return loop


def blocks(row, target, order, ends):
    """Strongly connected blocks (Tarjan), in topological order.

    `order` receives the positions, block by block, `ends` the end of each block in it; returns the number of blocks.
    Inside a block positions stand against the order in which the search was done with them, so that few edges lead back
    (reverse postorder): a pass over the block then follows the play.
    """
    n = row.size - 1
    index = np.zeros(n, np.int64)  # 0: not seen; else the time it was seen
    low = np.zeros(n, np.int64)
    edge = np.zeros(n, np.int64)
    stack = np.empty(n, np.int64)  # positions that are done with, but not their blocks
    base = np.empty(n, np.int64)
    path = np.empty(n, np.int64)
    held = depth = time = found = 0
    last = n
    for root in range(n):
        if index[root] > 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            s = path[depth - 1]
            if index[s] == 0:
                time += 1
                index[s] = low[s] = time
                edge[s] = row[s]
                base[s] = held
            deeper = False
            while edge[s] < row[s + 1]:
                t = target[edge[s]]
                if t >= 0:
                    if index[t] == 0:
                        path[depth] = t
                        depth += 1
                        deeper = True
                        break
                    if low[t] < low[s]:
                        low[s] = low[t]
                edge[s] += 1
            if deeper:
                continue
            depth -= 1
            stack[held] = s
            held += 1
            if low[s] == index[s]:
                ends[n - 1 - found] = last
                found += 1
                last -= held - base[s]
                for i in range(base[s], held):
                    low[stack[i]] = n + 1
                    order[last + held - 1 - i] = stack[i]
                held = base[s]
    for i in range(found):
        ends[i] = ends[n - found + i]
    return found


def never_left(row, target, ends):
    """The first position of a block that no edge leaves, or -1."""
    begin = 0
    for b in range(ends.size):
        end = ends[b]
        left = False
        for e in range(row[begin], row[end]):
            if target[e] < begin or target[e] >= end:
                left = True
                break
        if not left:
            return begin
        begin = end
    return -1


def relabel(row, weight, total, mover, change, label, chances, changes, table):
    """Number the pairs of chance and change that edges have: few pairs, so that an edge is two small numbers.

    `label` (edges) receives the number of each edge's pair, `chances` and `changes` what the numbers mean; `table`, of
    2**k numbers, is filled with -1. Returns the pairs found, or -1 when they fill the arrays.
    """
    found = 0
    mask = table.size - 1
    for s in range(row.size - 1):
        for e in range(row[s], row[s + 1]):
            p = 1.0 if mover[s] >= 0 else weight[e] / total[s]
            k = change[e]
            i = (np.int64(p * 4503599627370496.0) * 31 + k * 8191) & mask
            while table[i] >= 0 and (chances[table[i]] != p or changes[table[i]] != k):
                i = (i + 1) & mask
            if table[i] < 0:
                if found == chances.size:
                    return -1
                chances[found] = p
                changes[found] = k
                table[i] = found
                found += 1
            label[e] = table[i]
    return found


def reorder(order, rank, row, target, label, chance, stands, new_row, new_target, new_label, leave):
    """The edges with their positions in `order`; `leave` receives the chance not to stay where one is.

    Edges back to the same position stay if their label `stands`. (One minus the chance to stay would lose the digits of
    a chance to leave that is small.)
    """
    at = 0
    for i in range(order.size):
        s = order[i]
        new_row[i] = at
        for e in range(row[s], row[s + 1]):
            t = target[e]
            new_target[at] = rank[t] if t >= 0 else t
            new_label[at] = label[e]
            if t != s or not stands[label[e]]:
                leave[i] += chance[label[e]]
            at += 1
    new_row[order.size] = at


def visits(first, last, ends, row, target, label, chance, leave, pending, count):
    """How often each position is visited, given what is `pending`; what is left after `PASSES` stays pending.

    Blocks `first` to ``last - 1``; `count` is added to. Returns the first block that was not
    settled, or `last`.
    """
    for b in range(first, last):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        inflow = 0.0
        for s in range(begin, end):
            inflow += pending[s]
        if inflow == 0.0:
            continue
        left = inflow
        passes = 0
        while left > 1e-17 * inflow:
            if passes == PASSES:
                return b
            passes += 1
            for s in range(begin, end):
                mass = pending[s]
                if mass == 0.0:
                    continue
                pending[s] = 0.0
                mass /= leave[s]
                count[s] += mass
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    if t >= 0 and t != s:
                        pending[t] += mass * chance[label[e]]
            left = 0.0
            if end - begin > 1:
                for s in range(begin, end):
                    left += pending[s]
    return last


def values(first, last, ends, row, target, label, chance, leave, gain, prize, value):
    """Expected sum from each position to the end, blocks ``last - 1`` down to `first`.

    `gain` (labels) is what an edge adds, `prize` (outcomes) what an outcome adds; `value` (positions) is filled.
    Returns the block that was not settled after `PASSES`, or -1.
    """
    for b in range(last - 1, first - 1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        while moved > 1e-15:
            if passes == PASSES:
                return b
            passes += 1
            moved = 0.0
            for i in range(end - begin):
                s = end - 1 - i
                total = 0.0
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]]
                    if t < 0:
                        worth += prize[-1 - t]
                    elif t != s:
                        worth += value[t]
                    total += chance[label[e]] * worth
                total /= leave[s]
                by = abs(total - value[s])
                if by > moved * abs(total):
                    moved = by / abs(total) if total != 0.0 else 1.0
                value[s] = total
            if end - begin == 1:
                break
    return -1


def slack(row, target, label, chance, rough, gain, prize, value, unit):
    """How far `value` may be from solving its equations, at the worst position, rounding included.

    `rough` is the number of roundings in a chance beyond the first. With `unit` 1 the value is a number of steps: then
    the smallest amount by which it falls at a step, rounding subtracted, so that the true number of steps is at most
    the value divided by that.
    """
    worst = 0.0
    least = 1.0
    for s in range(row.size - 1):
        total = 0.0
        size = abs(value[s])
        for e in range(row[s], row[s + 1]):
            t = target[e]
            worth = gain[label[e]]
            size += chance[label[e]] * abs(worth)
            if t < 0:
                worth += prize[-1 - t]
                size += chance[label[e]] * abs(prize[-1 - t])
            else:
                worth += value[t]
                size += chance[label[e]] * abs(value[t])
            total += chance[label[e]] * worth
        rounding = 1.2e-16 * (row[s + 1] - row[s] + 5 + rough) * size
        off = abs(total - value[s]) + rounding
        if off > worst:
            worst = off
        fall = value[s] - (total - unit) - rounding
        if fall < least:
            least = fall
    return least if unit > 0.0 else worst


def imbalance(row, target, label, chance, rough, start, count, arrives, edges):
    """Sum over the positions of how far `count` may be from the visits that flow in, rounding included.

    `arrives` and `edges` (positions) are scratch of zeros.
    """
    arrives[start] = 1.0
    for s in range(row.size - 1):
        for e in range(row[s], row[s + 1]):
            t = target[e]
            if t >= 0:
                arrives[t] += count[s] * chance[label[e]]
                edges[t] += 1.0
    total = 0.0
    for s in range(row.size - 1):
        total += abs(arrives[s] - count[s]) + 1.2e-16 * (edges[s] + 5.0 + rough) * (arrives[s] + count[s])
    return total


def spreads(row, target, label, chance, rough, gain, prize, value, off, count):
    """Variance of a sum, from the variance of each step about the values; with a bound on its error.

    `off` bounds the error of `value`, `count` is how often each position is visited. Returns the variance, its error as
    far as it comes from `value` and rounding, and the largest variance of a step.
    """
    variance = 0.0
    lost = 0.0  # what rounding lost of the sum (Kahan)
    error = 0.0
    largest = 0.0
    for s in range(row.size - 1):
        mean = 0.0
        square = 0.0
        size = 0.0
        for e in range(row[s], row[s + 1]):
            t = target[e]
            after = value[t] if t >= 0 else prize[-1 - t]
            x = gain[label[e]] + after - value[s]
            mean += chance[label[e]] * x
            square += chance[label[e]] * x * x
            if abs(after) > size:
                size = abs(after)
        step = square - mean * mean
        more = count[s] * step - lost
        raised = variance + more
        lost = (raised - variance) - more
        variance = raised
        by = 2.0 * off + 1e-15 * (size + abs(value[s]))
        error += count[s] * (2.0 * by * square**0.5 + by * by + 2.4e-16 * (row[s + 1] - row[s] + 5 + rough) * square)
        if step > largest:
            largest = step
    return variance, error, largest


def alike(row, label, table, first):
    """Where the labels of each position's edges stand for the first time: `first` (positions) is filled.

    Few rows of labels are different in most chains: a loop that looks them up there finds them in the cache. `table`,
    of 2**k numbers, is filled with -1; when it is half full, rows stand for themselves.
    """
    found = 0
    mask = table.size - 1
    for s in range(row.size - 1):
        begin = row[s]
        size = row[s + 1] - begin
        mixed = size
        for e in range(begin, begin + size):
            mixed = (mixed * 8191 + label[e]) & 0xFFFFFFFF
        i = (mixed * 40503 >> 8) & mask
        first[s] = begin
        while table[i] >= 0:
            other = row[table[i]]
            same = row[table[i] + 1] - other == size
            if same:
                for e in range(size):
                    if label[begin + e] != label[other + e]:
                        same = False
                        break
            if same:
                first[s] = other
                break
            i = (i + 1) & mask
        if table[i] < 0 and 2 * found < table.size:
            table[i] = s
            found += 1


def levels(row, target, label, first, chance, leave, step, deepest, ends, level, last, tiny, enough, ring, pmf):
    """Distribution of a tally that no edge lowers: the mass at each value, level by level.

    The labels of a position's edges begin at its `first`. `step` (labels) is what an edge adds, `deepest` the largest;
    positions are ordered by the edges that add nothing,
    and `leave` is the chance not to stay by these. `ring` ((deepest + 1) * positions) holds the mass of the levels from
    `level` on, `pmf` (values, outcomes) is filled. Masses up to `tiny` are dropped. Returns the next level, and the
    mass dropped and left, when less than `enough` is left, `pmf` is full or level `last` is reached.
    """
    size = deepest + 1
    n = row.size - 1
    place = np.zeros(step.size, np.int64)
    rises = True  # with every edge, so that the inner loop need not ask
    for k in range(step.size):
        rises = rises and step[k] > 0
    dropped = 0.0
    left = 1.0
    while left > enough and level < last and level + deepest < pmf.shape[0]:
        here = level % size * n
        now = ring[here : here + n]
        for k in range(step.size):
            place[k] = (level + step[k]) % size * n
        begin = 0
        for b in range(ends.size):
            end = ends[b]
            again = True
            passes = 0
            while again:
                again = False
                passes += 1
                for s in range(begin, end):
                    mass = now[s]
                    if mass == 0.0:
                        continue
                    now[s] = 0.0
                    if mass <= tiny or passes > 10000:
                        dropped += mass
                        continue
                    mass /= leave[s]
                    shift = first[s] - row[s]
                    if rises:
                        for e in range(row[s], row[s + 1]):
                            t = target[e]
                            k = label[np.uint64(e + shift)]
                            if t < 0:
                                pmf[level + step[k], -1 - t] += mass * chance[k]
                            else:
                                ring[np.uint64(place[k] + t)] += mass * chance[k]
                        continue
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        k = label[e + shift]
                        if t < 0:
                            pmf[level + step[k], -1 - t] += mass * chance[k]
                        elif t != s or step[k] != 0:
                            ring[np.uint64(place[k] + t)] += mass * chance[k]
                            if t < s and step[k] == 0:
                                again = True
            begin = end
        level += 1
        if level % 8 == 0 or level == last:
            left = 0.0
            for mass in ring:
                left += mass
    return level, dropped, left
