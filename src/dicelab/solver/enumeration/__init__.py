"""All states and edges of a game with its strategies, found by its rules; how many there are, and whether they fit.

Imports what lies below `dicelab.solver`.
"""
