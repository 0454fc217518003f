"""Many games side by side, four throws at a time: what the kernels of the table, turns and graph engines share.

Games are played in *lanes*: a lane has a game, the block of its stream that comes next, and the place where the game
stands. One block of Philox is made for all lanes at once, and each lane follows a table through its four throws. What
happens is nowhere decided by a branch, which the processor could not foresee, but for the rare cases at the end of each
round.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import numpy as np

from dicelab.kernels.core import (
    FIRST_LANE,
    HALF,
    LOW,
    below,
    inline,
    one_word,
    philox,
    unchecked,
    unsigned,
    whole_vectors,
)
from dicelab.kernels.lane_layout import BANKS, ROW_BITS

LANES = 256

WHO, PLACE, OVER, FIRST, SECOND, THIRD, FOURTH = [unsigned(LANES * row) for row in (0, 2, 4, 5, 6, 7, 8)]
"""Where in one buffer the lanes have each number. WHO is the game, counted from the first, with the block above it. Of
WHO and PLACE there are twice as many: the second half are those of games that wait for their turn."""
SIZE = 9 * LANES
ROWS = unsigned((1 << 20) - 1)
BITS = unsigned(ROW_BITS)
NEXT_BLOCK = unsigned(1 << 32)
NOTHING, ONE = unsigned(0), unsigned(1)


@unchecked
def throw_pairs(lanes, low, high, k0, k1, weight):
    """The next four throws of every lane, as two numbers, each of two throws; returns the smallest remainder."""
    whole_vectors()
    weight = weight & LOW
    smallest = LOW
    for i in range(LANES):
        who = lanes[i]
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        lanes[i] = who + NEXT_BLOCK
        a, b, c, d = (a & LOW) * weight, (b & LOW) * weight, (c & LOW) * weight, (d & LOW) * weight
        lanes[5 * LANES + i] = (a >> HALF) * weight + (b >> HALF)
        lanes[6 * LANES + i] = (c >> HALF) * weight + (d >> HALF)
        smallest = min(smallest, min(min(a & LOW, b & LOW), min(c & LOW, d & LOW)))
    return smallest


@unchecked
def throw_first_pairs(lanes, low, high, k0, k1, weight):
    """The same for games of which these are the first throws, one after the other from the one given."""
    whole_vectors()
    weight = weight & LOW
    smallest = LOW
    for i in range(LANES):
        a, b, c, d = philox(k0, k1, NOTHING, NOTHING, low + unsigned(i), high)
        a, b, c, d = (a & LOW) * weight, (b & LOW) * weight, (c & LOW) * weight, (d & LOW) * weight
        lanes[5 * LANES + i] = (a >> HALF) * weight + (b >> HALF)
        lanes[6 * LANES + i] = (c >> HALF) * weight + (d >> HALF)
        smallest = min(smallest, min(min(a & LOW, b & LOW), min(c & LOW, d & LOW)))
    return smallest


@unchecked
def throw_words(lanes, low, high, k0, k1):
    """The next four words of every lane."""
    whole_vectors()
    for i in range(LANES):
        who = lanes[i]
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        lanes[i] = who + NEXT_BLOCK
        lanes[5 * LANES + i] = a & LOW
        lanes[6 * LANES + i] = b & LOW
        lanes[7 * LANES + i] = c & LOW
        lanes[8 * LANES + i] = d & LOW


@unchecked
def throw_numbers(lanes, low, high, k0, k1, weight):
    """The next four throws of every lane, as numbers below one weight; returns the smallest remainder."""
    whole_vectors()
    weight = weight & LOW
    smallest = LOW
    for i in range(LANES):
        who = lanes[i]
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        lanes[i] = who + NEXT_BLOCK
        a, b, c, d = (a & LOW) * weight, (b & LOW) * weight, (c & LOW) * weight, (d & LOW) * weight
        lanes[5 * LANES + i] = a >> HALF
        lanes[6 * LANES + i] = b >> HALF
        lanes[7 * LANES + i] = c >> HALF
        lanes[8 * LANES + i] = d >> HALF
        smallest = min(smallest, min(min(a & LOW, b & LOW), min(c & LOW, d & LOW)))
    return smallest


@unchecked
def mend_numbers(lanes, first, k0, k1, weight, rejected):
    """Draw once more the numbers of the last block for which a word was rejected."""
    for j in range(LANES):
        who = lanes[unsigned(j)] - NEXT_BLOCK
        game = np.int64(first) + np.int64(who & LOW)
        for w in range(4):
            throw = 4 * np.int64(who >> HALF) + w
            if one_word(k0, k1, game, throw, FIRST_LANE) * weight & LOW < rejected:
                lanes[unsigned((5 + w) * LANES + j)] = below(k0, k1, game, throw, weight, FIRST_LANE)


@unchecked
def begin(lanes, n, until, first, start):
    """Begin games in the lanes from number `n` on."""
    for i in range(n, until):
        lanes[i] = unsigned(first + i)
        lanes[2 * LANES + i] = start


@inline
def short_sum(place, entry):
    """A place of 32 bits, and what is added to it."""
    return unsigned(np.uint32(place + entry))


@unchecked
def follow_first_pairs(lanes, n, first, start, entries, live, at):
    """Follow the table from the start; games that go on join those that wait, from number `at` on.

    Returns how many go on.
    """
    going, over = unsigned(at), OVER
    for j in range(n):
        i = unsigned(j)
        place = start + entries[(start & ROWS) + lanes[i + FIRST]]
        place += entries[(place & ROWS) + lanes[i + SECOND]]
        goes_on = unsigned((place & ROWS) < live)
        lanes[going + WHO] = NEXT_BLOCK + unsigned(first) + i
        lanes[going + PLACE if goes_on else over] = place
        going += goes_on
        over += ONE - goes_on
    return np.int64(going) - at


@unchecked
def follow_first_counting(lanes, first, start, short, live, at, bank, hist):
    """The same in a table of 32-bit places, which also counts the games that are over, at *row + tally*.

    Games that go on are counted as well, where nobody looks, because that needs no branch.
    """
    going = unsigned(at)
    for j in range(LANES // 2):
        i, place_in_hist = unsigned(2 * j), NOTHING
        for _ in range(2):
            place = short_sum(start, short[(start & ROWS) + lanes[i + FIRST]])
            place = short_sum(place, short[(place & ROWS) + lanes[i + SECOND]])
            row = place & ROWS
            lanes[going + WHO] = NEXT_BLOCK + unsigned(first) + i
            lanes[going + PLACE] = place
            going += unsigned(row < live)
            hist[row + (place >> BITS) + place_in_hist] += 1
            place_in_hist += bank
            i += ONE
    return np.int64(going) - at


@unchecked
def follow_counting(lanes, n, short, live, bank, hist):
    """The same for the pairs that follow; games that go on move to the front."""
    going = NOTHING
    for j in range(n):
        i = unsigned(j)
        place = lanes[i + PLACE]
        place = short_sum(place, short[(place & ROWS) + lanes[i + FIRST]])
        place = short_sum(place, short[(place & ROWS) + lanes[i + SECOND]])
        row = place & ROWS
        lanes[going + WHO] = lanes[i + WHO]
        lanes[going + PLACE] = place
        going += unsigned(row < live)
        hist[row + (place >> BITS) + bank * (i & ONE)] += 1
    return np.int64(going)


@unchecked
def follow_pairs(lanes, n, entries, live):
    """Follow the table; games that go on move to the front, places of the others to `OVER`. Returns how many go on."""
    going, over = NOTHING, OVER
    for j in range(n):
        i = unsigned(j)
        place = lanes[i + PLACE]
        place += entries[(place & ROWS) + lanes[i + FIRST]]
        place += entries[(place & ROWS) + lanes[i + SECOND]]
        goes_on = unsigned((place & ROWS) < live)
        lanes[going + WHO] = lanes[i + WHO]
        lanes[going + PLACE if goes_on else over] = place
        going += goes_on
        over += ONE - goes_on
    return np.int64(going)


@unchecked
def follow_words(lanes, n, entries, live, void, slow, slows):
    """The same where positions throw different dice: weight and rejected words stand before the columns of a row.

    A game that meets a rejected word is left to the reference engine. Returns how many go on, and are left so far.
    """
    going, over = NOTHING, OVER
    for j in range(n):
        i = unsigned(j)
        place = lanes[i + PLACE]
        rejected = False
        for word in (FIRST, SECOND, THIRD, FOURTH):
            row = place & ROWS
            scaled = lanes[i + word] * entries[row]
            rejected |= (scaled & LOW) < entries[row + ONE]
            place += entries[row + unsigned(2) + (scaled >> HALF)]
        if rejected:
            slow[slows] = np.int64(lanes[i + WHO] & LOW)
            slows += 1
            place = void
        goes_on = unsigned((place & ROWS) < live)
        lanes[going + WHO] = lanes[i + WHO]
        lanes[going + PLACE if goes_on else over] = place
        going += goes_on
        over += ONE - goes_on
    return np.int64(going), slows


@unchecked
def give_up_rejected(lanes, n, low, high, k0, k1, weight, rejected, void, slow, slows):
    """Leave to the reference engine the games of which a word of the last block is rejected."""
    for j in range(n):
        i = unsigned(j)
        who = lanes[i + WHO] - NEXT_BLOCK
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        worst = min(min((a & LOW) * weight & LOW, (b & LOW) * weight & LOW), (c & LOW) * weight & LOW)
        if min(worst, (d & LOW) * weight & LOW) < rejected and lanes[i + PLACE] != void:
            slow[slows] = np.int64(who & LOW)
            slows += 1
            lanes[i + PLACE] = void
    return slows


@unchecked
def give_up_long(lanes, n, too_long, void, slow, slows):
    """Leave to the reference engine the games that have come to too late a block."""
    for j in range(n):
        i = unsigned(j)
        if lanes[i + WHO] >= too_long and lanes[i + PLACE] != void:
            slow[slows] = np.int64(lanes[i + WHO] & LOW)
            slows += 1
            lanes[i + PLACE] = void
    return slows


@unchecked
def count(lanes, n, live, shift, bits, lowest, shape, hist, spill, spilled):
    """Count the endings and tallies of the games that are over; values that no histogram has go to `spill`.

    The last ending is that of games which are left to the reference engine.
    """
    growing, bins = shape
    mask, bias = (ONE << unsigned(bits)) - ONE, (ONE << unsigned(bits - 1)) + unsigned(lowest)
    bank, row = unsigned(hist.size // BANKS), unsigned(growing * bins)
    for j in range(n):
        place = lanes[unsigned(j) + OVER]
        ending = ((place & ROWS) - live) >> shift
        at = unsigned(j & (BANKS - 1)) * bank + ending * row
        counted = place >> unsigned(ROW_BITS)
        for k in range(growing):
            value = (counted & mask) - bias
            counted >>= unsigned(bits)
            if value < unsigned(bins):
                hist[at + value] += 1
            else:
                spill[spilled, 0] = np.int64(ending)
                spill[spilled, 1] = k
                spill[spilled, 2] = np.int64(value) + lowest
                spilled += 1
            at += unsigned(bins)
    return spilled
