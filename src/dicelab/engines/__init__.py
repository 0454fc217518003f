"""The engines: each plays the games of the reference engine, bit for bit; `dispatch` chooses one.

Imports `dicelab.kernels` and what lies below.
"""
