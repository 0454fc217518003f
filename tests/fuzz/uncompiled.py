"""Runs the kernels of all engines as plain Python: what takes Numba seconds to compile is then there at once.

The text of a kernel, and the modules that it imports, stay as they are. Only what LLVM builds has a stand-in here: the
record of a game on the stack, and arithmetic that notices 64 bits. Numbers are NumPy's, which wrap around as compiled
ones do.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable
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
    if "dicelab.engines.jit" in sys.modules:
        raise RuntimeError("the engines have been imported already, and compile")
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    np.seterr(all="ignore")  # the stream multiplies modulo 2**64
    import dicelab.engines.jit as jit

    jit.record = _record
    jit.whole_vectors = lambda: None
    jit.unsigned = _unsigned  # type: ignore[assignment]
    from dicelab.engines import in_rules

    in_rules._added = _noticed(operator.add)
    in_rules._subtracted = _noticed(operator.sub)
    in_rules._multiplied = _noticed(operator.mul)


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
