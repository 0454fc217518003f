"""The house behind text 4: what a throw does to a bet, and which bets it takes, by the text's names.

Nothing is decided here: a bet is laid on the table of `dicelab.games.craps`, the dice are thrown there, and what
has become of the bet is read off. The table is one of Las Vegas, without commissions on a win, with odds up to 100
times the line bet, and it pays every fraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm

from dicelab.craps.refusals import SENTENCES, Reason
from dicelab.craps.rolls import POINTS, totals
from dicelab.craps.spots import EACH, FIRST_ROW, FLAT, HOUSES, NAMES, PART, PLACE_OF, RESTS, ROWS, Part
from dicelab.games.craps import Craps
from dicelab.rules.game import reset

WIN, LOSE, PUSH, STAYS = "win", "lose", "push", ""
"""What a throw does to a bet."""

HARD = (4, 6, 8, 10)
ONE_THROW = {f"Number {n}": spot for n, spot in {2: "two", 3: "three", 7: "any7", 11: "eleven", 12: "twelve"}.items()}
ONE_THROW |= {"Field": "field", "Any Craps": "any_craps", "Horn": "horn"}
HARDWAYS = {f"Hard {n}": f"hard{n}" for n in HARD}
LINES = {"Pass": "pass", "Don't Pass": "dont_pass", "Come": "come", "Don't Come": "dont_come"}
SPOT = {f"{line} Line": spot for line, spot in LINES.items()}
SPOT |= {f"{line} Odds": f"{LINES[line]}_odds" for line in ("Pass", "Don't Pass")}
for _line in ("Come", "Don't Come"):
    SPOT |= {f"{_line} Point {n}": f"{LINES[_line]}_{n}" for n in POINTS}
    SPOT |= {f"{_line} Odds {n}": f"{LINES[_line]}_odds_{n}" for n in POINTS}
SPOT |= {f"{how} {n}": f"{how.lower()}_{n}" for how in ("Place", "Buy", "Lay") for n in POINTS}
SPOT |= {f"Big {n}": f"big{n}" for n in (6, 8)} | HARDWAYS | ONE_THROW
"""The spot of the table for each of the text's bets, by name."""
NAME = {spot: name for name, spot in SPOT.items()}

UNIT = lcm(*(EACH[FIRST_ROW[PLACE_OF[spot]]] for spot in SPOT.values()))
"""Parts in which the table counts one of the text's units of money, so that everything it pays is whole."""
MOST = 10**6 // UNIT
"""More may not lie on one spot."""


@dataclass(frozen=True)
class Verdict:
    """What a throw does to a bet: the `result`, the `odds` that a win is paid, and its name afterwards."""

    result: str
    odds: Fraction
    name: str


