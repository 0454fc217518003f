"""All bets of craps, one row each (see `dicelab.extras.craps.bet`). Games, commands and documents read this list.

Sources: rules and figures published by Wizard of Odds, casinos' pay tables, and 58 Pa. Code 623a. Odds are "to" 1:
where a layout says "8 for 1" the row has 7 to 1 and ``quoted="for"``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from dicelab.extras.craps.bet import (
    FACES,
    POINTS,
    Commission,
    Kind,
    TableBet,
    When,
    Win,
    easy,
    others,
    pair,
    totals,
    true_odds,
)

CRAPLESS_POINTS = (2, 3, 11, 12)
"""Points that exist only at a crapless table."""
BARS: dict[int, tuple[str, str]] = {12: ("1.364%", "1.364%"), 2: ("1.364%", "1.364%"), 3: ("4.141%", "")}
"""Totals that a house may bar (don't bets push), each with the edges of don't pass and don't come."""


# The lines -----------------------------------------------------------------------------------------------------------

NATURALS, CRAPS = totals(7, 11), totals(2, 3, 12)


def with_the_dice(id: str, name: str, when: When) -> TableBet:
    """Pass or come: 7 and 11 win, 2, 3 and 12 lose; afterwards the number wins and 7 loses."""
    won = (Win(NATURALS, 1),)
    return TableBet(id, name, "line", won, CRAPS, Kind.RIDES, when, rides=1, contract=True, edge="1.414%")


def against_the_dice(id: str, name: str, when: When, bar: int, edge: str) -> TableBet:
    """Don't pass or don't come: 7 and 11 lose, `bar` pushes, others of 2, 3, 12 win; then 7 before the number wins."""
    won = [Win(totals(*{2, 3, 12} - {bar}), 1)] + ([Win(totals(bar), 0)] if bar else [])
    return TableBet(id, name, "line", tuple(won), NATURALS, Kind.RIDES, when, rides=-1, edge=edge)


def lines() -> Iterator[TableBet]:
    """Pass, come, don't pass and don't come."""
    yield with_the_dice("pass", "pass line", When.COME_OUT)
    yield with_the_dice("come", "come", When.POINT)
    for bar, (edge, same) in BARS.items():
        yield against_the_dice(f"dont_pass_bar{bar}", f"don't pass, bar {bar}", When.COME_OUT, bar, edge)
        yield against_the_dice(f"dont_come_bar{bar}", f"don't come, bar {bar}", When.POINT, bar, same)
    yield against_the_dice("dont_pass_nobar", "don't pass, nothing barred", When.COME_OUT, 0, "")


# Free odds -----------------------------------------------------------------------------------------------------------

ODDS: dict[str, tuple[tuple[int | Fraction, int, int], tuple[str, str, str]]] = {
    "1x": ((1, 1, 1), ("0.848%", "0.682%", "0.818%")),
    "2x": ((2, 2, 2), ("0.606%", "0.455%", "0.584%")),
    "full_double": ((Fraction(5, 2), 2, 2), ("0.572%", "0.431%", "0.552%")),
    "3x": ((3, 3, 3), ("0.471%", "0.341%", "0.455%")),
    "345x": ((5, 4, 3), ("0.374%", "0.273%", "0.361%")),
    "5x": ((5, 5, 5), ("0.326%", "0.227%", "0.315%")),
    "10x": ((10, 10, 10), ("0.184%", "0.124%", "0.178%")),
    "20x": ((20, 20, 20), ("0.099%", "0.065%", "0.095%")),
    "100x": ((100, 100, 100), ("0.021%", "0.014%", "0.020%")),
}
"""Odds that houses allow, in multiples of the flat bet behind 6 and 8, 5 and 9, 4 and 10; then published edges, as a
share of flat bet and odds: pass with these odds, don't pass laying odds to win that multiple, don't pass laying it."""


def free_odds() -> Iterator[TableBet]:
    """Odds bets alone, and line bets with the highest odds that a house allows."""
    for n in POINTS:
        yield take(n)
    for n in POINTS:
        to, each = (1 / true_odds(n)).as_integer_ratio()
        name = f"odds laid against the {n}"
        yield TableBet(f"lay_odds_{n}", name, "odds", (Win(totals(7), to, each),), totals(n), edge="0.00%")
    for flat, when in (("pass", When.COME_OUT), ("come", When.POINT)):
        for behind in ODDS:
            yield from with_odds(flat, when, behind)


def take(n: int) -> TableBet:
    """Odds taken behind a number."""
    to, each = true_odds(n).as_integer_ratio()
    return TableBet(
        f"take_odds_{n}", f"odds behind the {n}", "odds", (Win(totals(n), to, each),), totals(7), edge="0.00%"
    )


def with_odds(flat: str, when: When, behind: str) -> Iterator[TableBet]:
    """Pass or come, and don't pass or don't come, with such odds; edges are published for pass and don't pass only."""
    (six, five, four), edges = ODDS[behind]
    taken, to_win, risked = edges if flat == "pass" else ("", "", "")
    risk = (Fraction(six), Fraction(five), Fraction(four), Fraction(0), Fraction(0))
    laid = tuple(times * true_odds(n) for times, n in zip(risk, (6, 5, 4, 3, 2), strict=True))
    line = "pass line" if flat == "pass" else "come"
    multiple = {"345x": "3-4-5x"}.get(behind, behind.replace("_", " "))
    bet = with_the_dice(f"{flat}_odds_{behind}", f"{line} with {multiple} odds", when)
    yield replace(bet, section="odds", odds=risk, edge=taken, off=flat == "come")
    for how, odds, edge in (("to_win", laid, to_win), ("risk", risk, risked)):
        name = f"don't {flat}, bar 12, with odds laid{' to win' if how == 'to_win' else ''} {multiple}"
        bet = against_the_dice(f"dont_{flat}_lay_{behind}_{how}", name, when, 12, edge)
        yield replace(bet, section="odds", odds=odds)


# Place, buy, lay, big ------------------------------------------------------------------------------------------------

PLACE = {2: (11, 2, "7.143%"), 3: (11, 4, "6.25%"), 4: (9, 5, "6.667%"), 5: (7, 5, "4.00%"), 6: (7, 6, "1.515%")}
PLACE_LOSE = {4: (5, 11, "3.030%"), 5: (5, 8, "2.50%"), 6: (4, 5, "1.818%")}
BUY_ON_WIN = {2: "0.714%", 3: "1.25%", 4: "1.667%", 5: "2.00%", 6: "2.273%"}
LAY = {4: ("2.439%", "1.667%"), 5: ("3.226%", "2.00%"), 6: ("4.00%", "2.273%")}
"""Odds and published edges, by the number or, above 7, by the equally likely number below 7."""


def place(n: int) -> TableBet:
    """Return a place bet: wins if the number is rolled before 7, paid at the house's odds."""
    to, each, edge = PLACE[min(n, 14 - n)]
    won = (Win(totals(n), to, each),)
    return TableBet(f"place_{n}", f"place {n}", "place", won, totals(7), off=True, comes_down=False, edge=edge)


def buy(n: int, when: Commission) -> TableBet:
    """Return a buy bet: wins if the number is rolled before 7, paid at true odds less a commission
    of 5 % of the stake.
    """
    to, each = true_odds(n).as_integer_ratio()
    up_front = when == Commission.UP_FRONT
    return TableBet(
        f"buy_{n}_vig_{'upfront' if up_front else 'on_win'}",
        f"buy {n}, commission {'up front' if up_front else 'on a win'}",
        "place",
        (Win(totals(n), to, each),),
        totals(7),
        commission=when,
        off=True,
        comes_down=False,
        edge="4.762%" if up_front else BUY_ON_WIN[min(n, 14 - n)],
    )


def lay(n: int, when: Commission) -> TableBet:
    """Return a lay bet: wins if 7 is rolled before the number, paid at true odds less a commission
    of 5 % of the win.
    """
    to, each = (1 / true_odds(n)).as_integer_ratio()
    up_front = when == Commission.UP_FRONT
    return TableBet(
        f"lay_{n}_vig_{'upfront' if up_front else 'on_win'}",
        f"lay {n}, commission {'up front' if up_front else 'on a win'}",
        "place",
        (Win(totals(7), to, each),),
        totals(n),
        commission=when,
        of_the_win=True,
        edge=LAY[min(n, 14 - n)][0 if up_front else 1],
    )


def numbers() -> Iterator[TableBet]:
    """Place, place to lose, buy, lay and big bets: one number against 7."""
    for n in POINTS:
        yield place(n)
    for n in POINTS:
        to, each, edge = PLACE_LOSE[min(n, 14 - n)]
        yield TableBet(
            f"place_lose_{n}", f"place {n} to lose", "place", (Win(totals(7), to, each),), totals(n), edge=edge
        )
    for make in (buy, lay):
        for when in (Commission.UP_FRONT, Commission.ON_WIN):
            for n in POINTS:
                yield make(n, when)
    for n in (6, 8):
        yield TableBet(f"big{n}", f"big {n}", "place", (Win(totals(n), 1),), totals(7), comes_down=False, edge="9.091%")
    for n in (6, 8):
        name = f"big {n} paid 7 to 6, Atlantic City"
        yield TableBet(
            f"big{n}_7to6", name, "place", (Win(totals(n), 7, 6),), totals(7), comes_down=False, edge="1.515%"
        )


# Hardways, bets on one roll, put bets --------------------------------------------------------------------------------


def hardways() -> Iterator[TableBet]:
    """Hardways: a pair is rolled before the same total the easy way and before 7."""
    for quoted, less, said in (("", 0, "to"), ("_for", 1, "for")):
        for n, pays in ((4, 7), (6, 9), (8, 9), (10, 7)):
            name = f"hard {n}" + (f", {pays} for 1" if quoted else "")
            won, lost = Win(pair(n // 2, n // 2), pays - less), easy(n) + totals(7)
            edge = "" if less else "11.11%" if n in (4, 10) else "9.09%"
            id = f"hard{n}" + (f"_{pays}for1" if quoted else "")
            yield TableBet(id, name, "hardway", (won,), lost, comes_down=False, quoted=said, edge=edge)


def once(id: str, name: str, edge: str, *wins: Win, quoted: str = "to") -> TableBet:
    """Return a bet on the next roll: it loses unless it wins or pushes."""
    return TableBet(id, name, "one throw", wins, others(*wins), quoted=quoted, edge=edge)


def one_throw() -> Iterator[TableBet]:
    """Yield the field and the propositions."""
    for two, twelve, edge in ((2, 2, "5.556%"), (2, 3, "2.778%"), (3, 2, "2.778%"), (3, 3, "0.00%")):
        middle = Win(totals(3, 4, 9, 10, 11), 1)
        name = f"field, 2 paid {two} to 1 and 12 paid {twelve} to 1"
        yield once(f"field_{two}x{twelve}x", name, edge, middle, Win(totals(2), two), Win(totals(12), twelve))
    yield once("any7", "any 7", "16.667%", Win(totals(7), 4))
    yield once("any_craps", "any craps", "11.111%", Win(totals(2, 3, 12), 7))
    for less, said in ((0, "to"), (1, "for")):
        for id, n, pays, edges in (
            ("two", 2, 30, ("13.889%", "16.667%")),
            ("three", 3, 15, ("11.111%", "16.667%")),
            ("eleven", 11, 15, ("11.111%", "16.667%")),
            ("twelve", 12, 30, ("13.889%", "16.667%")),
        ):
            more = f"_{pays}for1" if less else ""
            name = {2: "two aces", 3: "ace-deuce", 11: "eleven (yo)", 12: "boxcars"}[n]
            name += f", {pays} for 1" if less else ""
            yield once(id + more, name, edges[less], Win(totals(n), pays - less), quoted=said)
    yield once("horn", "horn", "12.50%", Win(totals(2, 12), 27, 4), Win(totals(3, 11), 3))
    for high in (2, 3, 11, 12):
        edge = "12.778%" if high in (2, 12) else "12.222%"
        yield once(f"horn_high_{high}", f"horn high {high}", edge, *horn_high(high))
    yield once("ce", "C & E", "11.111%", Win(totals(2, 3, 12), 3), Win(totals(11), 7))
    aces, deuces = Win(totals(2, 12), 26, 5), Win(totals(3, 11), 11, 5)
    yield once("world", "world (whirl)", "13.333%", aces, deuces, Win(totals(7), 0))
    yield once("hi_lo", "hi-lo", "13.889%", Win(totals(2, 12), 29, 2))
    for one, two in combinations(FACES, 2):
        yield once(f"hop_{one}_{two}", f"hop {one}-{two}", "11.111%", Win(pair(one, two), 15))
    for face in FACES:
        yield once(f"hop_{face}_{face}", f"hop {face}-{face}, the hard way", "13.889%", Win(pair(face, face), 30))


def horn_high(high: int) -> Iterator[Win]:
    """Wins of five units, one each on 2, 3, 11 and 12 and a second one on `high`, taken together."""
    for n in (2, 3, 11, 12):
        units, pays = 2 if n == high else 1, 30 if n in (2, 12) else 15
        yield Win(totals(n), units * pays - (5 - units), 5)


PUT_ODDS = (0, 1, 2, 3, 4, 5, 10)
"""Odds behind put bets, in multiples of the flat bet."""


def put() -> Iterator[TableBet]:
    """Put bets: line bets made directly on a number, without a come-out; their odds count as part of the bet."""
    for n in POINTS:
        for k in PUT_ODDS:
            to, each = ((1 + k * true_odds(n)) / (1 + k)).as_integer_ratio()
            edge = "" if k else {4: "1/3", 5: "1/5", 6: "1/11"}[min(n, 14 - n)]
            name = f"put {n}" + (f" with {k}x odds" if k else "")
            won = (Win(totals(n), to, each),)
            yield TableBet(f"put_{n}_{k}x", name, "put", won, totals(7), when=When.POINT, contract=True, edge=edge)


# Side bets on a hand -------------------------------------------------------------------------------------------------


def side() -> Iterator[TableBet]:
    """Fire bets; all, tall and small; repeaters."""
    for levels, edge in (
        ((0, 24, 249, 999), "20.76%"),
        ((0, 9, 199, 1999), "25.92%"),
        ((5, 25, 200, 500), "15.96%"),
        ((6, 29, 149, 299), "20.73%"),
    ):
        paid = [level for level in levels if level]
        name = f"fire, {6 - len(paid) + 1} to 6 points paid {', '.join(map(str, paid))} to 1"
        id = f"fire_{'_'.join(map(str, paid))}"
        yield TableBet(id, name, "side", kind=Kind.FIRE, when=When.SHOOTER, levels=levels, contract=True, edge=edge)
    small, tall = (2, 3, 4, 5, 6), (8, 9, 10, 11, 12)
    for name, gathers, pays, edge in (
        ("small", small, 34, "7.76%"),
        ("small", small, 30, "18.30%"),
        ("tall", tall, 34, "7.76%"),
        ("tall", tall, 30, "18.30%"),
        ("all", small + tall, 175, "7.46%"),
        ("all", small + tall, 150, "20.61%"),
    ):
        yield gathering(f"ats_{name}_{pays}", f"{name}, {pays} to 1", pays, Kind.ALL, gathers, 0, "to", edge)
    for n, times, pays, for_one in (
        (2, 2, 40, "18.37%"),
        (3, 3, 50, "21.88%"),
        (4, 4, 65, "19.75%"),
        (5, 5, 80, "18.08%"),
        (6, 6, 90, "20.62%"),
    ):
        for total in (n, 14 - n):
            for quoted, edge, net in (("to", "", pays), ("for", for_one, pays - 1)):
                id, name = f"repeater_{total}_{quoted}", f"{total} thrown {times} times, {pays} {quoted} 1"
                yield gathering(id, name, net, Kind.REPEAT, (total,), times, quoted, edge)


def gathering(
    id: str, name: str, pays: int, kind: Kind, gathers: tuple[int, ...], times: int, quoted: str, edge: str
) -> TableBet:
    """Return a side bet that wins when the totals have been rolled often enough before a 7."""
    bet = TableBet(id, name, "side", (Win((), pays),), totals(7), kind, When.SHOOTER, edge=edge)
    return replace(bet, gathers=gathers, times=times, quoted=quoted)


# Crapless craps ------------------------------------------------------------------------------------------------------


def crapless() -> Iterator[TableBet]:
    """Yield the bets that differ at a crapless table; its other bets are those above."""
    won = (Win(totals(7), 1),)
    line = TableBet("pass", "pass line", "line", won, (), Kind.RIDES, When.COME_OUT, rides=1, contract=True)
    bets = [replace(line, edge="5.382%"), replace(line, id="come", name="come", when=When.POINT)]
    bets += [make(n) for make in (take, place) for n in CRAPLESS_POINTS]
    bets += [buy(n, when) for when in (Commission.UP_FRONT, Commission.ON_WIN) for n in CRAPLESS_POINTS]
    for bet in bets:
        yield replace(bet, id=f"crapless_{bet.id}", name=f"{bet.name}, crapless", section="crapless")


BETS: tuple[TableBet, ...] = (
    *lines(),
    *free_odds(),
    *numbers(),
    *hardways(),
    *one_throw(),
    *put(),
    *side(),
    *crapless(),
)
"""All bets. Rules refer to a bet by its index here."""

IDS = tuple(bet.id for bet in BETS)
BY_ID = {bet.id: bet for bet in BETS}

# The columns of the catalogue, as tuples of integers for the rules: one entry per bet unless noted.
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

WIZARD = "M. Shackleford, Wizard of Odds"
SOURCES = {
    "fire": "craps side bets",
    "ats": "craps side bets",
    "repeater": "Repeater Bets Plus",
    "crapless": "crapless craps",
}
"""Page of the published edge, by the first word of a bet's id; for all other bets, the page "craps"."""
PUBLISHED = {
    bet.id: (bet.edge.replace("%", " %"), f"{WIZARD}, {SOURCES.get(bet.id.partition('_')[0], 'craps')}")
    for bet in BETS
    if bet.edge
}
"""Published edge and its source, by the id of the bet; bets without a published edge are left out."""
