"""The questions one asks of any game: simulate, exact, compare, sweep, race, convergence, check.

Imports `dicelab.results` and what lies below.
"""
