"""A chain in order: the graph of a game with its positions sorted so that edges lead on, block by block.

A block is a set of positions that can all reach each other. Inside a block few edges lead back: a pass over it follows
the play.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains import loops as sweeps
from dicelab.chains.model import Graph, all_outcomes
from dicelab.errors import EndlessGameError
from dicelab.random.philox import pool

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Edges:
    """Positions in some order, and their edges.

    Attributes
    ----------
    order
        int64 array: the number in the graph of each position.
    ends
        int64 array: where each block ends.
    row, target
        As in the graph, for the positions in this order.
    label
        int32 array: for each edge its place in `chance` and `change`.
    chance, change
        Probability of the edges with a label, and the row of the graph's `changes` that they add.
    leave
        float64 array: the chance not to stay at a position.
    rough
        Roundings in a chance beyond the first: 0 where weights are whole numbers.
    """

    order: NDArray[np.int64]
    ends: NDArray[np.int64]
    row: NDArray[np.int64]
    target: NDArray[np.int32]
    label: NDArray[np.int32]
    chance: Numbers
    change: NDArray[np.int32]
    leave: Numbers
    rough: int

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop of `dicelab.chains.loops`, compiled where there is much to do."""
        return sweeps.fast(loop, len(self.target))(*arguments)


def ordered(graph: Graph, turning: bool = False) -> Edges:
    """The edges of a graph in topological order.

    Inside a block positions are as `dicelab.chains.loops.blocks` found them. Where `turning` counts, an edge that only
    turns the view does not stay.

    Raises
    ------
    EndlessGameError
        When a position can be reached from which no game ever ends.
    """
    order, ends = _blocks(graph.row, graph.target)
    as_found = Edges(
        np.arange(graph.states), ends, graph.row, graph.target, *_labels(graph), np.zeros(0), _rough(graph)
    )
    stays = np.ones(len(as_found.chance), np.bool_)
    if turning and graph.turn is not None:
        stays = graph.turn[as_found.change] == 0
    edges = _sorted(as_found, order, ends, stays)
    _must_end(graph, edges)
    return edges


def ordered_by(edges: Edges, standing: NDArray[np.bool_]) -> Edges:
    """The same edges, ordered by those alone whose label is `standing`; only these count as staying."""
    alone = standing[edges.label]
    if not alone.any():
        return replace(edges, ends=np.arange(1, len(edges.order) + 1), leave=np.ones(len(edges.order)))
    before = np.concatenate(([0], np.cumsum(alone)))
    order, ends = _blocks(before[edges.row], edges.target[alone])
    return _sorted(edges, order, ends, standing)


def as_packed(graph: Graph, edges: Edges) -> Edges:
    """The same edges, positions in the order of their packed numbers, for loops that do not mind.

    Neighbours then lead to neighbours, so that a loop over a chain that is larger than the cache waits less for memory.
    """
    order = np.lexsort(graph.keys[edges.order].T)
    return _sorted(edges, order, np.arange(1, len(order) + 1), np.ones(len(edges.chance), np.bool_))


def _blocks(row: NDArray[np.int64], target: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions in topological order, and where each block ends."""
    order, ends = np.empty(len(row) - 1, np.int64), np.empty(len(row) - 1, np.int64)
    found = sweeps.fast(sweeps.blocks, len(target))(row, target, order, ends)
    return order, ends[:found].copy()


def _rough(graph: Graph) -> int:
    """Outcomes that may have been added up to one weight, each with a rounding."""
    if graph.exact_weights:
        return 0
    return max(len(all_outcomes(graph.game, kind, pool(graph.game, kind, 0))) for kind in graph.game.declared.throws)


def _labels(graph: Graph) -> tuple[NDArray[np.int32], Numbers, NDArray[np.int32]]:
    """A label for each edge, and the chance and change that each label means."""
    label, room = np.empty(graph.edges, np.int32), 1024
    while True:
        chance, change, table = np.empty(room), np.empty(room, np.int32), np.full(4 * room, -1, np.int32)
        given = graph.row, graph.weight, graph.total, graph.mover, graph.change, label, chance, change, table
        found = sweeps.fast(sweeps.relabel, graph.edges)(*given)
        if found >= 0:
            return label, chance[:found].copy(), change[:found].copy()
        room *= 8


def _sorted(edges: Edges, order: NDArray[np.int64], ends: NDArray[np.int64], stands: NDArray[np.bool_]) -> Edges:
    """The edges with their positions in an order; back to the same position they stay if their label `stands`."""
    n, count = len(order), len(edges.target)
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    row, leave = np.empty(n + 1, np.int64), np.zeros(n)
    new = np.empty(count, np.int32), np.empty(count, np.int32)
    edges.run(sweeps.reorder, order, rank, edges.row, edges.target, edges.label, edges.chance, stands, row, *new, leave)
    return replace(edges, order=edges.order[order], ends=ends, row=row, target=new[0], label=new[1], leave=leave)


def _must_end(graph: Graph, edges: Edges) -> None:
    """Refuse a chain in which a game can come to a block that it never leaves."""
    stuck = int(edges.run(sweeps.never_left, edges.row, edges.target, edges.ends))
    if stuck < 0:
        return
    where = graph.position(int(edges.order[stuck]))
    told = ", ".join(f"{name} {value}" for name, value in where.items())
    raise EndlessGameError(
        f"{graph.game.name}: from some positions the game never ends; one of them is: {told}. "
        "An exact answer needs a game that ends with certainty"
    )
