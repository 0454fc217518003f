"""The exact answer for a game with its strategies: outcome probabilities and the distribution of each tally."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import log, nan, sqrt

import numpy as np

from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, usable_threads
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.enumerate import Progress, graph_of
from dicelab.solver.enumeration.estimate import Share
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import unrolled
from dicelab.solver.plan import Chain, planned
from dicelab.solver.solution.answer import Answer, Counted, from_spread
from dicelab.solver.solution.distribution import ENOUGH, Spread, spread
from dicelab.solver.solution.expectations import ULP, Absorption, counts_steps, values
from dicelab.solver.solution.ordering import Edges, Numbers, as_packed, ordered
from dicelab.solver.solution.runs import Runs
from dicelab.solver.solution.tallied import Tallied
from dicelab.solver.solution.winner import TurnCounter

LARGE = 300_000
"""Number of states from which a chain is larger than the processor's cache."""
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
    share
        Called with the share that is done, at first of the expected states, then of the solution; from any thread.
    given
        The place of a tally whose distribution must be joint with the outcome, however long that takes; -1: none.
    wanted
        The places of the requested tallies; all when None.

    Raises
    ------
    TooLarge, ParameterError, PlayError
    """
    watch = Stopwatch()
    plan = planned(run, fractions, memory, progress, share, given, wanted)
    if isinstance(plan, Answer):
        found = plan
    elif isinstance(plan, Graph):
        found = _over_at_once(plan, wanted)
    else:
        found = _solved(plan, usable_threads(threads), share, wanted)
    return replace(found, seconds=watch.seconds)


def _over_at_once(graph: Graph, wanted: Collection[int] | None) -> Answer:
    """The answer for a game that is over before the first roll."""
    chances = [float(-1 - graph.start == outcome) for outcome in range(graph.outcomes)]
    tallies = []
    for k in range(graph.changes.shape[1]):
        if wanted is None or k in wanted:
            first = Tallied.of(graph, k).first
            alone = Spread(np.array([first]), np.array([chances]), 0.0)
            tallies.append(Counted(float(first), 0.0, 0.0, Fraction(first), alone))
    return Answer(tuple(chances), tuple(map(Fraction, chances)), tuple(tallies), 0, 0, 0.0, 0.0)


def _solved(chain: Chain, workers: int, share: Share, wanted: Collection[int] | None) -> Answer:
    """The answer of a chain, without the time."""
    graph, edges = chain.graph, chain.edges
    tallies = {k: Tallied.of(graph, k, edges) for k in chain.tallies}
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
    return Answer(probabilities, fractions, shown, graph.states, edges.edge_count, 0.0 if exactly else error, 0.0)


def _in_parallel(
    pool: ThreadPoolExecutor,
    chain: Chain,
    tallies: dict[int, Tallied],
    known: dict[int, tuple[Fraction, Fraction]],
    stopped: Callable[[], bool],
    share: Share,
) -> tuple[Absorption, dict[int, Counted]]:
    """The expected visits and all tallies; `known` has the means and variances of those solved in fractions."""
    edges, outcomes = chain.edges, chain.graph.outcomes
    near = as_packed(chain.graph, edges) if chain.graph.states > LARGE and isinstance(edges, Edges) else edges
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

    def count(k: int) -> Counted:
        tally, distribution = tallies[k], _followed(tallies[k], spreads.get(k), absorbed)
        if tally.peak:
            return _peak(tally, distribution)
        if k not in known:
            return _sum(tally, absorbed, valued[k].result(), distribution)
        mean, variance = known[k][0] + tally.first, known[k][1]
        return Counted(float(mean), sqrt(variance), 0.0, mean, distribution)

    # The pool begins tasks in order: those that a count waits for are then already done, or under way.
    return absorbed, dict(zip(tallies, pool.map(count, tallies), strict=True))


def _absorb(edges: Edges | Runs, outcomes: int, floats: bool) -> Absorption:
    """The expected visits, with all that the error bounds need already computed if `floats`."""
    absorbed = Absorption(edges, edges.start, outcomes)
    _ = absorbed.imbalance, absorbed.steps if floats else None  # evaluated now, in parallel with other work
    return absorbed


def _value(edges: Edges | Runs, tally: Tallied, outcomes: int) -> Numbers | None:
    """The expected sum of a tally from each state; None where it is the number of steps."""
    return None if counts_steps(tally.floats) else values(edges, tally.floats, np.zeros(outcomes))


def _followed(tally: Tallied, found: Future[Spread | None] | None, absorbed: Absorption) -> Spread | None:
    """The distribution of a tally with its error; None where it does not fit. `found` is None where it never moves."""
    if found is None:
        return Spread(np.array([tally.first]), absorbed.chances.reshape(1, -1).copy(), 0.0, absorbed.imbalance)
    distribution = found.result()
    if distribution is None:
        return None
    return replace(distribution, error=distribution.left + absorbed.imbalance)


def _sum(tally: Tallied, absorbed: Absorption, value: Numbers | None, distribution: Spread | None) -> Counted:
    """A tally that edges add to, in floating point."""
    added = absorbed.sum_of(tally.floats, value)
    mean = added.mean + tally.first
    rounded = ULP * (abs(mean) + abs(tally.first)) if tally.first else 0.0
    return Counted(mean, added.sd, max(added.mean_error + rounded, added.sd_error), None, distribution)


def _peak(tally: Tallied, distribution: Spread | None) -> Counted:
    """A `Peak`, computed from its distribution; values that this doesn't list are `first` or in `gain`."""
    if distribution is None:
        return Counted(nan, nan, nan, None, None)
    width = float(max(tally.first, tally.gain.max(initial=tally.first)) - tally.first)  # largest distance of two values
    return from_spread(distribution, distribution.error, width)


def _won(counter: TurnCounter, run: Run, turns: Spread | None) -> tuple[Numbers, float]:
    """Probability of each seat to win, and the error; `turns` is the distribution of the turn counter, if it fits."""
    if turns is not None:
        return counter.by_seat(turns).joint.sum(axis=0), turns.error
    whole = unrolled(graph_of(run, turned=True))
    edges = ordered(whole)
    absorbed = Absorption(edges, edges.start, whole.outcomes)
    return absorbed.chances, absorbed.imbalance


def _with_seats(counter: TurnCounter, k: int, counted: Counted) -> Counted:
    """A tally with its distribution: joint with the winning seat for the turn counter, else without the outcomes."""
    if counted.spread is None:
        return counted
    if k == counter.tally:
        return replace(counted, spread=counter.by_seat(counted.spread))
    return replace(counted, spread=replace(counted.spread, joint=counted.spread.joint.sum(axis=1, keepdims=True)))
