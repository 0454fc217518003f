"""The plan for a chain: how it is solved, chosen once and before any of the numerical work.

Everything that decides is looked at here: whether counters can be kept out of the states, whether a tally tells how far
the view of the seats has turned, whether fractions are small enough.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from dicelab.errors import NotSmall
from dicelab.rules.game import Game
from dicelab.runtime.interrupts import held_interrupts
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.counters import is_wide
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.counters.answer import ledger
from dicelab.solver.enumeration.enumerate import Progress, at_once, stopping
from dicelab.solver.enumeration.estimate import Share, graph_ahead
from dicelab.solver.enumeration.memory import limit_of, must_fit, needed
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import unrolled
from dicelab.solver.solution.answer import Answer
from dicelab.solver.solution.ordering import Edges, components, ordered
from dicelab.solver.solution.rationals import Rational, in_fractions, may_be_fractions
from dicelab.solver.solution.runs import Runs
from dicelab.solver.solution.winner import TurnCounter

FEW_EDGES = 400_000
"""Edges, times seats, up to which the symmetry of the seats isn't used: all distributions are then joint with the
outcome, and fractions are possible."""
FEW_STATES = 150
"""States up to which a chain is solved as it is; for larger ones counter abstraction is tried (`chains.counters`)."""


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
    edges: Edges | Runs
    tallies: tuple[int, ...]
    counter: TurnCounter | None
    fractions: Rational | None


Plan = Answer | Graph | Chain
"""One of three routes: the answer by counter abstraction (which is known once it is known to be possible), a game that
is over before the first roll, or a chain to be solved."""


def planned(
    run: Run,
    fractions: bool | None,
    memory: int | None,
    progress: Progress,
    share: Share,
    given: int,
    wanted: Collection[int] | None,
) -> Plan:
    """How to answer; the parameters are those of `dicelab.solver.exact_answer.answer`.

    Raises
    ------
    TooLarge, ParameterError, PlayError
    """
    graph = None
    every = range(len(run.game.declared.tallies))
    tallies = [k for k in every if wanted is None or k in wanted]
    if not fractions and given == -1 and counters_may_do(run.game, tallies):
        graph = at_once(run, FEW_STATES, progress)
        if graph is None and (abstract := _by_counters(run, tallies, progress, share)) is not None:
            return abstract

    def found() -> Graph:
        return graph or graph_ahead(run, (), memory, progress, share, turned=symmetric(run.game))

    return _chain(found, tallies, fractions, given, memory)


def _chain(
    find: Callable[[], Graph], tallies: Sequence[int], fractions: bool | None, given: int, memory: int | None
) -> Graph | Chain:
    """A chain to be solved: seen from the seat whose turn it is, where that saves work and tells who wins.

    `find` returns its graph, which nothing else may refer to: its edges are freed once they are in order.
    """
    graph, counter = find(), None
    if graph.start < 0:
        return unrolled(graph)
    if not fractions and graph.edges * graph.outcomes > FEW_EDGES:
        counter = TurnCounter.of(graph)
    if counter is None or given not in (-1, counter.tally):
        graph, counter = unrolled(graph), None
    edges, exactly = arranged(graph, fractions if counter is None else False)
    if isinstance(edges, Edges):
        size = graph.states, graph.states, needed(graph.slots.words, graph.states, graph.edges, runs=False)
        must_fit(Run(graph.game, graph.calls), limit_of(memory), *size)
    if exactly is None:
        graph = replace(graph, target=graph.target[:0].copy(), label=graph.label[:0].copy())
    followed = sorted({*tallies, counter.tally} if counter is not None else tallies)
    return Chain(graph, edges, tuple(followed), counter, exactly)


def arranged(graph: Graph, fractions: bool | None) -> tuple[Edges | Runs, Rational | None]:
    """The edges of a chain in order, as runs where these are long; and what solves it in fractions, if it is to be."""
    if may_be_fractions(graph, fractions) and in_fractions(graph, edges := ordered(graph), fractions):
        return edges, Rational(graph, edges)
    known = components(graph.row, graph.target)
    return Runs.of(graph, *known) or ordered(graph, known=known), None


def counters_may_do(game: Game, tallies: Sequence[int]) -> bool:
    """Whether counter abstraction is worth a look for these tallies.

    If all are requested, there is nearly always one that needs the whole chain.
    """
    return len(tallies) < len(game.declared.tallies) and not symmetric(game) and is_wide(game)


def symmetric(game: Game) -> bool:
    """Whether states are seen from the seat whose turn it is: the game is alike from every seat, without choices."""
    return not game.declared.decisions and Rotation.of(game) is not None


def _by_counters(run: Run, wanted: Sequence[int], progress: Progress, share: Share) -> Answer | None:
    """The answer by counter abstraction; None where it can't give all requested tallies."""
    with held_interrupts() as stopped:
        try:
            return ledger(run, wanted, stopping(lambda found, rolls: progress(found, found), stopped), share)
        except NotSmall:
            return None
