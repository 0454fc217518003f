"""The worth of states: expected values from several states of a game to its end, by one solution of the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumeration.enumerate import Progress
from dicelab.chains.enumeration.estimate import graph_ahead
from dicelab.chains.plan import arranged
from dicelab.chains.solution.expectations import Absorption
from dicelab.chains.solution.rationals import Rational
from dicelab.runtime.lineup import Run

Numbers = tuple[int, ...]
"""A state in which dice are rolled, as the list of its numbers."""
Whole = NDArray[np.int64]


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
        """The difference from another number."""
        if self.fraction is None or other.fraction is None:
            return Value(self.value - other.value, None, self.error + other.error)
        return Value.of(self.fraction - other.fraction)

    def plus(self, whole: int) -> Value:
        """The sum with a whole number."""
        return self.minus(Value.of(Fraction(-whole))) if whole else self

    @classmethod
    def of(cls, fraction: Fraction) -> Value:
        """A number that is a fraction.

        >>> Value.of(Fraction(1, 4)).minus(Value.of(Fraction(1, 2)))
        Value(value=-0.25, fraction=Fraction(-1, 4), error=0.0)
        """
        return cls(float(fraction), fraction)


@dataclass(frozen=True)
class Worths:
    """The worth of some states: probabilities of the outcomes, or the expected increase of a tally until the end.

    Attributes
    ----------
    of
        By state, one value for each outcome, or one for the tally.
    states
        Number of states of the chain.
    fractions
        Whether it was solved in fractions.
    """

    of: dict[Numbers, tuple[Value, ...]]
    states: int
    fractions: bool


def worths(
    run: Run,
    roots: Sequence[Numbers],
    tally: int | None = None,
    fractions: bool | None = None,
    memory: int | None = None,
    progress: Progress = lambda found, expanded: None,
) -> Worths:
    """The worth of each of the `roots`: of the outcomes, or of the tally with this place.

    Parameters
    ----------
    run
        The game and its strategies.
    roots
        States in which dice are rolled; they need not be reachable from the start.
    tally
        The place of a tally that is a sum; None for the outcomes.
    fractions, memory, progress
        As in `dicelab.chains.exact_answer.answer`.

    Raises
    ------
    TooLarge, ParameterError, PlayError
    """
    if not roots:
        return Worths({}, 0, fractions is not False)
    graph = graph_ahead(run, (), memory, progress, roots=roots)
    edges, exactly = arranged(graph, fractions)
    start = [] if graph.start < 0 else [graph.slots.unpack(graph.keys[graph.start].tolist())]
    number = {here: i for i, here in enumerate(dict.fromkeys([*start, *roots]))}  # as `graph_of` numbers them
    rank = np.empty(graph.states, np.int64)
    rank[edges.order] = np.arange(graph.states)
    places = rank[[number[here] for here in roots]]
    gain, prizes = np.zeros(len(graph.changes), np.int64), np.eye(graph.outcomes, dtype=np.int64)
    if tally is not None:
        gain, prizes = graph.changes[:, tally], np.zeros((1, graph.outcomes), np.int64)
    solver = exactly or Absorption(edges, edges.start, graph.outcomes)
    columns = [_values(solver, edges.change, gain, prize, places.tolist()) for prize in prizes]
    return Worths(dict(zip(roots, zip(*columns, strict=True), strict=True)), graph.states, exactly is not None)


def _values(solver: Rational | Absorption, change: Whole, gain: Whole, prize: Whole, places: list[int]) -> list[Value]:
    """The values at these places of the order of a chain; `change` is that of its labels."""
    if isinstance(solver, Rational):
        values = solver.values(gain.tolist(), prize.tolist())
        return [Value.of(values[place]) for place in places]
    value, error = solver.value_of(gain[change].astype(np.float64), prize.astype(np.float64))
    return [Value(float(value[place]), None, float(error[place])) for place in places]
