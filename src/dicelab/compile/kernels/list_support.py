"""Functions that translated rules call for their lists, sets and dicts, which lie in arrays on the stack.

A list of numbers is an array whose first number is its length. A list of tuples is a table: each row holds the numbers
of one tuple, and the first number of row 0 is the length. A list of lists is a table each of whose rows is a list. A
set is a list without repetition, and a dict a table of keys, each followed by its value.

What doesn't fit is recorded as an error, as every error is (`dicelab.compile.kernels.rule_support`): the reference
engine then plays that game.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded
from dicelab.compile.kernels.list_numbers import *  # noqa: F403
from dicelab.compile.kernels.list_numbers import room
from dicelab.compile.kernels.list_tables import *  # noqa: F403
from dicelab.compile.kernels.list_tables import append_row
from dicelab.compile.kernels.rule_support import absolute, mul, noted


@guarded
def chosen(game, table, values, many, repeat, ordered):  # type: ignore[no-untyped-def]
    """``combinations(values, many)``; with repetition, or ordered as ``permutations``, as the last two say."""
    table[0, 0] = 0
    _choose(game, table, 0, values, many, repeat, ordered)
    return table


@guarded
def chosen_lists(game, table, values, many, repeat, ordered):  # type: ignore[no-untyped-def]
    """``combinations(values, many)`` as lists, where `many` isn't known before; the last two as for `chosen`."""
    size, length = np.int64(len(values)), np.int64(many)
    noted(game, length < 0, 0)
    table[0, 0] = 0
    if length < 0 or length >= table.shape[1]:
        noted(game, length <= size or (repeat and size > 0), 0)
        return table
    _choose(game, table, 1, values, length, repeat, ordered)
    return table


@guarded
def _choose(game, table, first, values, many, repeat, ordered):  # type: ignore[no-untyped-def]
    """Add the choices of `many` values; each begins at `first` in its row, and a number before it is its length."""
    size, total = np.int64(len(values)), np.int64(1)
    for _ in range(many):
        total *= max(size, np.int64(1))
        if total > 100_000:
            noted(game, True, 0)
            return table
    if size == 0 and many > 0:
        return table
    for places in range(total):  # the places of the numbers, as digits of a number with base `size`
        good, rest, base, last = True, np.int64(places), np.int64(total), np.int64(-1)
        row = table[0, 0] + 1
        wide = row >= table.shape[0]
        for j in range(many):
            base //= size
            place = rest // base
            rest -= place * base
            if ordered:
                again, past = np.int64(places), np.int64(total)
                for _k in range(j):
                    past //= size
                    other = again // past
                    again -= other * past
                    good = good and bool(other != place)
            else:
                good = good and bool(place >= last if repeat else place > last)
            last = place
            if not wide:
                table[row, first + j] = np.int64(values[place])
        if good:
            if wide:
                noted(game, True, 0)
                return table
            if first > 0:
                table[row, 0] = many
            table[0, 0] = row
    return table


@guarded
def crossed_all(game, table, lists):  # type: ignore[no-untyped-def]
    """``product(*lists)``, as lists."""
    many = lists[0, 0]
    total = np.int64(1)
    table[0, 0] = 0
    for i in range(1, many + 1):
        total *= lists[i, 0]
        if total >= table.shape[0] or many >= table.shape[1]:
            noted(game, True, 0)
            return table
    for n in range(total):
        rest = np.int64(n)
        for i in range(many, 0, -1):
            size = max(lists[i, 0], np.int64(1))
            table[n + 1, i] = lists[i, 1 + rest % size]
            rest //= size
        table[n + 1, 0] = many
    table[0, 0] = total
    return table


@guarded
def crossed(game, table, values, others):  # type: ignore[no-untyped-def]
    """``product(values, others)``."""
    table[0, 0] = 0
    for value in values:
        for other in others:
            append_row(game, table, (np.int64(value), np.int64(other)))
    return table


@guarded
def crossed_more(game, table, rows, width, others):  # type: ignore[no-untyped-def]
    """``product`` of a list of tuples with `width` numbers and one more sequence."""
    table[0, 0] = 0
    for i in range(1, rows[0, 0] + 1):
        for other in others:
            size = room(game, table[0, 0], table.shape[0] - 1)
            table[0, 0] = size
            for j in range(width):
                table[size, j] = rows[i, j]
            table[size, width] = np.int64(other)
    return table


@guarded
def set_box(box, value):  # type: ignore[no-untyped-def]
    """Return the value of an assignment inside an expression, whose variable is the only number of an array."""
    box[1] = np.int64(value)
    return box[1]


@guarded
def gcd(x, y):  # type: ignore[no-untyped-def]
    """``math.gcd(x, y)``."""
    a, b = abs(np.int64(x)), abs(np.int64(y))
    while b != 0:
        a, b = b, a % b
    return a


@guarded
def lcm(game, x, y):  # type: ignore[no-untyped-def]
    """``math.lcm(x, y)``."""
    shared = gcd(x, y)
    return np.int64(0) if shared == 0 else absolute(game, mul(game, np.int64(x) // shared, np.int64(y)))


@guarded
def comb(game, n, k):  # type: ignore[no-untyped-def]
    """``math.comb(n, k)``; a result above 2**53, and a negative number, is recorded as an error."""
    wrong = (n < 0) | (k < 0)
    found = np.int64(1)
    if k > n:
        return noted(game, wrong, 0)
    for i in range(min(np.int64(k), np.int64(n) - np.int64(k))):
        if found > (1 << 53) // max(np.int64(n), np.int64(1)):
            wrong = True
            break
        found = found * (np.int64(n) - i) // (i + 1)
    return noted(game, wrong, found)


@guarded
def perm(game, n, k):  # type: ignore[no-untyped-def]
    """``math.perm(n, k)``; a result above 2**62, and a negative number, is recorded as an error."""
    wrong = (n < 0) | (k < 0)
    found = np.int64(1)
    if k > n:
        return noted(game, wrong, 0)
    for i in range(np.int64(k)):
        if found > (1 << 62) // max(np.int64(n) - i, np.int64(1)):
            wrong = True
            break
        found *= np.int64(n) - i
    return noted(game, wrong, found)


@guarded
def isqrt(game, n):  # type: ignore[no-untyped-def]
    """``math.isqrt(n)``."""
    value = np.int64(0)
    for bit in range(31, -1, -1):
        more = value | (np.int64(1) << bit)
        if more < 3_037_000_500 and more * more <= n:
            value = more
    return noted(game, n < 0, value)
