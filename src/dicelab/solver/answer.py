"""What is computed for a chain: outcome probabilities, and for each tally its moments and its distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

from dicelab.solver.solution.distribution import Spread
from dicelab.solver.value import Distribution


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
