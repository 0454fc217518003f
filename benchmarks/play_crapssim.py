"""Seconds that crapssim takes for N throws with one bettor on the pass line, and the money won.

Run by `rivals.py` in an environment that has crapssim.
"""

import sys
from time import perf_counter

from crapssim import Table
from crapssim.strategy import BetPassLine

MONEY = 1_000_000_000

throws = int(sys.argv[1])
table = Table(seed=1)
table.add_player(bankroll=MONEY, strategy=BetPassLine(1))
began = perf_counter()
table.run(max_rolls=throws, verbose=False)
print(perf_counter() - began, table.players[0].total_player_cash - MONEY)
