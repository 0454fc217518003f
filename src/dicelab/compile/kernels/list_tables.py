"""Lists of tuples, lists of lists, dicts and counts; see `dicelab.compile.kernels.list_support`.

By itself because tables are arrays of two dimensions, with a layout of their own.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, unsigned
from dicelab.compile.kernels.list_numbers import append, filled, room
from dicelab.compile.kernels.rule_support import add as plus
from dicelab.compile.kernels.rule_support import mul, noted
from dicelab.compile.kernels.rule_support import sub as minus


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
def repeated_rows(game, table, times):  # type: ignore[no-untyped-def]
    """``rows * times`` of a list of tuples, in place; returns the list."""
    size = table[0, 0]
    many = size * max(min(np.int64(times), np.int64(table.shape[0])), np.int64(0))
    many = noted(game, many >= table.shape[0], many)
    for i in range(size, many):
        for j in range(table.shape[1]):
            table[i + 1, j] = table[i + 1 - size, j]
    table[0, 0] = many
    return table


@guarded
def rows_between(game, table, other, low, high, step, given):  # type: ignore[no-untyped-def]
    """Return the list with the items ``other[low:high:step]``; `given` says whether `low` (1) and `high` (2) are."""
    table[0, 0] = 0
    size = other[0, 0]
    least, most = (np.int64(0), size) if step > 0 else (np.int64(-1), size - 1)
    first = min(max(low + size if low < 0 else low, least), most) if given & 1 else (least if step > 0 else most)
    last = min(max(high + size if high < 0 else high, least), most) if given & 2 else (most if step > 0 else least)
    for i in range(first, last, step):
        place = room(game, table[0, 0], table.shape[0] - 1)
        table[0, 0] = place
        for j in range(table.shape[1]):
            table[place, j] = other[i + 1, j]
    return table


@guarded
def columns(game, table, other, first):  # type: ignore[no-untyped-def]
    """Return the list with what the rows of a dict have from a column on."""
    table[0, 0] = noted(game, other[0, 0] >= table.shape[0], other[0, 0])
    for i in range(1, table[0, 0] + 1):
        for j in range(table.shape[1]):
            table[i, j] = other[i, first + j]
    return table


@guarded
def extend_rows(game, table, other):  # type: ignore[no-untyped-def]
    """``rows.extend(others)`` of lists of tuples, or of lists; returns the list."""
    many = other[0, 0]
    for i in range(1, many + 1):
        size = room(game, table[0, 0], table.shape[0] - 1)
        table[0, 0] = size
        for j in range(min(table.shape[1], other.shape[1])):
            table[size, j] = other[i, j]
        if other.shape[1] > table.shape[1]:
            noted(game, other[i, 0] >= table.shape[1], 0)
    return table


@guarded
def insert_row(game, table, index, values):  # type: ignore[no-untyped-def]
    """``rows.insert(index, values)`` of a list of tuples."""
    old = table[0, 0]
    size = room(game, old, table.shape[0] - 1)
    place = min(max(np.int64(index + old if index < 0 else index), np.int64(0)), size - 1) + 1
    for i in range(size, place, -1):
        for j in range(table.shape[1]):
            table[i, j] = table[i - 1, j]
    put_row(game, table, place, values)
    table[0, 0] = size
    return 0


@guarded
def reverse_rows(table):  # type: ignore[no-untyped-def]
    """``rows.reverse()`` of a list of tuples."""
    size = table[0, 0]
    for i in range(1, size // 2 + 1):
        for j in range(table.shape[1]):
            table[i, j], table[size + 1 - i, j] = table[size + 1 - i, j], table[i, j]
    return 0


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
def place_of(places, low, key):  # type: ignore[no-untyped-def]
    """Return the row of a key of a constant dict, from the rows of all keys from `low` on; 0 if it isn't there."""
    i = key - low
    return places[unsigned(i)] if 0 <= i < places.size else np.int64(0)


@guarded
def value_at(values, low, key, default):  # type: ignore[no-untyped-def]
    """Return ``d.get(key, default)`` of a constant dict of numbers, from the values of all keys from `low` on; without
    a branch.
    """
    i = unsigned(key - low)
    outside = i >= unsigned(values.size)
    found = values[unsigned(0) if outside else i]
    return default if outside else found


@guarded
def known_place(game, places, low, key):  # type: ignore[no-untyped-def]
    """Return the row of a key of a constant dict; a key that isn't there is recorded as an error."""
    place = place_of(places, low, key)
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
def discard_row(game, table, values):  # type: ignore[no-untyped-def]
    """``rows.discard(values)`` of a set of tuples."""
    place = find_row(table, values)
    if place > 0:
        drop_row(table, place)
    return 0


@guarded
def remove_row(game, table, values):  # type: ignore[no-untyped-def]
    """``rows.remove(values)`` of a list or set of tuples."""
    drop_row(table, known_row(game, table, values))
    return 0


@guarded
def index_row(game, table, values):  # type: ignore[no-untyped-def]
    """``rows.index(values)`` of a list of tuples."""
    return known_row(game, table, values) - 1


@guarded
def count_row(game, table, values):  # type: ignore[no-untyped-def]
    """``rows.count(values)`` of a list of tuples."""
    many = 0
    for i in range(1, table[0, 0] + 1):
        equal = True
        for j, value in enumerate(values):
            equal &= table[i, j] == value
        many += equal
    return many


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
def extreme_row(table, width, up):  # type: ignore[no-untyped-def]
    """Return the place, counted from 0, of the first largest (`up`) or smallest of a list of tuples; 0 for none."""
    best = 1
    for i in range(2, table[0, 0] + 1):
        order = np.int64(0)
        for j in range(width):
            if order == 0:
                order = np.int64(table[i, j] > table[best, j]) - np.int64(table[i, j] < table[best, j])
        if order > 0 if up else order < 0:
            best = i
    return best - 1


@guarded
def column(game, numbers, table, place):  # type: ignore[no-untyped-def]
    """Return the list of the numbers in one column of a table."""
    numbers[0] = 0
    for i in range(1, table[0, 0] + 1):
        append(game, numbers, table[i, place])
    return numbers
