"""The GPU: whether there is one, and kernels started on it."""

from __future__ import annotations

import importlib.util
from typing import Any

from dicelab.errors import ParameterError

MISSING = "engine: cuda needs numba-cuda: pip install 'dicelab[cuda]'"
THREADS, BLOCKS = 256, 8
"""Threads of a block, and blocks for each multiprocessor of the GPU."""


def must_have_gpu() -> None:
    """Refuse to go on without a GPU that Numba can use."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise ParameterError(MISSING)
    from numba import config, cuda

    if config.ENABLE_CUDASIM and not config.DISABLE_JIT:
        raise ParameterError("engine: cuda in Numba's simulator also needs NUMBA_DISABLE_JIT=1")
    try:
        available = bool(cuda.is_available())
    except Exception as error:  # a driver that is damaged or too old can raise almost anything
        raise ParameterError(f"engine: cuda can't use the GPU: {error}") from error
    if not available:
        raise ParameterError(
            "engine: cuda finds no GPU of NVIDIA with its driver (nvidia-smi lists them); leave it out"
        )


def driver_error() -> type[Exception]:
    """Return the error that the driver raises where a kernel needs more than the GPU has."""
    from numba import config, cuda

    error: type[Exception] = RuntimeError if config.ENABLE_CUDASIM else cuda.cudadrv.driver.CudaAPIError
    return error


def grid() -> tuple[int, int]:
    """Return the blocks, and the threads of each, with which a kernel is started."""
    from numba import config, cuda

    if config.ENABLE_CUDASIM:
        return 2, 8  # every thread is one of Python
    return BLOCKS * cuda.get_current_device().MULTIPROCESSOR_COUNT, THREADS


def room(*shape: int) -> Any:
    """Return the memory of the GPU for an int64 array, whatever is in it."""
    import numpy as np
    from numba import cuda

    return cuda.device_array(shape, np.int64)


def to_device(array: Any) -> Any:
    """Return an array in the memory of the GPU."""
    from numba import cuda

    return cuda.to_device(array)


def constant(array: Any) -> Any:
    """Return an array to which the functions of a kernel refer by name, in the memory of the GPU."""
    from numba import config

    return array if config.ENABLE_CUDASIM else to_device(array)


def unsigned(*numbers: int) -> Any:
    """Return the numbers as a uint64 array, modulo 2**64."""
    import numpy as np

    return np.array([number % 2**64 for number in numbers], np.uint64)
