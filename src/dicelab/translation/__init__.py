"""Rules written in Python, translated to plain functions of numbers that Numba compiles.

`translator` puts the functions of a game together, `rewriter` and the modules it builds on rewrite one function at a
time, and `number_ranges` proves where 64 bits suffice. Imports `dicelab.rules` and `dicelab.errors`.
"""
