"""What every compiled kernel shares: the stream, the record of a game's numbers, and small helpers.

Numba is imported here and in the kernel files that `dicelab.engines.kernel` writes, and nowhere else. The stream is the
one that `dicelab.engines.stream` defines; the 32-bit words are kept in 64-bit lanes whose upper halves are ignored,
because then ten rounds of Philox vectorise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, njit, types
from numba.core import cgutils, event
from numba.extending import intrinsic

_timer = event.TimingListener()
event.register("numba:compile", _timer)


def compiling() -> float:
    """Seconds for which Numba has compiled in this process."""
    return float(_timer.duration) if _timer.done else 0.0


BARE = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Called by compiled code only: made in half the time."""

UNCOUNTED = {**BARE, "_nrt": False}
"""Its callers keep the arrays: counting references to them at each call took up to nineteen twentieths of the time."""

inline: Callable[..., Any] = njit(forceinline=True, boundscheck=True, **UNCOUNTED)
"""Compile a small function, a translated rule for example, into its callers."""

guarded: Callable[..., Any] = njit(forceinline=True, **UNCOUNTED)
"""The same for a rule whose indices all go through `at`."""

compiled: Callable[..., Any] = njit(boundscheck=True, **BARE)
"""Compile a function on its own."""

unchecked: Callable[..., Any] = njit(**BARE)
"""The same without bounds checks, for loops that are to be vectorised."""


def kept(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop that stands on its own, in a file that imports nothing compiled, and keep it where one can."""
    try:
        made: Callable[..., Any] = njit(nogil=True, cache=True)(loop)
    except RuntimeError:  # no folder can be written in which Numba could keep it
        made = njit(nogil=True)(loop)
    return made


GAMES = 64
"""Games whose first words are made together."""
BLOCKS = 16
"""Blocks of one game made together when its first words are used up."""

M0, M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
W0, W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
ONE_WORD = np.uint64(2**28)
FIRST_LANE = np.int64(0)
LEAST = np.int64(-(2**63))
unsigned = np.uint64


def record(names: list[str]) -> Callable[[], Any]:
    """A function that makes a zeroed record of 64-bit integers on the stack of its caller.

    On the stack, and not on the heap, because the compiler then keeps its slots in registers.
    """
    shape = np.dtype([(name, np.int64) for name in names] or [("_", np.int64)])
    kind = from_dtype(shape)

    @intrinsic  # type: ignore[untyped-decorator]
    def new(typingctx: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), shape.itemsize // 8), zfill=True)
            return builder.bitcast(memory, context.get_value_type(kind))

        return kind(), build

    made: Callable[[], Any] = new
    return made


@intrinsic  # type: ignore[untyped-decorator]
def whole_vectors(typingctx: Any) -> Any:
    """Have LLVM use vectors of 512 bits, where there are any, in the function that calls this.

    On Intel's processors it prefers half of them, which is right for the rules of a game (Pig takes twice as long with
    whole ones), but Philox is 1.6 times as fast with them.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        attributes = builder.function.attributes
        attributes.add("noinline")
        set.add(attributes, '"prefer-vector-width"="512"')  # not among the attributes that llvmlite knows
        return context.get_dummy_value()

    return types.void(), build


@inline
def philox(k0, k1, c0, c1, c2, c3):  # type: ignore[no-untyped-def]
    """Four words; only their lower 32 bits count."""
    for _ in range(10):
        p0 = M0 * (c0 & LOW)
        p1 = M1 * (c2 & LOW)
        c0, c1, c2, c3 = (p1 >> HALF) ^ c1 ^ k0, p1, (p0 >> HALF) ^ c3 ^ k1, p0
        k0 = (k0 + W0) & LOW
        k1 = (k1 + W1) & LOW
    return c0, c1, c2, c3


@unchecked
def first_words(words, k0, k1, game, block):  # type: ignore[no-untyped-def]
    """One block of 64 games from `game` on: word w of game i at ``64 w + i``."""
    for i in range(GAMES):
        g = np.uint64(game + i)
        a, b, c, d = philox(k0, k1, np.uint64(block), np.uint64(0), g, g >> HALF)
        words[i] = a
        words[GAMES + i] = b
        words[2 * GAMES + i] = c
        words[3 * GAMES + i] = d


