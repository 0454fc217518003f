"""Strategies for the craps table that have a name in crapssim, with the names and the amounts that they have there.

After each of 400 rolls of the same dice they have the same bankroll as crapssim 0.4.1
(https://github.com/skent259/crapssim, MIT licence), in the house ``real_casino`` with the field ``2x2x``; the tests
compare them. Each is written from the description of its bets. What is different:

* Here every bet must have a payout in whole chips; crapssim pays fractions. The arguments must be such that it has.
* The odds on don't come bets of `three_point_dolly` and `place68_dont_come_2odds` always work. There they are off on
  come-outs unless asked otherwise (``always_working``), which no house of this table does with laid odds.
* The put bet of `put_with_odds`, once made, works on come-outs, like every bet on a come number. There it is off, while
  its odds work. In the house ``all_on`` both work.
* A bet that wins and comes down there, and is made again, stays up here: the money on the table is the same.

Strategies see the table, not the dice: what the last roll has paid follows from the purse, and from the puck. Only
`place68_pr` and `double_tap` must know which number it was; they need the parameter ``last_roll``.
"""

from __future__ import annotations

from dicelab.extras.craps.craps import Craps, behind, lacking
from dicelab.extras.craps.spots import (
    AGAINST,
    COME,
    COME_2,
    COUNT,
    DONE,
    DONT_COME,
    DONT_PASS,
    DONT_PASS_ODDS,
    PART,
    PASS,
    PASS_ODDS,
    Part,
    spot_named,
)
from dicelab.extras.craps.table_rules import MOST_MONEY, NEEDS_ROLL, ROOM
from dicelab.rules import Flag, Int, Ints, Memory, Param, strategy

PLACES = tuple(spot_named(f"place_{n}") for n in (4, 5, 6, 8, 9, 10))
PLACE_5, PLACE_6, PLACE_8, PLACE_9 = PLACES[1:5]
FIELD, WORLD, BIG_6, BIG_8 = (spot_named(name) for name in ("field", "world", "big6", "big8"))
COME_6 = spot_named("come_6")
COME_ODDS_6 = spot_named("come_odds_6")
DOCTOR = (10, 20, 15, 30, 25, 50, 35, 70, 50, 100, 75, 150)
"""Tenths of the unit that `dice_doctor` bets after 0, 1, 2, ... wins in a row."""
TAPS = (1, 2, 4, 1, 2, 4, 1)
"""Multiples of the unit that `double_tap` bets on a number after it has hit 0, 1, 2, ... times."""


def amount(name: str, default: int) -> Param:
    """Return the argument for an amount of money."""
    return Param(default, 1, 10**6, name)


def on(game: Craps, spot: int) -> int:
    """Return the player's money on a spot."""
    return game.bets[game.player * COUNT + spot]


def toward(game: Craps, spot: int, wanted: int) -> int:
    """Return what must be added to a spot, or with a negative number taken from it, to have `wanted` there; 0 if it
    can't.
    """
    lies = on(game, spot)
    if wanted >= lies:
        return lacking(game, spot, wanted)
    return wanted - lies if game.allowed(spot, wanted - lies) else 0


def move(spot: int, change: int) -> tuple[int, int]:
    """Return a change of a spot as a move; `DONE` if it is none."""
    return (spot, change) if change != 0 else (DONE, 0)


def placing(game: Craps, four: int, five: int, six: int, eight: int, nine: int, ten: int) -> tuple[int, int]:
    """Return the next move that brings the place bets to these amounts, or `DONE`."""
    wanted = (four, five, six, eight, nine, ten)
    for k in range(6):
        change = toward(game, PLACES[k], wanted[k])
        if change != 0:
            return PLACES[k], change
    return DONE, 0


def coming(game: Craps, box: int) -> int:
    """Return how many come bets the player has, or don't come bets: in the box and on numbers."""
    count = 0
    for place in range(game.count[game.player]):
        spot = game.lying[game.player * ROOM + place]
        moved = PART[spot] == Part.FLAT and spot > DONT_PASS and AGAINST[spot] == AGAINST[box]
        count += 1 if moved or spot == box else 0
    return count


