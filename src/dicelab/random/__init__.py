"""Chance: the random stream of every game, and outcomes of rolls as tables that kernels read.

Imports `dicelab.rules`.
"""
