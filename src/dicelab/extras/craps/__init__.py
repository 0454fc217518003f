"""Craps: the game at the table, the one with a single bet, betting strategies, and the bets as data.

To add a bet, add a row in `dicelab.extras.craps.catalogue`.
"""
