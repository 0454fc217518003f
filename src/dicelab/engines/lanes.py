"""The kernel of the table engine, for all games: many games side by side, four throws at a time.

This text is compiled by way of `dicelab.engines.cache`, like the kernels that are written for a game. Games are played
in *lanes*: a lane has a game, the block of its stream that comes next, and the place where the game stands in a
`dicelab.engines.small.Table`. One block of Philox is made for all lanes at once, and each lane follows the table
through its four throws; a game that is over stays where it is, and then makes room for another. What happens is nowhere
decided by a branch, which the processor could not foresee, but for the rare cases at the end of each round.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import numpy as np
from numba import njit

from dicelab.engines.jit import HALF, LOW, philox, unchecked, unsigned

LANES = 512
BANKS = 4
"""Copies of the histograms, used in turn: adding to the number just added to would have to wait for it."""
PATIENCE = 64
"""Rounds after which games that last too long are looked for."""

WHO, PLACE, OVER, WORST, FIRST, SECOND, THIRD, FOURTH = [unsigned(LANES * row) for row in range(8)]
"""Where in one buffer the lanes have each number. WHO is the game, counted from the first, with the block above it."""
ROWS = unsigned((1 << 20) - 1)
ROW_BITS = 20
NEXT_BLOCK = unsigned(1 << 32)
NOTHING, ONE = unsigned(0), unsigned(1)


@unchecked
def throw_pairs(lanes, low, high, k0, k1, weight):
    """The next four throws of every lane, as two numbers, each of two throws; returns the smallest remainder."""
    weight = weight & LOW
    smallest = LOW
    for i in range(LANES):
        who = lanes[i]
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        lanes[i] = who + NEXT_BLOCK
        a, b, c, d = (a & LOW) * weight, (b & LOW) * weight, (c & LOW) * weight, (d & LOW) * weight
        lanes[4 * LANES + i] = (a >> HALF) * weight + (b >> HALF)
        lanes[5 * LANES + i] = (c >> HALF) * weight + (d >> HALF)
        worst = min(min(a & LOW, b & LOW), min(c & LOW, d & LOW))
        lanes[3 * LANES + i] = worst
        smallest = min(smallest, worst)
    return smallest


@unchecked
def throw_words(lanes, low, high, k0, k1):
    """The next four words of every lane."""
    for i in range(LANES):
        who = lanes[i]
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        lanes[i] = who + NEXT_BLOCK
        lanes[4 * LANES + i] = a & LOW
        lanes[5 * LANES + i] = b & LOW
        lanes[6 * LANES + i] = c & LOW
        lanes[7 * LANES + i] = d & LOW


@unchecked
def follow_pairs(lanes, n, entries, live):
    """Follow the table; games that go on move to the front, places of the others to `OVER`. Returns how many go on."""
    going = over = NOTHING
    for j in range(n):
        i = unsigned(j)
        place = lanes[i + PLACE]
        place += entries[(place & ROWS) + lanes[i + FIRST]]
        place += entries[(place & ROWS) + lanes[i + SECOND]]
        lanes[going + WHO] = lanes[i + WHO]
        lanes[going + PLACE] = place
        lanes[over + OVER] = place
        goes_on = unsigned((place & ROWS) < live)
        going += goes_on
        over += ONE - goes_on
    return np.int64(going)


@unchecked
def follow_words(lanes, n, entries, live, void, slow, slows):
    """The same where positions throw different dice: weight and rejected words stand before the columns of a row.

    A game that meets a rejected word is left to the reference engine. Returns how many go on, and are left so far.
    """
    going = over = NOTHING
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
        lanes[going + WHO] = lanes[i + WHO]
        lanes[going + PLACE] = place
        lanes[over + OVER] = place
        goes_on = unsigned((place & ROWS) < live)
        going += goes_on
        over += ONE - goes_on
    return np.int64(going), slows


@unchecked
def give_up(lanes, n, column, least, most, void, slow, slows):
    """Leave to the reference engine the games whose number in a column is below `least` or from `most` on."""
    for j in range(n):
        i = unsigned(j)
        number = lanes[i + column]
        if (number < least or number >= most) and lanes[i + PLACE] != void:
            slow[slows] = np.int64(lanes[i + WHO] & LOW)
            slows += 1
            lanes[i + PLACE] = void
    return slows


@unchecked
def count(lanes, n, live, shift, bits, lowest, hist, spill, spilled):
    """Count the outcomes and tallies of the games that are over; values that no histogram has go to `spill`."""
    outcomes, tallies, bins = hist.shape[1], hist.shape[2], hist.shape[3]
    for j in range(n):
        place = lanes[unsigned(j) + OVER]
        outcome = np.int64(((place & ROWS) - live) >> unsigned(shift))
        if outcome == outcomes:
            continue
        counted = np.int64(place) >> ROW_BITS
        for k in range(tallies):
            value = counted << (64 - bits[k]) >> (64 - bits[k])
            counted = (counted - value) >> bits[k]
            at = value - lowest
            if 0 <= at < bins:
                hist[j & (BANKS - 1), outcome, k, at] += 1
            else:
                spill[spilled, 0] = outcome
                spill[spilled, 1] = k
                spill[spilled, 2] = value
                spilled += 1
    return spilled


@njit(nogil=True, cache=True)
def kernel(
    k0,
    k1,
    first,
    games,
    entries,
    pairs,
    weight,
    rejected,
    start,
    live,
    shift,
    void,
    bits,
    blocks,
    lowest,
    hist,
    spill,
    slow,
):
    """Play `games` games from `first` on; returns how many are left to the reference engine, and values in `spill`."""
    lanes = np.zeros(8 * LANES, np.uint64)
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    too_long = unsigned(blocks) << HALF
    begun = n = rounds = slows = spilled = 0
    while n > 0 or begun < games:
        fresh = min(LANES - n, games - begun)
        for i in range(fresh):
            lanes[unsigned(n + i) + WHO] = unsigned(begun + i)
            lanes[unsigned(n + i) + PLACE] = start
        n += fresh
        begun += fresh
        if pairs:
            if throw_pairs(lanes, low, high, k0, k1, weight) < rejected:
                slows = give_up(lanes, n, WORST, rejected, ~NOTHING, void, slow, slows)
            going = follow_pairs(lanes, n, entries, live)
        else:
            throw_words(lanes, low, high, k0, k1)
            going, slows = follow_words(lanes, n, entries, live, void, slow, slows)
        spilled = count(lanes, n - going, live, shift, bits, lowest, hist, spill, spilled)
        n = going
        rounds += 1
        if rounds % PATIENCE == 0:
            slows = give_up(lanes, n, WHO, NOTHING, too_long, void, slow, slows)
    return slows, spilled
