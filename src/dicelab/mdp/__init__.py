"""Optimal policies: value iteration for one seat or two, equilibria of more seats, and hints for players.

Imports `dicelab.chains` and what lies below.
"""
