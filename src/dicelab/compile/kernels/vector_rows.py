"""Loops over rows of `LANES` numbers that lie side by side, as vectors.

From loops over lanes that are written in Python, LLVM makes vectors with so many checks around them, or none at all,
that they take three to ten times as long. Each function here goes through some rows of a table, ``rows[which[e]]`` for
e from `low` to ``high - 1``; a number of ``more[e]``, if `more` is not None, is added to all numbers of such a row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from dicelab.compile.kernels.uncompiled import twins

LANES = 56
"""Numbers of a row: whole vectors, and fewer than an integer has bits, because callers mark them in one."""
WIDE = 8
"""Numbers of a vector: as many as the widest processors have in a register."""

Vectors = list[Any]
WORD, VECTOR = ir.IntType(64), ir.VectorType(ir.DoubleType(), WIDE)


class _Loop:
    """A loop over edges, while it is built: the arguments by name, and the vectors of a row or of equal numbers."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any, names: str) -> None:
        self.builder, self.given = builder, {}
        for name, kind, value in zip(names.split(), signature.args, arguments, strict=True):
            is_array = isinstance(kind, types.Array)
            self.given[name] = arrayobj.make_array(kind)(context, builder, value).data if is_array else value
        self.has_more = isinstance(signature.args[-1], types.Array)

    def places(self, start: Any) -> Vectors:
        """Return where the vectors are of the row that begins at `start`."""
        parts = [self.builder.gep(start, [ir.Constant(WORD, i)]) for i in range(0, LANES, WIDE)]
        return [self.builder.bitcast(part, VECTOR.as_pointer()) for part in parts]

    def row(self, start: Any) -> Vectors:
        """Return the vectors of the row that begins at `start`."""
        return [self.builder.load(place, align=8) for place in self.places(start)]

    def store(self, vectors: Vectors, start: Any) -> None:
        """Store vectors in the row that begins at `start`."""
        for vector, place in zip(vectors, self.places(start), strict=True):
            self.builder.store(vector, place, align=8)

    def same(self, number: Any) -> Any:
        """Return a vector of equal numbers."""
        none = ir.Constant(VECTOR, ir.Undefined)
        one = self.builder.insert_element(none, number, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(one, none, ir.Constant(ir.VectorType(ir.IntType(32), WIDE), [0] * WIDE))

    def number(self, name: str, e: Any) -> Any:
        """Return number `e` of an array."""
        return self.builder.load(self.builder.gep(self.given[name], [e]))

    def start(self, e: Any) -> Any:
        """Return where the row of edge `e` begins."""
        first = self.builder.mul(self.number("which", e), ir.Constant(WORD, LANES))
        return self.builder.gep(self.given["rows"], [first])

    def moved(self, e: Any) -> Vectors:
        """Return the row of edge `e`, with ``more[e]`` added."""
        vectors = self.row(self.start(e))
        if not self.has_more:
            return vectors
        more = self.same(self.number("more", e))
        return [self.builder.fadd(vector, more) for vector in vectors]

    def run(self, kept: list[str], step: Callable[[Any, list[Vectors]], list[Vectors]]) -> None:
        """Build the loop: `step` returns the vectors of the rows in `kept` after an edge, given those before."""
        memory = [[cgutils.alloca_once(self.builder, VECTOR) for _ in range(0, LANES, WIDE)] for _ in kept]
        for name, places in zip(kept, memory, strict=True):
            for vector, place in zip(self.row(self.given[name]), places, strict=True):
                self.builder.store(vector, place)
        one = ir.Constant(WORD, 1)
        with cgutils.for_range_slice(self.builder, self.given["low"], self.given["high"], one) as (e, _):
            before = [[self.builder.load(place) for place in places] for places in memory]
            for vectors, places in zip(step(e, before), memory, strict=True):
                for vector, place in zip(vectors, places, strict=True):
                    self.builder.store(vector, place)
        for name, places in zip(kept, memory, strict=True):
            self.store([self.builder.load(place) for place in places], self.given[name])


@intrinsic  # type: ignore[untyped-decorator]
def add_rows(typingctx: Any, out: Any, rows: Any, which: Any, low: Any, high: Any, factor: Any, more: Any) -> Any:
    """Add to `out` the rows, each times ``factor[e]``."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loop = _Loop(context, builder, signature, arguments, "out rows which low high factor more")

        def step(e: Any, before: list[Vectors]) -> list[Vectors]:
            factor = loop.same(loop.number("factor", e))
            parts = [builder.fmul(factor, vector) for vector in loop.moved(e)]
            return [[builder.fadd(vector, part) for vector, part in zip(before[0], parts, strict=True)]]

        loop.run(["out"], step)
        return context.get_dummy_value()

    return types.void(out, rows, which, types.int64, types.int64, factor, more), build


@intrinsic  # type: ignore[untyped-decorator]
def best_rows(typingctx: Any, out: Any, rows: Any, which: Any, low: Any, high: Any, sign: Any, more: Any) -> Any:
    """Replace numbers of `out` by those of the rows, times `sign`, that are larger."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loop = _Loop(context, builder, signature, arguments, "out rows which low high sign more")
        sign = loop.same(loop.given["sign"])

        def step(e: Any, before: list[Vectors]) -> list[Vectors]:
            found = [builder.fmul(sign, vector) for vector in loop.moved(e)]
            pairs = list(zip(found, before[0], strict=True))
            return [[builder.select(builder.fcmp_ordered(">", x, y), x, y) for x, y in pairs]]

        loop.run(["out"], step)
        return context.get_dummy_value()

    return types.void(out, rows, which, types.int64, types.int64, types.float64, more), build


@intrinsic  # type: ignore[untyped-decorator]
def pick_rows(
    typingctx: Any, out: Any, edge: Any, rows: Any, which: Any, low: Any, high: Any, sign: Any, more: Any
) -> Any:
    """As `best_rows`; where a number is replaced, `edge` receives e. Edges are floats, as wide as numbers."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loop = _Loop(context, builder, signature, arguments, "out edge rows which low high sign more")
        sign = loop.same(loop.given["sign"])

        def step(e: Any, before: list[Vectors]) -> list[Vectors]:
            found = [builder.fmul(sign, vector) for vector in loop.moved(e)]
            here = loop.same(builder.sitofp(e, ir.DoubleType()))
            larger = [builder.fcmp_ordered(">", x, y) for x, y in zip(found, before[0], strict=True)]
            best = [builder.select(one, x, y) for one, x, y in zip(larger, found, before[0], strict=True)]
            return [best, [builder.select(one, here, edge) for one, edge in zip(larger, before[1], strict=True)]]

        loop.run(["out", "edge"], step)
        return context.get_dummy_value()

    return types.void(out, edge, rows, which, types.int64, types.int64, types.float64, more), build


@intrinsic  # type: ignore[untyped-decorator]
def spread_row(typingctx: Any, row: Any, rows: Any, which: Any, low: Any, high: Any, factor: Any) -> Any:
    """Add `row`, times ``factor[e]``, to each of the rows."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loop = _Loop(context, builder, signature, arguments, "row rows which low high factor")
        given = loop.row(loop.given["row"])

        def step(e: Any, before: list[Vectors]) -> list[Vectors]:
            factor, start = loop.same(loop.number("factor", e)), loop.start(e)
            parts = [builder.fmul(factor, vector) for vector in given]
            loop.store([builder.fadd(x, y) for x, y in zip(loop.row(start), parts, strict=True)], start)
            return []

        loop.run([], step)
        return context.get_dummy_value()

    return types.void(row, rows, which, types.int64, types.int64, factor), build


globals().update(twins("vector_rows"))
