"""Runs the kernels of all engines as plain Python: what takes Numba seconds to compile is then there at once.

The text of a kernel, and the modules that it imports, stay as they are. Only what LLVM builds has a stand-in here: the
record of a game on the stack, and arithmetic that notices 64 bits. Numbers are NumPy's, which wrap around as compiled
ones do.
"""

from __future__ import annotations

import ast
import operator
import os
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

WORD = 1 << 64


def install() -> None:
    """Have this process run kernels uncompiled; before anything of dicelab's engines is imported.

    Raises
    ------
    RuntimeError
        When it is too late.
    """
    if "dicelab.kernels.core" in sys.modules:
        raise RuntimeError("the engines have been imported already, and compile")
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    np.seterr(over="ignore", divide="raise")  # the stream multiplies modulo 2**64; rules that divide by 0 go wrong
    import dicelab.kernels.core as jit

    jit.record = _record
    jit.whole_vectors = lambda: None
    jit.unsigned = _unsigned  # type: ignore[assignment]
    from dicelab.kernels import rule_support as in_rules

    in_rules._added = _noticed(operator.add)
    in_rules._subtracted = _noticed(operator.sub)
    in_rules._multiplied = _noticed(operator.mul)
    from dicelab.kernels import cache

    vars(cache)["compile"] = _compile_plainly


def _compile_plainly(text: str, file: str, mode: str) -> CodeType:
    """The code of a kernel, in whose rules every number has 64 bits, as it has where they are compiled."""
    tree = _Words().visit(ast.parse(text))
    return compile(ast.fix_missing_locations(tree), file, mode)


class _Words(ast.NodeTransformer):
    """Makes the whole numbers of translated rules NumPy's, and with them whatever is calculated from them."""

    def __init__(self) -> None:
        self.found: dict[int, str] = {}

    def visit_Module(self, node: ast.Module) -> ast.Module:
        for function in node.body:
            if isinstance(function, ast.FunctionDef) and "_rules.guarded" in map(ast.unparse, function.decorator_list):
                function.body = [super(_Words, self).generic_visit(line) for line in function.body]
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
    """A class of zeroed records, whose slots are 64-bit integers."""

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
    """An operation on numbers of 64 bits: the result, wrapped around, and whether it has more."""

    def operate(x: Any, y: Any) -> tuple[np.int64, bool]:
        value = operation(int(x), int(y))
        wrapped = (value + WORD // 2) % WORD - WORD // 2
        return np.int64(wrapped), wrapped != value

    return operate
