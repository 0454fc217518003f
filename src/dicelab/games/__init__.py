"""The games that come with dicelab, one file each; the bets of craps as data; strategies outside these files.

They import only `dicelab.rules`; those of craps also `dicelab.games.craps_bets`.
"""
