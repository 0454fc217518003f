"""Follows entries of a memo table; the rules compute those that are missing.

`dicelab.kernels.writers.memo` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.kernels import rule_support as _rules
from dicelab.kernels.core import FIRST_LANE, HALF, LOW, below, record, unchecked, unsigned
from dicelab.kernels.hashtable import equal, number_of, pack, unpack
from dicelab.kernels.lanes import LANES, NEXT_BLOCK, SIZE, throw_numbers, throw_words
from dicelab.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)
STATE, DICE = unsigned((1 << 18) - 1), unsigned(18)
ALL, OVER, NEW = unsigned((1 << 30) - 1), unsigned(1 << 30), unsigned(1 << 31)
ONE, TWO, THREE, FOUR, FIVE = unsigned(1), unsigned(2), unsigned(3), unsigned(4), unsigned(5)

slot.functions


@unchecked
def step(lanes, phase, k0, k1, first, place, counted, seen, todo, rolls, entries, added):
    """Follow one roll of every lane; lists the lanes whose game is over or whose entry is new, and returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn. The outcomes of the rolls go to `seen`.
    """
    _, guide, sums, _, _, dice, _, _, _, stride, change_at = rolls
    rows = (ONE << (change_at - DICE)) - ONE
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):  # todo[0 .. n - 1] are lanes below j; todo[n] is written each time, and kept by n += 1
        i = unsigned(j)
        row = FIVE * ((place[i] >> DICE) & rows)
        scaled = lanes[column + i] * dice[row]
        u = scaled >> HALF
        if (scaled & LOW) < dice[row + ONE]:  # rejected: draw again
            who = np.int64(lanes[i])
            throw = 4 * (who >> 32) - 5 + phase
            u = below(k0, k1, np.int64(first) + (who & 0xFFFFFFFF), throw, dice[row], FIRST_LANE)
        o = guide[dice[row + THREE] + (u >> dice[row + TWO])]
        if o < 0:  # the guide leaves several outcomes open: find the first whose running sum of weights is above u
            o = ~o
            while u >= sums[unsigned(o)]:
                o += 1
        o -= np.int64(dice[row + FOUR])
        entry = unsigned(entries[(place[i] & STATE) * stride + unsigned(o)])
        seen[i] = o
        place[i] = entry
        counted[i] += added[(entry & ALL) >> change_at]
        todo[unsigned(n)] = j
        n += np.int64(entry > ALL)
    return n


@unchecked
def step_listed(lanes, phase, place, counted, todo, listed, largest, stride, change_at, entries, added):
    """The same for numbers below the largest weight, which `throw_numbers` has drawn; their outcomes are listed."""
    rows = (ONE << (change_at - DICE)) - ONE
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        at = place[i]
        o = unsigned(listed[((at >> DICE) & rows) * largest + lanes[column + i]])
        entry = unsigned(entries[(at & STATE) * stride + o])
        place[i] = entry
        counted[i] += added[(entry & ALL) >> change_at]
        todo[unsigned(n)] = j
        n += np.int64(entry > ALL)
    return n


@unchecked
def step_direct(lanes, phase, place, counted, todo, stride, entries, added):
    """The same for one fair die: the number is the outcome. One loop for both would be slower by a fifth."""
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        entry = unsigned(entries[(place[i] & STATE) * stride + lanes[column + i]])
        place[i] = entry
        counted[i] += added[(entry & ALL) >> DICE]
        todo[unsigned(n)] = j
        n += np.int64(entry > ALL)
    return n


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, rolls, layout, bits, most, memo, counted_games, slow):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, dice, listed, largest, doubtful, stride, change_at = rolls
    low, span, word, shift = layout
    keys, table, entries, changes, added, found = memo
    counts, hist, spill = counted_games
    slot.set_params
    slot.name_rows
    lanes = np.zeros(SIZE, np.uint64)
    idle = unsigned(0)
    rows_of_dice = (ONE << (change_at - DICE)) - ONE
    place = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    todo = np.zeros(LANES, np.int64)
    here = np.zeros(max(1, low.size), np.int64)
    around = np.zeros(who.size, np.int64)
    since = np.zeros((1, max(1, slot.fields)), np.int64)
    packed = np.zeros((1, keys.shape[1]), np.uint64)
    low_, high_ = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = active = slows = spilled = rounds = 0
    exact = False
    # At the head of each round `begun` games have begun, `active` of them are in lanes; all others are counted, or in
    # `slow`. Phase 0 begins games; phases 1 to 4 are the rolls of a block. In each, `todo` has the lanes for which
    # more is to be done than to follow an entry.
    while begun < games or active > 0:
        rounds += 1
        for phase in range(5):
            n = 0
            if phase == 0:
                for i in range(LANES):
                    if place[i] == idle:
                        if begun < games:
                            lanes[unsigned(i)] = unsigned(begun)
                            begun += 1
                            active += 1
                            place[i] = unsigned(found[2])
                            counted[i] = found[3]
                            if found[2] == 0:  # the first game: the rules say where games begin
                                todo[n] = i
                                n += 1
                    elif rounds % 64 == 0 and np.int64(lanes[unsigned(i)] >> HALF) >= blocks:
                        slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                        slows += 1
                        place[i] = idle
                        active -= 1
            else:
                if phase == 1:
                    exact = listed.size == 0
                    if not exact and throw_numbers(lanes, low_, high_, k0, k1, largest) < doubtful:
                        exact = True  # a word may be rejected, by some row of dice: take the words of the same block
                        for i in range(LANES):
                            lanes[unsigned(i)] -= NEXT_BLOCK
                    if exact:
                        throw_words(lanes, low_, high_, k0, k1)
                if exact:
                    n = step(lanes, phase, k0, k1, first, place, counted, seen, todo, rolls, entries, added)
                elif change_at == DICE:
                    n = step_direct(lanes, phase, place, counted, todo, stride, entries, added)
                else:
                    drawing = listed, largest, stride, change_at
                    n = step_listed(lanes, phase, place, counted, todo, *drawing, entries, added)
            for nth in range(n):
                i = todo[nth]
                came = place[i]
                over = came & OVER
                outcome = np.int64(came & STATE)
                if over == 0:  # the entry is not known yet: the rules compute it
                    if phase == 0:
                        if found[2] != 0:  # another lane has found it in this round
                            place[i] = unsigned(found[2])
                            counted[i] = found[3]
                            continue
                        slot.reset
                        slot.start
                    else:  # the state before the roll, and the roll
                        unpack(keys, np.int64(came & STATE) - 1, low, span, word, shift, here)
                        slot.load
                        slot.nothing
                        step_ = slot.next(slot.state)
                        kind = step_ >> 16
                        row = FIVE * unsigned(kinds[kind, 0] + (step_ & 65535))
                        if not exact:
                            drawn = lanes[unsigned((4 + phase) * LANES + i)]
                            seen[i] = np.int64(listed[((came >> DICE) & rows_of_dice) * largest + drawn])
                        o = (np.int64(dice[row + FOUR]) + seen[i]) * width
                        slot.throws
                    made = 0
                    # Ends when the game is over or dice are to be rolled; each round makes one choice. `here` and
                    # `since` have the state and the tallies before the last call of next.
                    while True:
                        slot.store_here
                        slot.store_since
                        step_ = slot.next(slot.state)
                        if step_ >= -1:
                            break
                        kind = (-2 - step_) >> 16
                        seat = (-2 - step_) & 65535
                        made += 1
                        if kind >= slot.decisions or seat >= who.size or made > slot.most_choices:
                            return slot.WRONG, slows, spilled
                        slot.choices
                    if _g._outside < 0:
                        return slot.WRONG, slows, spilled
                    if step_ == -1:
                        outcome = np.int64(slot.outcome)
                        if phase == 0 or outcome < 0 or outcome >= counts.size or _g._outside < 0:
                            return slot.WRONG, slows, spilled
                        slot.store_since
                        slot.not_turned
                    else:
                        slot.turn
                    change = 0  # the number of this change of the tallies, which is added if it is new
                    while change < found[1] and not equal(since, 0, changes, change):
                        change += 1
                    if change == found[1]:
                        if change == changes.shape[0]:
                            return slot.FULL, slows, spilled
                        total = np.int64(0)
                        for t in range(slot.fields - 1, -1, -1):
                            if since[0, t] > most or since[0, t] < -most:
                                return slot.FULL, slows, spilled
                            changes[change, t] = since[0, t]
                            total = (total << bits) + since[0, t]
                        added[change] = total
                        found[1] += 1
                    entry = unsigned(change) << change_at
                    if step_ == -1:
                        over = OVER
                        entry |= unsigned(outcome) | OVER
                    else:
                        if step_ >> 16 >= kinds.shape[0] or step_ & 65535 > kinds[step_ >> 16, 1]:
                            return slot.WRONG, slows, spilled
                        if pack(here, low, span, word, shift, packed, 0) >= 0:
                            return slot.WRONG, slows, spilled
                        if found[0] + 1 >= keys.shape[0]:
                            return slot.FULL, slows, spilled
                        node = number_of(packed, 0, keys, found[0], table)
                        thrown = unsigned(kinds[step_ >> 16, 0] + (step_ & 65535)) & rows_of_dice
                        target = unsigned(node + 1) | (thrown << DICE)
                        if node == found[0]:  # a new state: its row is added, with all entries NEW
                            found[0] += 1
                            for j in range(stride):
                                entries[unsigned(node + 1) * stride + unsigned(j)] = target | NEW
                        entry |= target
                    if phase == 0:
                        found[2] = np.int64(entry)
                        found[3] = added[change]
                        counted[i] = found[3]
                    else:  # from now on this entry is followed without the rules
                        entries[(came & STATE) * stride + unsigned(seen[i])] = np.uint32(entry)
                        counted[i] += added[change]
                    place[i] = entry
                if over != 0:
                    c = counted[i]
                    slot.count_turn
                    slot.turn_back
                    counts[outcome] += 1
                    slot.count
                    place[i] = idle
                    active -= 1
    return slot.DONE, slows, spilled
