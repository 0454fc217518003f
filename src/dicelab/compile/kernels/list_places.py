"""Arrays on the stack, and places in them; see `dicelab.compile.kernels.list_support`."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from dicelab.compile.kernels.core import guarded
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


globals().update(twins("list_places"))


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
