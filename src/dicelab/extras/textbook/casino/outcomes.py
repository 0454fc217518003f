"""Outcomes: the events on which bets are made, with their odds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from dicelab.errors import ParameterError, unknown
from dicelab.extras.craps.bet import POINTS
from dicelab.extras.textbook.casino import house
from dicelab.rules.params import as_integer


class HasDice(Protocol):
    """A throw, as needed for payouts."""

    def key(self) -> tuple[int, int]:
        """Return the two dice."""
        ...


@dataclass(frozen=True, eq=False)
class Outcome:
    """An event to bet on, with its odds; outcomes of the same name are equal.

    Parameters
    ----------
    name
        Name of the event.
    numerator, denominator
        The odds: 27, 4 pays 27 for a bet of 4, which is returned as well. The first may be a fraction, and the second
        left out.

    Raises
    ------
    ParameterError
        When the odds are not such numbers.

    Examples
    --------
    >>> horn = Outcome("Horn", 27, 4)
    >>> str(horn), horn.winAmount(8), horn == Outcome("Horn", 3)
    ('Horn (27:4)', Fraction(54, 1), True)
    """

    name: str
    numerator: int | Fraction
    denominator: int = 1

    def __post_init__(self) -> None:
        exact = isinstance(self.numerator, Fraction)
        numbers = 0 if exact else as_integer(self.numerator), as_integer(self.denominator)
        if None in numbers or self.numerator < 0 or self.denominator < 1:
            text = f"{self.name}: odds of {self.numerator!r}:{self.denominator!r} are not allowed"
            raise ParameterError(f"{text}; both are whole numbers, the first not negative, the second above 0")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def odds(self) -> Fraction:
        """The win per unit of the bet."""
        return Fraction(self.numerator, self.denominator)

    def winAmount(self, amount: Fraction | int = 1, throw: HasDice | None = None) -> Fraction:
        """Return the win of a bet of this amount, without the stake; the throw makes no difference."""
        return self.odds * amount

    def __str__(self) -> str:
        return f"{self.name} ({ratio(self.odds)})"


class OutcomeByThrow(Outcome):
    """A one-throw bet whose odds depend on the throw; `odds` are those of most of its winning throws.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import throw_of
    >>> field = OutcomeField()
    >>> str(field.odds), str(field.winAmount(10)), str(field.winAmount(10, throw_of(1, 1)))
    ('1', '10', '20')
    """

    called: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(self.called, house.pays(self.called))

    def winAmount(self, amount: Fraction | int = 1, throw: HasDice | None = None) -> Fraction:
        """Return the win of a bet of this amount with the throw, 0 if it loses; without a throw, by its `odds`."""
        if throw is None:
            return super().winAmount(amount)
        return house.verdict(self.name, None, throw.key()).odds * amount


class OutcomeField(OutcomeByThrow):
    """The field.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import throw_of
    >>> str(OutcomeField()), [int(OutcomeField().winAmount(10, throw_of(1, d2))) for d2 in (1, 2, 6)]
    ('Field (1:1, 2 and 12 2:1)', [20, 10, 0])
    """

    called = "Field"

    def __str__(self) -> str:
        (usual, _), *others = house.paid_by_total(self.name).items()
        special = [f"{' and '.join(map(str, totals))} {ratio(odds)}" for odds, totals in others]
        return f"{self.name} ({', '.join([ratio(usual), *special])})"


class OutcomeHorn(OutcomeByThrow):
    """The horn.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import throw_of
    >>> str(OutcomeHorn()), [int(OutcomeHorn().winAmount(4, throw_of(1, d2))) for d2 in (1, 2, 3)]
    ('Horn (27:4, 3:1)', [27, 12, 0])
    """

    called = "Horn"

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(map(ratio, house.paid_by_total(self.name)))})"


BY_THROW = {kind.called: kind for kind in (OutcomeField, OutcomeHorn)}


def outcome_of(name: str, point: int | None = None) -> Outcome:
    """Return the outcome of this name, with the odds of the house.

    Parameters
    ----------
    name
        One of those in `dicelab.extras.textbook.casino.house.SPOT`.
    point
        For odds behind a line: the point.

    Raises
    ------
    UnknownNameError
        When there is no outcome of this name.
    ParameterError
        When the outcome is the odds of a line bet, and there is no point.

    Examples
    --------
    >>> print(outcome_of("Place 6"), outcome_of("Don't Pass Odds", 5))
    Place 6 (7:6) Don't Pass Odds (2:3)
    """
    if name not in house.SPOT:
        raise unknown("outcome", name, house.SPOT)
    if name in ("Pass Odds", "Don't Pass Odds") and point not in POINTS:
        raise ParameterError(f"{name}: the odds are known only with a point: 4, 5, 6, 8, 9 or 10, not {point!r}")
    return BY_THROW[name]() if name in BY_THROW else Outcome(name, house.pays(name, point))


def ratio(odds: Fraction) -> str:
    """Odds as text.

    >>> ratio(Fraction(27, 4))
    '27:4'
    """
    return f"{odds.numerator}:{odds.denominator}"
