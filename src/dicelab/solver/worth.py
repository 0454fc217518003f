"""The worth of states: expected values from several states of a game to its end, by one solution of the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.enumerate import Progress
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.plan import arranged
from dicelab.solver.solution.expectations import Absorption
from dicelab.solver.solution.rationals import Rational
from dicelab.solver.value import Value

Numbers = tuple[int, ...]
"""A state in which dice are rolled, as the list of its numbers."""
Whole = NDArray[np.int64]


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
        As in `dicelab.solver.exact_answer.answer`.

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