def odds_move(game: Craps, against: int, times: int, by_win: int) -> tuple[int, int]:
    """Return the next move that gives odds to a bet with a number, of `times` the bet, or laid to win that much
    (`by_win`).
    """
    for place in range(game.count[game.player]):
        flat = game.lying[game.player * ROOM + place]
        if PART[flat] == Part.FLAT and AGAINST[flat] == against and game.rides(flat):
            wanted = behind(game, flat, times)
            if by_win == 0:
                wanted = min(on(game, flat) * times, game.odds_limit(flat, on(game, flat)))
            more = lacking(game, game.odds_of(flat), wanted)
            if more > 0:
                return game.odds_of(flat), more
    return DONE, 0


def beside_point(game: Craps, number: int, wanted: int) -> int:
    """Return the place bet on a number: none while the number is the point."""
    return 0 if game.point == number else wanted


def line_and_come(game: Craps, line: int, box: int, unit: int) -> tuple[int, int]:
    """Return the next move that makes a line bet on a come-out, and while there is a point two come bets, or `DONE`."""
    if game.point == 0:
        return move(line, lacking(game, line, unit))
    return move(box, lacking(game, box, unit) if coming(game, box) < 2 else 0)


# Line bets ------------------------------------------------------------------------------------------------------------


@strategy(Craps, unit=amount("pass and come bets", 5))
def pass2come(game: Craps, unit: int) -> tuple[int, int]:
    """Pass, and two come bets."""
    return line_and_come(game, PASS, COME, unit)


@strategy(Craps, unit=amount("pass and come bets", 10), odds=Param(1, 0, 100, "odds, in multiples of the bet"))
def three_point_molly(game: Craps, unit: int, odds: int) -> tuple[int, int]:
    """Pass and two come bets, all with odds."""
    spot, change = odds_move(game, 0, odds, 0)
    if change != 0:
        return spot, change
    return line_and_come(game, PASS, COME, unit)


@strategy(Craps, unit=amount("don't bets", 10), win=Param(1, 0, 100, "odds win this multiple of the bet"))
def three_point_dolly(game: Craps, unit: int, win: int) -> tuple[int, int]:
    """Don't pass and two don't come bets, all with odds laid."""
    spot, change = odds_move(game, 1, win, 1)
    if change != 0:
        return spot, change
    return line_and_come(game, DONT_PASS, DONT_COME, unit)


def both_sides(game: Craps, unit: int) -> tuple[int, int]:
    """Return the next move that makes a pass and a don't pass bet, or `DONE`."""
    more = lacking(game, PASS, unit)
    return (PASS, more) if more > 0 else move(DONT_PASS, lacking(game, DONT_PASS, unit))


@strategy(Craps, unit=amount("pass and don't pass bet", 5))
def knockout(game: Craps, unit: int) -> tuple[int, int]:
    """Pass and don't pass, which cancel each other nearly, and three, four or five times odds on pass."""
    if game.point > 0:
        times = 6 - abs(7 - game.point)
        return move(PASS_ODDS, lacking(game, PASS_ODDS, behind(game, PASS, times)) if on(game, PASS) > 0 else 0)
    return both_sides(game, unit)


@strategy(Craps, unit=amount("put bet on 6", 10), odds=Param(2, 0, 100, "odds, in multiples of the bet"))
def put_with_odds(game: Craps, unit: int, odds: int) -> tuple[int, int]:
    """While there is a point, a put bet on 6, with odds."""
    if game.point == 0:
        return DONE, 0
    more = lacking(game, COME_6, unit)
    return (COME_6, more) if more > 0 else move(COME_ODDS_6, lacking(game, COME_ODDS_6, behind(game, COME_6, odds)))


# Place bets -----------------------------------------------------------------------------------------------------------


@strategy(Craps, line=amount("pass bet", 5), six=amount("place bet on 6", 6), eight=amount("place bet on 8", 6))
def pass_line_place68(game: Craps, line: int, six: int, eight: int) -> tuple[int, int]:
    """Pass, and place 6 and 8 while there is another point."""
    if game.point == 0:
        six, eight = 0, 0
    spot, change = placing(game, 0, 0, beside_point(game, 6, six), beside_point(game, 8, eight), 0, 0)
    if change != 0 or game.point > 0:
        return spot, change
    return move(PASS, lacking(game, PASS, line))


@strategy(Craps, unit=amount("place bets on 5 and 9; on 6 and 8 six fifths of it", 5))
def place_inside(game: Craps, unit: int) -> tuple[int, int]:
    """Place 5, 6, 8 and 9 while there is a point."""
    if game.point == 0:
        return placing(game, 0, 0, 0, 0, 0, 0)
    more = unit * 6 // 5
    return placing(game, 0, unit, more, more, unit, 0)


