"""Functions that translated rules call for their lists, sets and dicts, which lie in arrays on the stack.

A list of numbers is an array whose first number is its length. A list of tuples is a table: each row holds the numbers
of one tuple, and the first number of row 0 is the length. A list of lists is a table each of whose rows is a list. A
set is a list without repetition, and a dict a table of keys, each followed by its value.

What doesn't fit is recorded as an error, as every error is (`dicelab.compile.kernels.rule_support`): the reference
engine then plays that game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from dicelab.compile.kernels.core import guarded
from dicelab.compile.kernels.rule_support import absolute, mul, noted
from dicelab.compile.kernels.uncompiled import twins


def _on_stack(context: Any, builder: Any, kind: Any, *shape: int) -> Any:
    """An array of 64-bit integers on the stack of the function; its first number is 0."""
    size, word = int(np.prod(shape)), ir.IntType(64)
    memory = cgutils.alloca_once(builder, ir.ArrayType(word, size))
    data = builder.bitcast(memory, word.as_pointer())
    builder.store(ir.Constant(word, 0), data)
    made = arrayobj.make_array(kind)(context, builder)
    steps = [8 * int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    numbers = [cgutils.pack_array(builder, [ir.Constant(word, n) for n in part], ty=word) for part in (shape, steps)]
    arrayobj.populate_array(made, data, *numbers, ir.Constant(word, 8), None)
    return made._getvalue()


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def new_list(typingctx: Any, most: Any) -> Any:
    """An empty list for so many numbers."""
    kind = types.Array(types.int64, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_stack(context, builder, kind, most.literal_value + 1)

    return kind(most), build


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def new_table(typingctx: Any, most: Any, width: Any) -> Any:
    """An empty list for so many tuples, or lists, of `width` numbers."""
    kind = types.Array(types.int64, 2, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_stack(context, builder, kind, most.literal_value + 1, width.literal_value)

    return kind(most, width), build


@intrinsic  # type: ignore[untyped-decorator]
def items(typingctx: Any, numbers: Any) -> Any:
    """The numbers of a list: ``numbers[1 : 1 + numbers[0]]``, which no function may return without reference counts."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, kind = ir.IntType(64), signature.args[0]
        whole = arrayobj.make_array(kind)(context, builder, arguments[0])
        made = arrayobj.make_array(signature.return_type)(context, builder)
        size = builder.load(whole.data)
        first = builder.gep(whole.data, [ir.Constant(word, 1)])
        shape, steps = (cgutils.pack_array(builder, [n], ty=word) for n in (size, ir.Constant(word, 8)))
        arrayobj.populate_array(made, first, shape, steps, ir.Constant(word, 8), None)
        return made._getvalue()

    return numbers(numbers), build


globals().update(twins("list_support"))


@guarded
def position(game, index, size):  # type: ignore[no-untyped-def]
    """The place of an item in the array of a list of this length; a wrong index is recorded as an error."""
    i = index + size if index < 0 else index
    wrong = (i < 0) | (i >= size)
    return noted(game, wrong, i) + 1


@guarded
def item(game, numbers, index):  # type: ignore[no-untyped-def]
    """``numbers[index]`` of a list."""
    return numbers[position(game, index, numbers[0])]


@guarded
def item_of(game, values, index):  # type: ignore[no-untyped-def]
    """``values[index]`` of a part of a row or list."""
    size = len(values)
    place = position(game, index, size) - 1
    return values[place] if size > 0 else 0


@guarded
def room(game, size, most):  # type: ignore[no-untyped-def]
    """The length of a list to which an item is added; one that is full is recorded as an error."""
    full = size >= most
    game._outside |= -np.int64(full)
    return size if full else size + 1


@guarded
def must_have(game, size, wanted):  # type: ignore[no-untyped-def]
    """A list's length, recorded as an error if it isn't the one that is needed."""
    return noted(game, size != wanted, size)


# Lists of numbers -----------------------------------------------------------------------------------------------------


@guarded
def append(game, numbers, value):  # type: ignore[no-untyped-def]
    """``numbers.append(value)``."""
    size = room(game, numbers[0], numbers.size - 1)
    numbers[0] = size
    numbers[size] = np.int64(value)
    return 0


@guarded
def extend(game, numbers, values):  # type: ignore[no-untyped-def]
    """``numbers.extend(values)``; returns the list."""
    size = numbers[0]
    for value in values:
        size = room(game, size, numbers.size - 1)
        numbers[size] = np.int64(value)
    numbers[0] = size
    return numbers


