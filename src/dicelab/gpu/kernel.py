"""The kernel of the engine `cuda`: every thread of the GPU plays games one after the other, by following a table.

The table is that of `dicelab.engines.packing`, one roll at a time. It is copied into shared memory, where all threads
of a block read it, if it fits. Counts are whole numbers, so the order in which threads add to them doesn't matter.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, uint32, uint64

from dicelab.kernels.arguments import ROW_BITS

SHARED = 4096
"""Limit of the number of entries of a table in shared memory: 32 KiB of the 48 that a block has on every GPU."""
COUNTERS = 2048
"""Counters of a block in shared memory, for the smallest tallies: 8 KiB."""

M0, M1 = uint64(0xD2511F53), uint64(0xCD9E8D57)
W0, W1 = uint32(0x9E3779B9), uint32(0xBB67AE85)
LOW, HALF = uint64(0xFFFFFFFF), uint64(32)
ROWS, ROW = uint64((1 << ROW_BITS) - 1), uint64(ROW_BITS)
ONE, TWO = uint64(1), uint64(2)
START, LIVE, SHIFT, VOID, BITS, BIAS = 0, 1, 2, 3, 4, 5
"""Places in `numbers`: first place; row of the first ending; bits between endings; row of games that aren't counted;
bits of a tally, and what is added to it (less the lowest value that is counted)."""


@cuda.jit(device=True)
def philox(k0, k1, c0, c1, c2, c3):
    """Philox-4x32-10 (`dicelab.random.philox`): four words for a key and a counter, all uint32.

    The product of two uint32 that are made uint64 is one instruction, that of two uint64 is several.
    """
    for _ in range(10):
        p0 = M0 * uint64(c0)
        p1 = M1 * uint64(c2)
        c0 = uint32(uint32(p1 >> HALF) ^ c1 ^ k0)
        c2 = uint32(uint32(p0 >> HALF) ^ c3 ^ k1)
        c1, c3 = uint32(p1 & LOW), uint32(p0 & LOW)
        k0 = uint32(k0 + W0)
        k1 = uint32(k1 + W1)
    return c0, c1, c2, c3


@cuda.jit(device=True)
def rolled(place, word, table, numbers):
    """The place after one roll; a game that is over stays where it is, one whose word is rejected isn't counted."""
    row = place & ROWS
    if row >= numbers[LIVE]:
        return place
    scaled = uint64(word) * uint64(
        uint32(table[row])
    )  # the total weight of the dice, and the number of words that it rejects
    if (scaled & LOW) < table[row + ONE]:
        return numbers[VOID]
    return place + table[row + TWO + (scaled >> HALF)]


@cuda.jit(device=True)
def played(run, game, table, numbers, blocks):
    """The place at which a game ends; that of games that aren't counted, if it lasts longer than so many blocks."""
    place = numbers[START]
    k0, k1, low, high = uint32(run[0]), uint32(run[1]), uint32(game & LOW), uint32(game >> HALF)
    for block in range(blocks):
        a, b, c, d = philox(k0, k1, uint32(block), uint32(0), low, high)
        place = rolled(place, a, table, numbers)
        place = rolled(place, b, table, numbers)
        place = rolled(place, c, table, numbers)
        place = rolled(place, d, table, numbers)
        if place & ROWS >= numbers[LIVE]:
            return place
    return numbers[VOID]


@cuda.jit(device=True)
def tally_of(place, field, numbers):
    """Number of the value of a tally among those that are counted; wrong values are large."""
    bits = numbers[BITS]
    return ((place >> (ROW + bits * uint64(field))) & ((ONE << bits) - ONE)) - numbers[BIAS]


@cuda.jit(device=True)
def add(place, ending, numbers, shape, hist, near, width):
    """Count a game; returns whether all of its tallies are among the values that are counted."""
    fields, values = shape[0], shape[1]
    for field in range(fields):
        if tally_of(place, field, numbers) >= uint64(values):
            return False
    for field in range(fields):
        value = tally_of(place, field, numbers)
        at = ending * uint64(fields) + uint64(field)
        if value < uint64(width):
            cuda.atomic.add(near, at * uint64(width) + value, uint32(1))
        else:
            cuda.atomic.add(hist, at * uint64(values) + value, ONE)
    return True


@cache
def kernel_of(size: int) -> Any:
    """The kernel for tables of `size` entries in shared memory; of a larger table, 0, which it reads from afar."""
    entries = max(1, size)

    @cuda.jit
    def kernel(table, run, games, blocks, numbers, endings, shape, hist, slow, listed):
        """Play games.

        Parameters
        ----------
        table
            uint64 array, rows of states: weight, rejected words, and an entry for each number.
        run
            uint64 array: key (two halves), and index of the first game.
        games, blocks
            Number of games, and the longest one in blocks of four rolls.
        numbers
            uint64 array: see `START`.
        endings
            Number of endings.
        shape
            int64 array: tallies that grow (at least 1), and values of each that are counted.
        hist
            uint64 array (endings * tallies * values), to which games are added.
        slow, listed
            int64 array for the first games that aren't counted, and how many there are.
        """
        close = cuda.shared.array(entries, uint64)
        near = cuda.shared.array(COUNTERS, uint32)
        for i in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            close[i] = table[i]
        for i in range(cuda.threadIdx.x, COUNTERS, cuda.blockDim.x):
            near[i] = 0
        cuda.syncthreads()
        groups = endings * shape[0]
        width = min(COUNTERS // groups, shape[1])
        for i in range(cuda.grid(1), games, cuda.gridsize(1)):
            game = run[2] + uint64(i)
            place = played(run, game, close, numbers, blocks) if size > 0 else played(run, game, table, numbers, blocks)
            ending = ((place & ROWS) - numbers[LIVE]) >> numbers[SHIFT]
            if ending >= uint64(endings) or not add(place, ending, numbers, shape, hist, near, width):
                at = cuda.atomic.add(listed, 0, 1)
                if at < slow.size:
                    slow[at] = i
        cuda.syncthreads()
        for i in range(cuda.threadIdx.x, groups * width, cuda.blockDim.x):
            if near[i] > 0:
                cuda.atomic.add(hist, i // width * shape[1] + i % width, uint64(near[i]))

    return kernel


def unsigned(*numbers: int) -> Any:
    """Numbers as a uint64 array, modulo 2**64."""
    return np.array([number % 2**64 for number in numbers], np.uint64)
