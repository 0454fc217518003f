"""What a bet of craps is: one row of data.

A bet is made at one time, and decided by throws. In the simplest case throws win, lose, or leave it where it is. A
*riding* bet (pass, come, don't pass, don't come) has its first throw, and rides from then on with the number thrown or
against it. A *side* bet counts something over many throws. Every row says all that a game has to know of its bet.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from dicelab.craps.rolls import EVERY, WAYS, Throws, ways


class Kind(IntEnum):
    """How a bet is decided."""

    FIXED = 0
    """By the same throws always."""
    RIDES = 1
    """By the first throw, or from then on by the number that it showed, or 7."""
    ALL = 2
    """Won once all of several totals have been thrown, lost by a 7 before."""
    REPEAT = 3
    """Won once a total has been thrown several times, lost by a 7 before."""
    FIRE = 4
    """By the different points made before the seven-out."""


class When(IntEnum):
    """When a bet may be made."""

    ANY = 0
    COME_OUT = 1
    """Before a come-out: the puck is OFF."""
    POINT = 2
    """While a point stands: the puck is ON."""
    SHOOTER = 3
    """Before the first throw of a shooter."""


class Commission(IntEnum):
    """When the house takes its twentieth of a bet at true odds."""

    NONE = 0
    UP_FRONT = 1
    ON_WIN = 2


class Win(NamedTuple):
    """Throws that win, and the odds that they are paid: ``Win(totals(7), 4, 1)`` is 4 to 1, the stake returned as well.

    Zero to 1 is a push: the stake is returned alone.
    """

    throws: Throws
    to: int
    each: int = 1


STAYS, LOSES = -2, -1
"""What a throw does to a bet that it does not pay; of a riding bet, that stays, the first throw becomes the number."""

LEVELS = (3, 4, 5, 6)
"""Different points made for which a fire bet may pay."""


@dataclass(frozen=True)
class Bet:
    """One bet.

    Attributes
    ----------
    id, name
        What commands call it; what people call it.
    section
        Where it belongs: ``line``, ``odds``, ``place``, ``hardway``, ``one throw``, ``put``, ``side`` or ``crapless``.
    wins, loses
        Throws that pay it, and throws that lose it; of a riding bet these are about its first throw.
    kind
        How it is decided.
    when
        When it may be made.
    rides
        1 for a bet that rides with its number, -1 for one against it.
    odds
        How many times the stake is taken (or laid) as odds behind the number 6 or 8, 5 or 9, 4 or 10, 3 or 11, 2 or 12.
    gathers, times
        Totals that a side bet counts, and how often one has to be thrown.
    levels
        What a fire bet pays to 1 for 3, 4, 5 and 6 different points.
    commission
        When the house takes a twentieth; `of_the_win` says that it is one of the possible win, not of the stake.
    off
        It does not work on come-outs, usually.
    contract
        It can't be taken down once it has a number.
    comes_down
        It is taken down when it has won.
    quoted
        ``to`` or ``for``: how layouts say what it pays.
    edge
        What is published, per bet made: a fraction, or a percentage with as many digits as are known; empty where
        nothing is. `dicelab.craps.catalogue.PUBLISHED` says where.
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
        """The stake of which everything that it pays by its odds is whole."""
        return lcm(*(each for _, _, each in self.wins))

    @property
    def results(self) -> tuple[int, ...]:
        """What each of the 36 throws does: `STAYS`, `LOSES`, or the win of a stake of `each`."""
        found = [STAYS] * WAYS
        for throw in self.loses:
            found[throw] = LOSES
        for throws, to, each in self.wins:
            for throw in throws:
                found[throw] = to * self.each // each
        return tuple(found)

    @property
    def one_throw(self) -> bool:
        """Is it decided by the next throw, whatever that shows?"""
        return self.kind == Kind.FIXED and STAYS not in self.results

    def unit(self, *, commission: bool = True) -> int:
        """The smallest stake of which everything that it may pay is whole; with its exact commission, or without."""
        parts = [Fraction(1, self.each)]
        for distance, behind in enumerate(self.odds, 1):
            true = Fraction(6, 6 - distance) ** self.rides
            parts += [behind, behind * true]
        if commission and self.commission:
            parts += [Fraction(to, 20 * each) if self.of_the_win else Fraction(1, 20) for _, to, each in self.wins]
        return lcm(*(part.denominator for part in parts))


def others(*wins: Win) -> Throws:
    """Every throw that none of these wins: a bet of one throw loses with it."""
    paid = {throw for throws, _, _ in wins for throw in throws}
    return tuple(throw for throw in EVERY if throw not in paid)


def true_odds(total: int) -> Fraction:
    """What a bet on a total before 7 would pay in a fair game.

    >>> true_odds(4), true_odds(6)
    (Fraction(2, 1), Fraction(6, 5))
    """
    return Fraction(6, ways(total))