@unchecked
def more_words(words, k0, k1, game, block):  # type: ignore[no-untyped-def]
    """Sixteen blocks of one game from `block` on: word w of block b at ``16 w + b``."""
    g = np.uint64(game)
    for i in range(BLOCKS):
        a, b, c, d = philox(k0, k1, np.uint64(block + i), np.uint64(0), g, g >> HALF)
        words[i] = a
        words[BLOCKS + i] = b
        words[2 * BLOCKS + i] = c
        words[3 * BLOCKS + i] = d


@compiled
def one_word(k0, k1, game, t, lane):  # type: ignore[no-untyped-def]
    """The word of throw `t` in any lane."""
    g = np.uint64(game)
    a, b, c, d = philox(k0, k1, np.uint64(t >> 2), np.uint64(lane), g, g >> HALF)
    part = t & 3
    if part == 0:
        return a & LOW
    if part == 1:
        return b & LOW
    if part == 2:
        return c & LOW
    return d & LOW


@inline
def multiply(x, y):  # type: ignore[no-untyped-def]
    """High and low half of a product of 64-bit numbers."""
    x0, x1, y0, y1 = x & LOW, x >> HALF, y & LOW, y >> HALF
    low = x0 * y0
    middle = x1 * y0 + (low >> HALF)
    other = x0 * y1 + (middle & LOW)
    return x1 * y1 + (middle >> HALF) + (other >> HALF), x * y


@compiled
def below(k0, k1, game, t, weight, lane):  # type: ignore[no-untyped-def]
    """A uniform integer below `weight`; tries and lanes as `dicelab.engines.stream.below`."""
    if weight <= ONE_WORD:
        reject = (np.uint64(1) << HALF) % weight
        while True:
            scaled = one_word(k0, k1, game, t, lane) * weight
            if (scaled & LOW) >= reject:
                return scaled >> HALF
            lane += 2
    reject = (np.uint64(0) - weight) % weight
    while True:
        drawn = (one_word(k0, k1, game, t, lane) << HALF) | one_word(k0, k1, game, t, lane + 1)
        high, low = multiply(drawn, weight)
        if low >= reject:
            return high
        lane += 2


@compiled
def search(u, entry, width, sums):  # type: ignore[no-untyped-def]
    """Place in `values` of the outcome to which `u` belongs, from a guide entry that leaves several open."""
    i = unsigned(~entry)
    while u >= sums[i]:
        i += unsigned(1)
    return np.int64(i) * width


@compiled
def place(u, row, width, pools, guide, sums):  # type: ignore[no-untyped-def]
    """Place in `values` of the outcome of a row to which `u` belongs."""
    entry = np.int64(guide[unsigned(pools[4 * row + 3]) + (u >> pools[4 * row + 2])])
    return entry if entry >= 0 else search(u, entry, width, sums)


@compiled
def draw_slowly(k0, k1, game, t, row, pools, guide, sums, values, apart):  # type: ignore[no-untyped-def]
    """A throw that needs more than the first word: where in `values` it is seen.

    `apart` says for each row of the tables: dice thrown one at a time (0 when drawn whole), the row of the single die,
    the view (0 sum, 1 counts, 2 faces), and the width. What is seen then goes to the end of `values`.
    """
    dice, die, view, width = apart[row, 0], apart[row, 1], apart[row, 2], apart[row, 3]
    if dice == 0:
        u = below(k0, k1, game, t, pools[4 * row], FIRST_LANE)
        return place(u, row, width, pools, guide, sums)
    at = values.size - width
    for j in range(width):
        values[at + j] = 0
    for k in range(dice):
        u = below(k0, k1, game, t, pools[4 * die], k << 16)
        value = values[place(u, die, width, pools, guide, sums)]
        if view == 0:
            values[at] += value
        elif view == 1:
            values[at + value] += 1
        else:
            values[at + k] = value
    return at


@guarded
def at(game, index, size):  # type: ignore[no-untyped-def]
    """An index of a row; one that is outside is noted in the game, and the first is taken instead."""
    i = unsigned(index)
    outside = i >= unsigned(size)
    game._outside |= -np.int64(outside)
    return unsigned(0) if outside else i


@guarded
def nth(game, index, size):  # type: ignore[no-untyped-def]
    """An index of a constant tuple, where negative ones count from its end; otherwise as `at`."""
    return at(game, index + size if index < 0 else index, size)


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
    """An operation of LLVM on two numbers of 64 bits: the result, and whether it has more bits."""
    pair = types.Tuple((types.int64, types.boolean))

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = getattr(builder, name)(*arguments)
        parts = builder.extract_value(found, 0), builder.extract_value(found, 1)
        return context.make_tuple(builder, pair, parts)

    return pair(types.int64, types.int64), build


