"""The GPU: whether there is one, and kernels started on it."""

from __future__ import annotations

import importlib.util
from typing import Any

from dicelab.errors import ParameterError

MISSING = "engine: cuda needs numba-cuda: pip install 'dicelab[cuda]'"
THREADS, BLOCKS = 256, 8
"""Threads of a block, and blocks for each multiprocessor of the GPU."""


def must_have_gpu() -> None:
    """Refuse to go on without a GPU that Numba can use.

    Raises
    ------
    ParameterError
    """
    if importlib.util.find_spec("numba_cuda") is None:
        raise ParameterError(MISSING)
    from numba import cuda

    try:
        found = bool(cuda.is_available())
    except Exception as error:  # a driver that is damaged or too old can raise almost anything
        raise ParameterError(f"engine: cuda can't use the GPU: {error}") from error
    if not found:
        raise ParameterError(
            "engine: cuda finds no GPU of NVIDIA with its driver (nvidia-smi lists them); leave it out"
        )


def grid() -> tuple[int, int]:
    """Blocks, and threads of each, with which a kernel is started."""
    from numba import config, cuda

    if config.ENABLE_CUDASIM:
        return 2, 8  # every thread is one of Python
    return BLOCKS * cuda.get_current_device().MULTIPROCESSOR_COUNT, THREADS


def room(numbers: int) -> Any:
    """Memory of the GPU for an int64 array, whatever is in it."""
    import numpy as np
    from numba import cuda

    return cuda.device_array(numbers, np.int64)


def to_device(array: Any) -> Any:
    """An array in the memory of the GPU."""
    from numba import cuda

    return cuda.to_device(array)
