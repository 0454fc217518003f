"""An exact number: what is computed from it, and how it is written as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import Any

MOST_DIGITS = 40
"""Most digits, numerator and denominator together, of a fraction that is shown."""


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
