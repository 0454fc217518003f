"""The kernel of the engine `counter`, one for all games; its text is compiled by `dicelab.compile.kernels.cache`.

Lanes follow the transitions of `dicelab.runtime.states.counters`; tallies and counters (money, for example) are kept
beside the states. A game whose counter leaves the bounds within which the transitions are valid is handed back with its
state.

A transition is one signed 64-bit word, ``ways[state * weight + number]``::

    bits 32-63   the next state, or -1 - outcome where the game is over
    bits  0-31   the change: a column of `added`, `above` and `source`; 0 for none

`counters` has a row of `LANES` numbers for each tally, then for each counter, and last a row of zeros.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import numpy as np
from numba import njit

from dicelab.compile.kernels.core import HALF, LOW, tallied, unchecked, unsigned
from dicelab.compile.kernels.lanes import LANES, SIZE, begin_games, give_up_lanes, mend_numbers, throw_numbers


@unchecked
def step(lanes, phase, place, change, counters, out, listed, table):
    """Follow one roll of every lane; lists the lanes whose game is over or out of bounds, and returns how many.

    Lanes without a game stand at a state that leads to itself and changes nothing.
    """
    peaks, above, source, lows, highs = table.peaks, table.above, table.source, table.lows, table.highs
    column = unsigned((4 + phase) * LANES)
    for j in range(LANES):
        i = unsigned(j)
        way = table.ways[unsigned(place[i]) * table.weight + lanes[column + i]]
        place[i] = way >> 32
        change[i] = way & 0xFFFFFFFF
        out[i] = way >> 63  # -1 where the game is over, else 0
    for p in range(peaks.size):  # before the counters change: a peak is raised to a counter before the roll + `above`
        row = unsigned(peaks[p] * LANES)
        for j in range(LANES):
            i = unsigned(j)
            c = unsigned(change[i])
            value = counters[unsigned(source[unsigned(p), c]) + i] + above[unsigned(p), c]
            counters[row + i] = max(counters[row + i], value)
    for k in range(table.moved.size):  # tallies and counters that rolls add to; the rows of peaks in `added` are 0
        which, row = unsigned(table.moved[k]), unsigned(table.moved[k] * LANES)
        for j in range(LANES):
            i = unsigned(j)
            counters[row + i] += table.added[which, unsigned(change[i])]
    for m in range(lows.size):
        row = unsigned((table.tallies + m) * LANES)
        low, high = lows[m], highs[m]
        for j in range(LANES):
            i = unsigned(j)
            value = counters[row + i]
            out[i] |= ((value - low) | (high - 1 - value)) >> 63  # -1 unless low <= value < high
    any_out = np.int64(0)
    for j in range(LANES):
        any_out |= out[unsigned(j)]
    n = 0
    if any_out != 0:
        for j in range(LANES):
            if out[unsigned(j)] != 0:
                listed[n] = j
                n += 1
    return n


@unchecked
def reset(counters, i, begin):
    """Set the tallies and counters of lane `i` to their values at the beginning of a game."""
    for k in range(begin.size):
        counters[k * LANES + i] = begin[k]


@njit(nogil=True, cache=True)
def kernel(run, table, counted, slow, stopped):
    """Play games; returns the numbers of indices in `slow`, and rows in `spill` and `stopped`.

    `run`, `table` and `counted` are `Games`, `CounterTable` and `KernelCounts` of `dicelab.compile.kernels.arguments`.
    `slow` lists games that last too long, `stopped` games out of bounds: the game, the rolls made, the state, then
    tallies and counters.
    """
    k0, k1, first, games, blocks = run
    counts, hist, spill = counted
    weight, begin = table.weight, table.begin
    lanes = np.zeros(SIZE, np.uint64)
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    idle = table.ways.size // np.int64(weight) - 1  # the last state is that of lanes without a game
    every = table.added.shape[0]
    place = np.full(LANES, idle, np.int64)
    change = np.zeros(LANES, np.int64)
    out = np.zeros(LANES, np.int64)
    listed = np.zeros(LANES, np.int64)
    counters = np.zeros((every + 1) * LANES, np.int64)
    for i in range(LANES):
        reset(counters, i, begin)
    begun = slows = spilled = halted = over = rounds = 0
    # At the head of each round `begun` games have begun; `over` of them are counted, or in `stopped`, others in `slow`;
    # the rest are in lanes.
    while begun < games or begun > over + slows:
        rounds += 1
        if rounds % 64 == 0:
            slows = give_up_lanes(lanes, place, idle, blocks, slow, slows)
        for at in range(begin_games(lanes, place, idle, begun, games, listed)):
            place[listed[at]] = table.start
            reset(counters, listed[at], begin)
            begun += 1
        if throw_numbers(lanes, low, high, k0, k1, weight) < table.rejected:
            mend_numbers(lanes, first, k0, k1, weight, table.rejected)
        for phase in range(1, 5):
            for at in range(step(lanes, phase, place, change, counters, out, listed, table)):
                i = listed[at]
                if place[i] < 0:  # over
                    outcome = -1 - place[i]
                    counts[outcome] += 1
                    for k in range(table.tallies):
                        spilled = tallied(hist, spill, spilled, outcome, k, counters[k * LANES + i])
                else:  # out of bounds
                    stopped[halted, 0] = np.int64(lanes[i] & LOW)
                    stopped[halted, 1] = 4 * (np.int64(lanes[i] >> HALF) - 1) + phase  # rolls made
                    stopped[halted, 2] = place[i]
                    for k in range(every):
                        stopped[halted, 3 + k] = counters[k * LANES + i]
                    halted += 1
                place[i] = idle
                over += 1
                reset(counters, i, begin)
    return slows, spilled, halted
