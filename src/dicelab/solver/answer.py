"""What is computed for a chain: outcome probabilities, and for each tally its moments and its distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

from dicelab.solver.solution.distribution import Spread


@dataclass(frozen=True)
class Counted:
    """Mean, standard deviation and distribution of a tally.

    Attributes
    ----------
    mean, sd
        Mean and standard deviation; NaN for a `Peak` whose distribution does not fit.
    error
        Bound on the error of both; 0 where the mean is a fraction.
    fraction
        The mean, where the chain was solved in fractions.
    spread
        The distribution; None where it does not fit. It is not joint with the outcome where that would multiply the
        work by the number of seats.

    Examples
    --------
    >>> Counted(mean=2.5, sd=1.25, error=0.0, fraction=Fraction(5, 2), spread=None)
    Counted(mean=2.5, sd=1.25, error=0.0)
    """

    mean: float
    sd: float
    error: float
    fraction: Fraction | None = field(repr=False)
    spread: Spread | None = field(repr=False)


@dataclass(frozen=True)
class Answer:
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
    tallies: tuple[Counted, ...]
    states: int
    edges: int
    error: float
    seconds: float


def from_spread(spread: Spread, error: float, width: float) -> Counted:
    """Return a tally by its distribution; `error` bounds that of every probability, `width` the
    distance of two values.
    """
    whole = spread.chances.sum()
    mean = float(spread.chances @ spread.values / whole)
    sd = sqrt(float(spread.chances @ (spread.values - mean) ** 2 / whole))
    wrong = 3 * error * width**2  # bounds the error of the variance
    bound = max(2 * error * width, min(wrong / sd, sqrt(wrong)) if sd > 0 else sqrt(wrong))
    return Counted(mean, sd, float(bound + 1e-15 * (abs(mean) + width)), None, spread)
