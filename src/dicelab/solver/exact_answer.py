"""The exact answer for a game with its strategies, and the exact values of several of its states.

The plan is chosen once and before any of the numerical work: whether counters can be kept out of the states, whether a
tally tells how far the view of the seats has turned, whether fractions are small enough.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import log, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.writers.simulate import must_see_own
from dicelab.errors import NotSmall
from dicelab.limits import LIMITS
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, on_threads, usable_threads
from dicelab.runtime.states.counters import is_wide
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.timing import Stopwatch, stage
from dicelab.solver.counters.answer import answer_by_counters
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.graph import Progress, Share, at_once, graph_of, stopping
from dicelab.solver.enumeration.mixing import mixing_seats
from dicelab.solver.enumeration.model import Graph, limit_of, must_fit, needed
from dicelab.solver.enumeration.unfold import unrolled
from dicelab.solver.solution.distribution import ENOUGH, ChainTally, Spread, spread
from dicelab.solver.solution.expectations import (
    ULP,
    Absorption,
    Rational,
    counts_steps,
    in_fractions,
    may_be_fractions,
    values,
)
from dicelab.solver.solution.ordering import OrderedEdges, as_packed, components, ordered
from dicelab.solver.solution.runs import HalfSteps
from dicelab.solver.value import Distribution, ExactAnswer, Value, from_spread

# Winner ---------------------------------------------------------------------------------------------------------------
#
# Recover the winner's seat from a turn counter, where states are seen from the seat whose turn it is.
#
# At the end of such a game the outcome is known relative to the seat that moved last. If a tally grows, modulo the
# number of seats, by as much as the view rotates, then its value tells which seat that was; so the joint distribution
# of this tally and the relative outcome gives the distribution of the winner.

AT_ONCE = 1 << 20
"""Edges that are looked at at the same time, to save memory."""


@dataclass(frozen=True)
class TurnCounter:
    """A tally that counts the rotations of the view, modulo the number of seats.

    Attributes
    ----------
    tally
        Its place among the tallies.
    ends
        int64 array (seats, outcomes): each outcome with everybody so many seats further.
    ahead
        The tally minus the rotation at the end of a game, modulo the seats: from its value at the start and from what
        the last step adds.
    """

    tally: int
    ends: NDArray[np.int64]
    ahead: int

    @classmethod
    def of(cls, graph: Graph) -> TurnCounter | None:
        """Return the first such tally of a graph; None without one, or where states are not seen
        from whose turn it is.
        """
        rotation = Rotation.of(graph.game)
        if graph.turn is None or rotation is None:
            return None
        ends, leads = np.zeros((2, len(graph.change)), np.bool_)
        for low in range(0, graph.edges, AT_ONCE):
            over, label = graph.target[low : low + AT_ONCE] < 0, graph.label[low : low + AT_ONCE]
            ends[label[over]] = True
            leads[label[~over]] = True
        for k, tally in enumerate(graph.game.declared.tallies.values()):
            off = (graph.changes[:, k] - graph.turn)[graph.change] % rotation.seats
            lasts = np.unique(off[ends])
            if not off[leads].any() and len(lasts) == 1 and not isinstance(tally, Peak):
                ahead = int(graph.changes[graph.start_change, k] - graph.turn[graph.start_change] + lasts[0])
                return cls(k, np.array([rotation.ended(by) for by in range(rotation.seats)]), ahead)
        return None

    def by_seat(self, spread: Spread) -> Spread:
        """Return the joint distribution of this tally and the winning seat, from that with the relative outcome."""
        joint, seats = np.empty_like(spread.joint), len(self.ends)
        further = (spread.values - self.ahead) % seats
        for by, ends in enumerate(self.ends):
            here = np.flatnonzero(further == by)
            joint[here[:, None], ends] = spread.joint[here]
        return replace(spread, joint=joint)


# The plan for a chain: how it is solved -------------------------------------------------------------------------------


FEW_STATES = 150
"""States up to which a chain is solved as it is; for larger ones counter abstraction is tried (`solver.counters`)."""


@dataclass(frozen=True)
class Chain:
    """A chain to be solved edge by edge.

    Attributes
    ----------
    graph, edges
        The chain, and its edges in order; the graph itself has none where the answer is in floating point.
    tallies
        The places of the tallies to compute, in the order declared.
    counter
        The tally that tells who has won, where states are seen from the seat whose turn it is; else None.
    fractions
        What solves it in fractions; None where the answer is in floating point.
    """

    graph: Graph
    edges: OrderedEdges | HalfSteps
    tallies: tuple[int, ...]
    counter: TurnCounter | None
    fractions: Rational | None


ExactPlan = ExactAnswer | Graph | Chain
"""One of three: the answer by counter abstraction (which is known once it is known to be possible), a game that
is over before the first roll, or a chain to be solved."""


def planned(
    run: Run,
    fractions: bool | None,
    memory: int | None,
    progress: Progress,
    share: Share,
    given: int,
    wanted: Collection[int] | None,
) -> ExactPlan:
    """Return how to answer; the parameters are those of `dicelab.solver.exact_answer.answer`."""
    must_see_own(type(run.game), (call.strategy for call in run.calls))
    graph = None
    every = range(len(run.game.declared.tallies))
    tallies = [k for k in every if wanted is None or k in wanted]
    if not fractions and given == -1 and counters_may_do(run.game, tallies) and not mixing_seats(run):
        graph = at_once(run, FEW_STATES, progress)
        if graph is None and (abstract := _by_counters(run, tallies, progress, share)) is not None:
            return abstract

    def whole() -> Graph:
        return graph or graph_ahead(run, (), memory, progress, share, turned=symmetric(run.game))

    return _chain(whole, tallies, fractions, given, memory)


def _chain(
    find: Callable[[], Graph], tallies: Sequence[int], fractions: bool | None, given: int, memory: int | None
) -> Graph | Chain:
    """Return a chain to be solved: seen from the seat whose turn it is, where that saves work and tells who wins.

    `find` returns its graph, which nothing else may refer to: its edges are freed once they are in order.
    """
    graph, counter = find(), None
    if graph.start < 0:
        return unrolled(graph)
    if not fractions and graph.edges * graph.outcomes > LIMITS.symmetric_edges:
        counter = TurnCounter.of(graph)
    if counter is None or given not in (-1, counter.tally):
        graph, counter = unrolled(graph), None
    stage("ordering the states")
    edges, exactly = arranged(graph, fractions if counter is None else False)
    if isinstance(edges, OrderedEdges):
        size = graph.states, graph.states, needed(graph.slots.words, graph.states, graph.edges, runs=False)
        must_fit(Run(graph.game, graph.calls), limit_of(memory), *size)
    if exactly is None:
        graph = replace(graph, target=graph.target[:0].copy(), label=graph.label[:0].copy())
    followed = sorted({*tallies, counter.tally} if counter is not None else tallies)
    return Chain(graph, edges, tuple(followed), counter, exactly)


def arranged(graph: Graph, fractions: bool | None) -> tuple[OrderedEdges | HalfSteps, Rational | None]:
    """Return the edges of a chain in order, as runs where these are long; and what solves it in fractions, if it is to
    be.
    """
    if may_be_fractions(graph, fractions) and in_fractions(graph, edges := ordered(graph), fractions):
        return edges, Rational(graph, edges)
    known = components(graph.row, graph.target)
    return HalfSteps.of(graph, *known) or ordered(graph, known=known), None


def counters_may_do(game: Game, tallies: Sequence[int]) -> bool:
    """Return whether counter abstraction is worth a look for these tallies.

    If all are requested, there is nearly always one that needs the whole chain.
    """
    return len(tallies) < len(game.declared.tallies) and not symmetric(game) and is_wide(game)


def symmetric(game: Game) -> bool:
    """Return whether states are seen from the seat whose turn it is: the game is alike from every seat, without
    choices.
    """
    return not game.declared.decisions and Rotation.of(game) is not None


def _by_counters(run: Run, wanted: Sequence[int], progress: Progress, share: Share) -> ExactAnswer | None:
    """Return the answer by counter abstraction; None where it can't give all requested tallies."""
    with held_interrupts() as stopped:
        try:
            words = "{} states without the money, {} rolls followed"
            return answer_by_counters(
                run, wanted, stopping(lambda found, rolls: progress(found, found), stopped, words), share
            )
        except NotSmall:
            return None


