"""Optimal play: value iteration for one seat or two, equilibria of more seats, and hints for people.

Imports `dicelab.chains` and what lies below.
"""
