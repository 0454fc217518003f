"""Functions that translated rules call: indices of rows, checked arithmetic and stores, sums of rows, steps.

An error (what Python would refuse, or compute with more than 64 bits) is recorded, not raised: the slot ``_outside`` of
the game becomes negative. It stays negative, because every check is combined with it by "or" and only its sign bit
matters. Kernels test the sign before they use the result of a rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from dicelab.compile.kernels.core import HALF, accepted, guarded, inline, unsigned
from dicelab.compile.kernels.uncompiled import twins
from dicelab.rules.mixtures import MOST_WEIGHT
from dicelab.runtime.philox import LUCK_LANES
from dicelab.translation.endless import EndlessLoop as EndlessLoop

LEAST = np.int64(-(2**63))


@guarded
def at(game, index, size):  # type: ignore[no-untyped-def]
    """Return an index of a row; an index outside the row is recorded as an error, and 0 is returned."""
    i = unsigned(index)  # unsigned, so that one comparison finds negative indices as well
    outside = i >= unsigned(size)
    game._outside |= -np.int64(outside)
    return unsigned(0) if outside else i


@guarded
def nth(game, index, size):  # type: ignore[no-untyped-def]
    """As `at`, for a constant tuple, where negative indices count from the end."""
    return at(game, index + size if index < 0 else index, size)


@guarded
def cell(game, row, column, size, columns):  # type: ignore[no-untyped-def]
    """Return the index of one number of a row of rows, whose rows have so many columns."""
    return at(game, row, size // columns) * unsigned(columns) + at(game, column, columns)


@guarded
def line(game, row, size, columns):  # type: ignore[no-untyped-def]
    """Return the index of the first number in a row of a row of rows."""
    return np.int64(at(game, row, size // columns)) * columns


@guarded
def own(game, seat):  # type: ignore[no-untyped-def]
    """Return an index by seat of a private row; while a strategy chooses, only its own seat is allowed."""
    game._outside |= -np.int64((game._sees != 0) & (np.int64(seat) + 1 != game._sees))
    return seat


@guarded
def below(game, weights):  # type: ignore[no-untyped-def]
    """Return what a choice draws (`dicelab.runtime.philox.draw_below`); weights that can't be drawn are an error."""
    total, wrong = np.int64(0), False
    for weight in weights:
        wrong |= weight < 0 or weight > MOST_WEIGHT
        total += min(np.int64(weight), np.int64(MOST_WEIGHT))
    if wrong or total < 1 or total > MOST_WEIGHT:
        game._outside |= -1
        return np.int64(0)
    whole = unsigned(total)
    reject = (unsigned(1) << HALF) % whole
    block = np.int64(4 * game._choice)
    return np.int64(
        accepted(unsigned(game._key0), unsigned(game._key1), game._index, block, whole, reject, np.int64(LUCK_LANES))
    )


@intrinsic  # type: ignore[untyped-decorator]
def _added(typingctx: Any, x: Any, y: Any) -> Any:
    return _with_overflow("sadd_with_overflow")


@intrinsic  # type: ignore[untyped-decorator]
def _subtracted(typingctx: Any, x: Any, y: Any) -> Any:
    return _with_overflow("ssub_with_overflow")


@intrinsic  # type: ignore[untyped-decorator]
def _multiplied(typingctx: Any, x: Any, y: Any) -> Any:
    return _with_overflow("smul_with_overflow")


def _with_overflow(name: str) -> Any:
    """Return an LLVM operation on two 64-bit integers: the result, and whether it overflowed."""
    pair = types.Tuple((types.int64, types.boolean))

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = getattr(builder, name)(*arguments)
        parts = builder.extract_value(found, 0), builder.extract_value(found, 1)
        return context.make_tuple(builder, pair, parts)

    return pair(types.int64, types.int64), build


globals().update(twins("rule_support"))


@guarded
def noted(game, wrong, value):  # type: ignore[no-untyped-def]
    """Return a value; if it is `wrong`, an error is recorded and 0 is returned."""
    game._outside |= -np.int64(wrong)
    return np.int64(0) if wrong else np.int64(value)


@guarded
def some_number(game, value):  # type: ignore[no-untyped-def]
    """Return a number that may be `LEAST`, which stands for None, where None is an error."""
    return noted(game, value == LEAST, value)


