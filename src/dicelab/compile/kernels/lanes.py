"""Many games side by side, four rolls at a time: functions that the kernels of the table engines share.

Games are played in *lanes*: a lane has a game, the next block of its stream, and the place of the game in a table. One
block of Philox is computed for all lanes at once, and each lane follows the table through the four rolls of its block.
Only rare cases, at the end of a round, are decided by branches: the processor could not predict any others.

All lanes are in one buffer of 64-bit words, column by column (`LANES` = 256 words a column)::

    column  0, 1   WHO      bits 0-31 game, counted from the first of the call | bits 32-63 next block of its stream
            2, 3   PLACE    where the game stands (see below)
            4      OVER     places of the games that ended in this round
            5 - 8  FIRST .. FOURTH   what was drawn for the four rolls of the block

Words 0 to 255 of WHO and PLACE belong to the lanes that roll; words 256 to 511 to games that wait for a lane.

A place has the row of the table in its lower bits and the tallies above::

    table of 64-bit entries   bits 0-19 row | bits 20-63 tallies that grow, equally many bits each, plus a bias
    table of 32-bit entries   bits 0-19 row | bits 20-31 the only tally that grows, minus the lowest value counted

A row is the index of its first entry, so ``entries[row + number]`` is what number `number` of the roll adds to the
place: the next row minus this one, and the changes of the tallies. All sums are modulo 2**64 (or 2**32): the row of a
place is always that of a state, and the bias keeps every tally positive, so no part borrows from another in the end.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.arguments import BANKS, ROW_BITS
from dicelab.compile.kernels.core import (
    FIRST_LANE,
    HALF,
    LOW,
    below,
    guarded,
    inline,
    one_word,
    philox,
    search,
    unchecked,
    unsigned,
    whole_vectors,
)

LANES = 256

WHO, PLACE, OVER, FIRST, SECOND, THIRD, FOURTH = [unsigned(LANES * row) for row in (0, 2, 4, 5, 6, 7, 8)]
"""First word of each column of the buffer."""
SIZE = 9 * LANES
ROWS = unsigned((1 << 20) - 1)
BITS = unsigned(ROW_BITS)
NEXT_BLOCK = unsigned(1 << 32)
NOTHING, ONE = unsigned(0), unsigned(1)


@unchecked
def throw_pairs(lanes, low, high, k0, k1, weight):
    """Draw the next four rolls of every lane, as two numbers below ``weight**2``, each for two rolls.

    Returns the smallest lower half of a scaled word: below the rejection threshold, some word is to be rejected.
    """
    whole_vectors()
    weight = weight & LOW
    smallest = LOW
    for i in range(LANES):
        who = lanes[i]
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        lanes[i] = who + NEXT_BLOCK
        # Upper half: the number, uniform below `weight`. Lower half: what decides about rejection.
        a, b, c, d = (a & LOW) * weight, (b & LOW) * weight, (c & LOW) * weight, (d & LOW) * weight
        lanes[5 * LANES + i] = (a >> HALF) * weight + (b >> HALF)
        lanes[6 * LANES + i] = (c >> HALF) * weight + (d >> HALF)
        smallest = min(smallest, min(min(a & LOW, b & LOW), min(c & LOW, d & LOW)))
    return smallest


@unchecked
def throw_first_pairs(lanes, low, high, k0, k1, weight):
    """Return the same for the first block of `LANES` consecutive games, the first with the lower index half `low`."""
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
    """Draw the next four 32-bit words of every lane, unscaled, for tables whose states roll different dice."""
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
    """Draw the next four rolls of every lane, as four numbers below `weight`; returns the same as `throw_pairs`."""
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
    """Draw again the numbers of the last block whose words are rejected."""
    for j in range(LANES):
        who = lanes[unsigned(j)] - NEXT_BLOCK  # `throw_numbers` has moved on to the next block
        game = np.int64(first) + np.int64(who & LOW)
        for w in range(4):
            throw = 4 * np.int64(who >> HALF) + w
            if one_word(k0, k1, game, throw, FIRST_LANE) * weight & LOW < rejected:
                lanes[unsigned((5 + w) * LANES + j)] = below(k0, k1, game, throw, weight, FIRST_LANE)


@guarded
def drawn(lanes, i, phase, k0, k1, first, row, dice, guide, sums):
    """Return the number of the outcome of a roll of lane `i`, drawn from word `phase` (1 to 4) of its last block.

    From `row` on `dice` has total weight, rejection threshold, bits to shift a number for the guide, first guide entry.
    """
    scaled = lanes[unsigned((4 + phase) * LANES) + i] * dice[row]
    u = scaled >> HALF
    if (scaled & LOW) < dice[row + ONE]:  # rejected: draw again
        who = np.int64(lanes[i])
        throw = 4 * (who >> 32) - 5 + phase
        u = below(k0, k1, np.int64(first) + (who & 0xFFFFFFFF), throw, dice[row], FIRST_LANE)
    o = np.int64(guide[dice[row + unsigned(3)] + (u >> dice[row + unsigned(2)])])
    return o if o >= 0 else search(u, o, np.int64(1), sums)


@unchecked
def begin(lanes, n, until, first, start):
    """Begin a game at place `start` in each of the lanes `n` to ``until - 1``; lane i gets game ``first + i``."""
    for i in range(n, until):
        lanes[i] = unsigned(first + i)
        lanes[2 * LANES + i] = start


@unchecked
def begin_games(lanes, place, idle, begun, games, listed):
    """Begin the next games, of `games` in all, in the lanes without a game; lists these lanes, and returns how many.

    What stands in `place` is changed by the caller.
    """
    n = 0
    if begun < games:
        for j in range(LANES):
            i = unsigned(j)
            if place[i] == idle and begun + n < games:
                lanes[i] = unsigned(begun + n)
                listed[n] = j
                n += 1
    return n


@unchecked
def give_up_lanes(lanes, place, idle, blocks, slow, slows):
    """Remove the games that have made so many blocks of rolls; their indices go to `slow`. Returns how many it has."""
    for j in range(LANES):
        i = unsigned(j)
        if place[i] != idle and np.int64(lanes[i] >> HALF) >= blocks:
            slow[slows] = np.int64(lanes[i] & LOW)
            slows += 1
            place[i] = idle
    return slows


@inline
def short_sum(place, entry):
    """Return a 32-bit place plus a 32-bit entry, modulo 2**32."""
    return unsigned(np.uint32(place + entry))


@unchecked
def follow_first_pairs(lanes, n, first, start, entries, live, at):
    """Follow the table through the first two pairs of rolls of `n` new games, from place `start`.

    Games that go on are appended to the waiting games, from number `at` on; places of the others go to `OVER`. Returns
    how many go on.
    """
    going, over = unsigned(at), OVER
    for j in range(n):  # lanes at .. going - 1 hold the new games that go on; OVER .. over - 1 the places of the others
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
    """Return the same in a table of 32-bit entries for `LANES` games; games that end are counted in `hist` at *row +
    tally*.

    Games that go on are counted as well, below the rows of the endings, because a branch would cost more: the caller
    ignores that part of the histogram. A game that ends leaves no trace in WHO and PLACE: the next game overwrites it.
    """
    going = unsigned(at)
    for j in range(LANES // 2):
        i, place_in_hist = unsigned(2 * j), NOTHING
        for _ in range(2):  # two games, counted in two banks of the histogram, so that neither waits for the other
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
    """Return the same for the `n` lanes that roll, from their own places; games that go on move to the front.

    Returns how many go on.
    """
    going = NOTHING
    for j in range(n):  # lanes 0 .. going - 1 hold the games that go on, going <= j
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
    """Follow the table through two pairs of rolls of the `n` lanes that roll.

    Games that go on move to the front; places of the others go to `OVER`. Returns how many go on.
    """
    going, over = NOTHING, OVER
    for j in range(n):  # lanes 0 .. going - 1 hold the games that go on; OVER .. over - 1 the places of the others
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
    """Return the same, roll by roll, for tables whose states roll different dice.

    A row is then: total weight, rejection threshold, and an entry for each number of the roll. A game with a rejected
    word moves to the place `void`, and its index goes to `slow`: the compiled engine plays it. Returns how many games
    go on, and the number of indices in `slow`.
    """
    going, over = NOTHING, OVER
    for j in range(n):
        i = unsigned(j)
        place = lanes[i + PLACE]
        rejected = False
        for word in (FIRST, SECOND, THIRD, FOURTH):  # rows of endings have weight 1 and add 0: the game stays there
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
    """Move the games with a rejected word in the last block to the place `void`, and add their indices to `slow`.

    Returns the number of indices in `slow`.
    """
    for j in range(n):
        i = unsigned(j)
        who = lanes[i + WHO] - NEXT_BLOCK  # the block is computed again, because only its numbers were kept
        a, b, c, d = philox(k0, k1, who >> HALF, NOTHING, low + (who & LOW), high)
        worst = min(min((a & LOW) * weight & LOW, (b & LOW) * weight & LOW), (c & LOW) * weight & LOW)
        if min(worst, (d & LOW) * weight & LOW) < rejected and lanes[i + PLACE] != void:
            slow[slows] = np.int64(who & LOW)
            slows += 1
            lanes[i + PLACE] = void
    return slows


@unchecked
def give_up_long(lanes, n, too_long, void, slow, slows):
    """Do the same for the games that have reached block `too_long`, which is compared shifted to bits 32-63."""
    for j in range(n):
        i = unsigned(j)
        if lanes[i + WHO] >= too_long and lanes[i + PLACE] != void:
            slow[slows] = np.int64(lanes[i + WHO] & LOW)
            slows += 1
            lanes[i + PLACE] = void
    return slows


@unchecked
def count(lanes, n, table, hist, spill, spilled):
    """Count the endings and tallies of the `n` games whose places are in `OVER`.

    The histogram is (banks, endings, tallies that grow, bins); values outside its bins go to `spill` as rows of ending,
    tally and value. The last ending collects the games at the place `void`, which the compiled engine plays. Returns
    the number of rows in `spill`.
    """
    live, shift, bits, growing, bins = table.live, table.shift, table.bits, table.growing, table.bins
    mask, bias = (ONE << unsigned(bits)) - ONE, (ONE << unsigned(bits - 1)) + unsigned(table.lowest)
    bank, row = unsigned(hist.size // BANKS), unsigned(growing * bins)
    for j in range(n):
        place = lanes[unsigned(j) + OVER]
        ending = ((place & ROWS) - live) >> shift  # rows of endings are 1 << shift apart
        at = unsigned(j & (BANKS - 1)) * bank + ending * row
        counted = place >> unsigned(ROW_BITS)
        for k in range(growing):  # `counted` has tally k in its lowest bits, `at` is where its histogram begins
            value = (counted & mask) - bias
            counted >>= unsigned(bits)
            if value < unsigned(bins):
                hist[at + value] += 1
            else:
                spill[spilled, 0] = np.int64(ending)
                spill[spilled, 1] = k
                spill[spilled, 2] = np.int64(value) + table.lowest
                spilled += 1
            at += unsigned(bins)
    return spilled
