"""Compiled loops that make the nodes of a turn one if their values are equal.

By itself because `loops` would have more than 500 lines with them.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)


@guarded
def later(edges, a, b):  # type: ignore[no-untyped-def]
    """Return whether edge a is sorted after edge b: by end, then by gain."""
    end, gain, _ = edges
    return end[a] > end[b] or (end[a] == end[b] and gain[a] > gain[b])


@guarded
def sort_edges(edges, low, high):  # type: ignore[no-untyped-def]
    """Sort the edges `low` to ``high - 1`` (Shell's sort), add the weights of equal ones; the end of those left."""
    end, gain, weight = edges
    step = 1
    while 3 * step < high - low:
        step = 3 * step + 1
    while step > 0:
        for e in range(low + step, high):
            f = e
            while f - step >= low and later(edges, f - step, f):
                end[f], end[f - step] = end[f - step], end[f]
                gain[f], gain[f - step] = gain[f - step], gain[f]
                weight[f], weight[f - step] = weight[f - step], weight[f]
                f -= step
        step //= 3
    last = low
    for e in range(low + 1, high):
        if end[e] == end[last] and gain[e] == gain[last]:
            weight[last] += weight[e]
            continue
        last += 1
        end[last], gain[last], weight[last] = end[e], gain[e], weight[e]
    return min(high, last + 1)


@guarded
def mixed(seen, number):  # type: ignore[no-untyped-def]
    """Return a hash of what was seen so far and a number."""
    changed = (seen ^ np.uint64(number)) * MIX
    return changed ^ (changed >> SHIFT)


@guarded
def node_hash(m, side, row, edges, leaf_row, leaves):  # type: ignore[no-untyped-def]
    """Return a hash of the side, edges and leaves of kept node m."""
    seen = mixed(np.uint64(row[m + 1] - row[m]), side[m])
    for e in range(row[m], row[m + 1]):
        seen = mixed(mixed(mixed(seen, edges[0][e]), edges[1][e]), edges[2][e])
    for e in range(leaf_row[m], leaf_row[m + 1]):
        seen = mixed(mixed(seen, leaves[0][e]), leaves[1][e])
    return seen


@guarded
def same_node(m, k, side, row, edges, leaf_row, leaves):  # type: ignore[no-untyped-def]
    """Return whether kept nodes m and k have the same side, edges and leaves."""
    many, own = row[m + 1] - row[m], leaf_row[m + 1] - leaf_row[m]
    if side[m] != side[k] or row[k + 1] - row[k] != many or leaf_row[k + 1] - leaf_row[k] != own:
        return False
    for i in range(many):
        e, f = row[m] + i, row[k] + i
        if edges[0][e] != edges[0][f] or edges[1][e] != edges[1][f] or edges[2][e] != edges[2][f]:
            return False
    for i in range(own):
        e, f = leaf_row[m] + i, leaf_row[k] + i
        if leaves[0][e] != leaves[0][f] or leaves[1][e] != leaves[1][f]:
            return False
    return True


@kept
def merge_nodes(order, sides, copies, graph, place, table, side, row, edges, leaf_row, leaves):  # type: ignore[no-untyped-def]
    """Return how many nodes are kept of those in `order`, which are numbered, equal ones once.

    Node n has the side ``sides[n]``, and edges and leaves in `graph`: (row, target, gain, weight, leaf_row, leaf,
    leaf_weight). An edge to a node that comes later in the order leads to ``copies[n]``, below -1; nodes with a copy
    are never made one with others. `place` (-1 at first) receives the number of each node. `side`, `row`, `edges`
    (end, gain, weight), `leaf_row` and `leaves` (leaf, weight) receive the kept nodes: edges sorted by end and gain,
    those that are equal as one. `table` (-1 at first) is a hash table, its size a power of two above the nodes.
    """
    from_row, target, gains, weights, from_leaf, leaf, leaf_weights = graph
    mask = np.uint64(table.size - 1)
    m = 0
    row[0] = 0
    leaf_row[0] = 0
    for n in order:
        at = row[m]
        for e in range(from_row[n], from_row[n + 1]):
            t = target[e]
            edges[0][at] = place[t] if place[t] >= 0 else copies[t]
            edges[1][at] = gains[e]
            edges[2][at] = weights[e]
            at += 1
        own = leaf_row[m]
        for e in range(from_leaf[n], from_leaf[n + 1]):
            leaves[0][own] = leaf[e]
            leaves[1][own] = leaf_weights[e]
            own += 1
        row[m + 1] = sort_edges(edges, row[m], at)
        leaf_row[m + 1] = own
        side[m] = sides[n]
        place[n] = m
        if copies[n] == -1:
            i = node_hash(m, side, row, edges, leaf_row, leaves) & mask
            while table[i] >= 0 and not same_node(m, table[i], side, row, edges, leaf_row, leaves):
                i = (i + np.uint64(1)) & mask
            if table[i] >= 0:
                place[n] = table[i]
                continue
            table[i] = m
        m += 1
    return m
