"""What the kernels that find positions share: packing, and numbering of rows of numbers by a hash table."""

from __future__ import annotations

import numpy as np

from dicelab.engines.jit import compiled, inline

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)


@compiled
def pack(numbers, low, span, word, shift, key):  # type: ignore[no-untyped-def]
    """Pack the numbers of a position into the words of `key`; the first number out of its range, or -1."""
    for w in range(key.size):
        key[w] = 0
    for i in range(low.size):
        number = numbers[i] - low[i]
        if number < 0 or number > span[i]:
            return i
        key[word[i]] |= np.uint64(number) << np.uint64(shift[i])
    return -1


@compiled
def unpack(key, low, span, word, shift, numbers):  # type: ignore[no-untyped-def]
    """The numbers of a packed position."""
    for i in range(low.size):
        mask = np.uint64(span[i])
        mask |= mask >> np.uint64(1)
        mask |= mask >> np.uint64(2)
        mask |= mask >> np.uint64(4)
        mask |= mask >> np.uint64(8)
        mask |= mask >> np.uint64(16)
        mask |= mask >> np.uint64(32)
        numbers[i] = low[i] + np.int64((key[word[i]] >> np.uint64(shift[i])) & mask)


@inline
def equal(one, other):  # type: ignore[no-untyped-def]
    """Do two rows of numbers agree?"""
    for k in range(one.size):  # noqa: SIM110 (any and all can't be compiled)
        if one[k] != other[k]:
            return False
    return True


@compiled
def place_of(key, keys, table):  # type: ignore[no-untyped-def]
    """Where in `table` the row `key` is, or belongs; `table` holds numbers of rows of `keys`, -1 where empty."""
    mixed = np.uint64(0)
    for w in range(key.size):
        mixed = (mixed ^ np.uint64(key[w])) * MIX
        mixed ^= mixed >> SHIFT
    mask = np.uint64(table.size - 1)
    i = mixed & mask
    while True:
        at = table[i]
        if at < 0:
            return i
        if equal(keys[at], key):
            return i
        i = (i + np.uint64(1)) & mask


@compiled
def number_of(key, keys, count, table):  # type: ignore[no-untyped-def]
    """The number of a row; `count`, the next one, if it is new, and it is then noted."""
    i = place_of(key, keys, table)
    if table[i] < 0:
        table[i] = count
        for w in range(key.size):
            keys[count, w] = key[w]
    return np.int64(table[i])


@compiled
def fill_table(keys, count, table):  # type: ignore[no-untyped-def]
    """Note the first `count` rows of `keys` in an empty table."""
    for n in range(count):
        table[place_of(keys[n], keys, table)] = n
