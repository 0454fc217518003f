"""What the kernels that find positions share: packing, and numbering of rows of numbers by a hash table.

A row is always an array and the number of the row in it: a slice would be counted as one more user of the array, and
counting costs more than all the rest.
"""

from __future__ import annotations

import numpy as np

from dicelab.kernels.core import compiled, inline, kept

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)
NEAR = np.uint64(4)
"""Lower bits of a row that are left as they are: rows that differ in these alone stand beside each other in memory."""


@inline
def pack(numbers, low, span, word, shift, keys, k):  # type: ignore[no-untyped-def]
    """Pack the numbers of a position into row `k` of `keys`; the first number out of its range, or -1."""
    whole = np.uint64(0)
    at = 0
    for j in range(low.size):
        i = np.uint64(j)
        number = np.uint64(numbers[i] - low[i])
        if number > np.uint64(span[i]):
            return j
        if word[i] > at:  # words rise, but for numbers of no bits, which are in the first
            keys[k, at] = whole
            whole = np.uint64(0)
            at += 1
        whole |= number << np.uint64(shift[i])
    keys[k, at] = whole
    return -1


@compiled
def unpack(keys, k, low, span, word, shift, numbers):  # type: ignore[no-untyped-def]
    """The numbers of the position in row `k` of `keys`."""
    for i in range(low.size):
        mask = np.uint64(span[i])
        mask |= mask >> np.uint64(1)
        mask |= mask >> np.uint64(2)
        mask |= mask >> np.uint64(4)
        mask |= mask >> np.uint64(8)
        mask |= mask >> np.uint64(16)
        mask |= mask >> np.uint64(32)
        numbers[i] = low[i] + np.int64((keys[k, word[i]] >> np.uint64(shift[i])) & mask)


@inline
def equal(rows, k, others, m):  # type: ignore[no-untyped-def]
    """Do two rows of numbers agree?"""
    for w in range(rows.shape[1]):  # noqa: SIM110 (any and all can't be compiled)
        if rows[k, w] != others[m, w]:
            return False
    return True


@inline
def first_place(rows, k, table):  # type: ignore[no-untyped-def]
    """Where in `table` to begin looking for row `k` of `rows`."""
    first = np.uint64(rows[k, 0]) if rows.shape[1] > 0 else np.uint64(0)
    mixed = (first >> NEAR) * MIX
    mixed ^= mixed >> SHIFT
    for w in range(1, rows.shape[1]):
        mixed = (mixed ^ np.uint64(rows[k, w])) * MIX
        mixed ^= mixed >> SHIFT
    return ((mixed << NEAR) | (first & ((np.uint64(1) << NEAR) - np.uint64(1)))) & np.uint64(table.size - 1)


@compiled
def look_ahead(rows, some, known, table, seen):  # type: ignore[no-untyped-def]
    """Touch the memory in which some rows will be looked up, all at once and so without waiting for each."""
    for k in range(some):
        seen[k] = table[first_place(rows, k, table)]
    total = np.uint64(0)
    for k in range(some):
        total ^= np.uint64(known[max(0, seen[k]), 0])
    return total


@inline
def place_of(rows, k, known, table):  # type: ignore[no-untyped-def]
    """Where in `table` row `k` of `rows` is, or belongs; it holds numbers of rows of `known`, -1 where empty."""
    mask = np.uint64(table.size - 1)
    i = first_place(rows, k, table)
    while table[i] >= 0 and not equal(rows, k, known, table[i]):
        i = (i + np.uint64(1)) & mask
    return i


@inline
def number_of(rows, k, known, count, table):  # type: ignore[no-untyped-def]
    """The number of a row among the `known`; `count`, the next one, if it is new, and it is then noted."""
    i = place_of(rows, k, known, table)
    if table[i] < 0:
        table[i] = count
        for w in range(rows.shape[1]):
            known[count, w] = rows[k, w]
    return np.int64(table[i])


@compiled
def number_in(numbers, low, span, word, shift, known, table, packed):  # type: ignore[no-untyped-def]
    """The number of a position among the `known`, -1 where it is not; `packed` is scratch."""
    if pack(numbers, low, span, word, shift, packed, 0) >= 0:
        return -1
    return np.int64(table[place_of(packed, 0, known, table)])


@compiled
def fill_table(known, count, table):  # type: ignore[no-untyped-def]
    """Note the first `count` rows of `known` in an empty table."""
    for n in range(count):
        table[place_of(known, n, known, table)] = n


@kept
def note_all(known, table):  # type: ignore[no-untyped-def]
    """The same, called from Python."""
    fill_table(known, known.shape[0], table)
