"""Compiled loops over turns: they number and order nodes, leaves and beginnings, and evaluate turns."""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.compile.kernels.hashtable import equal, first_place, number_of, place_of
from dicelab.compile.kernels.vector_rows import LANES, add_rows, best_rows

NEAR = 256
"""Size of a small table that drops most exits that were seen before at the same beginning."""
OK, BROKEN, STUCK = range(3)


@kept
def number_rows(rows, known, count, table, numbers):  # type: ignore[no-untyped-def]
    """Return the number of each of `rows` among the first `count` of `known`, to which new ones are added; the new
    count.
    """
    for k in range(rows.shape[0]):
        numbers[k] = number_of(rows, k, known, count, table)
        if numbers[k] == count:
            count += 1
    return count


@kept
def find_rows(rows, known, table, numbers):  # type: ignore[no-untyped-def]
    """Return the number of each of `rows` in an index, -1 where it is not there."""
    for k in range(rows.shape[0]):
        numbers[k] = table[place_of(rows, k, known, table)]


@guarded
def same_outer(ends, e, rows, k, outer_words):  # type: ignore[no-untyped-def]
    """Return whether a leaf, which ends at row `e` of `ends`, keeps the outer numbers of its turn:
    row `k` of `rows`.
    """
    for w in range(outer_words):  # noqa: SIM110 (any and all can't be compiled)
        if ends[e, w] != rows[k, w]:
            return False
    return True


@guarded
def inner_node(ends, e, step, outer_words, part, nodes):  # type: ignore[no-untyped-def]
    """Return the number of the node at which a leaf ends, -1 if it is not in the index `nodes`; `part` receives its
    row.
    """
    words = ends.shape[1]
    for w in range(outer_words, words):
        part[0, w - outer_words] = ends[e, w]
    part[0, words - outer_words] = np.uint64(step)
    node_rows, node_table = nodes
    return np.int64(node_table[place_of(part, 0, node_rows, node_table)])


@kept
def follow_all(root, graph, chooses, alike, inside, queue):  # type: ignore[no-untyped-def]
    """Mark in `inside` all nodes that edges lead to from a node, and the node itself; returns how many of them have
    leaves, or no branch at all. `queue` begins with these, in the order in which they are reached; of those with the
    same leaves (`alike`) only the first.
    """
    row, target, leaf_row, _ = graph
    seen = np.zeros((3, alike.max() + 2), np.bool_)
    queue[0] = root
    inside[root] = True
    size = 1
    at = 0
    some = 0
    while at < size:
        n = queue[at]
        at += 1
        for e in range(row[n], row[n + 1]):
            t = target[e]
            if not inside[t]:
                inside[t] = True
                queue[size] = t
                size += 1
        kind = 0 if row[n] < row[n + 1] else 1 if chooses[n] else 2
        if (kind == 0 and leaf_row[n] == leaf_row[n + 1]) or seen[kind, alike[n] + 1]:
            continue
        seen[kind, alike[n] + 1] = True
        queue[some] = n
        some += 1
    return some