# Exact answer ---------------------------------------------------------------------------------------------------------
#
# The exact answer for a game with its strategies: outcome probabilities and the distribution of each tally.

SHOWN_FROM = 0.03
"""Share of the distributions from which on the share is reported: in the first rolls of a long game no mass leaves."""


def answer(
    run: Run,
    fractions: bool | None = None,
    memory: int | None = None,
    threads: int | None = None,
    progress: Progress = lambda found, expanded: None,
    share: Share = lambda done: None,
    given: int = -1,
    wanted: Collection[int] | None = None,
) -> ExactAnswer:
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
        Threads that are used at most; one for each core when None.
    progress
        Called with the numbers of states found and expanded so far.
    share
        Called with the share that is done, at first of the expected states, then of the solution; from any thread.
    given
        The place of a tally whose distribution must be joint with the outcome, however long that takes; -1: none.
    wanted
        The places of the requested tallies; all when None.
    """
    watch = Stopwatch()
    with on_threads(threads):
        plan = planned(run, fractions, memory, progress, share, given, wanted)
        if isinstance(plan, ExactAnswer):
            solution = plan
        elif isinstance(plan, Graph):
            solution = _over_at_once(plan, wanted)
        else:
            solution = _solved(plan, usable_threads(None), share, wanted)
    return replace(solution, seconds=watch.seconds)


def _over_at_once(graph: Graph, wanted: Collection[int] | None) -> ExactAnswer:
    """Return the answer for a game that is over before the first roll."""
    chances = [float(-1 - graph.start == outcome) for outcome in range(graph.outcomes)]
    tallies = []
    for k in range(graph.changes.shape[1]):
        if wanted is None or k in wanted:
            first = ChainTally.of(graph, k).first
            alone = Spread(np.array([first]), np.array([chances]), 0.0)
            tallies.append(Distribution(float(first), 0.0, Fraction(first), 0.0, alone))
    return ExactAnswer(tuple(chances), tuple(map(Fraction, chances)), tuple(tallies), 0, 0, 0.0, 0.0)


def _solved(chain: Chain, workers: int, share: Share, wanted: Collection[int] | None) -> ExactAnswer:
    """Return the answer of a chain, without the time."""
    graph, edges = chain.graph, chain.edges
    stage("following the tallies")
    tallies = {k: ChainTally.of(graph, k, edges) for k in chain.tallies}
    sums = [k for k, tally in tallies.items() if not tally.peak]
    exactly = chain.fractions.exactly([graph.changes[:, k].tolist() for k in sums]) if chain.fractions else None
    known = {k: exactly.sums[i] for i, k in enumerate(sums)} if exactly else {}
    with held_interrupts() as stopped, ThreadPoolExecutor(workers) as pool:
        absorbed, counted = _in_parallel(pool, chain, tallies, known, stopped, share)
    if stopped():
        raise Stopped
    won, error = absorbed.chances, absorbed.imbalance
    if chain.counter is not None:
        won, error = _won(chain.counter, Run(graph.game, graph.calls), counted[chain.counter.tally].spread)
        counted = {k: _with_seats(chain.counter, k, one) for k, one in counted.items()}
    fractions = tuple(exactly.chances) if exactly else None
    shown = tuple(one for k, one in counted.items() if wanted is None or k in wanted)
    probabilities = tuple(map(float, fractions or won.tolist()))
    return ExactAnswer(probabilities, fractions, shown, graph.states, edges.edge_count, 0.0 if exactly else error, 0.0)


def _in_parallel(
    pool: ThreadPoolExecutor,
    chain: Chain,
    tallies: dict[int, ChainTally],
    known: dict[int, tuple[Fraction, Fraction]],
    stopped: Callable[[], bool],
    share: Share,
) -> tuple[Absorption, dict[int, Distribution]]:
    """Return the expected visits and all tallies; `known` has the means and variances of those solved in fractions."""
    edges, outcomes = chain.edges, chain.graph.outcomes
    large = chain.graph.states > LIMITS.cached_states
    near = as_packed(chain.graph, edges) if large and isinstance(edges, OrderedEdges) else edges
    moving = {k: tally for k, tally in tallies.items() if tally.moves}
    done = dict.fromkeys(moving, 0.0)  # the share of each distribution: the mass left falls by a factor at a time

    def look(k: int, left: float) -> bool:
        done[k] = log(max(left, ENOUGH)) / log(ENOUGH)
        if (mean := sum(done.values()) / len(done)) > SHOWN_FROM:
            share(mean)
        return stopped()

    spreads = {k: pool.submit(spread, near, tally, outcomes, partial(look, k)) for k, tally in moving.items()}
    absorbing = pool.submit(_absorb, edges, outcomes, not chain.fractions)
    summed = {} if chain.fractions else {k: tally for k, tally in tallies.items() if not tally.peak}
    valued = {k: pool.submit(_value, edges, tally, outcomes) for k, tally in summed.items()}
    absorbed = absorbing.result()

    def count(k: int) -> Distribution:
        tally, distribution = tallies[k], _followed(tallies[k], spreads.get(k), absorbed)
        if tally.peak:
            return _peak(tally, distribution)
        if k not in known:
            return _sum(tally, absorbed, valued[k].result(), distribution)
        mean, variance = known[k][0] + tally.first, known[k][1]
        return Distribution(float(mean), sqrt(variance), mean, 0.0, distribution)

    # The pool begins tasks in order: those that a count waits for are then already done, or under way.
    return absorbed, dict(zip(tallies, pool.map(count, tallies), strict=True))


def _absorb(edges: OrderedEdges | HalfSteps, outcomes: int, floats: bool) -> Absorption:
    """Return the expected visits, with all that the error bounds need already computed if `floats`."""
    absorbed = Absorption(edges, edges.start, outcomes)
    _ = absorbed.imbalance, absorbed.steps if floats else None  # evaluated now, in parallel with other work
    return absorbed


def _value(edges: OrderedEdges | HalfSteps, tally: ChainTally, outcomes: int) -> Floats | None:
    """Return the expected sum of a tally from each state; None where it is the number of steps."""
    return None if counts_steps(tally.floats) else values(edges, tally.floats, np.zeros(outcomes))


def _followed(tally: ChainTally, tallied: Future[Spread | None] | None, absorbed: Absorption) -> Spread | None:
    """Return the distribution of a tally with its error; None where it does not fit. `tallied` is None where it never
    moves.
    """
    if tallied is None:
        return Spread(np.array([tally.first]), absorbed.chances.reshape(1, -1).copy(), 0.0, absorbed.imbalance)
    distribution = tallied.result()
    if distribution is None:
        return None
    return replace(distribution, error=distribution.left + absorbed.imbalance)


def _sum(tally: ChainTally, absorbed: Absorption, value: Floats | None, distribution: Spread | None) -> Distribution:
    """Return a tally that edges add to, in floating point."""
    added = absorbed.sum_of(tally.floats, value)
    mean = added.mean + tally.first
    rounded = ULP * (abs(mean) + abs(tally.first)) if tally.first else 0.0
    return Distribution(mean, added.sd, None, max(added.mean_error + rounded, added.sd_error), distribution)


def _peak(tally: ChainTally, distribution: Spread | None) -> Distribution:
    """Return a `Peak`, computed from its distribution; values that this doesn't list are `first` or in `gain`."""
    if distribution is None:
        return Distribution(nan, nan, None, nan, None)
    width = float(max(tally.first, tally.gain.max(initial=tally.first)) - tally.first)  # largest distance of two values
    return from_spread(distribution, distribution.error, width)


