"""States of games: read and set as lists of numbers, packed into words, explored by the rules in plain Python, rotated.

Imports `dicelab.runtime` and the folders below.
"""
