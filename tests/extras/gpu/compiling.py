"""What a kernel of the engine `cuda` needs of a GPU, found by compiling it, without a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any

from dicelab.extras.gpu.shape import Shape

_addresses = count(2**32, 2**20)


@dataclass(frozen=True)
class Resources:
    """Registers and bytes of local memory of a thread, and bytes of shared memory of a block."""

    registers: int
    local: int
    shared: int


def resources(ptx: str, capability: tuple[int, int]) -> Resources:
    """Return what a kernel needs on GPUs of a compute capability, such as (9, 0).

    Local memory is the stack of a thread: arrays whose elements are chosen while it runs, and what has no register.
    """
    log = linked(ptx, capability)
    pattern = r"(\d+) bytes stack frame.*?used (\d+) registers.*?(\d+) bytes smem"
    match = re.search(pattern, log, re.DOTALL)
    if match is None:
        raise ValueError(f"the linker says something else: {log}")
    local, registers, shared = map(int, match.groups())
    return Resources(registers, local, shared)


def table_ptx(shape: Shape, capability: tuple[int, int]) -> str:
    """Return the kernel for tables of a shape in the intermediate language of NVIDIA's GPUs."""
    from numba import types

    from dicelab.extras.gpu.kernel import kernel_of

    words, numbers = (types.Array(kind, 1, "C") for kind in (types.uint64, types.int64))
    return _ptx_of(
        kernel_of.__wrapped__(shape), (words, words, types.int64, types.int64, words, numbers, numbers), capability
    )


def rules_ptx(
    text: str, setting: Sequence[Any], dice: Sequence[Any], policies: Sequence[Any], capability: tuple[int, int]
) -> str:
    """Return the kernel for a game (`dicelab.extras.gpu.rules.write`), given the arrays with which it is called, in
    that language.
    """
    from numba import types

    from dicelab.extras.gpu.rules import kernel_of

    def tuple_of(values: Sequence[Any]) -> Any:
        return types.Tuple([_type_of(value) for value in values])

    arrays = [types.Array(kind, n, "C") for kind, n in ((types.uint64, 3), (types.int64, 2), (types.int64, 1))]
    arguments = types.Array(types.uint64, 1, "C"), types.int64, types.int64, *map(tuple_of, (setting, dice, policies))
    return _ptx_of(kernel_of.__wrapped__(text, _elsewhere), (*arguments, *arrays, arrays[-1]), capability)


def _type_of(value: Any) -> Any:
    from numba import from_dtype, types

    return types.int64 if isinstance(value, int) else types.Array(from_dtype(value.dtype), value.ndim, "C")


def _elsewhere(array: Any) -> Any:
    """Stands for an array in the memory of a GPU that need not be there."""
    interface = {"shape": array.shape, "typestr": array.dtype.str, "data": (next(_addresses), True), "version": 3}
    return SimpleNamespace(__cuda_array_interface__={**interface, "strides": None})


def _ptx_of(kernel: Any, arguments: Sequence[Any], capability: tuple[int, int]) -> str:
    from numba import cuda, types

    with _compiling_for(capability):
        bounds = kernel.targetoptions.get("launch_bounds")
        text, _ = cuda.compile(
            kernel.py_func,
            types.void(*arguments),
            cc=capability,
            device=False,
            abi="numba",
            launch_bounds=bounds,
        )
    return str(text)


@contextmanager
def _compiling_for(capability: tuple[int, int]) -> Iterator[None]:
    """Functions that a kernel calls are compiled for the current GPU; here Numba is told that it is this one.

    `get_current_device` is private to Numba.
    """
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = before


def linked(ptx: str, capability: tuple[int, int]) -> str:
    """Return what NVIDIA's linker says about the machine code that it makes."""
    from cuda.bindings import nvjitlink

    major, minor = capability
    linker: Any = nvjitlink.create(2, [f"-arch=sm_{major}{minor}", "-verbose"])
    try:
        code = ptx.rstrip("\0").encode() + b"\0"
        nvjitlink.add_data(linker, nvjitlink.InputType.PTX, code, len(code), "kernel")
        nvjitlink.complete(linker)
        log = bytearray(nvjitlink.get_info_log_size(linker))
        nvjitlink.get_info_log(linker, log)
        return log.decode()
    finally:
        nvjitlink.destroy(linker)