@guarded
def some_tuple(game, first, value):  # type: ignore[no-untyped-def]
    """Return a tuple that may stand for None, where None is an error; `first` is its first number."""
    game._outside |= -np.int64(first == LEAST)
    return value


@guarded
def is_true(value):  # type: ignore[no-untyped-def]
    """Return whether a number is neither 0 nor None."""
    return (value != 0) & (value != LEAST)


@guarded
def add(game, x, y):  # type: ignore[no-untyped-def]
    """``x + y``; overflow is recorded as an error, here and in the following functions."""
    value, wrong = _added(np.int64(x), np.int64(y))
    return noted(game, wrong, value)


@guarded
def sub(game, x, y):  # type: ignore[no-untyped-def]
    """``x - y``."""
    value, wrong = _subtracted(np.int64(x), np.int64(y))
    return noted(game, wrong, value)


@guarded
def mul(game, x, y):  # type: ignore[no-untyped-def]
    """``x * y``."""
    value, wrong = _multiplied(np.int64(x), np.int64(y))
    return noted(game, wrong, value)


@guarded
def quotient(game, x, y):  # type: ignore[no-untyped-def]
    """``x // y``."""
    wrong = (np.int64(x) == LEAST) & (np.int64(y) == -1)
    return noted(game, wrong, np.int64(x) // (np.int64(1) if wrong else np.int64(y)))


@guarded
def remainder(game, x, y):  # type: ignore[no-untyped-def]
    """``x % y``."""
    wrong = (np.int64(x) == LEAST) & (np.int64(y) == -1)
    return noted(game, wrong, np.int64(x) % (np.int64(1) if wrong else np.int64(y)))


@guarded
def absolute(game, x):  # type: ignore[no-untyped-def]
    """``abs(x)``."""
    return sub(game, 0, x) if x < 0 else np.int64(x)


@guarded
def divided(game, x, y):  # type: ignore[no-untyped-def]
    """``divmod(x, y)``."""
    return quotient(game, x, y), remainder(game, x, y)


@guarded
def shifted_left(game, x, n):  # type: ignore[no-untyped-def]
    """``x << n``."""
    wrong = (n < 0) | (n > 62)
    by = np.int64(0) if wrong else np.int64(n)
    value = np.int64(x) << by
    return noted(game, ((value >> by) != np.int64(x)) | (wrong & (np.int64(x) != 0)) | (n < 0), value)


@guarded
def shifted_right(game, x, n):  # type: ignore[no-untyped-def]
    """``x >> n``, with `n` above 63 allowed."""
    by = np.int64(0) if n < 0 else min(np.int64(n), np.int64(63))
    return noted(game, n < 0, np.int64(x) >> by)


@guarded
def power(game, x, n):  # type: ignore[no-untyped-def]
    """``x ** n``; a negative `n`, for which Python returns a float, is recorded as an error."""
    wrong = n < 0
    value = np.int64(1)
    if x == 0 or x == 1 or x == -1:  # these can't overflow, so the exponent may be large
        value = np.int64(1) if n == 0 or x == 1 or (x == -1 and n % 2 == 0) else np.int64(x)
    else:
        for _ in range(min(np.int64(n), np.int64(64))):
            value, more = _multiplied(value, np.int64(x))
            wrong |= more
    return noted(game, wrong, value)


@guarded
def within(game, value, low, high):  # type: ignore[no-untyped-def]
    """Return a value to be stored; a value outside the declared range is recorded as an error and stored all the same.

    Storing another value instead would cost more than the check, because later reads would have to wait for the choice.
    """
    number = np.int64(value)
    game._outside |= -np.int64((number < low) | (number > high))
    return number


@guarded
def between(game, value, low, high):  # type: ignore[no-untyped-def]
    """As `within`, for a value of at most 63 bits: the differences fit into 64 bits, and their signs are the check."""
    number = np.int64(value)
    game._outside |= (number - np.int64(low)) | (np.int64(high) - number)
    return number


@guarded
def at_most(game, value, high):  # type: ignore[no-untyped-def]
    """As `between`, for a value that is known not to be too small."""
    number = np.int64(value)
    game._outside |= np.int64(high) - number
    return number


@guarded
def at_least(game, value, low):  # type: ignore[no-untyped-def]
    """As `between`, for a value that is known not to be too large."""
    number = np.int64(value)
    game._outside |= number - np.int64(low)
    return number


@guarded
def growing(game, value, old, low, high):  # type: ignore[no-untyped-def]
    """As `within`, for a field declared with ``grows=True``: the value must not be below the `old` one either."""
    return within(game, value, max(np.int64(low), np.int64(old)), high)


@guarded
def given(game, has_value, value):  # type: ignore[no-untyped-def]
    """Return the value of a variable; if it has none yet, for which Python raises, an error is recorded."""
    game._outside |= -np.int64(has_value == 0)
    return value


@guarded
def one_of(game, value, members):  # type: ignore[no-untyped-def]
    """Return a value that must be one of `members`; any other is recorded as an error."""
    found = False
    for member in members:
        found |= member == value
    game._outside |= -np.int64(not found)
    return np.int64(value)


@inline
def step_throw(index, dice):  # type: ignore[no-untyped-def]
    """`dicelab.rules.throw` for a number of dice; for an impossible number a step that every kernel refuses."""
    if dice < 1 or dice >= 65536:
        return -(1 << 40)
    return (index << 16) + dice


@inline
def dice_of(dice, most):  # type: ignore[no-untyped-def]
    """Return a number of dice of one kind; for an impossible one a number that `step_throw` refuses."""
    return dice if 0 <= dice <= most else -(1 << 40)


@inline
def step_ask(index, seat):  # type: ignore[no-untyped-def]
    """`dicelab.rules.ask` for a seat; for an impossible seat a step that every kernel refuses."""
    if seat < 0 or seat >= 65536:
        return -(1 << 40)
    return -2 - ((index << 16) + seat)


@inline
def row_max(row):  # type: ignore[no-untyped-def]
    """``max(row)``."""
    best = row[0]
    for value in row:
        best = max(best, value)
    return best


@inline
def row_min(row):  # type: ignore[no-untyped-def]
    """``min(row)``."""
    best = row[0]
    for value in row:
        best = min(best, value)
    return best


@guarded
def some_max(game, row):  # type: ignore[no-untyped-def]
    """``max`` of numbers of which there may be none, which is recorded as an error."""
    found, some = np.int64(0), False
    for value in row:
        found = np.int64(value) if not some or value > found else found
        some = True
    return noted(game, not some, found)


@guarded
def some_min(game, row):  # type: ignore[no-untyped-def]
    """``min`` of numbers of which there may be none, which is recorded as an error."""
    found, some = np.int64(0), False
    for value in row:
        found = np.int64(value) if not some or value < found else found
        some = True
    return noted(game, not some, found)


@inline
def row_sum(row):  # type: ignore[no-untyped-def]
    """``sum(row)``."""
    total = 0
    for value in row:
        total += value
    return total


@guarded
def row_sum_noticed(game, row):  # type: ignore[no-untyped-def]
    """``sum(row)``; overflow is recorded as an error."""
    total = np.int64(0)
    for value in row:
        total = add(game, total, value)
    return total


@inline
def row_contains(row, wanted):  # type: ignore[no-untyped-def]
    """``wanted in row``."""
    found = False
    for value in row:
        found |= value == wanted
    return found


@guarded
def row_index(game, row, wanted):  # type: ignore[no-untyped-def]
    """``row.index(wanted)``; if the row doesn't contain it, for which Python raises, an error is recorded."""
    for i in range(row.size):
        if row[unsigned(i)] == wanted:
            return i
    game._outside |= -1
    return 0


@guarded
def row_index_from(game, row, wanted, start, stop):  # type: ignore[no-untyped-def]
    """``row.index(wanted, start, stop)``; ends below 0 count from the end of the row."""
    low = max(start + row.size, 0) if start < 0 else start
    high = stop + row.size if stop < 0 else min(stop, row.size)
    for i in range(low, high):
        if row[i] == wanted:
            return i
    game._outside |= -1
    return 0


@inline
def row_count(row, wanted):  # type: ignore[no-untyped-def]
    """``row.count(wanted)``."""
    count = 0
    for value in row:
        if value == wanted:
            count += 1
    return count
