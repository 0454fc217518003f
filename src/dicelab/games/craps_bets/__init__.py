"""The bets of craps as data: the effect of each roll on each bet. The games in `dicelab.games` use them.

To add a bet, add a row in `dicelab.games.craps_bets.catalogue`.
"""
