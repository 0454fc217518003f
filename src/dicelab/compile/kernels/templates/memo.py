"""Follows entries of a memo table; the rules compute those that are missing.

`dicelab.engines.tables.memo` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import HALF, LOW, guarded, record, tallied, unchecked, unsigned
from dicelab.compile.kernels.hashtable import equal, masks_of, number_of, pack, unpack
from dicelab.compile.kernels.lanes import (
    LANES,
    NEXT_BLOCK,
    SIZE,
    begin_games,
    drawn,
    give_up_lanes,
    throw_numbers,
    throw_words,
)
from dicelab.compile.kernels.templates.playing import choose, count, ended
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)
STATE, DICE = unsigned((1 << 18) - 1), unsigned(18)
ALL, OVER, NEW = unsigned((1 << 30) - 1), unsigned(1 << 30), unsigned(1 << 31)
ONE, FOUR, FIVE = unsigned(1), unsigned(4), unsigned(5)

slot.functions


@guarded
def follow(i, outcome, place, counted, stride, change_at, entries, added):
    """Follow the entry of an outcome in lane `i`; returns 1 if the game is over then or the entry is new, else 0."""
    entry = unsigned(entries[(place[i] & STATE) * stride + outcome])
    place[i] = entry
    counted[i] += added[(entry & ALL) >> change_at]
    return np.int64(entry > ALL)


@unchecked
def step(lanes, phase, k0, k1, first, place, counted, seen, todo, rolls, entries, added):
    """Follow one roll of every lane; lists the lanes whose game is over or whose entry is new, and returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn. The outcomes of the rolls go to `seen`.
    """
    _, guide, sums, _, _, dice, _, _, _, stride, change_at = rolls
    rows = (ONE << (change_at - DICE)) - ONE
    n = 0
    for j in range(LANES):  # todo[0 .. n - 1] are lanes below j; todo[n] is written each time, and kept by n += 1
        i = unsigned(j)
        row = FIVE * ((place[i] >> DICE) & rows)
        o = drawn(lanes, i, phase, k0, k1, first, row, dice, guide, sums) - np.int64(dice[row + FOUR])
        seen[i] = o
        more = follow(i, unsigned(o), place, counted, stride, change_at, entries, added)
        todo[unsigned(n)] = j
        n += more
    return n


@unchecked
def step_listed(lanes, phase, place, counted, todo, listed, largest, stride, change_at, entries, added):
    """Return the same for numbers below the largest weight, which `throw_numbers` has drawn; their
    outcomes are listed.
    """
    rows = (ONE << (change_at - DICE)) - ONE
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        o = unsigned(listed[((place[i] >> DICE) & rows) * largest + lanes[column + i]])
        more = follow(i, o, place, counted, stride, change_at, entries, added)
        todo[unsigned(n)] = j
        n += more
    return n


@unchecked
def step_direct(lanes, phase, place, counted, todo, stride, entries, added):
    """Return the same for one fair die: the number is the outcome. One loop for both would be slower by a fifth."""
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        more = follow(i, lanes[column + i], place, counted, stride, DICE, entries, added)
        todo[unsigned(n)] = j
        n += more
    return n


@unchecked
def draw(lanes, low, high, k0, k1, rolls):
    """Draw the next four rolls of every lane: numbers below the largest weight, or whole words where this returns True.

    Words are needed if outcomes are not listed, or if some row of dice may reject one of the words of this block.
    """
    if rolls.listed.size > 0:
        if throw_numbers(lanes, low, high, k0, k1, rolls.largest) >= rolls.doubtful:
            return False
        for i in range(LANES):
            lanes[unsigned(i)] -= NEXT_BLOCK
    throw_words(lanes, low, high, k0, k1)
    return True


@guarded
def change_number(since, memo, bits, most):
    """Return the number of a change of the tallies, which is added if it is new; -1 if there is no room for it."""
    change = 0
    while change < memo.found[1] and not equal(since, 0, memo.changes, change):
        change += 1
    if change == memo.found[1]:
        if change == memo.changes.shape[0]:
            return -1
        total = np.int64(0)
        for t in range(slot.fields - 1, -1, -1):
            if since[0, t] > most or since[0, t] < -most:
                return -1
            memo.changes[change, t] = since[0, t]
            total = (total << bits) + since[0, t]
        memo.added[change] = total
        memo.found[1] += 1
    return change


@guarded
def target(step, here, packed, rolls, packing, memo):
    """Return the lower bits of an entry that leads to state `here`, where dice are rolled; minus a status if that
    fails.

    A new state gets a number and a row, whose entries are all NEW.
    """
    low, span, word, shift = packing
    keys, entries, found = memo.keys, memo.entries, memo.found
    if step >> 16 >= rolls.kinds.shape[0] or step & 65535 > rolls.kinds[step >> 16, 1]:
        return -slot.WRONG
    if pack(here, low, span, word, shift, packed, 0) >= 0:
        return -slot.WRONG
    if found[0] + 1 >= keys.shape[0]:
        return -slot.FULL
    number = number_of(packed, 0, keys, found[0], memo.table)
    row = unsigned(rolls.kinds[step >> 16, 0] + (step & 65535)) & ((ONE << (rolls.change_at - DICE)) - ONE)
    to = unsigned(number + 1) | (row << DICE)
    if number == found[0]:
        found[0] += 1
        for j in range(rolls.stride):
            entries[unsigned(number + 1) * rolls.stride + unsigned(j)] = to | NEW
    return np.int64(to)


@guarded
def entry_of(_g, came, seen, setting, rows, rolls, packing, memo, scratch, bits, most, outcomes, game, choices):
    """Return the entry for outcome `seen` of the roll in the state of the NEW entry `came`; minus a status if that
    fails.

    If `came` is 0, it is the entry by which games begin. Where a mixed strategy was asked, which draws by the index of
    the `game` and the number of `choices` so far, the entry holds for this game only: `kept` is 0 then.
    """
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, dice, listed, largest, doubtful, stride, change_at = rolls
    low, span, word, shift = packing
    here, around, since, packed, mask = scratch
    slot.name_rows
    if came == unsigned(0):
        slot.reset
        slot.start
    else:  # the state before the roll, and the roll
        unpack(memo.keys, np.int64(came & STATE) - 1, low, mask, word, shift, here)
        slot.load
        slot.nothing
        step = slot.next(slot.state)
        kind = step >> 16
        o = (np.int64(dice[FIVE * unsigned(kinds[kind, 0] + (step & 65535)) + FOUR]) + seen) * width
        slot.throws
    slot.before_choices
    step = choose(_g, setting, rows, slot.most_choices, game)
    if _g._outside < 0 or step < -1 or (step == -1 and came == unsigned(0)):
        return -slot.WRONG
    lower = np.int64(0)
    if step == -1:
        lower = ended(_g, rows, outcomes)
        if lower < 0:
            return -slot.WRONG
        lower |= np.int64(OVER)
        slot.store_since
        slot.not_turned
    else:
        slot.store_here
        slot.store_since
        slot.turn
        lower = target(step, here, packed, rolls, packing, memo)
        if lower < 0:
            return lower
    change = change_number(since, memo, bits, most)
    return -slot.FULL if change < 0 else np.int64(unsigned(lower) | (unsigned(change) << change_at))


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, rolls, packing, bits, most, memo, counted_games, slow):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    listed, largest, stride, change_at = rolls.listed, rolls.largest, rolls.stride, rolls.change_at
    entries, added, found = memo.entries, memo.added, memo.found
    slot.set_params
    lanes = np.zeros(SIZE, np.uint64)
    idle = unsigned(0)
    rows_of_dice = (ONE << (change_at - DICE)) - ONE
    place = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    todo = np.zeros(LANES, np.int64)
    scratch = (
        np.zeros(max(1, packing[0].size), np.int64),
        np.zeros(who.size, np.int64),
        np.zeros((1, max(1, slot.fields)), np.int64),
        np.zeros((1, memo.keys.shape[1]), np.uint64),
        np.zeros(packing[0].size, np.uint64),
    )
    masks_of(packing[1], scratch[4])
    outcomes = counted_games[0].size
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = over = slows = spilled = rounds = 0
    # At the head of each round `begun` games have begun; `over` of them are counted, others are in `slow`, the rest in
    # lanes. In each of the four rolls of a block `todo` has the lanes for which more is to be done than to follow an
    # entry.
    while begun < games or begun > over + slows:
        rounds += 1
        if rounds % 64 == 0:
            slows = give_up_lanes(lanes, place, idle, blocks, slow, slows)
        for nth in range(begin_games(lanes, place, idle, begun, games, todo)):
            entry = found[2]
            if entry == 0:  # it is not known yet, or a move is drawn before the first roll
                game = np.int64(first) + begun
                entry = entry_of(
                    _g, idle, 0, setting, rows, rolls, packing, memo, scratch, bits, most, outcomes, game, 0
                )
                if entry < 0:
                    return -entry, slows, spilled
                if slot.kept:
                    found[2] = entry
            place[todo[nth]] = unsigned(entry)
            counted[todo[nth]] = added[unsigned(entry) >> change_at]
            begun += 1
        exact = draw(lanes, low, high, k0, k1, rolls)
        for phase in range(1, 5):
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
                if came & OVER == 0:  # the entry is not known yet: the rules compute it
                    if not exact:
                        drawn = lanes[unsigned((4 + phase) * LANES + i)]
                        seen[i] = np.int64(listed[((came >> DICE) & rows_of_dice) * largest + drawn])
                    game = np.int64(first) + np.int64(lanes[unsigned(i)] & LOW)
                    c = counted[i]
                    slot.choices_so_far
                    entry = entry_of(
                        _g, came, seen[i], setting, rows, rolls, packing, memo, scratch, bits, most, outcomes, game, c
                    )
                    if entry < 0:
                        return -entry, slows, spilled
                    if slot.kept:
                        entries[(came & STATE) * stride + unsigned(seen[i])] = np.uint32(entry)
                    place[i] = unsigned(entry)
                    counted[i] += added[(place[i] & ALL) >> change_at]
                if place[i] & OVER != 0:
                    outcome = np.int64(place[i] & STATE)
                    c = counted[i]
                    slot.count_turn
                    slot.turn_back
                    spilled = count(_g, outcome, counted_games, spilled)
                    place[i] = idle
                    over += 1
    return slot.DONE, slows, spilled