def _won(counter: TurnCounter, run: Run, turns: Spread | None) -> tuple[Floats, float]:
    """Probability of each seat to win, and the error; `turns` is the distribution of the turn counter, if it fits."""
    if turns is not None:
        return counter.by_seat(turns).joint.sum(axis=0), turns.error
    whole = unrolled(graph_of(run, turned=True))
    edges = ordered(whole)
    absorbed = Absorption(edges, edges.start, whole.outcomes)
    return absorbed.chances, absorbed.imbalance


def _with_seats(counter: TurnCounter, k: int, counted: Distribution) -> Distribution:
    """Return a tally with its distribution: joint with the winning seat for the turn counter, else without the
    outcomes.
    """
    if counted.spread is None:
        return counted
    if k == counter.tally:
        return replace(counted, spread=counter.by_seat(counted.spread))
    return replace(counted, spread=replace(counted.spread, joint=counted.spread.joint.sum(axis=1, keepdims=True)))


# Worth ----------------------------------------------------------------------------------------------------------------
#
# The worth of states: expected values from several states of a game to its end, by one solution of the chain.

State = tuple[int, ...]
"""A state in which dice are rolled, as the list of its numbers."""


@dataclass(frozen=True)
class StateWorths:
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

    of: dict[State, tuple[Value, ...]]
    states: int
    fractions: bool


def worths(
    run: Run,
    roots: Sequence[State],
    tally: int | None = None,
    fractions: bool | None = None,
    memory: int | None = None,
    progress: Progress = lambda found, expanded: None,
) -> StateWorths:
    """Return the worth of each of the `roots`: of the outcomes, or of the tally with this place.

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
    """
    if not roots:
        return StateWorths({}, 0, fractions is not False)
    graph = graph_ahead(run, (), memory, progress, roots=roots)
    stage("ordering the states")
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
    return StateWorths(dict(zip(roots, zip(*columns, strict=True), strict=True)), graph.states, exactly is not None)


def _values(
    solver: Rational | Absorption, change: Integers, gain: Integers, prize: Integers, places: list[int]
) -> list[Value]:
    """Return the values at these places of the order of a chain; `change` is that of its labels."""
    if isinstance(solver, Rational):
        values = solver.values(gain.tolist(), prize.tolist())
        return [Value.of(values[place]) for place in places]
    value, error = solver.value_of(gain[change].astype(np.float64), prize.astype(np.float64))
    return [Value(float(value[place]), None, float(error[place])) for place in places]
