"""The engines: each plays the same games as the reference engine, bit for bit; `dispatch` chooses one.

Imports `dicelab.kernels` and the folders below.
"""
