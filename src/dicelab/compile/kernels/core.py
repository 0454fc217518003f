"""Functions that all kernels share: the random stream, the record that holds a game's numbers, and compiler options.

The stream is the one that `dicelab.runtime.philox` defines. Its 32-bit words are computed as 64-bit integers whose
upper halves are ignored, because then ten rounds of Philox vectorise.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, njit, types
from numba.core import cgutils, event
from numba.extending import intrinsic, register_jitable
from numba.np import linalg

from dicelab.compile.kernels.arguments import BINS, LOWEST
from dicelab.compile.kernels.cache import copy_of_loops
from dicelab.compile.kernels.uncompiled import twins, wrapping

# Numba's functions on arrays import SciPy's linear algebra to see whether it is there, which takes a tenth of a second.
# What uses it imports it when it is compiled.
_ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
import numba.np.arraymath  # noqa: E402, F401

linalg.ensure_blas = _ensure_blas


class _Compilation(event.Listener):  # type: ignore[misc]
    """Adds up what compilation takes, in seconds by the clock and of the processor; what compiles something else first
    counts once.
    """

    def __init__(self) -> None:
        self.depth, self.began, self.spent = 0, (0.0, 0.0), (0.0, 0.0)

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            self.began = perf_counter(), process_time()
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            clock, worked = self.began
            self.spent = self.spent[0] + perf_counter() - clock, self.spent[1] + process_time() - worked


_compilation = _Compilation()
event.register("numba:compile", _compilation)


def compiling() -> tuple[float, float]:
    """Return the seconds, and seconds of the processor, that Numba has spent compiling in this process."""
    return _compilation.spent


BARE = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""For functions that only compiled code calls: without Python wrappers they compile in half the time."""

UNCOUNTED = {**BARE, "_nrt": False}
"""Without reference counts of arrays, which the caller owns; counting them at each call took up to 95 % of the time."""

inline: Callable[..., Any] = njit(forceinline=True, boundscheck=True, **UNCOUNTED)
"""Compile a small function into its callers, with bounds checks."""

guarded: Callable[..., Any] = njit(forceinline=True, **UNCOUNTED)
"""The same without bounds checks, for rules that take every index from `dicelab.compile.kernels.rule_support.at`."""

compiled: Callable[..., Any] = njit(boundscheck=True, **BARE)
"""Compile a function that is called, not inlined, with bounds checks."""

unchecked: Callable[..., Any] = njit(**BARE)
"""The same without bounds checks, so that its loops can be vectorised."""