@cache
def table(hardways: bool = True, minimum: int = 1, maximum: int = MOST) -> Craps:
    """The table of the house; do hardways work on come-outs, and how much may lie on one spot?"""
    customs = "las_vegas" if hardways else "pennsylvania"
    limits = {"minimum": minimum * UNIT, "maximum": maximum * UNIT, "bankroll": 10**9 // UNIT * UNIT}
    told = {"field": "2x2x", "odds": "100x", "commission": "up_front", "offers": "no_side_bets"}
    return Craps(**limits, **told, house=customs, until_rounds=0)


@cache
def verdict(name: str, point: int | None, dice: tuple[int, int], hardways: bool = True) -> Verdict:
    """What a throw does to a bet, the point being this or off.

    >>> verdict("Don't Pass Line", None, (6, 6)).result, verdict("Come Line", 8, (3, 3))
    ('push', Verdict(result='', odds=Fraction(0, 1), name='Come Point 6'))
    >>> verdict("Field", 8, (1, 1))
    Verdict(result='win', odds=Fraction(2, 1), name='Field')
    """
    rules, spot = table(hardways), PLACE_OF[SPOT[name]]
    reset(rules)
    rules.point = point or 0
    rules.put(0, spot, UNIT)
    before = rules.purse[0]
    rules.dice.rule(rules, *dice)
    back = rules.purse[0] - before
    if rules.count[0] and not back:
        return Verdict(STAYS, Fraction(0), NAME[NAMES[rules.lying[0]]])
    if rules.count[0]:  # the house leaves a bet that has won where it is; the text's players take it down
        back += UNIT
    result = LOSE if back == 0 else PUSH if back == UNIT else WIN
    return Verdict(result, Fraction(max(0, back - UNIT), UNIT), name)


@cache
def puck(point: int | None, dice: tuple[int, int]) -> int | None:
    """The point after a throw; None when it is off.

    >>> puck(None, (2, 2)), puck(4, (3, 4))
    (4, None)
    """
    rules = table()
    reset(rules)
    rules.point = point or 0
    rules.dice.rule(rules, *dice)
    return rules.point or None


@cache
def pays(name: str, point: int | None = None) -> Fraction:
    """The odds of a bet; of field and horn those that most of their throws are paid.

    >>> pays("Don't Pass Odds", 5), pays("Place 6"), pays("Horn")
    (Fraction(2, 3), Fraction(7, 6), Fraction(27, 4))
    """
    rules = table()
    reset(rules)
    rules.point = point or 0
    won = ROWS[rules.row(PLACE_OF[SPOT[name]])].wins[0]
    return Fraction(won.to, won.each)


@cache
def paid_by_total(name: str) -> dict[Fraction, tuple[int, ...]]:
    """The totals with which a bet of one throw wins, by the odds that they are paid.

    >>> {str(odds): totals for odds, totals in paid_by_total("Field").items()}
    {'1': (3, 4, 9, 10, 11), '2': (2, 12)}
    """
    paid: dict[Fraction, tuple[int, ...]] = {}
    for throws, to, each in ROWS[table().row(PLACE_OF[SPOT[name]])].wins:
        odds = Fraction(to, each)
        won = [total for total in range(2, 13) if set(totals(total)) <= set(throws)]
        paid[odds] = (*paid.get(odds, ()), *won)
    return paid


def commission(name: str, amount: int) -> int:
    """What the house takes when a bet is made: a twentieth of a buy bet, or of the possible win of a lay bet.

    It is rounded down, and at least 1.

    >>> commission("Buy 4", 20), commission("Lay 5", 30), commission("Place 6", 30)
    (1, 1, 0)
    """
    return table().due(PLACE_OF[SPOT[name]], amount)


def working(name: str, point: int | None, hardways: bool) -> bool:
    """Can a throw decide the bet now? On come-outs some bets are off."""
    customs = HOUSES.index("las_vegas" if hardways else "pennsylvania")
    return point is not None or not RESTS[len(HOUSES) * PLACE_OF[SPOT[name]] + customs]


def timely(name: str, point: int | None) -> bool:
    """May the bet be made with this point? Odds if there is a bet behind which they can stand."""
    if name not in SPOT:
        return False
    with laid(name, point, 0, 1) as (rules, spot):
        return rules.untimely(spot) == Reason.FINE


def refusal(name: str, amount: int, point: int | None, lies: int, line: int, limits: tuple[int, int]) -> str:
    """Why a bet is refused, in a sentence; empty when it is taken.

    Parameters
    ----------
    name, amount
        The bet.
    point
        The point; None when it is off.
    lies
        What lies on its spot already.
    line
        Of odds, what lies on the spot of their line bet.
    limits
        The least and the most that may lie there.
    """
    if name not in SPOT:
        return SENTENCES[Reason.NOT_OFFERED]
    with laid(name, point, lies, line, limits) as (rules, spot):
        why = Reason(rules.refusal(spot, min(amount, MOST + 1) * UNIT))
    return "" if why == Reason.FINE else SENTENCES[why]


def lawful(name: str, total: int, point: int | None, line: int, limits: tuple[int, int]) -> bool:
    """May so much lie there?"""
    if name not in SPOT:
        return False
    with laid(name, point, 0, line, limits) as (rules, spot):
        return rules.unfit(spot, min(total, MOST + 1) * UNIT) == Reason.FINE


def line_of(name: str) -> str:
    """Of odds, the name of the line bet behind which they stand; of another bet its own.

    >>> line_of("Pass Odds"), line_of("Come Odds 4"), line_of("Field")
    ('Pass Line', 'Come Point 4', 'Field')
    """
    return NAME[NAMES[FLAT[PLACE_OF[SPOT[name]]]]] if name in SPOT else name


@contextmanager
def laid(
    name: str, point: int | None, lies: int, line: int, limits: tuple[int, int] = (1, MOST)
) -> Iterator[tuple[Craps, int]]:
    """The table with a bet on it, and odds' line bet; and the bet's spot."""
    rules, spot = table(True, *limits), PLACE_OF[SPOT[name]]
    rules.point, rules.player = point or 0, 0
    flat = FLAT[spot]
    rules.bets[spot] = lies * UNIT
    if PART[spot] == Part.ODDS:
        rules.bets[flat] = line * UNIT
    try:
        yield rules, spot
    finally:
        rules.bets[spot] = rules.bets[flat] = 0
