"""Compiled loops that number and order the nodes, leaves and beginnings of turns."""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.compile.kernels.hashtable import equal, first_place, number_of, place_of

NEAR = 256
"""Size of a small table that drops most exits that were seen before at the same beginning."""
OK, BROKEN, STUCK = range(3)


@kept
def number_rows(rows, known, count, table, numbers):  # type: ignore[no-untyped-def]
    """The number of each of `rows` among the first `count` of `known`, to which new ones are added; the new count."""
    for k in range(rows.shape[0]):
        numbers[k] = number_of(rows, k, known, count, table)
        if numbers[k] == count:
            count += 1
    return count


@kept
def find_rows(rows, known, table, numbers):  # type: ignore[no-untyped-def]
    """The number of each of `rows` in an index, -1 where it is not there."""
    for k in range(rows.shape[0]):
        numbers[k] = table[place_of(rows, k, known, table)]


@guarded
def same_outer(ends, e, rows, k, outer_words):  # type: ignore[no-untyped-def]
    """Whether a leaf, which ends at row `e` of `ends`, keeps the outer numbers of its turn: row `k` of `rows`."""
    for w in range(outer_words):  # noqa: SIM110 (any and all can't be compiled)
        if ends[e, w] != rows[k, w]:
            return False
    return True


@guarded
def inner_node(ends, e, step, outer_words, part, nodes):  # type: ignore[no-untyped-def]
    """The number of the node at which a leaf ends, -1 if it is not in the index `nodes`; `part` receives its row."""
    words = ends.shape[1]
    for w in range(outer_words, words):
        part[0, w - outer_words] = ends[e, w]
    part[0, words - outer_words] = np.uint64(step)
    node_rows, node_table = nodes
    return np.int64(node_table[place_of(part, 0, node_rows, node_table)])


@guarded
def follow_edges(n, graph, found, number, common, root, queue, count):  # type: ignore[no-untyped-def]
    """Add to `queue`, which has `count` nodes, those that edges from node n lead to; returns how many it then has.

    Nodes that are marked are left out: by `number` in `found`, where new ones are marked, or by `root` in `common`.
    """
    row, target = graph[0], graph[1]
    for e in range(row[n], row[n + 1]):
        t = target[e]
        if common[t] != root and found[t] != number:
            found[t] = number
            queue[count] = t
            count += 1
    return count


@guarded
def follow_all(root, graph, common, queue):  # type: ignore[no-untyped-def]
    """Fill `queue` with a node and all that edges lead to from it, marked in `common`; returns how many these are."""
    queue[0] = root
    common[root] = root
    size = 1
    at = 0
    while at < size:
        size = follow_edges(queue[at], graph, common, root, common, root, queue, size)
        at += 1
    return size


@kept
def number_exits(keys, outer_words, status, by, steps, results, program, nodes, beginnings, numbers):  # type: ignore[no-untyped-def]
    """Number the ends of leaves: ``exits[b, l]`` is a beginning or -1, ``inner[b, l]`` the slot of a node or -1.

    A node that is evaluated later than the leaf is read from its copy. `results` is (exits, inner), `program` is
    (place, copy, leaf_place) of `dicelab.solver.turns.program`; `nodes` and `beginnings` are the rows and the table of
    an index; `keys`, `status`, `by` and `steps` are those of `kernels.writers.turn_steps`; `numbers` are the numbers of
    the beginnings themselves.
    """
    exits, inner = results
    places, copies, leaf_places = program
    rows, table = beginnings
    leaves, words = keys.shape[1], keys.shape[2]
    ends = keys.reshape(-1, words)  # row b * leaves + l is where leaf l ends
    part = np.zeros((1, words - outer_words + 1), np.uint64)
    near = np.zeros(NEAR, np.int64)
    for b in range(numbers.size):
        near[:] = -1
        for leaf in range(leaves):
            exits[b, leaf] = -1
            inner[b, leaf] = -1
            if status[b, leaf] != 1:
                continue
            e = b * leaves + leaf
            if by[b, leaf] == 0 and same_outer(ends, e, rows, numbers[b], outer_words):
                node = inner_node(ends, e, steps[b, leaf], outer_words, part, nodes)
                if node >= 0:
                    inner[b, leaf] = places[node] if places[node] < leaf_places[leaf] else copies[node]
                continue
            place = first_place(ends, e, near)
            if near[place] >= 0 and equal(ends, e, ends, near[place]):
                exits[b, leaf] = exits[b, near[place] - b * leaves]
                continue
            exits[b, leaf] = table[place_of(ends, e, rows, table)]
            near[place] = e


