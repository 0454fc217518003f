"""The engines: each plays the same games as the reference engine, bit for bit; `dispatch` chooses one.

Imports `dicelab.compile.kernels` and the folders below.
"""
