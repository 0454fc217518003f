"""Packing of states into words, and a hash table that numbers rows of words; for kernels that explore states.

A packed state is a row of a uint64 array (`dicelab.runtime.states.codec` defines which bits hold which number). The
hash table is an open-addressing table with linear probing: an int array whose size is a power of two, with numbers of
rows of `known`, and -1 where it is empty. It must never be full.

Functions take an array and the index of a row in it, not a slice: a slice is counted as one more reference to the
array, and counting costs more than all the rest.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import compiled, guarded, inline, kept, unchecked

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT, HALF = np.uint64(29), np.uint64(32)


@inline
def pack(numbers, low, span, word, shift, keys, k):  # type: ignore[no-untyped-def]
    """Pack the numbers of a state into row `k` of `keys`; returns the first number outside its range, or -1.

    Number i, minus ``low[i]``, goes to word ``word[i]`` from bit ``shift[i]`` on; it is at most ``span[i]``.
    """
    whole = np.uint64(0)
    at = 0
    for j in range(low.size):  # `whole` is word `at` with the numbers before j; all words before `at` are written
        i = np.uint64(j)
        number = np.uint64(numbers[i] - low[i])
        if number > np.uint64(span[i]):  # unsigned: true below the range as well
            return j
        if word[i] > at:  # words never decrease, except that numbers of no bits have word 0 and add nothing
            keys[k, at] = whole
            whole = np.uint64(0)
            at += 1
        whole |= number << np.uint64(shift[i])
    keys[k, at] = whole
    return -1


@guarded
def pack_turned(numbers, source, by, low, span, word, shift, keys, k):  # type: ignore[no-untyped-def]
    """Pack a state into row `k` of `keys` with the seats rotated: number i there is ``numbers[source[by, i]]``.

    Returns whether all numbers are in their ranges, found without a branch for each.
    """
    whole = outside = np.uint64(0)
    at = 0
    for j in range(low.size):
        i = np.uint64(j)
        number = np.uint64(numbers[source[np.uint64(by), i]] - low[i])  # below the range the highest bit is set ...
        outside |= number | (np.uint64(span[i]) - number)  # ... and above it the highest bit of the rest
        if word[i] > at:
            keys[k, at] = whole
            whole = np.uint64(0)
            at += 1
        whole |= number << np.uint64(shift[i])
    keys[k, at] = whole
    return outside >> np.uint64(63) == 0


@compiled
def masks_of(span, mask):  # type: ignore[no-untyped-def]
    """Set `mask` to the bits that each number of a packed state takes, from the lowest on."""
    for i in range(span.size):
        mask[i] = np.uint64(span[i])  # all bits below the highest one of `span` are set in six steps
        for by in (1, 2, 4, 8, 16, 32):
            mask[i] |= mask[i] >> np.uint64(by)


@guarded
def unpack(keys, k, low, mask, word, shift, numbers):  # type: ignore[no-untyped-def]
    """Unpack row `k` of `keys` into `numbers`; `mask` is what `masks_of` finds."""
    for j in range(low.size):
        i = np.uint64(j)
        numbers[i] = low[i] + np.int64((keys[k, word[i]] >> np.uint64(shift[i])) & mask[i])


@guarded
def equal(rows, k, others, m):  # type: ignore[no-untyped-def]
    """Return whether row `k` of `rows` and row `m` of `others`, neither below 0, have the same words."""
    for w in range(rows.shape[1]):  # noqa: SIM110 (any and all can't be compiled)
        if rows[np.uint64(k), w] != others[np.uint64(m), w]:
            return False
    return True


@guarded
def first_place(rows, k, table):  # type: ignore[no-untyped-def]
    """Return the index in `table` at which the search for row `k` of `rows` begins: its hash.

    Words are mixed by multiplication. Every bit of them changes the uppermost bits, which the index is made of.
    """
    mixed = np.uint64(rows[np.uint64(k), 0]) * MIX if rows.shape[1] > 0 else np.uint64(0)
    for w in range(1, rows.shape[1]):
        mixed = (mixed ^ (mixed >> SHIFT) ^ np.uint64(rows[np.uint64(k), w])) * MIX
    return (mixed >> HALF) * np.uint64(table.size) >> HALF


@guarded
def place_of(rows, k, known, table):  # type: ignore[no-untyped-def]
    """Return the index in `table` at which row `k` of `rows` is, or where it is to be inserted."""
    mask = np.uint64(table.size - 1)
    i = first_place(rows, k, table)
    while table[i] >= 0 and not equal(rows, k, known, table[i]):  # the row is at none of the indices passed so far
        i = (i + np.uint64(1)) & mask
    return i


@guarded
def number_of(rows, k, known, count, table):  # type: ignore[no-untyped-def]
    """Return the number of a row among the first `count` of `known`; a new row is added, and its number is `count`."""
    i = place_of(rows, k, known, table)
    if table[i] < 0:
        table[i] = count
        for w in range(rows.shape[1]):
            known[count, w] = rows[k, w]
    return np.int64(table[i])


@unchecked
def number_all(rows, ends, last, known, count, table):  # type: ignore[no-untyped-def]
    """Replace each 0 among the first `last` of `ends` by the number of that row; returns how many rows are known then.

    A loop of its own, because reads from memory then overlap; rows of one word, which most are, are compared at once.
    """
    mask, word = np.uint64(table.size - 1), np.uint64(0)
    for k in range(np.uint64(last)):
        if ends[k] != 0:
            continue
        if rows.shape[1] == 1:
            row, i = rows[k, word], first_place(rows, k, table)
            while table[i] >= 0 and known[np.uint64(table[i]), word] != row:
                i = (i + np.uint64(1)) & mask
            if table[i] < 0:
                table[i] = count
                known[np.uint64(count), word] = row
            number = table[i]
        else:
            number = number_of(rows, k, known, count, table)
        ends[k] = number
        count += number == count
    return count


@compiled
def number_in(numbers, low, span, word, shift, known, table, packed):  # type: ignore[no-untyped-def]
    """Return the number of a state among the packed states `known`, or -1; `packed` is scratch space."""
    if pack(numbers, low, span, word, shift, packed, 0) >= 0:
        return -1
    return np.int64(table[place_of(packed, 0, known, table)])


@kept
def note_all(known, table):  # type: ignore[no-untyped-def]
    """Insert all rows of `known`, which differ from one another, into an empty table."""
    mask = np.uint64(table.size - 1)
    for n in range(known.shape[0]):
        i = first_place(known, n, table)
        while table[i] >= 0:
            i = (i + np.uint64(1)) & mask
        table[i] = n


@kept
def same_lists(row, values, known, table, number):  # type: ignore[no-untyped-def]
    """Set `number` to equal numbers for equal lists; list n is ``values[row[n]:row[n + 1]]``.

    `known` and `table` are those of an index of rows of two words: a list without its last value, and that value.
    """
    pair = np.empty((1, 2), np.uint64)
    count = 0
    for n in range(row.size - 1):
        number[n] = -1
        for e in range(row[n], row[n + 1]):
            pair[0, 0] = np.uint64(number[n] + 1)
            pair[0, 1] = np.uint64(values[e])
            number[n] = number_of(pair, 0, known, count, table)
            count = max(count, number[n] + 1)
