"""The bets of craps as data: what each throw does to each bet. Games of craps are written over them.

No game is in here; adding a bet is adding a row in `dicelab.craps.catalogue`.
"""
