"""The compiled loops: one module for each kind of kernel, what they share, and where they are kept on disk.

Numba is imported in `core`, in `rule_support` and in the kernel files that are written, nowhere else. Imports
`dicelab.translation`, `dicelab.states` and what lies below.
"""
