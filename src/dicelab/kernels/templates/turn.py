"""Follows a table of the states of a turn; the rules decide elsewhere.

`dicelab.kernels.writers.turn` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.kernels import rule_support as _rules
from dicelab.kernels.core import FIRST_LANE, HALF, LOW, below, record, unchecked, unsigned
from dicelab.kernels.lanes import LANES, SIZE, throw_words
from dicelab.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)
ROWS = unsigned((1 << 20) - 1)

slot.functions


@unchecked
def step(lanes, phase, k0, k1, first, node, counted, seen, away, info, guide, sums, entries):
    """Follow one roll of every lane; lists in `away` the lanes for which the rules must decide, returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn.
    """
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):  # away[0 .. n - 1] lists lanes below j; away[n] is written each time, and kept by n += 1
        i = unsigned(j)
        row = unsigned(5) * node[i]
        scaled = lanes[column + i] * info[row]
        u = scaled >> HALF
        if (scaled & LOW) < info[row + unsigned(1)]:  # rejected: draw again
            who = np.int64(lanes[i])
            throw = 4 * (who >> 32) - 5 + phase
            u = below(k0, k1, np.int64(first) + (who & 0xFFFFFFFF), throw, info[row], FIRST_LANE)
        o = guide[info[row + unsigned(3)] + (u >> info[row + unsigned(2)])]
        if o < 0:  # the guide leaves several outcomes open: find the first whose running sum of weights is above u
            o = ~o
            while u >= sums[unsigned(o)]:
                o += 1
        entry = entries[info[row + unsigned(4)] + unsigned(o)]
        seen[i] = o
        node[i] = entry & ROWS
        counted[i] += np.int64(entry) >> 21
        away[unsigned(n)] = j
        n += np.int64((entry >> unsigned(20)) & unsigned(1))
    return n


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, turns, counted_games, slow, most_choices):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, info, entries, kind_of, fields, lows, sizes, node_at, bits, idle = turns
    counts, hist, spill = counted_games
    slot.set_params
    slot.name_rows
    lanes = np.zeros(SIZE, np.uint64)
    node = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    listed = np.zeros(LANES, np.int64)
    kept = np.zeros((LANES, slot.kept), np.int64)
    slot.sizes
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = active = slows = spilled = rounds = 0
    # At the head of each round `begun` games have begun, `active` of them are in lanes; all others are counted, or in
    # `slow`. Phase 0 begins games; phases 1 to 4 are the rolls of a block. In each, `listed` has the lanes for which
    # the rules are applied.
    while begun < games or active > 0:
        rounds += 1
        for phase in range(5):
            if phase == 0:
                n = 0
                if begun < games or rounds % 512 == 0:
                    for i in range(LANES):
                        too_long = np.int64(lanes[unsigned(i)] >> HALF) >= blocks
                        if node[i] == idle and begun + n < games:
                            listed[n] = i
                            n += 1
                        elif node[i] != idle and too_long:
                            slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                            slows += 1
                            node[i] = idle
                            active -= 1
                        elif rounds % 512 == 0 and node[i] != idle:  # move counts to `kept` before they can overflow
                            c = counted[i]
                            counted[i] = 0
                            slot.settle
            else:
                if phase == 1:
                    throw_words(lanes, low, high, k0, k1)
                n = step(lanes, phase, k0, k1, first, node, counted, seen, listed, info, guide, sums, entries)
            for nth in range(n):
                i = listed[nth]
                if phase == 0:
                    lanes[unsigned(i)] = unsigned(begun)
                    begun += 1
                    active += 1
                    slot.reset
                    slot.start
                else:  # the state before the roll, with the rest of the game and all counts; then the roll
                    at = np.int64(node[i])
                    o = seen[i]
                    slot.load
                    c = counted[i]
                    slot.count_turn
                    kind = kind_of[at]
                    o *= width
                    slot.throws
                made = 0
                while True:  # ends when the game is over or dice are to be rolled; each round makes one choice
                    step_ = slot.next(slot.state)
                    if _g._outside < 0:
                        return slot.wrong, slows, spilled
                    if step_ == -1:
                        outcome = np.int64(slot.outcome)
                        if outcome < 0 or outcome >= counts.size or _g._outside < 0:
                            return slot.wrong, slows, spilled
                        counts[outcome] += 1
                        slot.count
                        node[i] = idle
                        active -= 1
                        break
                    if step_ >= 0:  # a roll: put the game back into its lane, at the state of its turn
                        at = 0
                        slot.find
                        if at < 0:
                            slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                            slows += 1
                            node[i] = idle
                            active -= 1
                            break
                        node[i] = unsigned(at)
                        counted[i] = 0
                        slot.store
                        break
                    kind = (-2 - step_) >> 16
                    seat = (-2 - step_) & 65535
                    made += 1
                    if kind >= slot.decisions or seat >= who.size or made > most_choices:
                        return slot.wrong, slows, spilled
                    slot.choices
    return slot.done, slows, spilled
