"""Everything that is known exactly of a game with its strategies: outcomes, and the distribution of each tally."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.absorb import Absorption, counts_steps, values
from dicelab.chains.chain import Edges, Numbers, ordered
from dicelab.chains.enumerate import Progress, graph_of
from dicelab.chains.graph import UNRAISED, Graph
from dicelab.chains.rational import Exactly, Rational, worth_while
from dicelab.chains.spread import Spread, spread
from dicelab.engines.plan import Run, usable_threads
from dicelab.engines.stopwatch import Stopwatch
from dicelab.errors import ParameterError
from dicelab.rules.fields import Peak


@dataclass(frozen=True)
class Counted:
    """What a tally comes to: mean, deviation, fractions where there are some, distribution where it fits."""

    mean: float
    sd: float
    fraction: Fraction | None = field(repr=False)
    spread: Spread | None = field(repr=False)


@dataclass(frozen=True)
class Answer:
    """What a chain comes to.

    Attributes
    ----------
    chances, fractions
        Probability of each outcome; as fractions too, where the chain was small enough.
    tallies
        In the order declared.
    states, edges
        Size of the chain.
    error
        Bound on the error of every probability, mean and deviation; 0 where they are fractions.
    seconds
        Time taken, compilation apart.
    """

    chances: tuple[float, ...]
    fractions: tuple[Fraction, ...] | None = field(repr=False)
    tallies: tuple[Counted, ...]
    states: int
    edges: int
    error: float
    seconds: float


def answer(
    run: Run,
    fractions: bool | None = None,
    memory: int | None = None,
    threads: int | None = None,
    progress: Progress = lambda found, expanded: None,
) -> Answer:
    """Solve the chain of a game with its strategies.

    Parameters
    ----------
    run
        The game and its strategies.
    fractions
        Solve in fractions: always, never, or (None) where the chain is small.
    memory
        Bytes that may be used; half of the machine's when None.
    threads
        Tallies that are followed at the same time; one for each core when None.
    progress
        Called with the positions found and expanded so far.

    Raises
    ------
    TooLarge, ParameterError, PlayError
    """
    watch, workers = Stopwatch(), usable_threads(threads)
    graph = graph_of(run, (), memory, progress)
    if graph.start < 0:
        return _over_at_once(graph, watch.seconds)
    edges = ordered(graph)
    start = int(np.flatnonzero(edges.order == graph.start)[0])
    if fractions and not graph.exact_weights:
        raise ParameterError(f"{run.game.name}: the weights of these dice are too large for fractions")
    exactly = _exactly(graph, edges, start) if fractions or (fractions is None and worth_while(graph, edges)) else None
    with ThreadPoolExecutor(workers) as pool:
        spreads = [pool.submit(_spread, graph, edges, start, k) for k in range(graph.changes.shape[1])]
        absorbing = pool.submit(_absorb, graph, edges, start)
        valued = [pool.submit(_value, graph, edges, k, exactly is None) for k in range(graph.changes.shape[1])]
        absorbed = absorbing.result()
        found = [(s.result(), v.result()) for s, v in zip(spreads, valued, strict=True)]
    counted, errors = _count(graph, edges, absorbed, exactly, found)
    chances = exactly.chances if exactly else absorbed.chances.tolist()
    return Answer(
        tuple(map(float, chances)),
        tuple(exactly.chances) if exactly else None,
        tuple(counted),
        graph.states,
        graph.edges,
        0.0 if exactly else max(absorbed.imbalance, *errors),
        watch.seconds,
    )


def _over_at_once(graph: Graph, seconds: float) -> Answer:
    """The answer for a game that is over before anything is thrown."""
    chances = [float(-1 - graph.start == outcome) for outcome in range(graph.outcomes)]
    tallies = []
    for first in _firsts(graph):
        alone = Spread(np.array([first]), np.array([chances]), 0.0)
        tallies.append(Counted(float(first), 0.0, Fraction(first), alone))
    return Answer(tuple(chances), tuple(map(Fraction, chances)), tuple(tallies), 0, 0, 0.0, seconds)


def _peaks(graph: Graph) -> list[bool]:
    return [isinstance(t, Peak) for t in graph.game.declared.tallies.values()]


def _firsts(graph: Graph) -> list[int]:
    """Value of each tally when the first dice are thrown."""
    first = graph.changes[graph.start_change].tolist()
    return [max(0, value) if peak else value for value, peak in zip(first, _peaks(graph), strict=True)]


def _exactly(graph: Graph, edges: Edges, start: int) -> Exactly:
    adding = [graph.changes[:, k].tolist() for k, peak in enumerate(_peaks(graph)) if not peak]
    return Rational(graph, edges, start).exactly(adding)


def _gain(graph: Graph, edges: Edges, k: int) -> NDArray[np.int64]:
    """What the edges with a label add to a tally."""
    return np.asarray(graph.changes[edges.change, k], np.int64)


def _moves(graph: Graph, edges: Edges, k: int) -> bool:
    """Does any edge change a tally?"""
    return bool((_gain(graph, edges, k) != (UNRAISED if _peaks(graph)[k] else 0)).any())


def _spread(graph: Graph, edges: Edges, start: int, k: int) -> Spread | None:
    """Distribution of one tally; None where it is never counted, or takes too much memory."""
    if not _moves(graph, edges, k):
        return None
    return spread(edges, start, _gain(graph, edges, k), _firsts(graph)[k], _peaks(graph)[k], graph.outcomes)


def _absorb(graph: Graph, edges: Edges, start: int) -> Absorption:
    """The visits, and a bound on the steps."""
    absorbed = Absorption(edges, start, graph.outcomes)
    _ = absorbed.steps, absorbed.imbalance  # now, and so at the same time as other work
    return absorbed


def _value(graph: Graph, edges: Edges, k: int, wanted: bool) -> Numbers | None:
    """The expected sum of a tally from each position, where it is needed and not just the steps."""
    gain = _gain(graph, edges, k).astype(np.float64)
    if _peaks(graph)[k] or not wanted or counts_steps(gain):
        return None
    return values(edges, gain, np.zeros(graph.outcomes))


def _count(
    graph: Graph,
    edges: Edges,
    absorbed: Absorption,
    exactly: Exactly | None,
    found: list[tuple[Spread | None, Numbers | None]],
) -> tuple[list[Counted], list[float]]:
    """Each tally, and bounds on the errors."""
    counted, errors = [], []
    exact_sums = iter(zip(exactly.means, exactly.variances, strict=True)) if exactly else None
    for k, (first, peak, (distribution, value)) in enumerate(zip(_firsts(graph), _peaks(graph), found, strict=True)):
        gain = _gain(graph, edges, k)
        if not _moves(graph, edges, k):
            distribution = Spread(np.array([first]), absorbed.chances.reshape(1, -1).copy(), 0.0)
        if peak:
            mean, sd = distribution.moments() if distribution else (nan, nan)
            counted.append(Counted(mean, sd, None, distribution))
            left = absorbed.imbalance + (distribution.left if distribution else 0.0)
            errors.append(left * float(gain.max(initial=0)))
        elif exact_sums:
            fraction, variance = next(exact_sums)
            counted.append(Counted(float(fraction + first), sqrt(variance), fraction + first, distribution))
        else:
            added = absorbed.sum_of(gain.astype(np.float64), value)
            counted.append(Counted(added.mean + first, added.sd, None, distribution))
            errors += [added.mean_error, added.sd_error]
        if distribution:
            errors.append(distribution.left + absorbed.imbalance)
    return counted, errors
