"""What every compiled kernel shares: the stream, the record of a game's numbers, and small helpers.

Numba is imported here and in the kernel files that `dicelab.kernels.simulate` writes, and nowhere else. The stream is
the one that `dicelab.random.philox` defines; the 32-bit words are kept in 64-bit lanes whose upper halves are ignored,
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
    """A uniform integer below `weight`; tries and lanes as `dicelab.random.philox.below`."""
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
