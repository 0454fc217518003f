"""A chain in order: the graph of a game with its positions sorted so that edges lead on, block by block.

A block is a set of positions that can all reach each other. Inside a block few edges lead back: a pass over it follows
the play.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains import sweeps
from dicelab.chains.graph import Graph, all_outcomes
from dicelab.engines.stream import pool
from dicelab.errors import EndlessGameError
from dicelab.rules.fields import Ints

Numbers = NDArray[np.float64]
SAMPLE = 100_000
"""Edges that are looked at to find the number along which most lead on."""


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
        """Run a loop of `dicelab.chains.sweeps`, compiled where there is much to do."""
        return sweeps.fast(loop, len(self.target))(*arguments)


def ordered(graph: Graph, by_number: bool = True) -> Edges:
    """The edges of a graph in topological order.

    Inside a block positions are in the order of the number along which most edges lead on, where there is one and this
    is wanted: a loop over them then touches memory in order. Otherwise they are as `dicelab.chains.sweeps.blocks` found
    them, which takes fewer passes where turns are long.

    Raises
    ------
    EndlessGameError
        When a position can be reached from which no game ever ends.
    """
    order, ends = _blocks(graph.row, graph.target)
    if by_number:
        order = _along_the_play(graph, order, ends)
    as_found = Edges(
        np.arange(graph.states), ends, graph.row, graph.target, *_labels(graph), np.zeros(0), _rough(graph)
    )
    edges = _sorted(as_found, order, ends, np.ones(len(as_found.chance), np.bool_))
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


def _along_the_play(graph: Graph, order: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same order of the blocks; inside them positions rise by the number along which most edges lead on."""
    sizes = np.diff(np.concatenate(([0], ends)))
    if sizes.max(initial=1) < 3:
        return order
    block = np.empty(len(order), np.int64)
    block[order] = np.repeat(np.arange(len(ends)), sizes)
    every = max(1, graph.edges // SAMPLE)
    target = graph.target[::every]
    source = np.searchsorted(graph.row, np.arange(0, graph.edges, every), side="right") - 1
    inside = (target >= 0) & (block[source] == block[np.maximum(target, 0)])
    source, target = source[inside], target[inside]
    best, share = None, 0.55  # an order taken at random leads on along half of the edges
    for i in _single_numbers(graph):
        number = column(graph, i)
        ahead = float(np.mean(number[source] < number[target])) if len(source) else 0.0
        if ahead > share:
            best, share = number, ahead
    if best is None:
        return order
    return np.asarray(np.lexsort((best, block)), np.int64)


def _single_numbers(graph: Graph) -> list[int]:
    """Places, among the numbers of a position, of those that are no row."""
    single = sum(not isinstance(f, Ints) for f in graph.game.declared.state.values())
    return [i for i in range(single) if graph.slots.span[i] > 0]


def column(graph: Graph, i: int) -> NDArray[np.int64]:
    """One number of every position: int64 array (positions,)."""
    slots = graph.slots
    mask = np.uint64((1 << int(slots.span[i]).bit_length()) - 1)
    packed = graph.keys[:, int(slots.word[i])] >> np.uint64(slots.shift[i])
    return np.asarray((packed & mask).astype(np.int64) + slots.low[i], np.int64)


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
