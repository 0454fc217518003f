"""Houses by name: the parameters of their tables, and why they refuse a bet.

Only rules that differ between places are included. Rules that differ between casinos of one place (odds allowed, what
the field pays, pay tables of side bets) keep their defaults unless they are given.

Sources: for what works on come-outs, Wizard of Odds (Las Vegas) and 58 Pa. Code 623a (Pennsylvania); for big 6 and 8
and put bets, the rules of Atlantic City; for the bar, those of Reno and Lake Tahoe.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from dicelab.extras.craps.bet import Commission, Kind, TableBet
from dicelab.extras.craps.catalogue import BY_ID
from dicelab.extras.craps.spots import LIMIT, NAMES, PLACE_OF, ROWS, SPOTS
from dicelab.extras.craps.table_rules import ON_WIN, SENTENCES, Layout, Reason

PROFILES: Mapping[str, Mapping[str, str]] = {
    "las_vegas": {"house": "las_vegas", "bar": "bar12", "crapless": "no"},
    "reno": {"house": "las_vegas", "bar": "bar2", "crapless": "no"},
    "atlantic_city": {"house": "atlantic_city", "bar": "bar12", "crapless": "no"},
    "pennsylvania": {"house": "pennsylvania", "bar": "bar12", "crapless": "no"},
    "crapless": {"house": "las_vegas", "bar": "bar12", "crapless": "yes"},
}
"""Parameters of a craps table, by the name of the house."""

ANY = "any"
"""A house that takes every bet."""
HOUSES = (ANY, *PROFILES)
NEVER = (Reason.NOT_OFFERED, Reason.CRAPLESS, Reason.PUT)
"""Refusals that don't depend on the state of the table."""
SPOT_OF = {row.id: spot for spot in reversed(range(len(SPOTS))) for row in SPOTS[spot].rows}
"""The spot of a bet, by the id of its row; the first one if there are several."""


@cache
def refusal(id: str, house: str) -> str:
    """Return why a house does not take a bet, in a sentence; empty when it does.

    >>> refusal("field_2x3x", "las_vegas"), refusal("big6", "las_vegas")
    ('', '')
    >>> refusal("big6", "atlantic_city")
    'this house has another bet there: big 6 paid 7 to 6, Atlantic City'
    """
    if house == ANY:
        return ""
    bet, table = BY_ID[id], Layout(**PROFILES[house])
    spot = where(bet)
    if spot < 0:
        return "no house takes that bet"
    why = table.untimely(spot)
    if why in NEVER:
        return SENTENCES[Reason(why)]
    there = ROWS[table.row(spot)]
    if not same(bet, there):
        return f"this house has another bet there: {there.name}"
    if bet.commission and (bet.commission == Commission.ON_WIN) != (table.commission == ON_WIN):
        return f"this house takes its commission {'on a win' if table.commission == ON_WIN else 'up front'}"
    return "" if within(bet, LIMIT[5 * table.odds : 5 * table.odds + 5]) else "its odds are above what the house allows"


def where(bet: TableBet) -> int:
    """Return the spot of a bet, or -1: for a bet with odds the spot of its flat part, for a put bet that of the come
    bet.
    """
    if bet.section == "put":
        return PLACE_OF[f"come_{bet.id.split('_')[1]}"]
    if any(bet.odds):
        return NAMES.index(("" if bet.rides > 0 else "dont_") + ("come" if "come" in bet.id else "pass"))
    return SPOT_OF.get(bet.id.replace("vig_upfront", "vig_on_win"), -1)


def same(bet: TableBet, there: TableBet) -> bool:
    """Return whether two bets are the same, apart from odds and the time of the commission."""
    if bet.section == "put":
        return True
    if bet.kind == Kind.RIDES or bet.commission:
        return (bet.results, bet.rides) == (there.results, there.rides)
    return bet.id == there.id


def within(bet: TableBet, tenths: tuple[int, ...]) -> bool:
    """Return whether the odds of a bet are within `tenths`, the limits at distance 1 to 5; laid odds: of the win."""
    if bet.section == "put":
        _, number, times = bet.id.rstrip("x").split("_")
        return 10 * int(times) <= tenths[abs(7 - int(number)) - 1]
    most = [Fraction(limit, 10) for limit in tenths]
    if bet.rides < 0:
        most = [limit * Fraction(6, 6 - distance) for distance, limit in enumerate(most, 1)]
    return all(behind <= limit for behind, limit in zip(bet.odds, most, strict=True))
