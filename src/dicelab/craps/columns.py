"""The rows of `dicelab.craps.catalogue` as columns of whole numbers, which rules look things up in: bet by bet, in
order.
"""

from __future__ import annotations

from dicelab.craps.catalogue import BETS

RESULTS = tuple(result for bet in BETS for result in bet.results)
"""For each bet what each of the 36 throws does: `STAYS`, `LOSES`, or what it wins of a stake of `EACH`."""
EACH = tuple(bet.each for bet in BETS)
UNITS = tuple(bet.unit() for bet in BETS)
"""The smallest stakes of which everything is whole."""

KINDS = tuple(int(bet.kind) for bet in BETS)
WHEN = tuple(int(bet.when) for bet in BETS)
RIDES = tuple(bet.rides for bet in BETS)
COMMISSION = tuple(int(bet.commission) for bet in BETS)
OF_THE_WIN = tuple(int(bet.of_the_win) for bet in BETS)
CRAPLESS = tuple(int(bet.section == "crapless") for bet in BETS)

TENTHS_BEHIND = tuple(int(10 * times) for bet in BETS for times in bet.odds)
"""Odds behind the number in tenths of the stake, by the distance of the number from 7: five for each bet."""
GATHERS = tuple(sum(1 << total for total in bet.gathers) for bet in BETS)
"""The totals that a side bet counts, as bits."""
TIMES = tuple(bet.times for bet in BETS)
PAYS = tuple(bet.wins[0].to if bet.gathers else 0 for bet in BETS)
"""What it pays to 1 once it has them."""
LEVELS = tuple(pays for bet in BETS for pays in bet.levels)
"""What a fire bet pays to 1 for 3, 4, 5 and 6 points: four for each bet."""
