"""What the kernel of the engine `cuda` needs of a GPU, found by compiling it, without a GPU."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from dicelab.gpu.kernel import kernel_of


@dataclass(frozen=True)
class Resources:
    """Registers and bytes of local memory of a thread, and bytes of shared memory of a block."""

    registers: int
    local: int
    shared: int


def resources(entries: int, capability: tuple[int, int]) -> Resources:
    """What the kernel for tables of so many entries needs on GPUs of a compute capability, such as (9, 0)."""
    log = linked(ptx_of(entries, capability), capability)
    pattern = r"used (\d+) registers.*?(\d+) bytes smem.*?(\d+) bytes lmem"
    found = re.search(pattern, log)
    if found is None:
        raise ValueError(f"the linker says something else: {log}")
    registers, shared, local = map(int, found.groups())
    return Resources(registers, local, shared)


def ptx_of(entries: int, capability: tuple[int, int]) -> str:
    """The kernel in the intermediate language of NVIDIA's GPUs.

    Functions that a kernel calls are compiled for the current GPU, so Numba is told that it is one of this capability:
    `get_current_device` is private to it.
    """
    from numba import cuda, types
    from numba.cuda import dispatcher

    words, numbers = (types.Array(kind, 1, "C") for kind in (types.uint64, types.int64))
    arguments = words, words, types.int64, types.int64, words, types.int64, numbers, words, numbers, numbers
    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        function = kernel_of.__wrapped__(entries).py_func
        text, _ = cuda.compile(function, types.void(*arguments), cc=capability, device=False, abi="numba")
    finally:
        dispatcher.get_current_device = before
    return str(text)


def linked(ptx: str, capability: tuple[int, int]) -> str:
    """What NVIDIA's linker says about the machine code that it makes."""
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
