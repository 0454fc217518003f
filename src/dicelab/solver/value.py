"""Exact numbers and their errors: a value, an outcome's probability, a tally's distribution, and all of a chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from dicelab.errors import ParameterError

if TYPE_CHECKING:
    from dicelab.solver.solution.distribution import Spread
from math import sqrt

MOST_DIGITS = 40
"""Most digits, numerator and denominator together, of a fraction that is shown."""
PERCENTILES = {"p10": 0.1, "p50": 0.5, "p90": 0.9}
"""Percentiles shown in every table."""


@dataclass(frozen=True)
class Value:
    """An exact number: a fraction, or a float with a bound on its error.

    Attributes
    ----------
    value
        The number.
    fraction
        The same as a fraction; None where the chain was solved in floating point.
    error
        Bound on the error of `value`; 0 where there is a fraction.

    Examples
    --------
    >>> Value.of(Fraction(1, 4))
    Value(value=0.25, fraction=Fraction(1, 4), error=0.0)
    """

    value: float
    fraction: Fraction | None = None
    error: float = 0.0

    def minus(self, other: Value) -> Value:
        """Return the difference from another number."""
        if self.fraction is None or other.fraction is None:
            return Value(self.value - other.value, None, self.error + other.error)
        return Value.of(self.fraction - other.fraction)

    def plus(self, whole: int) -> Value:
        """Return the sum with a whole number."""
        return self.minus(Value.of(Fraction(-whole))) if whole else self

    def __neg__(self) -> Value:
        return Value(-self.value, None, self.error) if self.fraction is None else Value.of(-self.fraction)

    def __truediv__(self, other: Value) -> Value:
        if self.fraction is not None and other.fraction is not None:
            return Value.of(self.fraction / other.fraction)
        value, sure = self.value / other.value, abs(other.value) - other.error
        return Value(value, None, (self.error + abs(value) * other.error) / sure if sure > 0 else inf)

    def to_dict(self, name: str = "value", most: int = MOST_DIGITS) -> dict[str, Any]:
        """Plain data: the number under a name, the fraction if it has at most so many digits, and the error if any."""
        error = {"error": known(self.error)} if self.error else {}
        return {name: self.value, **shown_fraction(self.fraction, most), **error}

    @classmethod
    def of(cls, fraction: Fraction) -> Value:
        """Return a number that is a fraction.

        >>> Value.of(Fraction(1, 4)).minus(Value.of(Fraction(1, 2)))
        Value(value=-0.25, fraction=Fraction(-1, 4), error=0.0)
        """
        return cls(float(fraction), fraction)


@dataclass(frozen=True, repr=False)
class Chance(Value):
    """Exact probability of an outcome.

    Examples
    --------
    >>> import dicelab
    >>> dicelab.exact("hazard", main=7).outcomes["win"]
    Chance(probability=0.49292929292929294, error=0.0)
    """

    def __repr__(self) -> str:
        return f"Chance(probability={self.probability!r}, error={self.error!r})"

    @property
    def probability(self) -> float:
        """The number."""
        return self.value

    @property
    def interval(self) -> tuple[float, float]:
        """The probability plus and minus its error bound; a single point where there is a fraction."""
        return max(0.0, self.probability - self.error), min(1.0, self.probability + self.error)

    def to_dict(self, name: str = "probability", most: int = MOST_DIGITS) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return super().to_dict(name, most)


@dataclass(frozen=True)
class Distribution:
    """Exact distribution of a tally.

    Attributes
    ----------
    mean, sd
        Mean and standard deviation.
    fraction
        The mean as a fraction, where the chain was small enough.
    error
        Bound on the error of both; 0 where the mean is a fraction. All three are NaN for a `Peak` whose distribution
        takes too much memory.
    spread
        The distribution itself; None where it took too much memory.

    Examples
    --------
    >>> import dicelab
    >>> throws = dicelab.exact("hazard", main=7).tallies["throws"]
    >>> str(throws.fraction), throws.percentile(0.5), round(throws.probabilities[1], 6)
    ('557/165', 2, 0.333333)
    """

    mean: float
    sd: float
    fraction: Fraction | None = field(repr=False)
    error: float
    spread: Spread | None = field(repr=False)

    @property
    def interval(self) -> tuple[float, float]:
        """The mean plus and minus its error bound."""
        return self.mean - self.error, self.mean + self.error

    @property
    def probabilities(self) -> dict[int, float]:
        """Probability by value, values rising; their sum is 1 minus `left`."""
        if self.spread is None:
            return {}
        return dict(zip(self.spread.values.tolist(), self.spread.chances.tolist(), strict=True))

    @property
    def left(self) -> float:
        """Probability of the values that are not listed."""
        return 1.0 if self.spread is None else float(self.spread.left)

    @property
    def smallest(self) -> int | None:
        """Smallest possible value; None without a distribution."""
        return None if self.spread is None else int(self.spread.values[0])

    @property
    def largest(self) -> int | None:
        """Largest possible value; None without a distribution, or if values are not listed (`left`)."""
        return None if self.spread is None or self.left else int(self.spread.values[-1])

    def percentile(self, p: float) -> int | None:
        """Smallest value exceeded with probability at most ``1 - p``; None without a distribution."""
        return None if self.spread is None else self.spread.percentile(share(p))

    def percentile_interval(self, p: float) -> tuple[int, int] | None:
        """Smallest and largest possible percentile: equal unless the error of a cumulative probability covers `p`."""
        return None if self.spread is None else self.spread.percentile_interval(share(p))

    def to_dict(self, shares: Mapping[str, float] = PERCENTILES) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line, with these percentiles."""
        data: dict[str, Any] = {"mean": known(self.mean), "sd": known(self.sd), **shown_fraction(self.fraction)}
        data |= {"error": known(self.error)} if self.error else {}
        if self.spread is not None:
            data |= {"min": self.smallest}
            data |= {"percentiles": {name: self.percentile(p) for name, p in shares.items()}}
            data |= {"left": self.left}
        return data


