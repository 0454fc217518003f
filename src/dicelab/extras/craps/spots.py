"""The spots of the layout, where bets are placed, and the catalogue's rows that may decide a bet on each.

House rules select the row: the field, for example, pays differently at different houses. While there is a point, a
pass bet rides with it just as a come bet rides with its number; so the four line spots then use the rows of the come
spots.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from dicelab.extras.craps.bet import FACES, POINTS, Kind, TableBet, When, Win, totals
from dicelab.extras.craps.catalogue import BARS, BY_ID, CRAPLESS_POINTS, ODDS

NUMBERS = tuple(n for n in range(2, 13) if n != 7)
"""Numbers that can be a point at some table."""


class HouseRule(IntEnum):
    """The house rule that selects the row of a spot."""

    NONE = 0
    CRAPLESS = 1
    BAR = 2
    FIELD = 3
    QUOTED = 4
    HOUSE = 5
    FIRE = 6
    TALL = 7


class SpotGroup(IntEnum):
    """Groups of spots; a house may leave out the last one, two or three (see the parameter ``offers``)."""

    LINE = 0
    NUMBER = 1
    PROPOSITION = 2
    SIDE = 3


class Part(IntEnum):
    """How a spot belongs to another."""

    BET = 0
    FLAT = 1
    """The flat part of a line bet."""
    ODDS = 2
    """Odds behind a flat part."""
    BOX = 3
    """Come and don't come before they have a number."""


HOUSES = ("las_vegas", "atlantic_city", "pennsylvania", "real_casino", "all_on")
"""Sets of house customs; ``real_casino`` follows crapssim."""
OFF = {
    "come_odds": ("las_vegas", "atlantic_city", "pennsylvania", "real_casino"),
    "place": ("las_vegas", "atlantic_city", "pennsylvania", "real_casino"),
    "buy": ("las_vegas", "atlantic_city", "pennsylvania", "real_casino"),
    "place_lose": ("pennsylvania",),
    "hard": ("atlantic_city", "pennsylvania"),
    "lay": ("real_casino",),
}
"""For each group of bets, the houses at which it is off on come-outs; all other bets always work."""
NO_PUTS = ("atlantic_city",)
"""Houses without put bets: pass and come bets can't be made or raised once they have a number.
Source: "Atlantic City Casino Craps", the rules of one casino, which say that state law requires the same of all."""


@dataclass(frozen=True)
class Spot:
    """A place on the layout for one kind of bet.

    Attributes
    ----------
    name
        Its name in commands.
    rows, rule
        The rows that may decide a bet there, and the house rule that selects one.
    family, part
        Its group, and whether it is a flat part, odds or a box.
    flat
        For odds, the name of the spot of the flat part; otherwise "".
    number
        The number that it is about, or rides with or against; 0 if there is none.
    off
        Houses at which it is off on come-outs.
    when
        When a bet may be made there.
    contract
        Whether a bet there can't be taken down.
    """

    name: str
    rows: tuple[TableBet, ...]
    rule: HouseRule = HouseRule.NONE
    family: SpotGroup = SpotGroup.LINE
    part: Part = Part.BET
    flat: str = ""
    number: int = 0
    off: tuple[str, ...] = ()
    when: When = When.ANY
    contract: bool = False


def rows(*ids: str) -> tuple[TableBet, ...]:
    """Return the rows with these ids."""
    return tuple(BY_ID[id] for id in ids)


def riding(n: int, against: bool) -> tuple[TableBet, ...]:
    """Return the row of a line bet that rides with the number n, or against it."""
    name = f"{'against' if against else 'with'} the {n}"
    won, lost = (7, n) if against else (n, 7)
    return (TableBet(f"riding_{n}", name, "line", (Win(totals(won), 1),), totals(lost)),)


def odds_row(n: int, against: bool) -> tuple[TableBet, ...]:
    """Return the row of odds taken behind a number, or laid against it."""
    if against:
        return rows(f"lay_odds_{n}")
    return rows(f"crapless_take_odds_{n}" if n in CRAPLESS_POINTS else f"take_odds_{n}")


