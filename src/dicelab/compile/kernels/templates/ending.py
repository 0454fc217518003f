"""Finds all states from one on in which a turn ends, and to which of them each leads.

`dicelab.extras.learn.learned_values` calls it; `dicelab.compile.kernels.writers.thinking` fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import record, unsigned
from dicelab.compile.kernels.templates.slots import CACHED, slot
from dicelab.compile.kernels.templates.thinking import end_worth, load_state, look_ahead, place_of, see, store_state

new_record = record(slot.slots)

slot.functions

called = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


@called
def unpack(judge, keys, n, cells):
    """Write the numbers of state `n` as they are seen from its seat; the tallies are 0."""
    for j in range(judge.numbers.size):
        mask = unsigned(judge.wide[j])
        for s in (1, 2, 4, 8, 16, 32):
            mask |= mask >> unsigned(s)
        cells[j] = judge.low[j] + np.int64((keys[n, judge.word[j]] >> unsigned(judge.shift[j])) & mask)
    for j in range(judge.numbers.size, cells.size):
        cells[j] = 0


@called
def number_of(judge, keys, places, report):
    """Return the number of the state that was packed last; one that is new gets the next one."""
    place = place_of(judge.packed, 0, keys, places)
    if places[place] < 0:
        places[place] = report[1]
        for w in range(keys.shape[1]):
            keys[report[1], w] = judge.packed[0, w]
        report[1] += 1
    return places[place]


@called
def outcomes_of(step, dice, most):
    """Return where the outcomes of a roll begin and how many they are; -1 for a roll that is none of the tables, has
    outcomes that are apart, or more than `most`.
    """
    kinds, pools, guide, sums, values, apart, width = dice
    kind, which = step >> 16, step & 65535
    if kind >= kinds.shape[0] or which > kinds[kind, 1] or apart[kinds[kind, 0] + which, 0]:
        return np.int64(0), np.int64(-1)
    row = kinds[kind, 0] + which
    entry = np.int64(guide[pools[4 * row + 3]])
    low = entry // width if entry >= 0 else ~entry
    many = np.int64(1)
    while sums[low + many - 1] < pools[4 * row]:
        many += 1
    return low, many if many <= most else np.int64(-1)


@called
def first_alike(after, hashes, at, numbers):
    """Return the first of the states before `at` that has the same numbers; `at` if there is none."""
    h = np.uint64(1469598103934665603)
    for j in range(numbers):
        h = (h ^ np.uint64(after[at, j])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
    hashes[at] = h
    for i in range(at):
        if hashes[i] == h:
            alike = True
            for j in range(numbers):
                alike &= after[i, j] == after[at, j]
            if alike:
                return np.int64(i)
    return np.int64(at)


@called
def add_ends(judge, nodes, states, groups, used, report):
    """Add the states at which a turn may end, those nodes that have no moves; return how many edges there are then, -1
    if a number is outside its range.
    """
    keys, places, ends, cells, after, hashes = states
    first_group, weight, chooser, first_edge, target, seat_after = groups
    for m in range(nodes):
        if judge.row[m] == judge.row[m + 1]:
            by = see(judge, judge.nodes[m])
            if by < 0:
                return np.int64(-1)
            target[used] = number_of(judge, keys, places, report)
            seat_after[used] = by
            used += 1
    return used


@njit(nogil=True, cache=CACHED)
def kernel(setting, rows, dice, judge, states, groups, report):
    _g = new_record()
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    keys, places, ends, cells, after, hashes = states
    first_group, weight, chooser, first_edge, target, seat_after = groups
    slot.set_params
    slot.name_rows
    if report[1] == 0:
        slot.reset
        slot.start
        store_state(_g, setting, rows, cells)
        if see(judge, cells) < 0:
            return slot.WRONG
        number_of(judge, keys, places, report)
    made, used = np.int64(0), np.int64(0)
    begun = report[0]
    while report[0] < report[1]:
        n = report[0]
        if used + 100 * judge.nodes.shape[0] > target.size or made + after.shape[0] > weight.size:
            return slot.FULL
        if n - begun + 1 >= first_group.size or report[1] + 100 * judge.nodes.shape[0] > keys.shape[0]:
            return slot.FULL
        first_group[n - begun] = made
        unpack(judge, keys, n, cells)
        load_state(_g, setting, rows, cells)
        step = slot.next(slot.state)
        low, branches, kind = np.int64(0), np.int64(1), step >> 16
        if step >= 0:
            low, branches = outcomes_of(step, dice, after.shape[0])
            if branches < 0:
                return slot.WRONG
        elif step == -1:
            if end_worth(_g, setting, rows, judge):
                return slot.WRONG
            ends[n] = judge.out
            branches = np.int64(0)
        before, many_before = np.uint64(0), made
        for b in range(branches):
            heavy = np.uint64(1)
            if step >= 0:
                heavy = np.uint64(sums[low + b]) - before
                before = np.uint64(sums[low + b])
                load_state(_g, setting, rows, cells)
                o = (low + b) * width
                slot.throws
                if _g._outside < 0:
                    return slot.WRONG
                store_state(_g, setting, rows, after[made - many_before])
                same = many_before + first_alike(after, hashes, made - many_before, cells.size - slot.tallies)
                if same < made:
                    weight[same] += heavy
                    continue
            then = step if step < 0 else slot.next(slot.state)
            weight[made] = heavy
            first_edge[made] = used
            chooser[made] = 0
            nodes = 1
            if then < -1:
                chooser[made] = (-2 - then) & 65535
                nodes = look_ahead(_g, setting, rows, judge, then)
                if nodes < 0:
                    return slot.WRONG
            else:
                store_state(_g, setting, rows, judge.nodes[0])
                judge.row[0] = judge.row[1] = 0
            used = add_ends(judge, nodes, states, groups, used, report)
            if used < 0:
                return slot.WRONG
            made += 1
            first_edge[made] = used
        first_group[n - begun + 1] = made
        report[0] += 1
        report[2], report[3] = made, used
    return slot.DONE