@kept
def number_exits(keys, outer_words, status, by, steps, results, program, nodes, beginnings, numbers):  # type: ignore[no-untyped-def]
    """Return the number the ends of leaves: ``exits[b, l]`` is a beginning or -1, ``inner[b, l]`` the slot of a node or
    -1.

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


@guarded
def copy_row(rows, k, others, m):  # type: ignore[no-untyped-def]
    """Copy row `k` to row `m` of `others`, word by word: a slice is counted as a reference, which takes long."""
    for w in range(rows.shape[1]):
        others[m, w] = rows[k, w]


@guarded
def without_move(lo, hi, bare, leaf_row, leaf, status):  # type: ignore[no-untyped-def]
    """Return a beginning from `lo` to ``hi - 1`` and the first of some nodes at which it allows no leaf; -1 and -1 if
    there are none.
    """
    for b in range(lo, hi):
        for i in range(bare.size):
            e = leaf_row[bare[i]]
            while e < leaf_row[bare[i] + 1] and status[b, leaf[e]] == 0:
                e += 1
            if e == leaf_row[bare[i] + 1]:
                return np.int64(b), np.int64(bare[i])
    return np.int64(-1), np.int64(-1)


@guarded
def reach_node(t, lanes, seen, waiting, queue, count):  # type: ignore[no-untyped-def]
    """Mark node t as reached in some `lanes`, as bits of `seen`; in those in which it wasn't before it is `waiting`.

    The `queue` is a ring; `count` counts the places taken so far; a node stands in it at most once at a time.
    """
    new = lanes & ~seen[t]
    if new != 0:
        if waiting[t] == 0:
            queue[count % queue.size] = t
            count += 1
        seen[t] |= new
        waiting[t] |= new
    return count


@kept
def discover(  # type: ignore[no-untyped-def]
    lo, hi, common, keys, outer_words, results, graph, chooses, nodes, rows, room, report
):
    """Follow the turns of some beginnings, `lo` to ``hi - 1``, at one node: which other beginnings do they lead to?

    `common` is what edges lead to from there, (inside, leaf, node, bare): which nodes these are, their leaves, each
    once, with a node of each, and the nodes at which all moves are leaves. `rows` are the packed beginnings, `keys`,
    `results` (status, by, steps) those of `kernels.writers.turn_steps`, `graph` edges and leaves by node, `chooses`
    whether a seat chooses at a node, `nodes` an index of nodes. `room` (exits, sources, links, missing) is for the
    results: packed exits, each with its source (a beginning), pairs (leaf, node to which it leads), and packed nodes
    that aren't known. ``report[:3]`` is how many there are, those of earlier calls included; ``report[3:]`` is where
    the rules break: beginning, node, leaf.

    The beginnings, at most as many as an integer has bits, walk through the turn together: each node is looked at once
    for all that reach it, and again only for those that reach it later.
    """
    status, by, steps = results
    row, target, leaf_row, leaf = graph
    inside, first, first_node, bare = common
    leaves, words = keys.shape[1], keys.shape[2]
    ends = keys.reshape(-1, words)  # row b * leaves + o is where leaf o ends
    some = report[:3]
    seen = np.zeros(chooses.size, np.int64)
    waiting = np.zeros(chooses.size, np.int64)
    queue = np.empty(chooses.size, np.int64)  # nodes that are reached by leaves, and by edges from there
    leaf_seen = np.zeros(leaves, np.int64)
    leaves_turn = np.zeros(leaves, np.int64)
    linked = np.full(leaves, -1, np.int64)
    part = np.zeros((1, words - outer_words + 1), np.uint64)
    high = 0
    at = -first.size
    while at < high:
        if at < 0:
            n, some_leaves, e_first, e_last = first_node[at], first, at + first.size, at + first.size + 1
            lanes = (1 << (hi - lo)) - 1
            stuck = 0
        else:
            n, some_leaves = queue[at % queue.size], leaf
            e_first, e_last = leaf_row[n], leaf_row[n + 1]
            lanes = waiting[n]
            waiting[n] = 0
            for e in range(row[n], row[n + 1]):
                if not inside[target[e]]:
                    high = reach_node(target[e], lanes, seen, waiting, queue, high)
            stuck = lanes if chooses[n] and row[n] == row[n + 1] else 0
        at += 1
        for e in range(e_first, e_last):
            o = some_leaves[e]
            for b in range(lo, hi):
                lane = 1 << (b - lo)
                state = status[b, o]
                if lanes & lane == 0 or state == 0:
                    continue
                if state == 3:
                    report[3], report[4], report[5] = b, n, o
                    return BROKEN
                stuck &= ~lane
                if state != 1 or leaf_seen[o] & lane != 0:
                    continue
                leaf_seen[o] |= lane
                end = b * leaves + o
                if by[b, o] != 0 or not same_outer(ends, end, rows, b, outer_words):
                    leaves_turn[o] |= lane
                    continue
                t = link(ends, end, o, steps[b, o], outer_words, part, nodes, linked, room, some)
                if t >= 0 and not inside[t]:
                    high = reach_node(t, lane, seen, waiting, queue, high)
        if stuck != 0:
            report[3], report[4], report[5] = lo + lowest(stuck), n, -1
            return STUCK
    beginning, node = without_move(lo, hi, bare, leaf_row, leaf, status)
    if node >= 0:
        report[3], report[4], report[5] = beginning, node, -1
        return STUCK
    add_exits(lo, hi, ends, leaves_turn, np.empty(NEAR, np.int64), room, some)
    return OK


@guarded
def lowest(bits):  # type: ignore[no-untyped-def]
    """Return the place of the lowest bit that is set."""
    place = 0
    while bits >> place & 1 == 0:
        place += 1
    return place


@guarded
def link(ends, end, o, step, outer_words, part, nodes, linked, room, some):  # type: ignore[no-untyped-def]
    """Return the node of the same turn to which leaf `o` leads, and note it in `room`; -1 if it isn't known."""
    t = inner_node(ends, end, step, outer_words, part, nodes)
    if t < 0:
        copy_row(part, 0, room[3], some[2])
        some[2] += 1
    elif linked[o] != t:
        room[2][some[1], 0] = o
        room[2][some[1], 1] = t
        some[1] += 1
        linked[o] = t
    return t


