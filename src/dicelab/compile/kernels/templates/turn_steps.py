"""Follows branches of turns, and records which fields the rules use.

`dicelab.compile.kernels.writers.turn_steps` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import guarded, record, unsigned
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)


@_rules.guarded
def _mark(_g, bit, value):
    _g._touched |= bit
    return value


slot.functions


@guarded
def difference(b, beginnings, packing, other):
    """Return the fields in which beginning `b` differs from the last; `other` gets the bits in which packed states
    differ.
    """
    low, span, word, shift, outer, order, bit = packing
    differ = 0
    other[:] = 0
    for i in range(low.size if b > 0 else 0):
        if outer[i] and beginnings[b, i] != beginnings[b - 1, i]:
            differ |= bit[i]
            number = np.uint64((beginnings[b, i] - low[i]) ^ (beginnings[b - 1, i] - low[i]))
            other[word[i]] |= number << np.uint64(shift[i])
    return differ


@guarded
def put_together(state, beginnings, b, numbers, node, outer):
    """Set a state to the outer numbers of a beginning and the inner ones of a node."""
    for i in range(outer.size):
        state[i] = beginnings[b, i] if outer[i] else numbers[node, i]


@guarded
def repeat(b, pair, other, found):
    """Give a branch the results that it had at the last beginning, but for the outer fields."""
    begins, status, keys, step, by, gain, touched = found
    status[b, pair] = status[b - 1, pair]
    touched[b, pair] = touched[b - 1, pair]
    by[b, pair] = 0
    if status[b, pair] != slot.NOT_ALLOWED:
        step[b, pair] = step[b - 1, pair]
        gain[b, pair] = gain[b - 1, pair]
        for w in range(keys.shape[2]):
            keys[b, pair, w] = keys[b - 1, pair, w] ^ other[w]


@guarded
def is_wrong(at, kinds, who):
    """Return whether a step can't be: a choice that there isn't, or dice that there aren't."""
    if at < -1:
        return (-2 - at) >> 16 >= slot.decisions or (-2 - at) & 65535 >= who.size
    return at >= 0 and (at >> 16 >= kinds.shape[0] or at & 65535 > kinds[at >> 16, 1])


@guarded
def pack_here(here, b, pair, keys, packing):
    """Pack a state into ``keys[b, pair]``, word by word; returns whether all its numbers are in range."""
    low, span, word, shift, outer, order, bit = packing
    at_word = 0
    packed = np.uint64(0)
    right = True
    for w in range(keys.shape[2]):
        keys[b, pair, w] = 0
    for j in range(low.size):  # in the order of the words
        i = order[j]
        number = np.uint64(here[i] - low[i])
        right &= number <= np.uint64(span[i])
        if word[i] != at_word:
            keys[b, pair, at_word] = packed
            packed = np.uint64(0)
            at_word = word[i]
        packed |= number << np.uint64(shift[i])
    if low.size > 0:
        keys[b, pair, at_word] = packed
    return right


@njit(nogil=True, cache=CACHED)
def kernel(lo, hi, setting, rows, rolls, packing, asked, found):
    params, args, who, starts, spans = setting
    kinds, wide, first, listed, values, weights, sums = rolls
    beginnings, numbers, steps, node, branches = asked
    begins, status, keys, stepped, by, gain, touched = found
    _g = new_record()
    slot.set_params
    slot.name_rows
    slot.options
    before = np.zeros(max(1, packing.low.size), np.int64)
    here = np.zeros(max(1, packing.low.size), np.int64)
    around = np.zeros(who.size, np.int64)
    other = np.zeros(max(1, keys.shape[2]), np.uint64)  # bits of the words in which a beginning differs from the last
    by_seats = 0
    many = -1
    used = 0  # the fields that were used to list the moves
    changed = True
    for b in range(lo, hi):
        before[:] = beginnings[b]
        slot.load
        begins[b] = slot.next(slot.state)
        differ = difference(b if b > lo else 0, beginnings, packing, other)
        at_node = -1
        for pair in range(node.size):
            if b > lo and touched[b - 1, pair] & differ == 0 and by[b - 1, pair] == 0:
                repeat(b, pair, other, found)
                continue
            by[b, pair] = 0
            if node[pair] != at_node:
                at_node = node[pair]
                many = -1  # the moves of this node are not listed yet
                put_together(before, beginnings, b, numbers, at_node, packing.outer)
                changed = True
            if changed:
                slot.load
                slot.reset
            changed = True
            _g._outside = 0
            _g._touched = 0
            step = steps[at_node]
            branch = branches[pair]
            if step >= 0:
                kind = step >> 16
                o = (first[kinds[kind, 0] + (step & 65535)] + branch) * wide
                slot.throws
            else:
                kind = (-2 - step) >> 16
                rest = branch
                allowed = True
                slot.listed
                slot.open_choice
                if not allowed and _g._outside >= 0:
                    status[b, pair] = slot.NOT_ALLOWED
                    touched[b, pair] = _g._touched
                    changed = False  # rules that judge a move change nothing
                    continue
            slot.store_here
            at = slot.next(slot.state)
            status[b, pair] = slot.ALLOWED
            by_seats = 0
            if at == -1:
                at = np.int64(slot.outcome)
                status[b, pair] = slot.ENDS
                if at < 0 or at >= slot.outcomes:
                    status[b, pair] = slot.FAILED
            elif is_wrong(at, kinds, who):
                status[b, pair] = slot.FAILED
            touched[b, pair] = _g._touched
            gain[b, pair] = slot.gain
            if _g._outside < 0:
                status[b, pair] = slot.FAILED
            if status[b, pair] == slot.ALLOWED:
                slot.turn
            if not pack_here(here, b, pair, keys, packing):
                status[b, pair] = slot.FAILED
            stepped[b, pair] = at
            by[b, pair] = by_seats
    return 0
