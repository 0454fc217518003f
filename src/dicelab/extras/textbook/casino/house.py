"""Results and payouts of bets, and which bets are allowed, by the text's names of bets.

There are no rules here: a bet is put on the table of `dicelab.extras.craps.craps`, the dice are set there, and the
result is read from the table. The table has Las Vegas rules, commissions due when a bet is made, odds up to 100 times
the line bet, and pays fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm

from dicelab.extras.craps.bet import POINTS, totals
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import EACH, FIRST_ROW, FLAT, HOUSES, NAMES, PART, PLACE_OF, RESTS, ROWS, Part
from dicelab.extras.craps.table_rules import SENTENCES, Reason
from dicelab.rules.fields import applied
from dicelab.rules.game import reset

WIN, LOSE, PUSH, STAYS = "win", "lose", "push", ""
"""Results of a bet."""

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
"""By the text's name of a bet: its spot on the table."""
NAME = {spot: name for name, spot in SPOT.items()}

UNIT = lcm(*(EACH[FIRST_ROW[PLACE_OF[spot]]] for spot in SPOT.values()))
"""Number of the table's units of money in one of the text's, so that all payouts are whole numbers."""
MOST = 10**6 // UNIT
"""Maximum amount on one spot, in the text's units."""


@dataclass(frozen=True)
class Verdict:
    """The effect of a throw on a bet.

    Attributes
    ----------
    result
        `WIN`, `LOSE`, `PUSH` (the bet is returned) or `STAYS` (it is not decided).
    odds
        What is paid for a win, per unit of the bet; else 0.
    name
        The bet's name afterwards: a come bet moves to its number.

    Examples
    --------
    >>> verdict("Come Line", 8, (2, 2))
    Verdict(result='', odds=Fraction(0, 1), name='Come Point 4')
    """

    result: str
    odds: Fraction
    name: str


@cache
def table(hardways: bool = True, minimum: int = 1, maximum: int = MOST) -> Craps:
    """Return the table; `hardways` is whether hardways work on come-outs, the others limit the amount on a spot.

    >>> table(minimum=5).minimum // UNIT
    5
    """
    customs = "las_vegas" if hardways else "pennsylvania"
    limits = {"minimum": minimum * UNIT, "maximum": maximum * UNIT, "bankroll": 10**9 // UNIT * UNIT}
    options = {"field": "2x2x", "odds": "100x", "commission": "up_front", "offers": "no_side_bets"}
    return Craps(**limits, **options, house=customs, until_rounds=0)


@cache
def verdict(name: str, point: int | None, dice: tuple[int, int], hardways: bool = True) -> Verdict:
    """Return the effect of a throw on a bet; `point` is None if the point is off.

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
    applied(rules.dice.run, rules, dice)
    back = rules.purse[0] - before
    if rules.count[0] and not back:
        return Verdict(STAYS, Fraction(0), NAME[NAMES[rules.lying[0]]])
    if rules.count[0]:  # a bet that has won stays on the table; the text's players take it down
        back += UNIT
    result = LOSE if back == 0 else PUSH if back == UNIT else WIN
    return Verdict(result, Fraction(max(0, back - UNIT), UNIT), name)


@cache
def puck(point: int | None, dice: tuple[int, int]) -> int | None:
    """Return the point after a throw; None when it is off.

    >>> puck(None, (2, 2)), puck(4, (3, 4))
    (4, None)
    """
    rules = table()
    reset(rules)
    rules.point = point or 0
    applied(rules.dice.run, rules, dice)
    return rules.point or None


@cache
def pays(name: str, point: int | None = None) -> Fraction:
    """Return the odds of a bet; for field and horn, those of most of their winning throws.

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
    """By odds: the totals with which a bet of one throw wins at these odds.

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
    """Return the commission due when a bet is made: 1/20 of a buy bet, or of the possible win of a lay bet; 0 for
    others.

    It is rounded down, but at least 1.

    >>> commission("Buy 4", 20), commission("Lay 5", 30), commission("Place 6", 30)
    (1, 1, 0)
    """
    return table().due(PLACE_OF[SPOT[name]], amount)


def working(name: str, point: int | None, hardways: bool) -> bool:
    """Return whether the next throw can decide the bet; some bets are off on come-out rolls.

    >>> working("Place 6", None, True), working("Place 6", 8, True), working("Hard 6", None, True)
    (False, True, True)
    """
    customs = HOUSES.index("las_vegas" if hardways else "pennsylvania")
    return point is not None or not RESTS[len(HOUSES) * PLACE_OF[SPOT[name]] + customs]


def timely(name: str, point: int | None) -> bool:
    """Return whether the bet may be made with this point; for odds, assuming that there is a line bet.

    >>> timely("Come Line", None), timely("Come Line", 8), timely("Roulette", 8)
    (False, True, False)
    """
    if name not in SPOT:
        return False
    with laid(name, point, 0, 1) as (rules, spot):
        return rules.untimely(spot) == Reason.FINE


def refusal(name: str, amount: int, point: int | None, lies: int, line: int, limits: tuple[int, int]) -> str:
    """Return the reason why a bet is refused, as a sentence; empty if it is allowed.

    Parameters
    ----------
    name, amount
        The bet.
    point
        The point; None when it is off.
    lies
        The amount on its spot already.
    line
        For odds, the amount of their line bet.
    limits
        Minimum and maximum of the total amount on the spot.

    Examples
    --------
    >>> refusal("Pass Odds", 10, 4, lies=0, line=0, limits=(1, 100))
    'odds need a pass or come bet with a point'
    >>> refusal("Pass Odds", 10, 4, lies=0, line=5, limits=(1, 100))
    ''
    """
    if name not in SPOT:
        return SENTENCES[Reason.NOT_OFFERED]
    with laid(name, point, lies, line, limits) as (rules, spot):
        why = Reason(rules.refusal(spot, min(amount, MOST + 1) * UNIT))
    return "" if why == Reason.FINE else SENTENCES[why]


def lawful(name: str, total: int, point: int | None, line: int, limits: tuple[int, int]) -> bool:
    """Return whether the total amount may be on the spot of a bet; see `refusal` for what the arguments mean.

    >>> lawful("Field", 10, None, 0, (5, 100)), lawful("Field", 3, None, 0, (5, 100))
    (True, False)
    """
    if name not in SPOT:
        return False
    with laid(name, point, 0, line, limits) as (rules, spot):
        return rules.unfit(spot, min(total, MOST + 1) * UNIT) == Reason.FINE


def line_of(name: str) -> str:
    """For odds, the name of their line bet; for any other bet, its own name.

    >>> line_of("Pass Odds"), line_of("Come Odds 4"), line_of("Field")
    ('Pass Line', 'Come Point 4', 'Field')
    """
    return NAME[NAMES[FLAT[PLACE_OF[SPOT[name]]]]] if name in SPOT else name


@contextmanager
def laid(
    name: str, point: int | None, lies: int, line: int, limits: tuple[int, int] = (1, MOST)
) -> Iterator[tuple[Craps, int]]:
    """Yield the table with a bet on it (and the line bet of odds), and the bet's spot; both bets are removed on exit.

    >>> with laid("Pass Odds", 4, lies=10, line=5) as (rules, spot):
    ...     [rules.bets[spot] // UNIT, rules.bets[FLAT[spot]] // UNIT]
    [10, 5]
    """
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
