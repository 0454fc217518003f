"""What bets are made on."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dicelab.craps.throws import POINTS
from dicelab.errors import ParameterError, unknown
from dicelab.rules.params import as_integer
from dicelab.textbook.casino import house


@dataclass(frozen=True)
class Outcome:
    """Something to bet on, and what it pays; equal to every outcome of the same name.

    Parameters
    ----------
    name
        What the bet is on.
    numerator, denominator
        The odds: 27, 4 pays 27 for a bet of 4, which is returned as well.

    Examples
    --------
    >>> horn = Outcome("Horn", 27, 4)
    >>> str(horn), horn.winAmount(8), horn == Outcome("Horn", 3)
    ('Horn (27:4)', Fraction(54, 1), True)
    """

    name: str
    numerator: int = field(compare=False)
    denominator: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        numbers = as_integer(self.numerator), as_integer(self.denominator)
        if None in numbers or self.numerator < 0 or self.denominator < 1:
            told = f"{self.name}: odds of {self.numerator!r}:{self.denominator!r} are not allowed"
            raise ParameterError(f"{told}; both are whole numbers, the first not negative, the second above 0")

    @property
    def odds(self) -> Fraction:
        """What is won for each unit that is bet."""
        return Fraction(self.numerator, self.denominator)

    def winAmount(self, amount: Fraction | int) -> Fraction:
        """What a bet of this amount wins, without the bet itself."""
        return self.odds * amount

    def __str__(self) -> str:
        return f"{self.name} ({self.odds.numerator}:{self.odds.denominator})"


def outcome_of(name: str, point: int | None = None) -> Outcome:
    """The outcome of this name, with the odds of the house.

    Parameters
    ----------
    name
        One of those in `dicelab.textbook.casino.house.SPOT`.
    point
        For odds behind a line: the point.

    Raises
    ------
    UnknownNameError
        When there is none of this name.
    ParameterError
        When odds behind a line are wanted without a point.

    Examples
    --------
    >>> print(outcome_of("Place 6"), outcome_of("Don't Pass Odds", 5))
    Place 6 (7:6) Don't Pass Odds (2:3)
    """
    if name not in house.SPOT:
        raise unknown("outcome", name, house.SPOT)
    if name in ("Pass Odds", "Don't Pass Odds") and point not in POINTS:
        raise ParameterError(f"{name}: the odds are known only with a point: 4, 5, 6, 8, 9 or 10, not {point!r}")
    return Outcome(name, *house.pays(name, point).as_integer_ratio())
