"""The exact answer for a game with its strategies: outcome probabilities and the distribution of each tally."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.counters.answer import ledger
from dicelab.chains.distribution import Spread, Stop, spread
from dicelab.chains.enumerate import Progress, at_once, graph_of
from dicelab.chains.expectations import ULP, Absorption, counts_steps, values
from dicelab.chains.model import Graph
from dicelab.chains.ordering import Edges, Numbers, as_packed, ordered
from dicelab.chains.rationals import Exactly, Rational, must_fit, small_enough
from dicelab.chains.unfold import unrolled
from dicelab.chains.winner import TurnCounter, alone, chances
from dicelab.errors import NotSmall, ParameterError
from dicelab.rules.fields import Peak
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, usable_threads
from dicelab.runtime.timing import Stopwatch
from dicelab.states.counters import is_wide
from dicelab.states.explorer import UNRAISED
from dicelab.states.symmetry import Rotation

FEW_EDGES = 400_000
"""Edges, times seats, up to which the symmetry of the seats isn't used: all distributions are then joint with the
outcome, and fractions are possible."""

LARGE = 300_000
"""Number of states from which a chain is larger than the processor's cache."""
FEW_STATES = 150
"""States up to which a chain is solved as it is; for larger ones counter abstraction is tried (`chains.counters`)."""


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


def answer(
    run: Run,
    fractions: bool | None = None,
    memory: int | None = None,
    threads: int | None = None,
    progress: Progress = lambda found, expanded: None,
    given: int = -1,
    wanted: Collection[int] | None = None,
) -> Answer:
    """Solve the chain of a game with its strategies.

    Parameters
    ----------
    run
        The game and its strategies.
    fractions
        Whether to solve in fractions; None: where the chain is small.
    memory
        Bytes that may be used; half of the machine's when None.
    threads
        Tallies that are computed at the same time; one for each core when None.
    progress
        Called with the numbers of states found and expanded so far.
    given
        The place of a tally whose distribution must be joint with the outcome, however long that takes; -1: none.
    wanted
        The places of the requested tallies; all when None.

    Raises
    ------
    TooLarge, ParameterError, PlayError
    """
    watch, workers = Stopwatch(), usable_threads(threads)
    graph = None
    symmetric = not run.game.declared.decisions and Rotation.of(run.game) is not None
    # If all tallies are requested, there is nearly always one that needs the whole chain.
    some = wanted is not None and len(wanted) < len(run.game.declared.tallies)
    if some and not fractions and given == -1 and is_wide(run.game) and not symmetric:
        graph = at_once(run, FEW_STATES, progress)
        if graph is None and (abstract := _by_counters(run, sorted(wanted or ()), progress)) is not None:
            return replace(abstract, seconds=watch.seconds)
    graph = graph or graph_of(run, (), memory, progress, turned=symmetric)
    if graph.start < 0:
        return _over_at_once(unrolled(graph), wanted, watch.seconds)
    if fractions or graph.edges * graph.outcomes <= FEW_EDGES:
        graph = unrolled(graph)
    edges = ordered(graph)
    counter = TurnCounter.of(graph, edges) if graph.turn is not None else None
    if graph.turn is not None and (counter is None or given not in (-1, counter.tally)):
        graph, counter = unrolled(graph), None
        edges = ordered(graph)
    if fractions and not graph.exact_weights:
        raise ParameterError(f"{run.game.name}: the weights of these dice are too large for fractions")
    if fractions:
        must_fit(graph, edges)
    found = _solved(graph, edges, counter, fractions, wanted, workers)
    if found is None:
        graph = unrolled(graph)
        found = _solved(graph, ordered(graph), None, fractions, wanted, workers)
    assert found is not None
    return replace(found, seconds=watch.seconds)


