"""Optimal policies: value iteration for one seat or two, and equilibria of more seats.

Imports `dicelab.chains` and what lies below.
"""
