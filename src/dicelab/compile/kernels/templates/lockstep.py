"""Plays many games side by side, one roll of the same seat in all of them at a time.

`dicelab.compile.kernels.writers.lockstep` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import (
    HALF,
    LOW,
    apart,
    guarded,
    philox,
    record,
    tallied,
    unchecked,
    unsigned,
    whole_vectors,
)
from dicelab.compile.kernels.lanes import LANES
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)
NONE, ONE, TWO = np.uint32(0), np.uint32(1), np.uint32(2)
BYTE, FIELD = unsigned(255), unsigned((1 << 21) - 1)
IDLE, NEW, ROLLED, OVER, WRONG = (np.uint8(state) for state in range(5))
"""What a lane is: without a game; a game that has begun, or has rolled; over, or to be played by the compiled rules."""

slot.functions


@unchecked
def look(params, seat, most, phase, row, lanes):
    """Play what comes before the roll in the lanes in which it is this seat's turn; `row` is 1 + the dice, or 0."""
    whole_vectors()
    apart()
    slot.name_lanes
    _g = new_record()
    slot.set_params
    for i in range(LANES):  # each lane loads and stores, whether it plays or not: then LLVM needs no branches
        _g._lane = i
        _g._outside = 0
        slot.load
        state, turn, roll = phase[i], slot.seat[i], np.int32(0)
        if (turn == seat) & ((state == NEW) | (state == ROLLED)):
            slot.set_seat
            if (state == ROLLED) and slot.again:
                slot.more
                turn = slot.seat_now
            else:
                step = slot.next
                if (step >= 0) & (step <= most):
                    roll = np.int32(step + 1)
                else:
                    state = OVER if step == -1 else WRONG
            if _g._outside < 0:
                roll, state = np.int32(0), WRONG
        slot.store_more
        slot.seat[i] = turn
        row[i] = roll
        phase[i] = state


@guarded
def either(x, y, mask):
    """Return `x` where the bits of a mask are 0, `y` where they are 1; a conditional would become a branch."""
    return np.uint32(x ^ ((x ^ y) & mask))


@guarded
def mask(number, bit):
    """Return 32 ones if a bit of a number is 1, otherwise 0."""
    return np.uint32(NONE - ((number >> bit) & ONE))


@unchecked
def pick(words, t, word):
    """Pick the next word of each lane, of the eight that are ready."""
    whole_vectors()
    apart()
    for i in range(LANES):
        odd, second, last = mask(t[i], NONE), mask(t[i], ONE), mask(t[i], TWO)
        a, b = either(words[0, i], words[1, i], odd), either(words[2, i], words[3, i], odd)
        c, d = either(words[4, i], words[5, i], odd), either(words[6, i], words[7, i], odd)
        word[i] = either(either(a, b, second), either(c, d, second), last)


@unchecked
def draw(rolls, outcomes, word, t, phase, row, seen):
    """Draw the rolls: what they show goes to `seen`, a byte for each number. A rejected word is left to others."""
    whole_vectors()
    apart()
    for i in range(LANES):
        roll = rolls[row[i]]
        scaled = unsigned(word[i]) * (roll & FIELD)
        seen[i] = outcomes[((roll >> unsigned(21)) & FIELD) + (scaled >> HALF)]
        rejected = (scaled & LOW) < roll >> unsigned(42)
        t[i] += np.uint32(row[i] > 0)
        phase[i] = WRONG if rejected else phase[i]
        row[i] = np.int32(0) if rejected else row[i]


@unchecked
def apply(params, seat, phase, row, seen, lanes):
    """Apply the rule of the roll in the lanes that have rolled."""
    whole_vectors()
    apart()
    slot.name_lanes
    _g = new_record()
    slot.set_params
    for i in range(LANES):
        _g._lane = i
        _g._outside = 0
        slot.load
        state, turn = phase[i], slot.seat[i]
        if row[i] > 0:
            slot.set_seat
            slot.roll
            turn = slot.seat_now
            state = WRONG if _g._outside < 0 else ROLLED
        slot.store_roll
        slot.seat[i] = turn
        phase[i] = state


@unchecked
def refill(k0, k1, first, index, t, words, filled):
    """Make the next block of four words in each lane that has at most four words left."""
    whole_vectors()
    apart()
    for i in range(LANES):
        game, block = first + unsigned(index[i]), filled[i]
        a, b, c, d = philox(k0, k1, unsigned(block), unsigned(0), game, game >> HALF)
        few = np.uint32(4 * block - t[i] <= 4)
        low, high = np.uint32(NONE - (few & ~block & ONE)), np.uint32(NONE - (few & block & ONE))
        words[0, i] = either(words[0, i], np.uint32(a), low)
        words[1, i] = either(words[1, i], np.uint32(b), low)
        words[2, i] = either(words[2, i], np.uint32(c), low)
        words[3, i] = either(words[3, i], np.uint32(d), low)
        words[4, i] = either(words[4, i], np.uint32(a), high)
        words[5, i] = either(words[5, i], np.uint32(b), high)
        words[6, i] = either(words[6, i], np.uint32(c), high)
        words[7, i] = either(words[7, i], np.uint32(d), high)
        filled[i] = block + few


@njit(nogil=True, cache=CACHED)
def kernel(games, setting, seats, most, lanes, scratch, rolls, outcomes, counted, used, slow):
    k0, k1, first, many, patience = games
    params, args, who, starts, spans = setting
    slot.name_lanes
    phase, row, t, filled, index, began, word, seen, words = scratch
    counts, hist, spill = counted
    _g = new_record()
    slot.set_params
    spilled = slows = begun = live = np.int64(0)
    phase[:] = IDLE
    seat, steps = slot.first_seat, np.int64(0)
    while True:
        if seat == slot.first_seat:
            for i in range(LANES):
                if phase[i] == IDLE or (phase[i] < OVER and steps - began[i] <= patience):
                    continue
                outcome = np.int64(-1)
                if phase[i] == OVER and t[i] <= patience:
                    _g._lane = i
                    _g._outside = 0
                    slot.load
                    outcome = np.int64(slot.outcome)
                if outcome < 0 or outcome >= counts.size or _g._outside < 0:
                    slow[slows] = index[i]
                    slows += 1
                else:
                    counts[outcome] += 1
                    slot.count
                used[0] += steps - began[i]
                used[1] += t[i]
                phase[i] = IDLE
                live -= 1
            if live < LANES and begun < many:
                for i in range(LANES):
                    if phase[i] == IDLE and begun < many:
                        index[i] = begun
                        begun += 1
                        live += 1
                        phase[i] = NEW
                        t[i] = filled[i] = 0
                        began[i] = steps
                        slot.start
                refill(k0, k1, first, index, t, words, filled)
            if live == 0:
                return slot.DONE, slows, spilled
        if steps & 3 == 0:  # at most four words of a lane are used until then
            refill(k0, k1, first, index, t, words, filled)
        look(params, seat, most, phase, row, lanes)
        pick(words, t, word)
        draw(rolls, outcomes, word, t, phase, row, seen)
        apply(params, seat, phase, row, seen, lanes)
        seat = seat + 1 if seat + 1 < seats else np.int64(0)
        steps += 1