def _by_counters(run: Run, wanted: Sequence[int], progress: Progress) -> Answer | None:
    """The answer by counter abstraction; None where it can't give all requested tallies."""
    with held_interrupts() as stopped:

        def look(found: int, rolls: int) -> None:
            progress(found, found)
            if stopped():
                raise Stopped

        try:
            found = ledger(run, wanted, look)
        except NotSmall:
            return None
    tallies = tuple(Counted(line.mean, line.sd, line.error, None, line.spread) for line in found.tallies)
    return Answer(found.chances, None, tallies, found.states, found.edges, found.error, 0.0)


def _solved(
    graph: Graph,
    edges: Edges,
    counter: TurnCounter | None,
    fractions: bool | None,
    wanted: Collection[int] | None,
    workers: int,
) -> Answer | None:
    """The answer, without the time; None where the distribution of the turn counter takes too much memory."""
    start = int(np.flatnonzero(edges.order == graph.start)[0])
    every = range(graph.changes.shape[1])
    tallies = [k for k in every if wanted is None or k in wanted or (counter is not None and k == counter.tally)]
    simple = fractions or (fractions is None and counter is None and small_enough(graph, edges))
    exactly = _exactly(graph, edges, start, tallies) if simple else None
    with held_interrupts() as stopped, ThreadPoolExecutor(workers) as pool:
        near, begin = edges, start
        if graph.states > LARGE:
            near = as_packed(graph, edges)
            begin = int(np.flatnonzero(near.order == graph.start)[0])
        spreads = [pool.submit(_spread, graph, near, begin, k, stopped) for k in tallies]
        absorbing = pool.submit(_absorb, graph, edges, start, exactly is None)
        valued = [pool.submit(_value, graph, edges, k, exactly is None) for k in tallies]
        absorbed = absorbing.result()
        found = {k: (s.result(), v.result()) for k, s, v in zip(tallies, spreads, valued, strict=True)}
    if stopped():
        raise Stopped
    counted = dict(zip(tallies, _count(graph, edges, absorbed, exactly, found), strict=True))
    floats, error = absorbed.chances, 0.0 if exactly else absorbed.imbalance
    if counter is not None:
        turns = counted[counter.tally].spread
        if turns is None:
            return None
        floats, error = chances(counter.by_seat(turns)), turns.error
        counted = {k: _with_seats(counter, k, one) for k, one in counted.items()}
    return Answer(
        tuple(map(float, exactly.chances)) if exactly else tuple(floats.tolist()),
        tuple(exactly.chances) if exactly else None,
        tuple(one for k, one in counted.items() if wanted is None or k in wanted),
        graph.states,
        graph.edges,
        error,
        0.0,
    )


def _with_seats(counter: TurnCounter, k: int, counted: Counted) -> Counted:
    """A tally with its distribution: joint with the winning seat for the turn counter, else without the outcomes."""
    if counted.spread is None:
        return counted
    return replace(counted, spread=counter.by_seat(counted.spread) if k == counter.tally else alone(counted.spread))


def _over_at_once(graph: Graph, wanted: Collection[int] | None, seconds: float) -> Answer:
    """The answer for a game that is over before the first roll."""
    chances = [float(-1 - graph.start == outcome) for outcome in range(graph.outcomes)]
    tallies = []
    for k, first in enumerate(_firsts(graph)):
        if wanted is not None and k not in wanted:
            continue
        alone = Spread(np.array([first]), np.array([chances]), 0.0)
        tallies.append(Counted(float(first), 0.0, 0.0, Fraction(first), alone))
    return Answer(tuple(chances), tuple(map(Fraction, chances)), tuple(tallies), 0, 0, 0.0, seconds)


def _peaks(graph: Graph) -> list[bool]:
    return [isinstance(t, Peak) for t in graph.game.declared.tallies.values()]


def _firsts(graph: Graph) -> list[int]:
    """Value of each tally before the first roll."""
    first = graph.changes[graph.start_change].tolist()
    return [max(0, value) if peak else value for value, peak in zip(first, _peaks(graph), strict=True)]


def _exactly(graph: Graph, edges: Edges, start: int, tallies: Sequence[int]) -> Exactly:
    adding = [graph.changes[:, k].tolist() for k in tallies if not _peaks(graph)[k]]
    return Rational(graph, edges, start).exactly(adding)


