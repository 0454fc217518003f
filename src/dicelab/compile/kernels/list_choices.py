"""Results of ``combinations``, ``permutations`` and ``product``; see `dicelab.compile.kernels.list_support`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicelab.compile.kernels.core import guarded
from dicelab.compile.kernels.list_places import room
from dicelab.compile.kernels.list_tables import append_row
from dicelab.compile.kernels.rule_support import noted


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
