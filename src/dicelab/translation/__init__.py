"""Translates rules into plain functions over integers that Numba can compile.

`translator` collects the functions of a game, `rewriter` and the modules it builds on rewrite one function at a time,
and `number_ranges` proves where 64 bits suffice. Imports `dicelab.rules` and `dicelab.errors`.
"""
