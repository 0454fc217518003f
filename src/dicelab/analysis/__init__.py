"""The questions about any game: simulate, exact, compare, sweep, race, convergence.

Imports `dicelab.results` and what lies below.
"""
