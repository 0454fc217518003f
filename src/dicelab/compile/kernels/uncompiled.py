"""Runs kernels as plain Python, for breakpoints and for coverage, if ``NUMBA_DISABLE_JIT=1`` is in the environment.

The text of a kernel, and the modules that it imports, stay as they are, and the decorators of Numba do nothing. Only
what LLVM builds (intrinsics) has a twin here, listed in `TWINS`: the record of a game on the stack, a word as 64
unsigned bits, arithmetic that notices overflow, and loops over rows as vectors. Numbers are NumPy's, which wrap around
as compiled ones do.
"""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

WORD = 1 << 64


def is_wanted() -> bool:
    """Return whether kernels are not to be compiled."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def code_of(text: str, file: str) -> CodeType:
    """Return the code of a kernel; uncompiled, every number in its rules has 64 bits, as it has where they are
    compiled.
    """
    if not is_wanted():
        return compile(text, file, "exec")
    return compile(ast.fix_missing_locations(_Words().visit(ast.parse(text))), file, "exec")


def wrapping(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel; uncompiled, it multiplies modulo 2**64 without a warning, and raises an error if it divides by
    0.
    """
    return np.errstate(over="ignore", divide="raise")(kernel) if is_wanted() else kernel


class _Words(ast.NodeTransformer):
    """Makes the whole numbers of translated rules NumPy's, and with them whatever is calculated from them."""

    def __init__(self) -> None:
        self.found: dict[int, str] = {}

    def visit_Module(self, node: ast.Module) -> ast.Module:
        for function in node.body:
            if isinstance(function, ast.FunctionDef) and "_rules.guarded" in map(ast.unparse, function.decorator_list):
                for line in function.body:
                    self.generic_visit(line)
        made = [f"_word_{i} = np.int64({number})" for i, number in enumerate(self.found)]
        node.body += ast.parse("\n".join([*made, "_word = np.int64"])).body
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if type(node.value) is not int:
            return node
        name = self.found.setdefault(node.value, f"_word_{len(self.found)}")
        return ast.Name(name, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("_word", node.ctx) if node.id == "int" else node


def _record(names: list[str]) -> type:
    """Return a class of zeroed records, whose slots are 64-bit integers."""

    class Record:
        __slots__ = tuple(names) or ("_",)

        def __init__(self) -> None:
            for name in self.__slots__:
                setattr(self, name, 0)

        def __setattr__(self, name: str, value: Any) -> None:
            object.__setattr__(self, name, np.int64(value))

    return Record


def _unsigned(number: Any) -> np.uint64:
    return np.uint64(int(number) % WORD)


def _noticed(operation: Callable[[int, int], int]) -> Callable[[Any, Any], tuple[np.int64, bool]]:
    """Return an operation on numbers of 64 bits: the result, wrapped around, and whether it has more."""

    def operate(x: Any, y: Any) -> tuple[np.int64, bool]:
        value = operation(int(x), int(y))
        wrapped = (value + WORD // 2) % WORD - WORD // 2
        return np.int64(wrapped), wrapped != value

    return operate


def _row(rows: Any, which: Any, e: int, more: Any) -> Any:
    """Return the row of an edge, with what is added to it."""
    return rows[which[e]] if more is None else rows[which[e]] + more[e]


def _add_rows(out: Any, rows: Any, which: Any, low: int, high: int, factor: Any, more: Any) -> None:
    for e in range(low, high):
        out += factor[e] * _row(rows, which, e, more)


def _best_rows(out: Any, rows: Any, which: Any, low: int, high: int, sign: float, more: Any) -> None:
    _pick_rows(out, np.empty(len(out)), rows, which, low, high, sign, more)


def _pick_rows(out: Any, edge: Any, rows: Any, which: Any, low: int, high: int, sign: float, more: Any) -> None:
    for e in range(low, high):
        found = sign * _row(rows, which, e, more)
        larger = found > out
        out[larger], edge[larger] = found[larger], e


def _spread_row(row: Any, rows: Any, which: Any, low: int, high: int, factor: Any) -> None:
    for e in range(low, high):
        rows[which[e]] += factor[e] * row


TWINS: dict[str, dict[str, Any]] = {
    "core": {"record": _record, "whole_vectors": lambda: None, "apart": lambda: None, "unsigned": _unsigned},
    "rule_support": {
        "_added": _noticed(operator.add),
        "_subtracted": _noticed(operator.sub),
        "_multiplied": _noticed(operator.mul),
    },
    "vector_rows": {
        "add_rows": _add_rows,
        "best_rows": _best_rows,
        "pick_rows": _pick_rows,
        "spread_row": _spread_row,
    },
    "list_numbers": {
        "items": lambda numbers: numbers[1 : 1 + numbers[0]],
        "whole": lambda numbers: numbers[: 1 + numbers[0]],
        "new_list": lambda most: np.zeros(int(most) + 1, np.int64),
        "new_table": lambda most, width: np.zeros((int(most) + 1, int(width)), np.int64),
    },
}
"""By module: what replaces its intrinsics, and what is made of them."""


def twins(module: str) -> dict[str, Any]:
    """Return what a module takes from here; nothing if kernels are compiled."""
    return TWINS[module] if is_wanted() else {}
