"""Lists and sets of numbers, in arrays on the stack; see `dicelab.compile.kernels.list_support`."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from dicelab.compile.kernels.core import guarded
from dicelab.compile.kernels.rule_support import add as plus
from dicelab.compile.kernels.rule_support import noted
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


globals().update(twins("list_numbers"))


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
def repeated_all(game, numbers, times):  # type: ignore[no-untyped-def]
    """``numbers * times``, in place; returns the list."""
    size = numbers[0]
    many = size * max(min(np.int64(times), np.int64(numbers.size)), np.int64(0))
    many = noted(game, many >= numbers.size, many)
    for i in range(size, many):
        numbers[i + 1] = numbers[i + 1 - size]
    numbers[0] = many
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