@strategy(Craps, unit=amount("pass bet and field", 5))
def iron_cross(game: Craps, unit: int) -> tuple[int, int]:
    """Pass with double odds; while there is a point, place 5, 6 and 8 without the point, and the field."""
    if game.point == 0:
        spot, change = placing(game, 0, 0, 0, 0, 0, 0)
        return (spot, change) if change != 0 else move(PASS, lacking(game, PASS, unit))
    more = lacking(game, PASS_ODDS, behind(game, PASS, 2)) if on(game, PASS) > 0 else 0
    if more > 0:
        return PASS_ODDS, more
    five, six = beside_point(game, 5, 2 * unit), beside_point(game, 6, unit * 12 // 5)
    spot, change = placing(game, 0, five, six, beside_point(game, 8, unit * 12 // 5), 0, 0)
    return (spot, change) if change != 0 else move(FIELD, lacking(game, FIELD, unit))


@strategy(Craps, six_eight=amount("place bets on 6 and 8", 6), dont_come=amount("don't come bet", 15))
def place68_dont_come_2odds(game: Craps, six_eight: int, dont_come: int) -> tuple[int, int]:
    """Place 6 and 8, and one don't come bet, with double odds laid."""
    spot, change = odds_move(game, 1, 2, 0)
    if change != 0:
        return spot, change
    wanted = six_eight if game.point > 0 else 0
    spot, change = placing(game, 0, 0, wanted, wanted, 0, 0)
    if change != 0:
        return spot, change
    return move(DONT_COME, lacking(game, DONT_COME, dont_come) if coming(game, DONT_COME) == 0 else 0)


class PlannedBets(Memory):
    """What was decided before the first bet after a roll: the bets that should be on the table before the next."""

    come = Flag("another come or pass bet")
    five = Int(0, MOST_MONEY, "place bet on 5")
    six = Int(0, MOST_MONEY, "place bet on 6")
    eight = Int(0, MOST_MONEY, "place bet on 8")
    nine = Int(0, MOST_MONEY, "place bet on 9")


def moved(game: Craps, number: int) -> bool:
    """Return whether a pass or a come bet rides with 6, 8 or 9."""
    return (game.point == number and on(game, PASS) > 0) or on(game, COME_2 + game.nth(number)) > 0


def still_wanted(game: Craps, number: int, places: int, wanted: int) -> int:
    """Return the place bet on a number, given how many others there are: none where another bet
    rides, and at most two.
    """
    if number != 5 and moved(game, number):  # crapssim looks at the bets that ride with 6, 8, 9 and 10
        return 0
    lies = on(game, PLACES[number - 4 if number < 7 else number - 5])
    return lies if lies > 0 or places >= 2 else wanted


def number_placed(game: Craps) -> int:
    """Return how many place bets lie on 5, 6, 8 and 9."""
    count = 0
    for k in range(1, 5):
        count += 1 if on(game, PLACES[k]) > 0 else 0
    return count


def choose_places(game: Craps, mine: PlannedBets, six_eight: int, five_nine: int) -> None:
    """Choose the two place bets, looking at 6, 8, 5 and 9 in this order; without a point they stay as they are."""
    mine.five, mine.six, mine.eight, mine.nine = (
        on(game, PLACE_5),
        on(game, PLACE_6),
        on(game, PLACE_8),
        on(game, PLACE_9),
    )
    if game.point == 0:
        return
    places = number_placed(game)
    mine.six = still_wanted(game, 6, places, six_eight)
    places += (1 if mine.six > 0 else 0) - (1 if on(game, PLACE_6) > 0 else 0)
    mine.eight = still_wanted(game, 8, places, six_eight)
    places += (1 if mine.eight > 0 else 0) - (1 if on(game, PLACE_8) > 0 else 0)
    mine.five = still_wanted(game, 5, places, five_nine)
    places += (1 if mine.five > 0 else 0) - (1 if on(game, PLACE_5) > 0 else 0)
    mine.nine = still_wanted(game, 9, places, five_nine)


@strategy(
    Craps,
    memory=PlannedBets,
    six_eight=amount("place bets on 6 and 8", 6),
    five_nine=amount("place bets on 5 and 9", 5),
)
def place68_move59(game: Craps, mine: PlannedBets, six_eight: int, five_nine: int) -> tuple[int, int]:
    """Place 6 and 8 while there is a point; for one on which a pass or come bet rides, 5 or 9 instead."""
    if game.changes == 0:
        choose_places(game, mine, six_eight, five_nine)
    return placing(game, 0, mine.five, mine.six, mine.eight, mine.nine, 0)


@strategy(
    Craps,
    memory=PlannedBets,
    unit=amount("pass and come bets", 5),
    six_eight=amount("place bets on 6 and 8", 6),
    five_nine=amount("place bets on 5 and 9", 5),
)
def place682come(game: Craps, mine: PlannedBets, unit: int, six_eight: int, five_nine: int) -> tuple[int, int]:
    """At most two bets on pass and come, and two place bets as in `place68_move59`."""
    if game.changes == 0:
        mine.come = coming(game, COME) + (1 if on(game, PASS) > 0 else 0) < 2
        choose_places(game, mine, six_eight, five_nine)
    spot, change = placing(game, 0, mine.five, mine.six, mine.eight, mine.nine, 0)
    if change != 0 or not mine.come:
        return spot, change
    spot = PASS if game.point == 0 else COME
    return move(spot, lacking(game, spot, unit))


# Progressions: what the last roll has paid is in the purse ------------------------------------------------------------


class Since(Memory):
    """What there was before the last roll, and how often bets have hit since."""

    begun = Flag("there was a roll")
    purse = Int(0, MOST_MONEY, "money before the last roll")
    point = Int(0, 12, "the point before the last roll")
    hits = Int(0, 20, "hits")


@strategy(Craps, memory=Since, unit=amount("the first bet, a multiple of 10", 10))
def dice_doctor(game: Craps, mine: Since, unit: int) -> tuple[int, int]:
    """Bet on the field: the bet grows, on the whole, while it wins, and begins again after a loss."""
    if game.changes == 0:
        mine.hits = min(11, mine.hits + 1) if mine.begun and game.purse[game.player] > mine.purse else 0
    more = lacking(game, FIELD, unit * DOCTOR[mine.hits] // 10)
    if more > 0 and on(game, FIELD) == 0:
        return FIELD, more
    mine.begun = True
    mine.purse = game.purse[game.player]
    return DONE, 0


def hammered(game: Craps, hits: int, point: int, purse: int) -> int:
    """Return the hits of `hammer_lock` after a roll, given hits, point and purse before it."""
    if game.new_shooter:
        return 0
    if point > 0 and game.point > 0:
        return hits + 1 if game.purse[game.player] > purse else hits
    placed = 6 <= point <= 8 if hits == 0 else 5 <= point <= 9 and hits == 1
    return hits + 1 if placed else hits  # the point was made, so it was the total; before a come-out there are no bets


@strategy(Craps, memory=Since, unit=amount("pass and don't pass bet", 5))
def hammer_lock(game: Craps, mine: Since, unit: int) -> tuple[int, int]:
    """Pass and don't pass, with odds laid; place 6 and 8, after a hit 5, 6, 8 and 9, and after another one none."""
    if game.changes == 0:
        mine.hits = hammered(game, mine.hits, mine.point, mine.purse)
    mine.purse, mine.point = game.purse[game.player], game.point
    five, six = 0, 0
    if game.point > 0 and mine.hits == 0:
        six = unit * 12 // 5
    if game.point > 0 and mine.hits == 1:
        five, six = unit, unit * 6 // 5
    spot, change = placing(game, 0, five, six, six, five, 0)
    if change != 0:
        return spot, change
    if game.point == 0:
        return both_sides(game, unit)
    wanted = min(6 * unit, game.odds_limit(DONT_PASS, on(game, DONT_PASS)))
    return move(DONT_PASS_ODDS, lacking(game, DONT_PASS_ODDS, wanted) if on(game, DONT_PASS) > 0 else 0)


@strategy(Craps, memory=Since)
def squeeze_play(game: Craps, mine: Since) -> tuple[int, int]:
    """Place 5, 6, 8 and 9; after a hit also 4 and 10; after another one press; after three less on all."""
    if game.changes == 0:
        if game.new_shooter:
            mine.hits = 0
        elif mine.point > 0 and game.purse[game.player] > mine.purse:
            mine.hits = min(3, mine.hits + 1)
    four, five, six = 0, 15, 18
    if mine.hits > 0:
        four = 10
    if mine.hits == 2:
        five, six = 20, 24
    if mine.hits == 3:
        five, six = 10, 12
    if game.point == 0:
        four, five, six = 0, 0, 0
    mine.purse, mine.point = game.purse[game.player], game.point
    return placing(game, four, five, six, six, five, four)


class Pressed(Memory):
    """The place bets on 6 and 8 that should be up."""

    point = Int(0, 12, "the point before the last roll")
    six = Int(0, MOST_MONEY, "place bet on 6")
    eight = Int(0, MOST_MONEY, "place bet on 8")


@strategy(Craps, memory=Pressed, unit=amount("place bets on 6 and 8", 6))
def place68_pr(game: Craps, mine: Pressed, unit: int) -> tuple[int, int]:
    """Place 6 and 8; press a bet that hits, and take the press back when it hits again. Needs ``--last-roll``."""
    if not game.last_roll:
        return DONE, NEEDS_ROLL
    if game.changes == 0:
        mine.six, mine.eight = on(game, PLACE_6), on(game, PLACE_8)
        if mine.point > 0 and mine.six > 0 and game.rolled == 6:
            mine.six = 3 * unit - mine.six
        if mine.point > 0 and mine.eight > 0 and game.rolled == 8:
            mine.eight = 3 * unit - mine.eight
        if game.point > 0:
            mine.six = mine.six if mine.six > 0 else unit
            mine.eight = mine.eight if mine.eight > 0 else unit
        mine.point = game.point
    return placing(game, 0, 0, mine.six, mine.eight, 0, 0)


class Taps(Memory):
    """How often each number has hit in this hand."""

    point = Int(0, 12, "the point before the last roll")
    hits = Ints(6, 0, 6, "hits of 4, 5, 6, 8, 9 and 10")


@strategy(Craps, memory=Taps, unit=amount("place bets on 4, 5, 9 and 10; on 6 and 8 six fifths of it", 10))
def double_tap(game: Craps, mine: Taps, unit: int) -> tuple[int, int]:
    """Place all numbers; press each when it hits and when it hits again, then begin again. Needs ``--last-roll``."""
    if not game.last_roll:
        return DONE, NEEDS_ROLL
    if game.changes == 0:
        for k in range(6):
            number = k + 4 if k < 3 else k + 5
            if game.new_shooter:
                mine.hits[k] = 0
            elif mine.point > 0 and game.rolled == number:
                mine.hits[k] = min(6, mine.hits[k] + 1)
        mine.point = game.point
    if game.point == 0:
        return placing(game, 0, 0, 0, 0, 0, 0)
    six = unit * 6 // 5
    return placing(
        game,
        unit * TAPS[mine.hits[0]],
        unit * TAPS[mine.hits[1]],
        six * TAPS[mine.hits[2]],
        six * TAPS[mine.hits[3]],
        unit * TAPS[mine.hits[4]],
        unit * TAPS[mine.hits[5]],
    )


class Budget(Memory):
    """What may be risked on this shooter."""

    least = Int(-MOST_MONEY, MOST_MONEY, "money that must be left")
    spare = Int(-MOST_MONEY, MOST_MONEY, "money above it, before the first bet after a roll")


@strategy(Craps, memory=Budget, unit=amount("pass bet and field", 5))
def risk12(game: Craps, mine: Budget, unit: int) -> tuple[int, int]:
    """Risk 12 fifths of the unit on a shooter, and what is won: pass and field on come-outs; place 6 and 8."""
    six = unit * 6 // 5
    if game.changes == 0:
        if game.new_shooter:
            mine.least = game.purse[game.player] - 2 * six
        mine.spare = game.purse[game.player] - mine.least
    if game.point == 0:
        spot, change = placing(game, 0, 0, 0, 0, 0, 0)
        if change == 0 and mine.spare >= unit:
            spot, change = move(PASS, lacking(game, PASS, unit))
        if change == 0 and mine.spare >= unit:
            spot, change = move(FIELD, lacking(game, FIELD, unit))
        return spot, change
    both = mine.spare >= 2 * six
    more = lacking(game, PLACE_6, six) if game.point != 6 and mine.spare >= six else 0
    if more > 0:
        return PLACE_6, more
    wanted = game.point != 8 if both else game.point == 6 and mine.spare >= six
    return move(PLACE_8, lacking(game, PLACE_8, six) if wanted else 0)


@strategy(Craps, world=amount("world bet", 5), big=amount("bets on big 6 and big 8", 10))
def quick_props(game: Craps, world: int, big: int) -> tuple[int, int]:
    """World, big 6 and big 8 on every roll."""
    more = lacking(game, WORLD, world)
    if more > 0:
        return WORLD, more
    more = lacking(game, BIG_6, big)
    return (BIG_6, more) if more > 0 else move(BIG_8, lacking(game, BIG_8, big))