@guarded
def add_exits(lo, hi, ends, leaves_turn, near, room, some):  # type: ignore[no-untyped-def]
    """Add the beginnings that follow `lo` to ``hi - 1`` to the exits in `room`, each mostly once.

    ``leaves_turn[o]`` has a bit for each beginning for which leaf `o` ends the turn; `near` is a table of exits that
    were just added.
    """
    for b in range(lo, hi):
        near[:] = -1
        for o in range(leaves_turn.size):
            end = b * leaves_turn.size + o
            if leaves_turn[o] >> (b - lo) & 1 == 0:
                continue
            place = first_place(ends, end, near)
            if near[place] < 0 or not equal(ends, end, ends, near[place]):
                near[place] = end
                room[1][some[0]] = b
                copy_row(ends, end, room[0], some[0])
                some[0] += 1


@kept
def levels(row, target, component, number):  # type: ignore[no-untyped-def]
    """Return the level of each beginning: 0 if nothing but its own strongly connected component follows, else one more
    than the highest level of those that follow. Components must be numbered so that none leads to one with a higher
    number.

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


# Sweeps ---------------------------------------------------------------------------------------------------------------
#
# Compiled loops that evaluate turns: `LANES` beginnings side by side, a row of values for each node.
#
# A program (`dicelab.solver.turns.program.Arrays`) is a tuple of its arrays.

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
    """Return the value of each leaf in each lane, ``out[l, w]``: raised by its error if `direction` is 1, lowered if
    -1.

    A leaf that ends at a node has its gain only. ``off[b]`` is the error of the value of beginning b. Moves that are
    not allowed are worth ``-inf * sign``. Returns whether no other value is negative.
    """
    above = True
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
                if direction != 0.0:
                    x += direction * ULP * abs(x)
            elif exits[w, o] >= 0:
                v = value[exits[w, o]]
                if by[w, o] > 0:
                    v = 1.0 - v
                x += v
                if direction != 0.0:  # the error may be infinite, and 0 times that is no number
                    x += direction * (off[exits[w, o]] + 2.0 * ULP * (abs(x) + abs(v) + 1.0))
            out[o, w] = x
            above &= x >= 0.0 or state == 0 or state == 3
    return above


@kept
def sweep(program, reached, value, leaf_value, inner, lanes, direction, above):  # type: ignore[no-untyped-def]
    """Return the values of the nodes, targets before sources: ``value[n, w]`` in lane w.

    Edges against the order read copies of cut nodes, in rows beyond the nodes, which the caller sets. With `direction`
    1 results are not below the exact ones, with -1 not above, given what is read; with 0 they are rounded. If all
    values are `above` 0, they are their own sizes.
    """
    size = np.zeros(LANES)
    for n in range(program[0].size):
        if reached[n] == 0:
            continue
        if program[0][n] == 0:
            roll(n, program, value, leaf_value, inner, lanes, direction, above, size)
        else:
            choose(n, program, value, leaf_value, inner, lanes, direction)


@kept
def sweep_again(given, rest, program, begin, cuts, cut, numbers, known, settled, past, report):  # type: ignore[no-untyped-def]
    """Sweep over one batch until its values change by less than `settled`, or `past` is full; returns the sweeps.

    `given` and `rest` are those of `load` and `sweep`. ``past[k]`` gets the values of the beginnings `numbers`, then
    those of the copies of cut nodes. `report` has the last change, the smallest one so far, and the largest value.
    """
    status, gain, step, by, exits, sign, prize, off = given
    reached, value, leaf_value, inner = rest
    lanes = numbers.size
    for k in range(past.shape[0]):
        load(lanes, status, gain, step, by, exits, sign, prize, known, off, 0.0, leaf_value)
        sweep(program, reached, value, leaf_value, inner, lanes, 0.0, True)
        change = 0.0
        size = 1.0
        for w in range(lanes):
            now = value[begin[w], w]
            change = max(change, abs(now - known[numbers[w]]))
            size = max(size, abs(now))
            known[numbers[w]] = now
            past[k, w] = now
        for c in range(cuts.size):
            for w in range(LANES):
                now = value[cuts[c], w]
                if cut[c, w]:
                    change = max(change, abs(now - value[reached.size + c, w]))
                value[reached.size + c, w] = now
                past[k, lanes + c * LANES + w] = now
        report[0] = change
        report[2] = size
        if change <= settled * size or (change < 1e-12 * size and change >= report[1]):
            return k
        report[1] = min(report[1], change)
    return past.shape[0]


@kept
def raise_again(given, rest, program, begin, cuts, numbers, known, gains, middle, more, counts, direction, past, rise):  # type: ignore[no-untyped-def]
    """Evaluate one batch with its values raised by bounds, and again by how far they rose, once for each of `past`
    after the first.

    `given` and `rest` are those of `load` and `sweep`; the errors in `given` receive the bounds. ``past[0]`` has the
    bounds of the beginnings `numbers`, then those of the copies of cut nodes; what is read is `known` and `middle`, by
    so much higher, or lower if `direction` is -1. `rise` receives by how much the results of the last evaluation are
    higher than `middle`; ``past[k]`` how much those of evaluation k were, with `more`, at least 0, and only where it
    `counts`.
    """
    status, gain, step, by, exits, sign, prize, off = given
    reached, value, leaf_value, inner = rest
    lanes = numbers.size
    for k in range(past.shape[0] - 1):
        for w in range(lanes):
            off[numbers[w]] = past[k, w]
        above = load(lanes, status, gain, step, by, exits, sign, prize, known, off, direction, leaf_value) and gains
        for c in range(cuts.size):
            for w in range(LANES):
                i = lanes + c * LANES + w
                value[reached.size + c, w] = middle[i] + direction * past[k, i]
                above &= not counts[i] or value[reached.size + c, w] >= 0.0
        sweep(program, reached, value, leaf_value, inner, lanes, direction, above)
        for i in range(middle.size):
            c = (i - lanes) // LANES
            now = value[begin[i], i] if i < lanes else value[cuts[c], (i - lanes) % LANES]
            rise[i] = now - middle[i]
            higher = rise[i] + more[i]
            past[k + 1, i] = 0.0 if not counts[i] or higher < 0.0 else higher


@guarded
def plain_leaves(e, last, leaf, plain):  # type: ignore[no-untyped-def]
    """Return the end of the `plain` leaves from `e` on, at most `last`."""
    while e < last and plain[leaf[e]]:
        e += 1
    return e


@guarded
def roll(n, program, value, leaf_value, inner, lanes, direction, above, size):  # type: ignore[no-untyped-def]
    """Find the mean of what follows a roll; `size` collects what bounds the rounding, if values may be negative."""
    _, row, target, chance, gain, leaf_row, leaf, leaf_chance, plain = program
    sized = direction != 0.0 and not above
    mean = value[n]
    mean[:] = 0.0
    add_rows(mean, value, target, row[n], row[n + 1], chance, gain)
    e, last = leaf_row[n], leaf_row[n + 1]
    while e < last:
        end = plain_leaves(e, last, leaf, plain)
        add_rows(mean, leaf_value, leaf, e, end, leaf_chance, None)
        if end < last:
            for w in range(lanes):
                mean[w] += leaf_chance[end] * with_inner(leaf_value, value, inner, leaf[end], w)
        e = end + 1
    if sized:
        sizes(n, program, value, leaf_value, inner, lanes, size)
    if direction != 0.0:
        many = row[n + 1] - row[n] + leaf_row[n + 1] - leaf_row[n] + 6
        for w in range(LANES):
            mean[w] += direction * many * ULP * (size[w] if sized else abs(mean[w]))


@guarded
def with_inner(leaf_value, value, inner, o, w):  # type: ignore[no-untyped-def]
    """Return the value of a leaf in a lane, with that of the node to which it leads, if it does."""
    x = leaf_value[o, w]
    return x + value[inner[w, o], w] if inner[w, o] >= 0 else x


@guarded
def sizes(n, program, value, leaf_value, inner, lanes, size):  # type: ignore[no-untyped-def]
    """Find the mean size of what follows a roll."""
    _, row, target, chance, gain, leaf_row, leaf, leaf_chance, _ = program
    size[:] = 0.0
    for e in range(row[n], row[n + 1]):
        for w in range(LANES):
            size[w] += chance[e] * abs(value[target[e], w] + gain[e])
    for e in range(leaf_row[n], leaf_row[n + 1]):
        for w in range(lanes):
            size[w] += leaf_chance[e] * abs(with_inner(leaf_value, value, inner, leaf[e], w))


@guarded
def choose(n, program, value, leaf_value, inner, lanes, direction):  # type: ignore[no-untyped-def]
    """Find the best of what follows a choice."""
    side, row, target, _, gain, leaf_row, leaf, _, plain = program
    sign = np.float64(side[n])
    best = value[n]
    best[:] = -np.inf  # until the end, the largest of all values times the sign
    best_rows(best, value, target, row[n], row[n + 1], sign, gain)
    e, last = leaf_row[n], leaf_row[n + 1]
    while e < last:
        end = plain_leaves(e, last, leaf, plain)
        best_rows(best, leaf_value, leaf, e, end, sign, None)
        if end < last:
            for w in range(lanes):
                best[w] = max(best[w], sign * with_inner(leaf_value, value, inner, leaf[end], w))
        e = end + 1
    if sign != 1.0 or direction != 0.0:
        for w in range(LANES):
            best[w] = sign * best[w] + direction * 2.0 * ULP * abs(best[w])
