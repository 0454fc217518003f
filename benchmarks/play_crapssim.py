"""Seconds that crapssim takes, and the money won: ``throws`` with one bettor on the pass line, or sessions.

Run by `rivals.py` in an environment that has crapssim.
"""

import sys
from time import process_time

from crapssim import Table
from crapssim.strategy import BetPassLine, BetPlace

THROWS, BANKROLL = 200, 1000
"""Of a session."""
SYSTEMS = {"pass": lambda: BetPassLine(5), "pass_and_place": lambda: BetPassLine(5) + BetPlace({6: 6, 8: 6})}


def session(strategy: object, bankroll: int, number: int) -> float:
    """What a player has won after so many throws, the bets that lie on the table among it."""
    table = Table()
    table.add_player(bankroll=bankroll, strategy=strategy)
    table.run(max_rolls=number, verbose=False)
    return table.players[0].total_player_cash - bankroll


what, wanted = sys.argv[1], int(sys.argv[2])
began = process_time()
if what == "throws":  # of a player who never runs out of money
    won = session(BetPassLine(1), 1_000_000_000, wanted)
else:
    won = 0.0
    for _ in range(wanted):
        won += session(SYSTEMS[what](), BANKROLL, THROWS)
print(process_time() - began, won)
