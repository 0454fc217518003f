"""The second step of an enumeration: states get numbers, in the order in which they are found, and edges are added."""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.compile.kernels.hashtable import equal, number_all, number_of

ONE, LOW_BITS = np.uint64(1), np.uint64(255)
"""Unsigned, as every index in the loop: one that can't be negative needs no test whether it counts from the end."""


@kept
def add_edges(lo, hi, branches, chain, sizes, report):  # type: ignore[no-untyped-def]
    """Return the number the states to which the branches of the states `lo` to ``hi - 1`` lead, and add their edges.

    `branches` and `chain` are `Branches` and `ChainArrays` of `kernels.arguments`; `chain` must have room
    for all branches.
    `sizes` has the numbers of states, edges, changes and labels so far. For the start of a game, state -1,
    ``report[2]`` is the first state, and ``report[3]`` the change on the way to it.
    """
    begins, totals, movers, packed, ends, since, heavy, label = branches
    keys, table, row, target, mover, changes, numbers_of_changes, labels, numbers_of_labels = chain
    recent = np.zeros(256, np.uint64)
    weight, change = np.empty_like(heavy), np.empty(heavy.size, np.int64)  # of the edges from s
    bits, sums = weight.view(np.int64), totals.view(np.int64)
    last, sought = np.zeros(256, np.int64), np.empty((1, 3), np.int64)
    by = np.int64(0)
    nodes, first, known, many = sizes[0], sizes[1], sizes[2], sizes[3]
    begun = edges = np.uint64(first)
    nodes = number_all(packed, ends, begins[hi - lo], keys, nodes, table)
    # At the head of each round the edges from states 0 .. s - 1 are complete, and `keys` has all their targets.
    for s in range(lo, hi):
        from_edge, rolled = edges, s >= 0 and movers[s - lo] < 0
        for b in range(np.uint64(begins[s - lo]), np.uint64(begins[s - lo + 1])):
            end = ends[b]
            if by >= known or not equal(since, b, changes, by):  # mostly it is the change of the last branch
                by = number_of(since, b, changes, known, numbers_of_changes)
                if by == known:
                    known += 1
            if s < 0:
                report[2] = end
                report[3] = by
                continue
            # recent[n mod 256] is one more than the last edge with such a target. If it is from s, but another edge,
            # then all edges from s are searched; if it is older, s has no edge with this target yet.
            place = np.uint64(end) & LOW_BITS
            after = recent[place]
            if after > from_edge and (target[after - ONE] != end or change[after - ONE - from_edge] != by):
                after = from_edge + ONE
                while after <= edges and (target[after - ONE] != end or change[after - ONE - from_edge] != by):
                    after += ONE
            if from_edge < after <= edges and rolled:
                weight[after - ONE - from_edge] += heavy[b]
                continue
            target[edges] = end
            change[edges - from_edge] = by
            weight[edges - from_edge] = heavy[b]
            edges += ONE
            recent[place] = edges
        if s >= 0:
            row[s] = from_edge
            row[s + 1] = edges
            mover[s] = movers[s - lo]
            given = bits, sums[s - lo], change, edges - from_edge
            many = label_edges(*given, label, from_edge - begun, last, sought, labels, many, numbers_of_labels)
    sizes[0], sizes[1], sizes[2], sizes[3] = nodes, edges, known, many


@guarded
def label_edges(bits, total, change, count, label, begin, last, sought, labels, many, numbers_of_labels):  # type: ignore[no-untyped-def]
    """Label the edges of one state, the first `count` of `bits` and `change`; returns how many labels there are then.

    `bits` are the weights as integers, and `total` is their sum. Edge k mostly has the label of edge k of an earlier
    state, ``last[k]``, so that it need not be looked up.
    """
    for k in range(count):
        n = last[k & LOW_BITS]
        m = np.uint64(n)
        if n >= many or labels[m, 0] != bits[k] or labels[m, 1] != total or labels[m, 2] != change[k]:
            sought[0, 0] = bits[k]
            sought[0, 1] = total
            sought[0, 2] = change[k]
            n = number_of(sought, 0, labels, many, numbers_of_labels)
            many = max(many, n + 1)
            last[k & LOW_BITS] = n
        label[begin + k] = n
    return many