@guarded
def filled(game, numbers, values):  # type: ignore[no-untyped-def]
    """The list with these values instead of its own."""
    numbers[0] = 0
    extend(game, numbers, values)
    return numbers


@guarded
def repeated(game, numbers, value, times):  # type: ignore[no-untyped-def]
    """The list with so many times the same value."""
    many = max(np.int64(times), np.int64(0))
    size = noted(game, many >= numbers.size, many)
    for i in range(size):
        numbers[i + 1] = np.int64(value)
    numbers[0] = size
    return numbers


@guarded
def empty(numbers):  # type: ignore[no-untyped-def]
    """The list without its values."""
    numbers[0] = 0
    return numbers


@guarded
def pop(game, numbers, index):  # type: ignore[no-untyped-def]
    """``numbers.pop(index)``."""
    size = numbers[0]
    place = position(game, index, size)
    value = numbers[place]
    for i in range(place, size):
        numbers[i] = numbers[i + 1]
    numbers[0] = max(size - 1, np.int64(0))
    return value


@guarded
def insert(game, numbers, index, value):  # type: ignore[no-untyped-def]
    """``numbers.insert(index, value)``."""
    old = numbers[0]
    size = room(game, old, numbers.size - 1)
    place = min(max(np.int64(index + old if index < 0 else index), np.int64(0)), size - 1) + 1
    for i in range(size, place, -1):
        numbers[i] = numbers[i - 1]
    numbers[place] = np.int64(value)
    numbers[0] = size
    return 0


@guarded
def find(numbers, wanted):  # type: ignore[no-untyped-def]
    """The place of a value in the array of a list; 0 if it isn't there."""
    for i in range(1, numbers[0] + 1):
        if numbers[i] == wanted:
            return i
    return 0


@guarded
def remove(game, numbers, wanted):  # type: ignore[no-untyped-def]
    """``numbers.remove(wanted)``."""
    place = find(numbers, wanted)
    pop(game, numbers, noted(game, place == 0, place - 1))
    return 0


@guarded
def discard(game, numbers, wanted):  # type: ignore[no-untyped-def]
    """``numbers.discard(wanted)`` of a set."""
    place = find(numbers, wanted)
    if place > 0:
        pop(game, numbers, place - 1)
    return 0


@guarded
def add(game, numbers, value):  # type: ignore[no-untyped-def]
    """``numbers.add(value)`` of a set."""
    if find(numbers, value) == 0:
        append(game, numbers, value)
    return 0


@guarded
def unite(game, numbers, values):  # type: ignore[no-untyped-def]
    """``numbers.update(values)`` of a set; returns the set."""
    for value in values:
        add(game, numbers, value)
    return numbers


@guarded
def kept_in(game, numbers, values, others, wanted):  # type: ignore[no-untyped-def]
    """The set of those values that are among others, or aren't, as `wanted` says."""
    numbers[0] = 0
    for value in values:
        found = False
        for other in others:
            found |= other == value
        if found == wanted:
            add(game, numbers, value)
    return numbers


@guarded
def is_within(values, others):  # type: ignore[no-untyped-def]
    """Whether all values are among others."""
    for value in values:
        found = False
        for other in others:
            found |= other == value
        if not found:
            return False
    return True


@guarded
def sort(numbers, down):  # type: ignore[no-untyped-def]
    """Sort a list; returns it."""
    for i in range(2, numbers[0] + 1):
        value, j = numbers[i], i
        while j > 1 and (numbers[j - 1] < value if down else numbers[j - 1] > value):
            numbers[j] = numbers[j - 1]
            j -= 1
        numbers[j] = value
    return numbers


