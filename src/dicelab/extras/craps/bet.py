"""A bet of craps as a row of data.

For most bets each roll wins, loses, or leaves the bet in place. A *riding* bet (pass, come, don't pass, don't come)
has a first roll that may decide it; otherwise it then rides with the number rolled, or against it. A *side* bet counts
events over many rolls. A row has everything that a game needs to know about its bet.

The 36 ordered rolls 1-1, 1-2, ... 6-6 are numbered 0 to 35. A set of rolls is a tuple of their numbers; its length
divided by 36 is its probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from math import lcm
from typing import NamedTuple

Throws = tuple[int, ...]

FACES = range(1, 7)
WAYS = 36
EVERY: Throws = tuple(range(WAYS))
POINTS = (4, 5, 6, 8, 9, 10)
"""Totals that can become a point; at a crapless table all totals but 7 can."""


def number(one: int, two: int) -> int:
    """Return the number of a roll, 0 to 35.

    >>> number(1, 1), number(6, 6)
    (0, 35)
    """
    return 6 * one + two - 7


def totals(*wanted: int) -> Throws:
    """Return the rolls with any of these totals.

    >>> len(totals(7)), len(totals(2, 3, 12))
    (6, 4)
    """
    return tuple(number(one, two) for one in FACES for two in FACES if one + two in wanted)


def pair(one: int, two: int) -> Throws:
    """Return the rolls that show these two faces, in either order.

    >>> len(pair(3, 3)), len(pair(2, 4))
    (1, 2)
    """
    return tuple(sorted({number(one, two), number(two, one)}))


def easy(total: int) -> Throws:
    """Return the rolls of a total that are not a pair."""
    return tuple(throw for throw in totals(total) if throw % 7)


def ways(total: int) -> int:
    """Return the number of rolls, of 36, with a total.

    >>> [ways(total) for total in range(2, 13)]
    [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    """
    return 6 - abs(7 - total)


class Kind(IntEnum):
    """How a bet is decided."""

    FIXED = 0
    """By the same rolls throughout."""
    RIDES = 1
    """By the first roll, or otherwise by whichever comes first afterwards: the number of that roll, or 7."""
    ALL = 2
    """Won when each of several totals has been rolled before a 7."""
    REPEAT = 3
    """Won when a total has been rolled a given number of times before a 7."""
    FIRE = 4
    """By the number of different points made before the seven-out."""


class When(IntEnum):
    """When a bet may be made."""

    ANY = 0
    COME_OUT = 1
    """Before a come-out: the puck is OFF."""
    POINT = 2
    """While there is a point: the puck is ON."""
    SHOOTER = 3
    """Before the first roll of a shooter."""


class Commission(IntEnum):
    """When the house takes its commission of 5 % on a bet paid at true odds."""

    NONE = 0
    UP_FRONT = 1
    ON_WIN = 2


class Win(NamedTuple):
    """Rolls that win, and the odds: ``Win(totals(7), 4, 1)`` pays 4 to 1 and returns the stake.

    Odds of 0 to 1 are a push: only the stake is returned.
    """

    throws: Throws
    to: int
    each: int = 1


STAYS, LOSES = -2, -1
"""Effects of a roll that doesn't pay: the bet stays (a riding bet then takes the total as its number), or it loses."""

LEVELS = (3, 4, 5, 6)
"""Numbers of different points for which a fire bet may pay."""


@dataclass(frozen=True)
class TableBet:
    """One bet.

    Attributes
    ----------
    id, name
        Its name in commands; its name for players.
    section
        Its group: ``line``, ``odds``, ``place``, ``hardway``, ``one throw``, ``put``, ``side`` or ``crapless``.
    wins, loses
        Rolls that pay, and rolls that lose; for a riding bet on its first roll.
    kind
        How it is decided.
    when
        When it may be made.
    rides
        1 if it rides with its number, -1 if against it, 0 if it doesn't ride.
    odds
        Odds taken or laid, in multiples of the stake, if the number is 6 or 8, 5 or 9, 4 or 10, 3 or 11, 2 or 12.
    gathers, times
        Totals that a side bet counts, and how often one of them must be rolled.
    levels
        What a fire bet pays to 1 for 3, 4, 5 and 6 different points.
    commission
        When the house takes 5 %: of the possible win if `of_the_win`, otherwise of the stake.
    off
        Whether it is usually off on come-outs.
    contract
        Whether it can't be taken down once it has a number.
    comes_down
        Whether it is taken down after a win.
    quoted
        ``to`` or ``for``: how layouts state the payout.
    edge
        The published house edge per bet made: a fraction, or a percentage with the digits published; "" if none is.
        `dicelab.extras.craps.catalogue.PUBLISHED` has the sources.
    """

    id: str
    name: str
    section: str
    wins: tuple[Win, ...] = ()
    loses: Throws = ()
    kind: Kind = Kind.FIXED
    when: When = When.ANY
    rides: int = 0
    odds: tuple[Fraction, ...] = (Fraction(0),) * 5
    gathers: tuple[int, ...] = ()
    times: int = 0
    levels: tuple[int, int, int, int] = (0, 0, 0, 0)
    commission: Commission = Commission.NONE
    of_the_win: bool = False
    off: bool = False
    contract: bool = False
    comes_down: bool = True
    quoted: str = "to"
    edge: str = ""

    @property
    def each(self) -> int:
        """The smallest stake for which all payouts are whole numbers, odds bets and commission not considered."""
        return lcm(*(each for _, _, each in self.wins))

    @property
    def results(self) -> tuple[int, ...]:
        """The effect of each of the 36 rolls: `STAYS`, `LOSES`, or the win on a stake of `each`."""
        results = [STAYS] * WAYS
        for throw in self.loses:
            results[throw] = LOSES
        for throws, to, each in self.wins:
            for throw in throws:
                results[throw] = to * self.each // each
        return tuple(results)

    @property
    def one_throw(self) -> bool:
        """Whether the next roll decides it in any case."""
        return self.kind == Kind.FIXED and STAYS not in self.results

    def unit(self, *, commission: bool = True) -> int:
        """Return the smallest stake for which all payouts and odds (if asked, the exact commission)
        are whole numbers.
        """
        parts = [Fraction(1, self.each)]
        for distance, behind in enumerate(self.odds, 1):
            true = Fraction(6, 6 - distance) ** self.rides  # laid odds pay the inverse of the true odds
            parts += [behind, behind * true]
        if commission and self.commission:
            parts += [Fraction(to, 20 * each) if self.of_the_win else Fraction(1, 20) for _, to, each in self.wins]
        return lcm(*(part.denominator for part in parts))


def others(*wins: Win) -> Throws:
    """Return all rolls for which none of these pays; a bet on one roll loses with them."""
    paid = {throw for throws, _, _ in wins for throw in throws}
    return tuple(throw for throw in EVERY if throw not in paid)


def true_odds(total: int) -> Fraction:
    """Return the fair odds of rolling a total before a 7.

    >>> true_odds(4), true_odds(6)
    (Fraction(2, 1), Fraction(6, 5))
    """
    return Fraction(6, ways(total))


# Commission -----------------------------------------------------------------------------------------------------------
#
# The house's commission (vig) of 5 %, in whole units of money.

ROUNDINGS = ("exact", "down", "nearest", "up")
"""How it is rounded; ``exact`` is for amounts that are multiples of 20."""
EXACT, DOWN, NEAREST, UP = range(4)


def twentieth(money: int, rounding: int) -> int:
    """Return a twentieth of an amount; at least 1 unless `rounding` is `EXACT`.

    >>> [twentieth(35, rounding) for rounding in (DOWN, NEAREST, UP)], twentieth(40, EXACT)
    ([1, 2, 2], 2)
    """
    if rounding == EXACT:
        return money // 20
    if rounding == DOWN:
        return max(1, money // 20)
    if rounding == NEAREST:
        return max(1, (money + 10) // 20)
    return max(1, (money + 19) // 20)
