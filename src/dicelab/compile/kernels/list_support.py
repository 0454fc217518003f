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
from dicelab.compile.kernels.rule_support import add as plus
from dicelab.compile.kernels.rule_support import sub as minus
from dicelab.compile.kernels.uncompiled import twins


def _on_stack(context: Any, builder: Any, kind: Any, *shape: int) -> Any:
    """Return an array of 64-bit integers on the stack of the function; its first number is 0."""
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
    """Return an empty list for so many numbers."""
    kind = types.Array(types.int64, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_stack(context, builder, kind, most.literal_value + 1)

    return kind(most), build


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def new_table(typingctx: Any, most: Any, width: Any) -> Any:
    """Return an empty list for so many tuples, or lists, of `width` numbers."""
    kind = types.Array(types.int64, 2, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _on_stack(context, builder, kind, most.literal_value + 1, width.literal_value)

    return kind(most, width), build


def _part(first: int) -> Any:
    """Return a function that builds the numbers of a list from its first number on, or from the one after it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, kind = ir.IntType(64), signature.args[0]
        array = arrayobj.make_array(kind)(context, builder, arguments[0])
        made = arrayobj.make_array(signature.return_type)(context, builder)
        size = builder.add(builder.load(array.data), ir.Constant(word, 1 - first))
        start = builder.gep(array.data, [ir.Constant(word, first)])
        shape, steps = (cgutils.pack_array(builder, [n], ty=word) for n in (size, ir.Constant(word, 8)))
        arrayobj.populate_array(made, start, shape, steps, ir.Constant(word, 8), None)
        return made._getvalue()

    return build


@intrinsic  # type: ignore[untyped-decorator]
def items(typingctx: Any, numbers: Any) -> Any:
    """Return the numbers of a list: ``numbers[1 : 1 + numbers[0]]``, which no function may return without reference
    counts.
    """
    return numbers(numbers), _part(1)


@intrinsic  # type: ignore[untyped-decorator]
def whole(typingctx: Any, numbers: Any) -> Any:
    """Return a list's length and its numbers: ``numbers[: 1 + numbers[0]]``, as a list is held in a row of a table."""
    return numbers(numbers), _part(0)


globals().update(twins("list_support"))


@guarded
def position(game, index, size):  # type: ignore[no-untyped-def]
    """Return the place of an item in the array of a list of this length; a wrong index is recorded as an error."""
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
    """Return the length of a list to which an item is added; one that is full is recorded as an error."""
    full = size >= most
    game._outside |= -np.int64(full)
    return size if full else size + 1


@guarded
def must_have(game, size, wanted):  # type: ignore[no-untyped-def]
    """Return a list's length, recorded as an error if it isn't the one that is needed."""
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
    """Return the list with these values instead of its own."""
    numbers[0] = 0
    extend(game, numbers, values)
    return numbers


@guarded
def repeated(game, numbers, value, times):  # type: ignore[no-untyped-def]
    """Return the list with so many times the same value."""
    many = max(np.int64(times), np.int64(0))
    size = noted(game, many >= numbers.size, many)
    for i in range(size):
        numbers[i + 1] = np.int64(value)
    numbers[0] = size
    return numbers


@guarded
def empty(numbers):  # type: ignore[no-untyped-def]
    """Return the list without its values."""
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
    """Return the place of a value in the array of a list; 0 if it isn't there."""
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
def new_bit(mask, value, low, wanted):  # type: ignore[no-untyped-def]
    """Return the bit of a value of a set whose least value is `low`; 0 if the mask has it, or if `wanted` is 0."""
    return (np.int64(wanted) << ((value - low) & 63)) & ~mask


@guarded
def unite(game, numbers, values):  # type: ignore[no-untyped-def]
    """``numbers.update(values)`` of a set; returns the set."""
    for value in values:
        add(game, numbers, value)
    return numbers


@guarded
def kept_in(game, numbers, values, others, wanted):  # type: ignore[no-untyped-def]
    """Return the set of those values that are among others, or aren't, as `wanted` says."""
    numbers[0] = 0
    for value in values:
        found = False
        for other in others:
            found |= other == value
        if found == wanted:
            add(game, numbers, value)
    return numbers


@guarded
def in_one(game, numbers, values, others):  # type: ignore[no-untyped-def]
    """Return the set of the values that are in one of two sets, and not in both."""
    kept_in(game, numbers, values, others, False)
    for other in others:
        found = False
        for value in values:
            found |= other == value
        if not found:
            add(game, numbers, other)
    return numbers


@guarded
def is_within(values, others):  # type: ignore[no-untyped-def]
    """Return whether all values are among others."""
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
    """Return whether two sequences of numbers are equal."""
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
        total = np.int64(value) if first else plus(game, total, np.int64(value))
        first = False
        append(game, numbers, total)
    return numbers


# Lists of tuples, lists of lists, and dicts ---------------------------------------------------------------------------


@guarded
def append_row(game, table, values):  # type: ignore[no-untyped-def]
    """Add a tuple to a list of tuples."""
    size = room(game, table[0, 0], table.shape[0] - 1)
    table[0, 0] = size
    put_row(game, table, size, values)
    for j in range(len(values), table.shape[1]):
        table[size, j] = 0
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
    """Replace one tuple of a list of tuples; one that is longer than a row is recorded as an error."""
    noted(game, len(values) > table.shape[1], 0)
    for j, value in enumerate(values):
        if j < table.shape[1]:
            table[place, j] = np.int64(value)
    return 0


@guarded
def copied(game, table, other):  # type: ignore[no-untyped-def]
    """Return a list of tuples, or of lists, with the items of another one."""
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
    """Return the list of tuples, list of lists or dict without its items."""
    table[0, 0] = 0
    return table


@guarded
def find_row(table, values):  # type: ignore[no-untyped-def]
    """Return the number of the row that begins with these numbers; 0 if there is none."""
    if len(values) > table.shape[1]:
        return 0
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
    """Return the number of the row of a key; a key that isn't there is recorded as an error."""
    place = find_row(table, key)
    return max(noted(game, place == 0, place), 1)


@guarded
def row_of(game, table, key):  # type: ignore[no-untyped-def]
    """Return the number of the row of a key, which is added if it isn't there."""
    place = find_row(table, key)
    if place == 0:
        append_row(game, table, key)
        place = table[0, 0]
    return place


@guarded
def merged(game, table, other, width):  # type: ignore[no-untyped-def]
    """``table.update(other)`` of dicts whose keys have so many numbers; returns the dict."""
    for i in range(1, other[0, 0] + 1):
        place = same_row(game, table, other, i, width)
        for j in range(width, other.shape[1]):
            table[place, j] = other[i, j]
    return table


@guarded
def combined_rows(game, table, one, other, code):  # type: ignore[no-untyped-def]
    """``one | other``, ``one - other``, ``one & other``, ``one ^ other`` of sets of tuples, as the code 0 to 3 says."""
    table[0, 0] = 0
    for i in range(1, one[0, 0] + 1):
        if code == 0 or (find_same(other, one, i, one.shape[1]) > 0) == (code == 2):
            same_row(game, table, one, i, one.shape[1])
    if code == 0 or code == 3:
        for i in range(1, other[0, 0] + 1):
            if find_same(one, other, i, one.shape[1]) == 0:
                same_row(game, table, other, i, one.shape[1])
    return table


# Counts ---------------------------------------------------------------------------------------------------------------


@guarded
def count(game, table, values, sign):  # type: ignore[no-untyped-def]
    """Count values, or take them away if `sign` is -1, in a table of numbers and how often they occur."""
    for value in values:
        place = row_of(game, table, (np.int64(value),))
        table[place, 1] += sign
    return 0


@guarded
def counted(game, table, values):  # type: ignore[no-untyped-def]
    """``Counter(values)`` in a table without rows."""
    count(game, table, values, 1)
    return table


@guarded
def find_same(table, other, row, width):  # type: ignore[no-untyped-def]
    """Return the number of the row of a table whose key, of so many numbers, is that of a row of another one; 0 if none
    is.
    """
    for i in range(1, table[0, 0] + 1):
        equal = True
        for j in range(width):
            equal &= table[i, j] == other[row, j]
        if equal:
            return i
    return 0


@guarded
def same_row(game, table, other, row, width):  # type: ignore[no-untyped-def]
    """Return the number of the row with the key of a row of another table, which is added with 0 if it isn't there."""
    place = find_same(table, other, row, width)
    if place == 0:
        size = room(game, table[0, 0], table.shape[0] - 1)
        table[0, 0] = size
        for j in range(width):
            table[size, j] = other[row, j]
        if width < table.shape[1]:
            table[size, width] = 0
        place = size
    return place


@guarded
def count_counts(game, table, other, width, sign):  # type: ignore[no-untyped-def]
    """``counts.update(other)``, or ``counts.subtract(other)`` if `sign` is -1."""
    for i in range(1, other[0, 0] + 1):
        place = same_row(game, table, other, i, width)
        table[place, width] = plus(game, table[place, width], mul(game, other[i, width], np.int64(sign)))
    return 0


@guarded
def combined_counts(game, table, one, other, width, code):  # type: ignore[no-untyped-def]
    """``one + other``, ``one - other``, ``one & other`` or ``one | other`` of counts, as the code 0 to 3 says."""
    table[0, 0] = 0
    for i in range(1, one[0, 0] + 1):
        found = find_same(other, one, i, width)
        a, b = one[i, width], other[found, width] if found > 0 else np.int64(0)
        if code == 0:
            value = plus(game, a, b)
        elif code == 1:
            value = minus(game, a, b)
        else:
            value = min(a, b) if code == 2 else max(a, b)
        if value > 0:
            table[same_row(game, table, one, i, width), width] = value
    for i in range(1, other[0, 0] + 1):
        b = other[i, width]
        value = minus(game, np.int64(0), b) if code == 1 else np.int64(0) if code == 2 else b
        if value > 0 and find_same(one, other, i, width) == 0:
            table[same_row(game, table, other, i, width), width] = value
    return table


@guarded
def same_counts(one, other, width, zeros):  # type: ignore[no-untyped-def]
    """Return whether two dicts of numbers are equal; `zeros` says that a key that isn't there counts as one with 0."""
    if not zeros and one[0, 0] != other[0, 0]:
        return False
    for i in range(1, one[0, 0] + 1):
        place = find_same(other, one, i, width)
        if (one[i, width] != 0 or not zeros) if place == 0 else one[i, width] != other[place, width]:
            return False
    for i in range(1, other[0, 0] + 1):
        if zeros and find_same(one, other, i, width) == 0 and other[i, width] != 0:
            return False
    return True


@guarded
def most_common(game, rows, table, width, many):  # type: ignore[no-untyped-def]
    """``counts.most_common(many)``: the rows with the largest counts, of equal ones the first."""
    copied(game, rows, table)
    for i in range(2, rows[0, 0] + 1):
        k = i
        while k > 1 and rows[k - 1, width] < rows[k, width]:
            for j in range(width + 1):
                rows[k - 1, j], rows[k, j] = rows[k, j], rows[k - 1, j]
            k -= 1
    rows[0, 0] = min(rows[0, 0], max(np.int64(many), np.int64(0)))
    return rows


@guarded
def elements(game, numbers, table):  # type: ignore[no-untyped-def]
    """``list(counts.elements())``."""
    numbers[0] = 0
    for i in range(1, table[0, 0] + 1):
        for _ in range(table[i, 1]):
            append(game, numbers, table[i, 0])
    return numbers


@guarded
def order(one, other):  # type: ignore[no-untyped-def]
    """-1, 0 or 1: whether one sequence of numbers is less than another one, equal, or more."""
    for i in range(min(len(one), len(other))):
        if one[i] != other[i]:
            return np.int64(-1) if one[i] < other[i] else np.int64(1)
    return np.int64(len(one) > len(other)) - np.int64(len(one) < len(other))


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
def column(game, numbers, table, place):  # type: ignore[no-untyped-def]
    """Return the list of the numbers in one column of a table."""
    numbers[0] = 0
    for i in range(1, table[0, 0] + 1):
        append(game, numbers, table[i, place])
    return numbers


@guarded
def chosen_lists(game, table, values, many, repeat, ordered):  # type: ignore[no-untyped-def]
    """``combinations(values, many)`` as lists, where `many` isn't known before; the last two as for `chosen`."""
    size, length = np.int64(len(values)), np.int64(many)
    noted(game, length < 0, 0)
    table[0, 0] = 0
    if length < 0 or length >= table.shape[1]:
        noted(game, length <= size or (repeat and size > 0), 0)
        return table
    total = np.int64(1)
    for _ in range(length):
        total *= max(size, np.int64(1))
        if total > 100_000:
            noted(game, True, 0)
            return table
    if size == 0 and length > 0:
        return table
    for places in range(total):
        good, rest, base, last = True, np.int64(places), np.int64(total), np.int64(-1)
        row = table[0, 0] + 1
        wide = row >= table.shape[0]
        for j in range(length):
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
                table[row, j + 1] = np.int64(values[place])
        if good:
            if wide:
                noted(game, True, 0)
                return table
            table[row, 0] = length
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


# Numbers --------------------------------------------------------------------------------------------------------------


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