def line_spots() -> list[Spot]:
    """Return the spots of pass, don't pass, come and don't come, with their odds."""
    bars = [f"bar{bar}" for bar in BARS]
    with_it, against = rows("pass", "crapless_pass"), rows(*(f"dont_pass_{bar}" for bar in bars))
    spots = [
        Spot("pass", with_it, HouseRule.CRAPLESS, part=Part.FLAT),
        Spot("pass_odds", odds_row(6, False), part=Part.ODDS, flat="pass", when=When.POINT),
        Spot("dont_pass", against, HouseRule.BAR, part=Part.FLAT, when=When.COME_OUT),
        Spot("dont_pass_odds", odds_row(6, True), part=Part.ODDS, flat="dont_pass", when=When.POINT),
        Spot("come", rows("come", "crapless_come"), HouseRule.CRAPLESS, part=Part.BOX, when=When.POINT),
        Spot("dont_come", rows(*(f"dont_come_{bar}" for bar in bars)), HouseRule.BAR, part=Part.BOX, when=When.POINT),
    ]
    for flat, numbers in (("come", NUMBERS), ("dont_come", POINTS)):
        against_it = flat == "dont_come"
        for n in numbers:
            name, row = f"{flat}_{n}", riding(n, against_it)
            spots.append(Spot(name, row, part=Part.FLAT, number=n, when=When.POINT, contract=not against_it))
        for n in numbers:
            off, row = OFF["come_odds"] if flat == "come" else (), odds_row(n, against_it)
            spots.append(Spot(f"{flat}_odds_{n}", row, part=Part.ODDS, flat=f"{flat}_{n}", number=n, off=off))
    return spots


def number_spots() -> list[Spot]:
    """Return the spots of place, buy, lay and big bets and hardways."""
    spots = []
    for how in ("place", "place_lose", "buy", "lay"):
        for n in NUMBERS if how in ("place", "buy") else POINTS:
            id = f"{'crapless_' if n in CRAPLESS_POINTS else ''}{how}_{n}"
            id += "_vig_on_win" if how in ("buy", "lay") else ""
            spots.append(Spot(f"{how}_{n}", rows(id), family=SpotGroup.NUMBER, number=n, off=OFF[how]))
    for n in (6, 8):
        elsewhere = f"big{n}"
        paid = rows(*(f"{elsewhere}_7to6" if house == "atlantic_city" else elsewhere for house in HOUSES))
        spots.append(Spot(f"big{n}", paid, HouseRule.HOUSE, SpotGroup.NUMBER, number=n))
    for n, pays in ((4, 7), (6, 9), (8, 9), (10, 7)):
        quoted = rows(f"hard{n}", f"hard{n}_{pays}for1")
        spots.append(Spot(f"hard{n}", quoted, HouseRule.QUOTED, SpotGroup.NUMBER, number=n, off=OFF["hard"]))
    return spots


def proposition_spots() -> list[Spot]:
    """Return the spots of the field and other bets on the next roll."""
    fields = rows("field_2x3x", "field_3x2x", "field_2x2x", "field_3x3x")
    spots = [Spot("field", fields, HouseRule.FIELD, SpotGroup.NUMBER)]
    for id, pays in (("two", 30), ("three", 15), ("eleven", 15), ("twelve", 30)):
        spots.append(Spot(id, rows(id, f"{id}_{pays}for1"), HouseRule.QUOTED, SpotGroup.PROPOSITION))
    plain = ["any7", "any_craps", "horn", *(f"horn_high_{n}" for n in (2, 3, 11, 12)), "ce", "world", "hi_lo"]
    plain += [f"hop_{one}_{two}" for one in FACES for two in FACES if one <= two]
    return spots + [Spot(id, rows(id), family=SpotGroup.PROPOSITION) for id in plain]


def side_spots() -> list[Spot]:
    """Return the spots of fire, all, tall, small and repeater bets."""
    fires = rows("fire_24_249_999", "fire_9_199_1999", "fire_5_25_200_500", "fire_6_29_149_299")
    sides = [("fire", fires, HouseRule.FIRE)]
    for name, pays in (("small", (34, 30)), ("tall", (34, 30)), ("all", (175, 150))):
        sides.append((name, rows(*(f"ats_{name}_{k}" for k in pays)), HouseRule.TALL))
    for n in NUMBERS:
        sides.append((f"repeater_{n}", rows(f"repeater_{n}_to", f"repeater_{n}_for"), HouseRule.QUOTED))
    return [Spot(name, row, rule, SpotGroup.SIDE, when=When.SHOOTER, contract=True) for name, row, rule in sides]


SPOTS: tuple[Spot, ...] = (*line_spots(), *number_spots(), *proposition_spots(), *side_spots())
"""All spots, in the order of the layout. Rules refer to a spot by its index here."""

NAMES = tuple(spot.name for spot in SPOTS)
PLACE_OF = {name: place for place, name in enumerate(NAMES)}
COUNT = len(SPOTS)
DONE = COUNT
"""The move that ends a player's betting."""
Move = IntEnum("Move", [(name.upper(), i) for i, name in enumerate([*NAMES, "done"])])  # type: ignore[misc]
"""First number of a player's move: a spot, or done."""

