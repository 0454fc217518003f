"""Follows a table of the states of a turn; the rules decide elsewhere.

`dicelab.engines.tables.turn` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import HALF, LOW, guarded, record, tallied, unchecked, unsigned
from dicelab.compile.kernels.lanes import LANES, SIZE, begin_games, drawn, give_up_lanes, throw_words
from dicelab.compile.kernels.templates.playing import choose, count, ended
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)
ROWS = unsigned((1 << 20) - 1)
NOT_IN_TABLE, FAILED = -(1 << 32), -(1 << 33)

slot.functions


@unchecked
def step(lanes, phase, k0, k1, first, node, counted, seen, away, info, guide, sums, entries):
    """Follow one roll of every lane; lists in `away` the lanes for which the rules must decide, returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn.
    """
    n = 0
    for j in range(LANES):  # away[0 .. n - 1] lists lanes below j; away[n] is written each time, and kept by n += 1
        i = unsigned(j)
        row = unsigned(5) * node[i]
        o = drawn(lanes, i, phase, k0, k1, first, row, info, guide, sums)
        entry = entries[info[row + unsigned(4)] + unsigned(o)]
        seen[i] = o
        node[i] = entry & ROWS
        counted[i] += np.int64(entry) >> 21
        away[unsigned(n)] = j
        n += np.int64((entry >> unsigned(20)) & unsigned(1))
    return n


@unchecked
def settle(counted, kept, bits):
    """Move the counts of all lanes to `kept`, before they can overflow."""
    for i in range(LANES):
        c = counted[i]
        counted[i] = 0
        slot.settle


@guarded
def decide(_g, i, at, o, setting, rows, turns, kept, counted, outcomes, most_choices, game):
    """Begin game number `game` if `at` is -1; else apply the rules to outcome `o` in state `at` of the turn of lane i.

    Returns the next state of the turn; -1 - outcome where the game is over; `NOT_IN_TABLE` or `FAILED`.
    """
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, info, entries, kind_of, fields, lows, sizes, node_at, bits, idle = turns
    slot.name_rows
    slot.sizes
    if at < 0:
        slot.reset
        slot.start
    else:  # the state before the roll, with the rest of the game and all counts; then the roll
        slot.load
        c = counted[i]
        slot.count_turn
        kind = kind_of[at]
        o *= width
        slot.throws
    step = choose(_g, setting, rows, most_choices, game)
    if _g._outside < 0 or step < -1:
        return FAILED
    if step == -1:
        outcome = ended(_g, rows, outcomes)
        return FAILED if outcome < 0 else -1 - outcome
    at = 0
    slot.find
    if at < 0:
        return NOT_IN_TABLE
    counted[i] = 0
    slot.store
    return at


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, turns, counted_games, slow, most_choices):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, info, entries, kind_of, fields, lows, sizes, node_at, bits, idle = turns
    slot.set_params
    slot.name_rows
    lanes = np.zeros(SIZE, np.uint64)
    node = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    listed = np.zeros(LANES, np.int64)
    kept = np.zeros((LANES, slot.kept), np.int64)
    outcomes = counted_games[0].size
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = over = slows = spilled = rounds = 0
    # At the head of each round `begun` games have begun; `over` of them are counted, others are in `slow`, the rest in
    # lanes. Phase 0 begins games; phases 1 to 4 are the rolls of a block. In each, `listed` has the lanes for which the
    # rules are applied.
    while begun < games or begun > over + slows:
        rounds += 1
        if rounds % 512 == 0:
            settle(counted, kept, bits)
            slows = give_up_lanes(lanes, node, idle, blocks, slow, slows)
        for phase in range(5):
            if phase == 0:
                n = begin_games(lanes, node, idle, begun, games, listed)
                begun += n
            else:
                if phase == 1:
                    throw_words(lanes, low, high, k0, k1)
                n = step(lanes, phase, k0, k1, first, node, counted, seen, listed, info, guide, sums, entries)
            for nth in range(n):
                i = listed[nth]
                at = -1 if phase == 0 else np.int64(node[i])
                game = np.int64(first) + np.int64(lanes[unsigned(i)] & LOW)
                at = decide(_g, i, at, seen[i], setting, rows, turns, kept, counted, outcomes, most_choices, game)
                if at >= 0:
                    node[i] = unsigned(at)
                    continue
                if at == FAILED:
                    return slot.wrong, slows, spilled
                node[i] = idle
                if at == NOT_IN_TABLE:
                    slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                    slows += 1
                else:
                    spilled = count(_g, -1 - at, counted_games, spilled)
                    over += 1
    return slot.done, slows, spilled
