"""The edges of a chain with its states in topological order of their strongly connected components.

Inside a component states are in reverse postorder, so that few edges lead back and a pass over it follows the play.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import EndlessGameError
from dicelab.runtime.arrays import Floats
from dicelab.runtime.outcome_tables import row_pool
from dicelab.solver.enumeration.model import Graph, all_outcomes
from dicelab.solver.solution import loops as sweeps

Components = tuple[NDArray[np.int64], NDArray[np.int64]]
"""States in topological order, and where each strongly connected component ends."""


@dataclass(frozen=True)
class OrderedEdges:
    """States in some order, and their edges.

    Attributes
    ----------
    order
        int32 array: the number in the graph of each state.
    start
        The place in this order of the state in which the game begins; -1 where it is over at once.
    ends
        int64 array: where each strongly connected component ends.
    row, target
        As in the graph, for the states in this order.
    label
        As in the graph: for each edge its place in `chance` and `change`.
    chance, change
        Probability of the edges with a label, and the row of the graph's `changes` that they add.
    exit_probability
        float64 array: the probability that a step from a state does not lead back to it; empty where not needed.
    roundings
        Rounding operations in a probability beyond the first: 0 where weights are whole numbers.
    """

    order: NDArray[np.int32]
    start: int
    ends: NDArray[np.int64]
    row: NDArray[np.int64]
    target: NDArray[np.int32]
    label: NDArray[Any]
    chance: Floats
    change: NDArray[np.int64]
    exit_probability: Floats
    roundings: int

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the loops of `dicelab.solver.solution.loops` take for the chain.

        Labels are unsigned: an index that can't be negative needs no test whether it counts from the end.
        """
        return self.ends, self.row, self.target, self.label, self.chance, self.exit_probability

    @property
    def edge_count(self) -> int:
        """Number of edges."""
        return len(self.target)

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop of `dicelab.solver.solution.loops` on the chain, compiled where there are many edges."""
        return sweeps.fast(loop, len(self.target))(self.arrays, *arguments)


def states_of(ends: NDArray[np.int64], component: int) -> slice:
    """Return the states of a strongly connected component, of those that end at `ends`."""
    return slice(int(ends[component - 1]) if component else 0, int(ends[component]))


def as_found(graph: Graph) -> OrderedEdges:
    """Return the edges of a graph with the states in the order in which they were found, in no components."""
    order, ends, exits = np.arange(graph.states, dtype=np.int32), np.zeros(0, np.int64), np.zeros(0)
    labels = graph.label, graph.chance, graph.change
    return OrderedEdges(order, graph.start, ends, graph.row, graph.target, *labels, exits, _roundings(graph))


def ordered(graph: Graph, turning: bool = False, known: Components | None = None, exits: bool = True) -> OrderedEdges:
    """Return the edges of a graph in topological order, in which its `components` may be `known` already.

    With `turning`, an edge from a state to itself that rotates the seats is not a self-loop. Without `exits` there are
    no exit probabilities.

    Raises
    ------
    EndlessGameError
        When the game can reach a state from which it never ends.
    """
    loops = np.ones(len(graph.weight), np.bool_) if exits else None
    if exits and turning and graph.turn is not None:
        loops = graph.turn[graph.change] == 0
    edges = reordered(as_found(graph), *(known or components(graph.row, graph.target)), loops)
    begins = edges.row[np.append(0, edges.ends)[:-1]]
    farthest = np.maximum.reduceat(edges.target.view(np.uint32), begins) if graph.states else begins
    must_end(graph, edges.order, edges.ends, farthest < edges.ends)  # outcomes are farther than all states
    return edges


def ordered_by(edges: OrderedEdges, standing: NDArray[np.bool_]) -> OrderedEdges:
    """Return the same edges in topological order of those whose label is `standing`; only these can be self-loops.

    Without any the order is as it was, and all states count as one component.
    """
    alone = standing[edges.label]
    if not alone.any():
        return replace(edges, ends=np.array([len(edges.order)]), exit_probability=np.ones(len(edges.order)))
    before = np.concatenate(([0], np.cumsum(alone)))
    order, ends = components(before[edges.row], edges.target[alone])
    return reordered(edges, order, ends, standing)


def as_packed(graph: Graph, edges: OrderedEdges) -> OrderedEdges:
    """Return the same edges with the states in the order of their packed numbers, for loops that work in any order.

    Neighbours then lead to neighbours, which saves cache misses in chains that are larger than the cache.
    """
    order = np.lexsort(graph.keys[edges.order].T)
    return reordered(edges, order, np.arange(1, len(order) + 1), np.ones(len(edges.chance), np.bool_))


def components(row: NDArray[np.int64], target: NDArray[np.int32]) -> Components:
    """Return the strongly connected components (`dicelab.solver.solution.loops.components`)."""
    order, ends = np.empty(len(row) - 1, np.int64), np.empty(len(row) - 1, np.int64)
    count = sweeps.fast(sweeps.components, len(target))(row, target, order, ends)
    return order, ends[:count].copy()


def _roundings(graph: Graph) -> int:
    """Return the largest number of rounding operations in one weight: one for each outcome that may have been added to
    it.
    """
    if graph.exact_weights:
        return 0
    game = graph.game
    return max(len(all_outcomes(game, kind, row_pool(game, kind, 0))) for kind in game.declared.throws)


def reordered(
    edges: OrderedEdges, order: NDArray[np.int64], ends: NDArray[np.int64], loops: NDArray[np.bool_] | None
) -> OrderedEdges:
    """Return the edges with their states in `order`; with a label in `loops` an edge from a state to itself is a
    self-loop. With None there are no exit probabilities.
    """
    n, count = len(order), len(edges.target)
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    row = np.empty(n + 1, np.int64)
    new = np.empty(count, np.int32), np.empty_like(edges.label)
    edges.run(sweeps.reorder, order, rank, row, *new)
    in_order = replace(
        edges,
        order=edges.order[order],
        start=int(rank[edges.start]) if edges.start >= 0 else -1,
        ends=ends,
        row=row,
        target=new[0],
        label=new[1],
        exit_probability=np.zeros(0 if loops is None else n),
    )
    if loops is not None:
        in_order.run(sweeps.leaving, loops, in_order.exit_probability)
    return in_order


def must_end(graph: Graph, order: NDArray[np.int32], ends: NDArray[np.int64], stuck: NDArray[np.bool_]) -> None:
    """Refuse a chain with a component that is `stuck`: no edge leaves it."""
    if stuck.any():
        state = graph.described(int(order[ends[np.argmax(stuck)] - 1]))
        raise EndlessGameError(
            f"{graph.game.name}: from some states the game never ends; one of them is: {state}. "
            "An exact answer needs a game that ends with certainty"
        )