@guarded
def reverse(numbers):  # type: ignore[no-untyped-def]
    """``numbers.reverse()``."""
    size = numbers[0]
    for i in range(1, size // 2 + 1):
        numbers[i], numbers[size + 1 - i] = numbers[size + 1 - i], numbers[i]
    return 0


@guarded
def same(one, other):  # type: ignore[no-untyped-def]
    """Whether two sequences of numbers are equal."""
    if len(one) != len(other):
        return False
    equal = True
    for i in range(len(one)):
        equal &= one[i] == other[i]
    return equal


@guarded
def summed(game, numbers, values):  # type: ignore[no-untyped-def]
    """``list(accumulate(values))``."""
    total, first = np.int64(0), True
    numbers[0] = 0
    for value in values:
        total = np.int64(value) if first else total + np.int64(value)
        first = False
        append(game, numbers, total)
    return numbers


# Lists of tuples, lists of lists, and dicts ---------------------------------------------------------------------------


@guarded
def append_row(game, table, values):  # type: ignore[no-untyped-def]
    """Add a tuple to a list of tuples."""
    size = room(game, table[0, 0], table.shape[0] - 1)
    table[0, 0] = size
    for j, value in enumerate(values):
        table[size, j] = np.int64(value)
    return 0


@guarded
def append_list(game, table, values):  # type: ignore[no-untyped-def]
    """Add a list to a list of lists."""
    size = room(game, table[0, 0], table.shape[0] - 1)
    table[0, 0] = size
    filled(game, table[size], values)
    return 0


@guarded
def put_row(game, table, place, values):  # type: ignore[no-untyped-def]
    """Replace one tuple of a list of tuples."""
    for j, value in enumerate(values):
        table[place, j] = np.int64(value)
    return 0


@guarded
def copied(game, table, other):  # type: ignore[no-untyped-def]
    """A list of tuples, or of lists, with the items of another one."""
    size = noted(game, other[0, 0] >= table.shape[0], other[0, 0])
    width = min(table.shape[1], other.shape[1])
    for i in range(1, size + 1):
        for j in range(width):
            table[i, j] = other[i, j]
        if other.shape[1] > width:
            noted(game, other[i, 0] >= width, 0)
    table[0, 0] = size
    return table


@guarded
def emptied(table):  # type: ignore[no-untyped-def]
    """The list of tuples, list of lists or dict without its items."""
    table[0, 0] = 0
    return table


@guarded
def find_row(table, values):  # type: ignore[no-untyped-def]
    """The number of the row that begins with these numbers; 0 if there is none."""
    for i in range(1, table[0, 0] + 1):
        equal = True
        for j, value in enumerate(values):
            equal &= table[i, j] == value
        if equal:
            return i
    return 0


@guarded
def add_row(game, table, values):  # type: ignore[no-untyped-def]
    """Add a tuple to a set of tuples."""
    if find_row(table, values) == 0:
        append_row(game, table, values)
    return 0


@guarded
def known_row(game, table, key):  # type: ignore[no-untyped-def]
    """The number of the row of a key; a key that isn't there is recorded as an error."""
    place = find_row(table, key)
    return max(noted(game, place == 0, place), 1)


@guarded
def row_of(game, table, key):  # type: ignore[no-untyped-def]
    """The number of the row of a key, which is added if it isn't there."""
    place = find_row(table, key)
    if place == 0:
        append_row(game, table, key)
        place = table[0, 0]
    return place


@guarded
def drop_row(table, place):  # type: ignore[no-untyped-def]
    """Remove a row."""
    for i in range(place, table[0, 0]):
        for j in range(table.shape[1]):
            table[i, j] = table[i + 1, j]
    table[0, 0] = max(table[0, 0] - 1, np.int64(0))
    return 0


@guarded
def sort_rows(table, down, width):  # type: ignore[no-untyped-def]
    """Sort a list of tuples; returns it."""
    for i in range(2, table[0, 0] + 1):
        k = i
        while k > 1:
            order = np.int64(0)
            for j in range(width):
                if order == 0:
                    order = np.int64(table[k - 1, j] > table[k, j]) - np.int64(table[k - 1, j] < table[k, j])
            if (order >= 0 if down else order <= 0) if order != 0 else True:
                break
            for j in range(width):
                table[k - 1, j], table[k, j] = table[k, j], table[k - 1, j]
            k -= 1
    return table


@guarded
def chosen(game, table, values, many, repeat, ordered):  # type: ignore[no-untyped-def]
    """``combinations(values, many)``; with repetition, or ordered as ``permutations``, as the last two say."""
    size: Any = len(values)
    table[0, 0] = 0
    total: Any = np.int64(1)
    for _ in range(many):
        total *= max(size, 1)
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
                table[row, j] = np.int64(values[place])
        if good:
            if wide:
                noted(game, True, 0)
                return table
            table[0, 0] = row
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


# Numbers --------------------------------------------------------------------------------------------------------------


@guarded
def set_box(box, value):  # type: ignore[no-untyped-def]
    """The value of an assignment inside an expression, whose variable is the only number of an array."""
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
