"""Loops over the runs of a chain (`dicelab.chains.runs`), in the same layout; compiled as those of `chains.loops` are.

In all of them `y` (places) is scratch, zero at the beginning and at the end: the mass that has arrived at a place, or
what a place is worth. Mass moves in two half-steps: along the lines of the runs to places, from these to the states to
which they lead. Places of a component are complete when all runs of the components up to it are done.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from dicelab.chains.loops import PASSES


def mark_places(first, last, row, target, label, change, leads, over):
    """Set ``leads[change, state]``, or ``over[change, outcome]``, to 1 where an edge of these states ends so."""
    for e in range(row[first], row[last]):
        if target[e] >= 0:
            leads[change[label[e]], target[e]] = 1
        else:
            over[change[label[e]], -1 - target[e]] = 1


def find_runs(order, ends, row, target, label, change, chance, leads, over, begin, run_row, run_ends, place, weight):
    """Fill the last five arrays with the runs of the states in `order`; returns the numbers of runs and of lines.

    ``leads[change, state]`` and ``over[change, outcome]`` are the numbers of the places. A state belongs to the run of
    the state before it if both are in one component and each of its edges leads to the next place with equal chance.
    """
    runs = 0
    lines = 0
    before = -1  # the state before
    b = 0
    for i in range(order.size):
        s = order[i]
        many = row[s + 1] - row[s]
        same = i > 0 and i < ends[b] and row[before + 1] - row[before] == many
        for k in range(many):
            e = row[s] + k
            place[lines + k] = (
                leads[change[label[e]], target[e]] if target[e] >= 0 else over[change[label[e]], -1 - target[e]]
            )
            weight[lines + k] = chance[label[e]]
            if same:  # the lines of this run are the last ones
                j = lines - many + k
                same = weight[j] == weight[lines + k] and place[j] + (i - begin[runs - 1]) == place[lines + k]
        if not same:
            while i >= ends[b]:
                run_ends[b] = runs
                b += 1
            begin[runs] = i
            run_row[runs] = lines
            runs += 1
            lines += many
        before = s
    while b < ends.size:
        run_ends[b] = runs
        b += 1
    begin[runs] = order.size
    run_row[runs] = lines
    return runs, lines


def levels(
    ends, run_ends, place_ends, begin, row, place, chance, leads, step, deepest, level, last, tiny, enough, ring, y, pmf
):
    """As `dicelab.chains.loops.levels`, where each step of a place is at least 1: no mass stays at a level."""
    size = deepest + 1
    n = ends[-1]
    slot = np.zeros(size, np.int64)  # where the level that is k levels ahead begins in the ring
    dropped = 0.0
    left = 1.0
    quiet = 0  # components before this one have no mass, and never will again
    while left > enough and level < last and level + deepest < pmf.shape[0]:
        now = ring[level % size * n : (level % size + 1) * n]
        for k in range(size):
            slot[k] = (level + k) % size * n
        for b in range(quiet, ends.size):
            begins = ends[b - 1] if b > 0 else 0
            i = begins
            while i < ends[b] and now[i] == 0.0:
                i += 1
            if i < ends[b]:
                for r in range(run_ends[b - 1] if b > 0 else 0, run_ends[b]):
                    here = now[begin[r] : begin[r + 1]]
                    for j in range(row[r], row[r + 1]):
                        there = y[place[j] : place[j] + here.size]
                        p = chance[j]
                        for i in range(here.size):
                            there[i] += p * here[i]
                now[begins : ends[b]] = 0.0
            for a in range(place_ends[b - 1] if b > 0 else 0, place_ends[b]):
                mass = y[a]
                y[a] = 0.0
                if mass > tiny:
                    ring[slot[step[a]] + leads[a]] += mass
                else:
                    dropped += mass
        for a in range(place_ends[-1], leads.size):
            pmf[level + step[a], -1 - leads[a]] += y[a]
            y[a] = 0.0
        level += 1
        if level % 8 == 0 or level == last:
            left = 0.0
            before = True  # only quiet components so far
            for b in range(quiet, ends.size):
                mass = 0.0
                for k in range(size):
                    for i in range(k * n + (ends[b - 1] if b > 0 else 0), k * n + ends[b]):
                        mass += ring[i]
                left += mass
                before = before and mass == 0.0
                if before:
                    quiet = b + 1
    return level, dropped, left


def expected_visits(ends, run_ends, place_ends, begin, row, place, chance, leads, pending, y, count):
    """As `dicelab.chains.loops.expected_visits`; all states of a component send their mass on at the same time."""
    for b in range(ends.size):
        begins = ends[b - 1] if b > 0 else 0
        arrived = 0.0
        inflow = -1.0
        passes = 0
        while inflow < 0.0 or arrived > 1e-17 * inflow:
            if passes == PASSES:
                return b
            arrived = 0.0
            for a in range(place_ends[b - 1] if b > 0 else 0, place_ends[b]):
                pending[leads[a]] += y[a]
                arrived += y[a]
                y[a] = 0.0
            if passes == 0:
                for i in range(begins, ends[b]):  # with what begins here
                    inflow = max(inflow, 0.0) + pending[i]
                arrived = inflow
            passes += 1
            if arrived == 0.0:
                break
            for i in range(begins, ends[b]):
                count[i] += pending[i]
            for r in range(run_ends[b - 1] if b > 0 else 0, run_ends[b]):
                here = pending[begin[r] : begin[r + 1]]
                for j in range(row[r], row[r + 1]):
                    there = y[place[j] : place[j] + here.size]
                    p = chance[j]
                    for i in range(here.size):
                        there[i] += p * here[i]
            pending[begins : ends[b]] = 0.0
    y[place_ends[-1] :] = 0.0
    return ends.size


def values(ends, run_ends, begin, row, place, chance, back_row, back, add, value, y, sums):
    """As `dicelab.chains.loops.values`: Gauss-Seidel steps from run to run.

    `add` (places) is what the edges to a place add, with the prize of an outcome; `y`, at the beginning equal to it, is
    what the place is worth. ``back[back_row[s]]`` to ``back[back_row[s + 1] - 1]`` are the places that lead to state s.
    `sums` is scratch, as long as the longest run.
    """
    for b in range(ends.size - 1, -1, -1):
        passes = 0
        moved = 1.0
        while moved > 1e-15:
            if passes == PASSES:
                return b
            passes += 1
            moved = 0.0
            for r in range(run_ends[b] - 1, (run_ends[b - 1] if b > 0 else 0) - 1, -1):
                s = begin[r]
                many = begin[r + 1] - s
                sums[:many] = 0.0
                for j in range(row[r], row[r + 1]):
                    there = y[place[j] : place[j] + many]
                    p = chance[j]
                    for i in range(many):
                        sums[i] += p * there[i]
                for i in range(many):
                    total = sums[i]
                    by = abs(total - value[s + i])
                    if by > moved * abs(total):
                        moved = by / abs(total) if total != 0.0 else 1.0
                    value[s + i] = total
                    for q in range(back_row[s + i], back_row[s + i + 1]):
                        y[back[q]] = add[back[q]] + total
    return -1
