"""States of games: as lists of numbers, packed, explored with the rules as they are written, seen from another seat.

Imports `dicelab.runtime` and what lies below.
"""
