"""Sums of dice: convolutions of distributions, by exact multiplication of large numbers.

The cases of a distribution are written one after the other, each with as many decimal digits as the largest result
needs; the product of two such numbers has the cases of the sum in the same way. `decimal` multiplies large numbers
exactly, by a number-theoretic transform.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from math import gcd, log10
from typing import Any

DIGITS = 10
"""Digits that are multiplied in the time in which one pair of values is joined."""
FEW = 2_000
"""Pairs of values that are joined one by one at once."""

EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)

Die = Any
"""An `icepool.Die`: a whole number of equally likely cases for each value."""


def cost(left: Die, right: Die) -> float:
    """Return the steps of `added`, in pairs of values that are joined."""
    pairs = len(left) * len(right)
    return pairs if pairs <= FEW else min(pairs, _digits(left, right) / DIGITS)


def added(left: Die, right: Die) -> Die:
    """Return the distribution of the sum.

    >>> import icepool
    >>> added(icepool.d6, icepool.d6).equals(icepool.d6 + icepool.d6)
    True
    """
    import icepool

    if len(left) * len(right) <= FEW or cost(left, right) == len(left) * len(right):
        return left + right
    step, width = _step(left, right), len(str(left.denominator() * right.denominator()))
    product = EXACT.multiply(_written(left, step, width), _written(right, step, width))
    low = left.min_outcome() + right.min_outcome()
    count = (left.max_outcome() + right.max_outcome() - low) // step + 1
    digits = format(product, "f").zfill(width * count)
    cases = (int(digits[at : at + width]) for at in range(width * (count - 1), -1, -width))
    return icepool.Die({low + step * place: n for place, n in enumerate(cases) if n})


def repeated_cost(die: Die, count: int) -> float:
    """Return the steps of `repeated`; a bound, before anything is computed."""
    spread = die.max_outcome() - die.min_outcome()
    places = spread // _step(die, die) + 1 if spread else 1
    return power_cost(len(die), places, log10(die.denominator()), count)


def power_cost(values: int, places: int, digits: float, count: int) -> float:
    """Return the steps of the sum of `count` dice with so many values, at so many places, and with cases of so many
    digits.
    """
    if count < 2:
        return 0
    return min((values * count) ** 2 / 3, 2 * places * count * (digits * count + 1) / DIGITS)


def repeated(die: Die, count: int) -> Die:
    """Return the sum of `count` dice, by doubling; 0 without dice.

    >>> import icepool
    >>> repeated(icepool.d6, 5).equals(5 @ icepool.d6)
    True
    """
    import icepool

    result = None
    while count:
        if count & 1:
            result = die if result is None else added(result, die)
        count >>= 1
        die = added(die, die) if count else die
    return icepool.Die([0]) if result is None else result


def _step(left: Die, right: Die) -> int:
    """Return the largest number that divides all differences of values."""
    values = [list(map(int, die.outcomes())) for die in ((left,) if left is right else (left, right))]
    return gcd(*(value - one[0] for one in values for value in one)) or 1


def _digits(left: Die, right: Die) -> int:
    """Return the digits of the product."""
    spread = sum(die.max_outcome() - die.min_outcome() for die in (left, right))
    digits: int = (spread // _step(left, right) + 1) * len(str(left.denominator() * right.denominator()))
    return digits


def _written(die: Die, step: int, width: int) -> Decimal:
    """Return the cases of a distribution as one number, those of the lowest value last."""
    low = die.min_outcome()
    places = [0] * ((die.max_outcome() - low) // step + 1)
    for value, cases in die.items():
        places[(value - low) // step] = cases
    return Decimal("".join(f"{cases:0{width}d}" for cases in reversed(places)))
