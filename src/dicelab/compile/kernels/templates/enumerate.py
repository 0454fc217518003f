"""Finds all states of a game and their transitions.

`dicelab.compile.kernels.writers.enumerate` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import guarded, record, unsigned
from dicelab.compile.kernels.hashtable import masks_of, pack_turned, unpack
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)

slot.functions


@guarded
def play_on(_g, b, limit, setting, rows, free, packing, source, branches, here, outcomes):
    """Play branch `b` to the next state, stored in ``packed[b]``, ``ends[b]`` and ``since[b]``; returns a status.

    The next state is where the game is over, dice are to be rolled, or a free seat is to choose.
    """
    params, args, who, starts, spans = setting
    low, span, word, shift = packing
    begins, totals, movers, packed, ends, since, heavy, _ = branches
    slot.name_rows
    choices = by_seats = 0
    # Each round makes one choice. `here` and `since` have the state and the tallies before the last call of next.
    while True:
        slot.store_here
        slot.store_since
        at = slot.next(slot.state)
        if _g._outside < 0:
            return slot.BAD_STEP
        slot.turn
        if not pack_turned(here, source, by_seats, low, span, word, shift, packed, b):
            return slot.BAD_RANGE
        if at >= -1:
            break
        kind = (-2 - at) >> 16
        seat = (-2 - at) & 65535
        if kind >= slot.decisions or seat >= who.size:
            return slot.BAD_STEP
        if free[seat]:
            break
        choices += 1
        if choices > limit:
            return slot.ENDLESS
        slot.choices
    ends[b] = 0
    slot.store_turn
    if at == -1:
        outcome = np.int64(slot.outcome)
        if outcome < 0 or outcome >= outcomes or _g._outside < 0:
            return slot.BAD_OUTCOME
        slot.store_since
        slot.not_turned
        ends[b] = -1 - outcome
    for k in range(slot.tallies):
        if since[b, k] > slot.most or since[b, k] < -slot.most:
            return slot.BAD_RANGE
    return slot.DONE


@njit(nogil=True, cache=CACHED)
def kernel(lo, hi, limit, setting, rows, free, rolls, packing, source, keys, branches, report, outcomes):
    params, args, who, starts, spans = setting
    kinds, wide, first, listed, values, weights, sums = rolls
    low, span, word, shift = packing
    begins, totals, movers, packed, ends, since, heavy, _ = branches
    _g = new_record()
    slot.set_params
    slot.name_rows
    slot.options
    here = np.zeros(max(1, low.size), np.int64)
    before = np.zeros(max(1, low.size), np.int64)
    mask = np.zeros(low.size, np.uint64)
    masks_of(span, mask)
    b = 0
    # At the head of each round the branches of the states lo .. s - 1 are known: those of state r are begins[r - lo] ..
    # begins[r - lo + 1] - 1. State -1 stands for the start of a game: its only branch leads to the first state.
    for s in range(lo, hi):
        report[0] = s
        begins[s - lo] = b
        step = -1
        begin = 0
        many = 1
        if s < 0:
            slot.reset
            slot.nothing
            slot.start
        else:
            unpack(keys, s, low, mask, word, shift, before)
            slot.load
            step = slot.next(slot.state)
            if step >= 0:
                if step >> 16 >= kinds.shape[0] or step & 65535 > kinds[step >> 16, 1]:
                    return slot.BAD_STEP
                begin = kinds[step >> 16, 0] + (step & 65535)
                many = listed[begin]
                if many < 0:  # the caller has not listed the outcomes of these dice yet
                    report[1] = begin
                    return slot.NEW_DICE
                totals[s - lo] = sums[begin]
                movers[s - lo] = -1
            else:
                kind = (-2 - step) >> 16
                slot.count_moves
                totals[s - lo] = 1
                movers[s - lo] = (-2 - step) & 65535
        report[1] = many
        if b + many > ends.size:
            return slot.FULL
        # Each branch (outcome or move) is played to the next state: packed[b], ends[b] (0, or -1 - outcome), since[b]
        # (what it adds to the tallies) and heavy[b] (its weight).
        for branch in range(many):
            if s >= 0:
                slot.load
                slot.nothing
                if step >= 0:
                    kind = step >> 16
                    o = (first[begin] + branch) * wide
                    slot.throws
                else:
                    kind = (-2 - step) >> 16
                    rest = branch
                    allowed = True
                    slot.open_choice
                    if not allowed and _g._outside >= 0:
                        continue
            status = play_on(_g, b, limit, setting, rows, free, packing, source, branches, here, outcomes)
            if status != slot.DONE:
                return status
            heavy[b] = weights[first[begin] + branch] if step >= 0 else slot.number
            b += 1
        if b == begins[s - lo]:
            return slot.NO_MOVE
    report[0] = hi
    begins[hi - lo] = b
    return slot.DONE
