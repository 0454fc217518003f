"""Games on a GPU: the kernel of the engine `cuda`, and the device that it runs on (docs/gpu.md).

numba-cuda is an extra: ``pip install 'dicelab[cuda]'``.
"""
