"""The kernel of the engine `cuda`: every thread of the GPU plays games one after the other, by following a table.

The table is that of `dicelab.engines.tables.state`, one roll at a time. It is copied into shared memory, where all
threads of a block read it, if it fits. Counts are whole numbers, so the order in which threads add to them doesn't
matter.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from functools import cache
from typing import Any

from numba import config, cuda, uint32, uint64

from dicelab.compile.kernels.arguments import ROW_BITS
from dicelab.extras.gpu.device import THREADS
from dicelab.extras.gpu.shape import Shape

M0, M1 = uint64(0xD2511F53), uint64(0xCD9E8D57)
W0, W1 = uint32(0x9E3779B9), uint32(0xBB67AE85)
LOW, HALF = uint64(0xFFFFFFFF), uint64(32)
ROWS, ROW = uint64((1 << ROW_BITS) - 1), uint64(ROW_BITS)
ONE = uint64(1)
BOUNDS: dict[str, Any] = {} if config.ENABLE_CUDASIM else {"launch_bounds": (THREADS, 2)}
"""For a kernel of rules: not more registers than allow two blocks on a multiprocessor, even for the largest games."""


@cuda.jit(device=True)
def philox(k0, k1, c0, c1, c2, c3):
    """Philox-4x32-10 (`dicelab.runtime.philox`): four words for a key and a counter, all uint32.

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
def rolled(place, wrong, word, weight, rejected, close, size):
    """Return the place after one roll, and whether a word has been rejected; a game that is over stays where it is.

    Element `size` of the table, at which all games that are over look, is 0: so there is no branch.
    """
    row = uint32(place & ROWS)
    if weight == 0:  # dice of different weights: each row begins with its own
        weight = uint32(close[min(row, size)])
        rejected = uint32(close[min(uint32(row + uint32(1)), size)])
    scaled = uint64(word) * uint64(weight)  # upper half: a number below the weight; lower half: rejection
    at = uint32(row + uint32(2) + uint32(scaled >> HALF))
    return place + close[min(at, size)], wrong or uint32(scaled & LOW) < rejected


def near_values(shape: Shape) -> int:
    """Return the number of values of each tally, from 0 on, for which there are counters in shared memory."""
    return min(shape.counters // (shape.endings * shape.fields), shape.values - shape.below)


def counting(shape: Shape) -> Any:
    """Return the function that counts a game; it returns whether all of its tallies are among the values that are
    counted.
    """
    bits, bias, mask = uint64(shape.bits), uint64(shape.bias % 2**64), uint64((1 << shape.bits) - 1)
    fields, values, below, width = shape.fields, shape.values, shape.below, near_values(shape)

    @cuda.jit(device=True)
    def tally_of(place, field):
        """Return the number of the value of a tally among those that are counted; wrong values are large."""
        return ((place >> (ROW + bits * uint64(field))) & mask) - bias

    @cuda.jit(device=True)
    def counted(place, ending, hist, near):
        for field in range(fields):
            if tally_of(place, field) >= uint64(values):
                return False
        for field in range(fields):
            value = uint32(tally_of(place, field))
            at = uint32(uint32(ending) * uint32(fields)) + uint32(field)
            positive = uint32(value - uint32(below))  # large for values below 0
            if positive < uint32(width):
                cuda.atomic.add(near, uint32(uint32(at * uint32(width)) + positive), uint32(1))
            else:
                cuda.atomic.add(hist, uint32(uint32(at * uint32(values)) + value), ONE)
        return True

    return counted


@cache
def kernel_of(shape: Shape) -> Any:
    """Return the kernel for tables of a shape; those of more than `shape.shared` entries it reads from
    the memory of the GPU.
    """
    is_near = shape.size <= shape.shared
    near_entries, last = shape.size if is_near else 1, shape.size - 1
    weight, rejects = uint32(shape.weight), uint32(2**32 % shape.weight if shape.weight else 0)
    start, live, shift = uint64(shape.start), uint64(shape.live), uint64(shape.shift)
    endings, fields, values, below = shape.endings, shape.fields, shape.values, shape.below
    width, counters = near_values(shape), shape.counters
    counted = counting(shape)

    @cuda.jit
    def kernel(table, run, games, blocks, hist, slow, listed):
        """Play games.

        Parameters
        ----------
        table
            uint64 array, rows of states: weight, rejected words, and an entry for each number; then 0.
        run
            uint64 array: key (two halves), and index of the first game.
        games, blocks
            Number of games, and the longest one in blocks of four rolls.
        hist
            uint64 array (endings * tallies * values), to which games are added.
        slow, listed
            int64 array for the first games that aren't counted, and how many there are.
        """
        close = cuda.shared.array(near_entries, uint64)
        near = cuda.shared.array(counters, uint32)
        for n in range(cuda.threadIdx.x, near_entries, cuda.blockDim.x):
            close[n] = table[n]
        for n in range(cuda.threadIdx.x, counters, cuda.blockDim.x):
            near[n] = 0
        cuda.syncthreads()
        steps = close if is_near else table
        k0, k1, first = uint32(run[0]), uint32(run[1]), run[2]
        place, wrong, block = start, False, 0
        i = cuda.grid(1)
        # Each round makes four rolls, of one block of random words. All lanes of a warp stay together: one whose game
        # is over goes on with its next game in the next round, and doesn't wait for the longest game of the warp.
        while i < games:
            game = first + uint64(i)
            a, b, c, d = philox(k0, k1, uint32(block), uint32(0), uint32(game & LOW), uint32(game >> HALF))
            for word in (a, b, c, d):
                place, wrong = rolled(place, wrong, word, weight, rejects, steps, uint32(last))
            block += 1
            if place & ROWS >= live or block >= blocks:
                ending = ((place & ROWS) - live) >> shift
                if wrong or ending >= uint64(endings) or not counted(place, ending, hist, near):
                    at = cuda.atomic.add(listed, 0, 1)
                    if at < slow.size:
                        slow[at] = i
                place, wrong, block = start, False, 0
                i += cuda.gridsize(1)
        cuda.syncthreads()
        for n in range(cuda.threadIdx.x, endings * fields * width, cuda.blockDim.x):
            if near[n] > 0:
                cuda.atomic.add(hist, n // width * values + below + n % width, uint64(near[n]))

    return kernel
