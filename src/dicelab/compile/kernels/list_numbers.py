"""Lists and sets of numbers; see `dicelab.compile.kernels.list_support`."""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded
from dicelab.compile.kernels.list_places import position, room
from dicelab.compile.kernels.rule_support import add as plus
from dicelab.compile.kernels.rule_support import noted


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