def kept(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop that is called from Python, and keep it in the folder of the kernels, if that is writable.

    Numba keeps compiled code beside the file that a function is from: here a copy of that file.
    """
    file = copy_of_loops(loop.__code__.co_filename)
    code = loop.__code__ if file is None else loop.__code__.replace(co_filename=str(file))
    moved = FunctionType(code, loop.__globals__, loop.__name__, loop.__defaults__, loop.__closure__)
    moved.__module__, moved.__qualname__, moved.__doc__ = loop.__module__, loop.__qualname__, loop.__doc__
    return wrapping(njit(nogil=True, cache=file is not None)(moved))


def callable_when_compiled(function: Callable[..., Any]) -> None:
    """Let loops that are compiled later call a plain function; it must not create arrays."""
    register_jitable(_nrt=False)(function)


GAMES = 64
"""Games whose first blocks of random words are computed together."""
BLOCKS = 16
"""Blocks of one game that are computed together once its first blocks are used up."""

M0, M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
W0, W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
ONE_WORD = np.uint64(2**28)
FIRST_LANE = np.int64(0)
unsigned = np.uint64


def record(names: list[str]) -> Callable[[], Any]:
    """Return a function that creates a record of 64-bit integers with these names, all 0, on the stack of its caller.

    The record is on the stack and not on the heap, so that the compiler can keep its slots in registers.
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
    """Let LLVM use 512-bit vectors, where the processor has them, in the function that calls this.

    On Intel processors LLVM prefers 256 bits. That is right for the rules of a game (Pig takes twice as long with 512
    bits), but Philox is 1.6 times as fast with 512.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        attributes = builder.function.attributes
        attributes.add("noinline")
        set.add(attributes, '"prefer-vector-width"="512"')  # set.add, because llvmlite refuses attributes unknown to it
        return context.get_dummy_value()

    return types.void(), build


@intrinsic  # type: ignore[untyped-decorator]
def apart(typingctx: Any) -> Any:
    """Tell LLVM that no two arrays that the calling function is given have memory in common."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        for argument in builder.function.args:
            if isinstance(argument.type, ir.PointerType) and "noalias" not in argument.attributes:
                argument.add_attribute("noalias")
        return context.get_dummy_value()

    return types.void(), build


globals().update(twins("core"))


@inline
def philox(k0, k1, c0, c1, c2, c3):  # type: ignore[no-untyped-def]
    """Philox-4x32-10: four words for the key k0, k1 and the counter c0 .. c3; only the lower 32 bits are meaningful."""
    for _ in range(10):  # no masks on c0 .. c3 between rounds: what they are XORed into is masked at the next product
        p0 = M0 * (c0 & LOW)
        p1 = M1 * (c2 & LOW)
        c0, c1, c2, c3 = (p1 >> HALF) ^ c1 ^ k0, p1, (p0 >> HALF) ^ c3 ^ k1, p0
        k0 = (k0 + W0) & LOW
        k1 = (k1 + W1) & LOW
    return c0, c1, c2, c3


@unchecked
def some_words(words, k0, k1, game, block, many, games, blocks):  # type: ignore[no-untyped-def]
    """Compute `many` blocks, at most `GAMES`; word w of block i goes to ``words[GAMES * w + i]``.

    They are those of consecutive games if `games` is 1, and consecutive blocks of one game if `blocks` is 1. One
    function, and called without constants, because each that Numba compiles takes time.
    """
    for i in range(many):
        g = np.uint64(game + i * games)
        a, b, c, d = philox(k0, k1, np.uint64(block + i * blocks), np.uint64(0), g, g >> HALF)
        words[i] = a
        words[GAMES + i] = b
        words[2 * GAMES + i] = c
        words[3 * GAMES + i] = d


@unchecked
def one_word(k0, k1, game, t, lane):  # type: ignore[no-untyped-def]
    """Return the 32-bit word of roll `t` in a lane of the stream (`dicelab.runtime.philox`): word t mod 4 of block t
    div 4.
    """
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
    """Return the high and the low 64 bits of the product of two 64-bit numbers, by long
    multiplication in base 2**32.
    """
    x0, x1, y0, y1 = x & LOW, x >> HALF, y & LOW, y >> HALF
    low = x0 * y0
    middle = x1 * y0 + (low >> HALF)
    other = x0 * y1 + (middle & LOW)
    return x1 * y1 + (middle >> HALF) + (other >> HALF), x * y


@unchecked
def accepted(k0, k1, game, t, weight, reject, lane):  # type: ignore[no-untyped-def]
    """As `below`, for a weight of at most `ONE_WORD`: a scaled word is rejected if its lower half is below `reject`."""
    while True:
        scaled = one_word(k0, k1, game, t, lane) * weight
        if (scaled & LOW) >= reject:
            return scaled >> HALF
        lane += 2


@unchecked
def below(k0, k1, game, t, weight, lane):  # type: ignore[no-untyped-def]
    """Return a uniform integer below `weight`, by rejection, as `dicelab.runtime.philox.below` defines it.

    Each rejected word is drawn again from the next lane of the stream (a pair of words: the next two lanes).
    """
    if weight <= ONE_WORD:
        return accepted(k0, k1, game, t, weight, (np.uint64(1) << HALF) % weight, lane)
    reject = (np.uint64(0) - weight) % weight
    while True:
        drawn = (one_word(k0, k1, game, t, lane) << HALF) | one_word(k0, k1, game, t, lane + 1)
        high, low = multiply(drawn, weight)
        if low >= reject:
            return high
        lane += 2


@unchecked
def search(u, entry, width, sums):  # type: ignore[no-untyped-def]
    """Return the index in `values` of the outcome of number `u`, from a guide entry that allows several outcomes.

    Such an entry is the complement of the index in `sums` of the first possible outcome.
    """
    i = unsigned(~entry)
    while u >= sums[i]:  # every outcome before i has a running sum of weights that is at most u
        i += unsigned(1)
    return np.int64(i) * width


@unchecked
def place(u, row, width, pools, guide, sums):  # type: ignore[no-untyped-def]
    """Return the index in `values` of the outcome of number `u` in a row of `dicelab.runtime.outcome_tables.Tables`."""
    # A row of `pools`: total weight, rejection threshold, bits to shift u for the guide, first index in the guide.
    entry = np.int64(guide[unsigned(pools[4 * row + 3]) + (u >> pools[4 * row + 2])])
    return entry if entry >= 0 else search(u, entry, width, sums)


@unchecked
def draw_slowly(k0, k1, game, t, row, pools, guide, sums, values, apart, shown):  # type: ignore[no-untyped-def]
    """Return the number drawn for a roll that needs more than its first word; its guide leads to what the roll shows.

    `apart` has for each row of the tables: dice drawn one at a time (0 if drawn as a whole), the row of the single die,
    the view (0 sum, 1 counts, 2 faces), and the width. Dice drawn one at a time are written to the end of `shown`: in
    kernels for a processor, of `values` itself.
    """
    dice, die, view, width = apart[row, 0], apart[row, 1], apart[row, 2], apart[row, 3]
    if dice == 0:
        return below(k0, k1, game, t, pools[4 * row], FIRST_LANE)
    at = shown.size - width
    for j in range(width):
        shown[at + j] = 0
    for k in range(dice):  # die k draws from the lanes of the stream that begin at k * 2**16
        u = below(k0, k1, game, t, pools[4 * die], k << 16)
        value = values[place(u, die, width, pools, guide, sums)]
        if view == 0:
            shown[at] += value
        elif view == 1:
            shown[at + value] += 1
        else:
            shown[at + k] = value
    return unsigned(0)


@guarded
def tallied(hist, spill, spilled, outcome, tally, value):  # type: ignore[no-untyped-def]
    """Count the value of a tally in `hist`, or as a row of `spill`; returns the number of rows there."""
    at = value - LOWEST
    if 0 <= at < BINS:
        hist[outcome, tally, at] += 1
        return spilled
    spill[spilled, 0] = outcome
    spill[spilled, 1] = tally
    spill[spilled, 2] = value
    return spilled + 1
