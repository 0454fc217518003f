"""The rows of `extras.craps.catalogue` as tuples of integers for the rules, one entry per bet unless noted.

By itself because a game's file has its rules and nothing else.
"""

from __future__ import annotations

from dicelab.extras.craps.catalogue import BETS

RESULTS = tuple(result for bet in BETS for result in bet.results)
"""36 entries per bet, the effect of each roll: `STAYS`, `LOSES`, or the win on a stake of `EACH`."""
EACH = tuple(bet.each for bet in BETS)
UNITS = tuple(bet.unit() for bet in BETS)
"""Smallest stakes for which all payouts are whole numbers."""

KINDS = tuple(int(bet.kind) for bet in BETS)
RIDES = tuple(bet.rides for bet in BETS)
COMMISSION = tuple(int(bet.commission) for bet in BETS)
OF_THE_WIN = tuple(int(bet.of_the_win) for bet in BETS)
CRAPLESS = tuple(int(bet.section == "crapless") for bet in BETS)

TENTHS_BEHIND = tuple(int(10 * times) for bet in BETS for times in bet.odds)
"""Odds in tenths of the stake, five entries per bet: for numbers at distance 1 to 5 from 7."""
GATHERS = tuple(sum(1 << total for total in bet.gathers) for bet in BETS)
"""The totals that a side bet counts, as a bit mask: bit n for the total n."""
TIMES = tuple(bet.times for bet in BETS)
PAYS = tuple(bet.wins[0].to if bet.gathers else 0 for bet in BETS)
"""What a side bet pays to 1 when it wins."""
LEVELS = tuple(pays for bet in BETS for pays in bet.levels)
"""What a fire bet pays to 1 for 3, 4, 5 and 6 points: four entries per bet."""
