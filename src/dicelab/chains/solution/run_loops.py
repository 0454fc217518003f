"""Loops over the runs of a chain (`runs`), in the same layout; compiled as those of `loops` are.

`chain` is `Runs.arrays`, `edges` is `Edges.arrays`. In all of the loops `y` (places) is scratch, zero at the beginning
and at the end: the mass that has arrived at a place, or what a place is worth. Mass moves in two half-steps: along the
lines of the runs to places, from these to the states to which they lead. Places of a component are complete when all
runs of the components up to it are done.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from dicelab.chains.solution.loops import PASSES


def mark_places(edges, first, last, change, leads, over):
    """Set ``leads[change, state - first]`` or ``over[change, outcome]`` to 1 where an edge of these states ends so."""
    _, row, target, label, _, _ = edges
    for e in range(row[first], row[last]):
        if target[e] >= 0:
            leads[change[label[e]], target[e] - first] = 1
        else:
            over[change[label[e]], -1 - target[e]] = 1


def find_runs(edges, order, ends, offset, change, leads, over, begin, run_row, run_ends, place, weight):
    """Fill the last five arrays with the runs of the states in `order`; returns the numbers of runs and of lines.

    ``leads[change, state - offset]`` and ``over[change, outcome]`` are the numbers of the places. A state belongs to
    the run of the state before it if both are in one component and each of its edges leads to the next place with equal
    chance.
    """
    _, row, target, label, chance, _ = edges
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
            by = change[label[e]]
            place[lines + k] = leads[by, target[e] - offset] if target[e] >= 0 else over[by, -1 - target[e]]
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


def first_busy(chain, ring, size):
    """The first component in which there is mass at any of the `size` levels in `ring`; all later ones if none has."""
    ends, _, _, _, _, _, _, _ = chain
    n = ends[-1]
    begin = 0
    for b in range(ends.size):
        for k in range(size):
            for i in range(k * n + begin, k * n + ends[b]):
                if ring[i] != 0.0:
                    return b
        begin = ends[b]
    return ends.size


def levels(chain, step, deepest, level, last, first, tiny, ring, y, pmf):
    """Follow a tally through the levels `level` to ``last - 1``, as `dicelab.chains.solution.loops.levels` does.

    Each step of a place is at least 1, so that no mass stays at a level. Components before `first` have no mass. Masses
    up to `tiny` are dropped; returns how much was.
    """
    ends, run_ends, place_ends, begin, row, place, chance, leads = chain
    size = deepest + 1
    n = ends[-1]
    slot = np.zeros(size, np.int64)  # where the level that is k levels ahead begins in the ring
    dropped = 0.0
    for now in range(level, last):
        for k in range(size):
            slot[k] = (now + k) % size * n
        for b in range(first, ends.size):
            i = slot[0] + (ends[b - 1] if b > 0 else 0)
            while i < slot[0] + ends[b] and ring[i] == 0.0:
                i += 1
            if i < slot[0] + ends[b]:
                for r in range(run_ends[b - 1] if b > 0 else 0, run_ends[b]):
                    here = ring[slot[0] + begin[r] : slot[0] + begin[r + 1]]
                    for j in range(row[r], row[r + 1]):
                        there = y[place[j] : place[j] + here.size]
                        p = chance[j]
                        for i in range(here.size):
                            there[i] += p * here[i]
                    here[:] = 0.0
            for a in range(place_ends[b - 1] if b > 0 else 0, place_ends[b]):
                mass = y[a]
                y[a] = 0.0
                if mass > tiny:
                    ring[slot[step[a]] + leads[a]] += mass
                else:
                    dropped += mass
        for a in range(place_ends[-1], leads.size):
            pmf[now + step[a], -1 - leads[a]] += y[a]
            y[a] = 0.0
    return dropped


def expected_visits(chain, pending, y, count):
    """As `loops.expected_visits`; all states of a component send their mass on at the same time."""
    ends, run_ends, place_ends, begin, row, place, chance, leads = chain
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


def values(chain, back_row, back, add, value, y, sums):
    """As `dicelab.chains.solution.loops.values`: Gauss-Seidel steps from run to run.

    `add` (places) is what the edges to a place add, with the prize of an outcome; `y`, at the beginning equal to it, is
    what the place is worth. ``back[back_row[s]]`` to ``back[back_row[s + 1] - 1]`` are the places that lead to state s.
    `sums` is scratch, as long as the longest run.
    """
    ends, run_ends, _, begin, row, place, chance, _ = chain
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
