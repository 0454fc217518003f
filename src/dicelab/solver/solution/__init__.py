"""Solving a chain: components in order, sums with error bounds, fractions, distributions, the winner.

Imports `dicelab.solver.enumeration` and what lies below `dicelab.solver`.
"""