def _gain(graph: Graph, edges: Edges, k: int) -> NDArray[np.int64]:
    """What the edges of each label add to a tally."""
    return np.asarray(graph.changes[edges.change, k], np.int64)


def _moves(graph: Graph, edges: Edges, k: int) -> bool:
    """Whether any edge changes a tally."""
    return bool((_gain(graph, edges, k) != (UNRAISED if _peaks(graph)[k] else 0)).any())


def _spread(graph: Graph, edges: Edges, start: int, k: int, stop: Stop) -> Spread | None:
    """Distribution of one tally; None where no edge changes it, or where it does not fit."""
    if not _moves(graph, edges, k):
        return None
    name, gain, peak = list(graph.game.declared.tallies)[k], _gain(graph, edges, k), _peaks(graph)[k]
    return spread(edges, start, gain, _firsts(graph)[k], peak, graph.outcomes, stop, name)


def _absorb(graph: Graph, edges: Edges, start: int, floats: bool) -> Absorption:
    """The expected visits, with all that the error bounds need already computed if `floats`."""
    absorbed = Absorption(edges, start, graph.outcomes)
    _ = absorbed.imbalance, absorbed.steps if floats else None  # evaluated now, in parallel with other work
    return absorbed


def _value(graph: Graph, edges: Edges, k: int, wanted: bool) -> Numbers | None:
    """The expected sum of a tally from each state; None where it is not needed, or is the number of steps."""
    gain = _gain(graph, edges, k).astype(np.float64)
    if _peaks(graph)[k] or not wanted or counts_steps(gain):
        return None
    return values(edges, gain, np.zeros(graph.outcomes))


def _count(
    graph: Graph,
    edges: Edges,
    absorbed: Absorption,
    exactly: Exactly | None,
    found: dict[int, tuple[Spread | None, Numbers | None]],
) -> Iterator[Counted]:
    """The answer for each tally in `found`."""
    exact_sums = iter(zip(exactly.means, exactly.variances, strict=True)) if exactly else None
    firsts, peaks = _firsts(graph), _peaks(graph)
    for k, (distribution, value) in found.items():
        first, peak = firsts[k], peaks[k]
        if not _moves(graph, edges, k):
            distribution = Spread(np.array([first]), absorbed.chances.reshape(1, -1).copy(), 0.0)
        if distribution is not None:
            distribution = replace(distribution, error=distribution.left + absorbed.imbalance)
        if peak:
            yield _peak(first, _gain(graph, edges, k), distribution)
        elif exact_sums:
            fraction, variance = next(exact_sums)
            yield Counted(float(fraction + first), sqrt(variance), 0.0, fraction + first, distribution)
        else:
            added = absorbed.sum_of(_gain(graph, edges, k).astype(np.float64), value)
            mean = added.mean + first
            rounded = ULP * (abs(mean) + abs(first)) if first else 0.0
            error = max(added.mean_error + rounded, added.sd_error)
            yield Counted(mean, added.sd, error, None, distribution)


def _peak(first: int, gain: NDArray[np.int64], distribution: Spread | None) -> Counted:
    """A `Peak`, computed from its distribution; values that this doesn't list are `first` or in `gain`."""
    if distribution is None:
        return Counted(nan, nan, nan, None, None)
    whole = distribution.chances.sum()
    mean = float(distribution.chances @ distribution.values / whole)
    sd = sqrt(float(distribution.chances @ (distribution.values - mean) ** 2 / whole))
    width = float(max(first, gain.max(initial=first)) - first)  # the largest distance of two values
    wrong = 3 * distribution.error * width**2  # bounds the error of the variance
    error = max(2 * distribution.error * width, min(wrong / sd, sqrt(wrong)) if sd > 0 else sqrt(wrong))
    return Counted(mean, sd, float(error + 1e-15 * (abs(mean) + width)), None, distribution)
