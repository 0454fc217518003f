"""The compiled loops: one module for each kind of kernel, the functions that they share, and the cache on disk.

Only `core`, `rule_support`, the kernel modules and the generated kernel files import Numba. Imports
`dicelab.translation`, `dicelab.runtime.states` and the folders below.
"""
