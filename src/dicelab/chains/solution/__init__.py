"""Solving a chain: components in order, sums with error bounds, fractions, distributions, the winner.

Imports `dicelab.chains.enumeration` and what lies below `dicelab.chains`.
"""
