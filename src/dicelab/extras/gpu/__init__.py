"""Games on a GPU: the kernels of the engine `cuda`, and the device that they run on (docs/gpu.md).

numba-cuda is an extra: ``pip install 'dicelab[cuda]'``.
"""