def known(number: float | None) -> float | None:
    """Return a number for JSON; None for NaN and infinity, which JSON does not have.

    >>> known(1.5), known(float("nan"))
    (1.5, None)
    """
    return number if number is not None and isfinite(number) else None


def shown_fraction(fraction: Fraction | None, most: int = MOST_DIGITS) -> Mapping[str, str]:
    """Return a fraction for plain data; nothing if it has more than `most` digits.

    >>> shown_fraction(Fraction(244, 495))
    {'fraction': '244/495'}
    """
    if fraction is None or max(abs(fraction.numerator), fraction.denominator) >= 10**most:
        return {}
    text = str(fraction)
    return {"fraction": text} if sum(letter.isdigit() for letter in text) <= most else {}


def share(p: object) -> float:
    """`p` as a float, if it is between 0 and 1."""
    if not isinstance(p, int | float) or not 0 <= p <= 1:
        raise ParameterError(f"a percentile of {p!r} is not allowed; it takes a share, 0 to 1: 0.9 for the 90th")
    return float(p)


@dataclass(frozen=True)
class ExactAnswer:
    """Everything that was computed for a chain.

    Attributes
    ----------
    chances, fractions
        Probability of each outcome; also as fractions, where the chain was small enough.
    tallies
        The requested tallies, in the order declared.
    states, edges
        Size of the chain; states that differ only by a rotation of the seats count once. With counter abstraction: the
        largest number of pairs of state and counters at one time, and the number of transitions.
    error
        Bound on the error of the probabilities; 0 where they are fractions.
    seconds
        Time taken, without compilation.
    """

    chances: tuple[float, ...]
    fractions: tuple[Fraction, ...] | None = field(repr=False)
    tallies: tuple[Distribution, ...]
    states: int
    edges: int
    error: float
    seconds: float


def from_spread(spread: Spread, error: float, width: float) -> Distribution:
    """Return a tally by its distribution; `error` bounds that of every probability, `width` the
    distance of two values.
    """
    whole = spread.chances.sum()
    mean = float(spread.chances @ spread.values / whole)
    sd = sqrt(float(spread.chances @ (spread.values - mean) ** 2 / whole))
    wrong = 3 * error * width**2  # bounds the error of the variance
    bound = max(2 * error * width, min(wrong / sd, sqrt(wrong)) if sd > 0 else sqrt(wrong))
    return Distribution(mean, sd, None, float(bound + 1e-15 * (abs(mean) + width)), spread)