# Columns of integers for the rules: by row (ROWS), by house rule, or by spot -----------------------------------------

ROWS = [row for spot in SPOTS for row in spot.rows]
FIRST_ROW = tuple(sum(len(spot.rows) for spot in SPOTS[:i]) for i in range(COUNT))
RULE = tuple(int(spot.rule) for spot in SPOTS)
RESULTS = tuple(result for row in ROWS for result in row.results)
EACH = tuple(row.each for row in ROWS)
KINDS = tuple(int(row.kind) for row in ROWS)
GATHERS = tuple(sum(1 << total for total in row.gathers) for row in ROWS)
TIMES = tuple(row.times for row in ROWS)
PAYS = tuple(row.wins[0].to if row.gathers else 0 for row in ROWS)
LEVELS = tuple(pays for row in ROWS for pays in row.levels)

FAMILY = tuple(int(spot.family) for spot in SPOTS)
PART = tuple(int(spot.part) for spot in SPOTS)
FLAT = tuple(PLACE_OF[spot.flat or spot.name] for spot in SPOTS)
NUMBER = tuple(spot.number for spot in SPOTS)
WHEN = tuple(int(spot.when) for spot in SPOTS)
CONTRACT = tuple(int(spot.contract) for spot in SPOTS)
RESTS = tuple(int(house in spot.off) for spot in SPOTS for house in HOUSES)
"""For each spot and house: 1 if it is off on come-outs."""
PUTS = tuple(int(house not in NO_PUTS) for house in HOUSES)
"""For each house: 1 if it takes put bets."""
AT_LEAST = tuple(
    int(spot.part in (Part.FLAT, Part.BOX) or spot.name.startswith(("place", "buy", "lay", "field"))) for spot in SPOTS
)
"""1 if the table's minimum applies."""
STAYS_UP = tuple(int(not spot.rows[0].comes_down) for spot in SPOTS)
COMMISSION = tuple(int(bool(spot.rows[0].commission)) * (1 + int(spot.rows[0].of_the_win)) for spot in SPOTS)
"""0 for no commission, 1 for a commission on the stake, 2 on the possible win."""
AGAINST = tuple(int("dont" in spot.name) for spot in SPOTS)
SIDE = tuple(int(spot.rows[0].kind in (Kind.ALL, Kind.REPEAT, Kind.FIRE)) for spot in SPOTS)

ODDS_LIMITS = (*ODDS, "none")
"""Names of the odds limits."""
HIGHER = {"345x": (2, 1)}
"""Limits at crapless tables behind 3 and 11, and 2 and 12, if they differ from the limit behind 4 and 10."""
LIMIT = (
    tuple(int(10 * times) for name in ODDS for times in (*ODDS[name][0], *HIGHER.get(name, (ODDS[name][0][2],) * 2)))
    + (0,) * 5
)
"""Odds limits in tenths of the flat part, five for each name: for numbers at distance 1 to 5 from 7."""

PASS, PASS_ODDS, DONT_PASS, DONT_PASS_ODDS, COME, DONT_COME = range(6)
COME_2, COME_ODDS_2 = PLACE_OF["come_2"], PLACE_OF["come_odds_2"]
DONT_COME_4, DONT_COME_ODDS_4 = PLACE_OF["dont_come_4"], PLACE_OF["dont_come_odds_4"]


def spot_named(name: str) -> int:
    """Return the index of a spot, by its name.

    >>> spot_named("pass"), NAMES[spot_named("place_6")]
    (0, 'place_6')
    """
    return PLACE_OF[name]


COVERED = {
    "iron_cross": ("place_6", "place_8", "place_5", "field"),
    "place_6_8": ("place_6", "place_8"),
    "inside": ("place_6", "place_8", "place_5", "place_9"),
    "across": ("place_6", "place_8", "place_5", "place_9", "place_4", "place_10"),
}
"""Combinations of place bets and the field that cover several numbers while there is a point, as names of spots."""

COVERS = tuple(COVERED)
COVERING = ("place_6", "place_8", "place_5", "place_9", "place_4", "place_10", "field")
COVER = tuple(PLACE_OF[name] for name in COVERING)
"""All their spots, in the order in which bets are made."""
WITHIN = tuple(int(name in bets) for bets in COVERED.values() for name in COVERING)
"""For each combination and each spot of `COVER`: 1 if the spot belongs to it."""
