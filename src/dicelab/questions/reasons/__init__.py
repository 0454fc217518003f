"""The steps at the beginning of a game, and what follows from them.

Imports `dicelab.results`, `dicelab.solver` and what lies below.
"""