@kept
def discover(  # type: ignore[no-untyped-def]
    begin, keys, outer_words, results, graph, chooses, nodes, rows, room, report
):
    """Follow the turns of some beginnings: which other beginnings do they lead to?

    `begin` are the numbers of the nodes at which they begin, `rows` the packed beginnings, `keys`, `results` (status,
    by, steps) those of `kernels.writers.turn_steps`, `graph` edges and leaves by node, `chooses` whether a seat chooses
    at a node, `nodes` an index of nodes. `room` (exits, sources, links, missing) is for the results: packed exits, each
    with its source (a number of `begin`), pairs (leaf, node to which it leads), and packed nodes that aren't known.
    ``report[:3]`` is how many there are; ``report[3:]`` is where the rules break: beginning, node, leaf.

    The nodes that edges lead to are found once for all turns that begin at the same node; `queue` has them first.
    """
    status, by, steps = results
    row, _, leaf_row, leaf = graph
    exits, sources, links, missing = room
    leaves, words = keys.shape[1], keys.shape[2]
    ends = keys.reshape(-1, words)  # row b * leaves + o is where leaf o ends
    some = np.zeros(3, np.int64)
    common = np.full(chooses.size, -1, np.int64)  # the root of those that were found before
    seen = np.full(chooses.size, -1, np.int64)
    leaf_seen = np.full(status.shape[1], -1, np.int64)
    linked = np.full(status.shape[1], -1, np.int64)
    queue = np.zeros(chooses.size, np.int64)
    near = np.full(NEAR, -1, np.int64)
    part = np.zeros((1, words - outer_words + 1), np.uint64)
    root, size = -1, 0
    for b in range(begin.size):
        near[:] = -1
        if begin[b] != root:
            root = begin[b]
            size = follow_all(root, graph, common, queue)
        high = size
        at = 0
        while at < high:
            n = queue[at]
            at += 1
            if at > size:  # reached by a leaf
                high = follow_edges(n, graph, seen, b, common, root, queue, high)
            open_ways = row[n + 1] - row[n]
            for e in range(leaf_row[n], leaf_row[n + 1]):
                o = leaf[e]
                state = status[b, o]
                if state == 0:
                    continue
                if state == 3:
                    report[3], report[4], report[5] = b, n, o
                    return BROKEN
                open_ways += 1
                if state != 1 or leaf_seen[o] == b:
                    continue
                leaf_seen[o] = b
                end = b * leaves + o
                if by[b, o] != 0 or not same_outer(ends, end, rows, b, outer_words):
                    place = first_place(ends, end, near)
                    if near[place] < 0 or not equal(ends, end, ends, near[place]):
                        near[place] = end
                        sources[some[0]] = b
                        exits[some[0]] = ends[end]
                        some[0] += 1
                    continue
                t = inner_node(ends, end, steps[b, o], outer_words, part, nodes)
                if t < 0:
                    missing[some[2]] = part[0]
                    some[2] += 1
                    continue
                if linked[o] != t:
                    links[some[1], 0] = o
                    links[some[1], 1] = t
                    some[1] += 1
                    linked[o] = t
                if common[t] != root and seen[t] != b:
                    seen[t] = b
                    queue[high] = t
                    high += 1
            if open_ways == 0 and chooses[n]:
                report[3], report[4], report[5] = b, n, -1
                return STUCK
    report[:3] = some
    return OK


@kept
def levels(row, target, component, number):  # type: ignore[no-untyped-def]
    """The level of each beginning: 0 if nothing but its own strongly connected component follows, else one more than
    the highest level of those that follow. Components must be numbered so that none leads to one with a higher number.

    `number` has all beginnings sorted by component. Returns the levels.
    """
    level = np.zeros(component.size, np.int64)
    low = 0
    while low < number.size:
        high = low
        most = 0
        while high < number.size and component[number[high]] == component[number[low]]:
            n = number[high]
            for e in range(row[n], row[n + 1]):
                if component[target[e]] != component[n]:
                    most = max(most, level[target[e]] + 1)
            high += 1
        for i in range(low, high):
            level[number[i]] = most
        low = high
    return level
