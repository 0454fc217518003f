"""The questions: simulate, exact, compare, judge, why, race, convergence; bets, sweeps, optimal play, dice expressions.

Imports `dicelab.results` and what lies below.
"""