@guarded
def noted(game, wrong, value):  # type: ignore[no-untyped-def]
    """A value; where something is `wrong` that is noted in the game, and the value is 0."""
    game._outside |= -np.int64(wrong)
    return np.int64(0) if wrong else np.int64(value)


@guarded
def add(game, x, y):  # type: ignore[no-untyped-def]
    """``x + y``; more than 64 bits are noted. So with the functions that follow."""
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
    """``x >> n``, also by more than 63."""
    by = np.int64(0) if n < 0 else min(np.int64(n), np.int64(63))
    return noted(game, n < 0, np.int64(x) >> by)


@guarded
def power(game, x, n):  # type: ignore[no-untyped-def]
    """``x ** n``; a negative `n`, of which Python makes a fraction, is noted."""
    wrong = n < 0
    value = np.int64(1)
    if x == 0 or x == 1 or x == -1:  # any exponent will do
        value = np.int64(1) if n == 0 or x == 1 or (x == -1 and n % 2 == 0) else np.int64(x)
    else:
        for _ in range(min(np.int64(n), np.int64(64))):
            value, more = _multiplied(value, np.int64(x))
            wrong |= more
    return noted(game, wrong, value)


@guarded
def both_bits(game, x, y):  # type: ignore[no-untyped-def]
    """``x & y``, which always fits."""
    return np.int64(x) & np.int64(y)


@guarded
def either_bits(game, x, y):  # type: ignore[no-untyped-def]
    """``x | y``, which always fits."""
    return np.int64(x) | np.int64(y)


@guarded
def unequal_bits(game, x, y):  # type: ignore[no-untyped-def]
    """``x ^ y``, which always fits."""
    return np.int64(x) ^ np.int64(y)


@guarded
def within(game, value, low, high):  # type: ignore[no-untyped-def]
    """A value that is stored; one outside the declared range is noted, and stored all the same.

    To store another instead would cost more than the check: what is read next would have to wait for the choice.
    """
    number = np.int64(value)
    game._outside |= -np.int64((number < low) | (number > high))
    return number


@guarded
def between(game, value, low, high):  # type: ignore[no-untyped-def]
    """As `within`, for a value of at most 63 bits: the differences then have 64, and it is noted by their signs."""
    number = np.int64(value)
    game._outside |= (number - np.int64(low)) | (np.int64(high) - number)
    return number


@guarded
def at_most(game, value, high):  # type: ignore[no-untyped-def]
    """As `between`, for a value that can't be too small."""
    number = np.int64(value)
    game._outside |= np.int64(high) - number
    return number


@guarded
def at_least(game, value, low):  # type: ignore[no-untyped-def]
    """As `between`, for a value that can't be too large."""
    number = np.int64(value)
    game._outside |= number - np.int64(low)
    return number


@guarded
def growing(game, value, old, low, high):  # type: ignore[no-untyped-def]
    """The same where the value may not be below what was there before."""
    return within(game, value, max(np.int64(low), np.int64(old)), high)


@guarded
def given(game, has_value, value):  # type: ignore[no-untyped-def]
    """A variable that is read; that it has no value yet, for which Python raises, is noted."""
    game._outside |= -np.int64(has_value == 0)
    return value


@guarded
def one_of(game, value, members):  # type: ignore[no-untyped-def]
    """A value that must be one of some numbers; another is noted."""
    found = False
    for member in members:
        found |= member == value
    game._outside |= -np.int64(not found)
    return np.int64(value)


@inline
def step_throw(index, dice):  # type: ignore[no-untyped-def]
    """`dicelab.rules.throw` of some dice; of an impossible number a step that no kernel accepts."""
    if dice < 1 or dice >= 65536:
        return -(1 << 40)
    return (index << 16) + dice


@inline
def step_ask(index, seat):  # type: ignore[no-untyped-def]
    """`dicelab.rules.ask`; of an impossible seat a step that no kernel accepts."""
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


@inline
def row_sum(row):  # type: ignore[no-untyped-def]
    """``sum(row)``."""
    total = 0
    for value in row:
        total += value
    return total


@guarded
def row_sum_noticed(game, row):  # type: ignore[no-untyped-def]
    """``sum(row)``; more than 64 bits are noted."""
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
    """``row.index(wanted)``; that there is none, for which Python raises, is noted."""
    for i in range(row.size):
        if row[unsigned(i)] == wanted:
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
