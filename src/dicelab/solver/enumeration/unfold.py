"""Graphs made of others: without the symmetry of the seats, with some choices made, with some of the states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, fresh
from dicelab.runtime.interpreter import asked
from dicelab.runtime.states.codec import Place, Slots
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import Graph, as_labels, move_number, moves_numbered, ranges


def unrolled(graph: Graph, reached: bool = True) -> Graph:
    """Return the graph with every state in every rotation, or only in those that can be `reached`.

    If not only the reached ones are asked for, state s rotated by k seats has the number ``k * graph.states + s``.

    Examples
    --------
    >>> from dicelab.solver.enumeration.graph import graph_of
    >>> from dicelab.runtime.lineup import Run
    >>> turned = graph_of(Run.of("lcr", players=3), turned=True)
    >>> turned.states, unrolled(turned).states
    (156, 468)
    """
    rotation = Rotation.of(graph.game)
    if graph.turn is None or rotation is None:
        return graph
    seats, n = rotation.seats, graph.states
    further = graph.turn[graph.change][graph.label]
    over = graph.target < 0
    target, mover = [], []
    for by in range(seats):
        led = -1 - np.array(rotation.ended(by))[np.where(over, -1 - graph.target, 0)]
        target.append(np.where(over, led, (by + further) % seats * n + graph.target))
        mover.append(np.where(graph.mover >= 0, (graph.mover + by) % seats, -1))
    first = int(graph.turn[graph.start_change])
    label, weight, total, change = _turned_labels(graph, rotation)
    whole = replace(
        graph,
        start=first * n + graph.start if graph.start >= 0 else graph.start,
        keys=np.concatenate([turned_keys(graph.slots, rotation, graph.keys, by) for by in range(seats)]),
        row=np.concatenate([[0], *(graph.row[1:] + by * graph.edges for by in range(seats))]),
        target=np.concatenate(target).astype(np.int32),
        label=label,
        weight=weight,
        total=total,
        change=change,
        mover=np.concatenate(mover).astype(np.int32),
        turn=None,
    )
    return only(whole, reachable(whole)) if reached and whole.start >= 0 else whole


def _turned_labels(graph: Graph, rotation: Rotation) -> tuple[NDArray[Any], ...]:
    """Return the labels of all edges in every rotation, and the weight, total and change of each label.

    The numbers of moves that name seats are those with everybody as many seats further.
    """
    decisions, seats = graph.game.declared.decisions, rotation.seats
    if not any(decision.seats for decision in decisions):
        return np.tile(graph.label, seats), graph.weight, graph.total, graph.change
    chooses = np.flatnonzero(graph.mover >= 0)
    length, kind = np.diff(graph.row)[chooses], decisions_at(graph.game, graph.slots, graph.keys[chooses])
    edges, kind = ranges(graph.row[chooses], length), np.repeat(kind, length)
    label = np.tile(graph.label.astype(np.int64), (seats, 1))
    moves, weight = np.flatnonzero(graph.total == 1), np.tile(graph.weight, (seats, len(decisions), 1))
    for by in range(1, seats):
        label[by, edges] += (by * len(decisions) + kind) * len(graph.weight)
        for k, decision in enumerate(decisions):
            made = moves_numbered(decision, graph.game, graph.weight[moves].astype(np.int64))
            made = turned_moves(decision, rotation, made, by)
            weight[by, k, moves] = [move_number(decision, graph.game, move) for move in made.tolist()]
    copies = seats * len(decisions)
    total, change = np.tile(graph.total, copies), np.tile(graph.change, copies)
    return as_labels(label.reshape(-1), weight.size), weight.reshape(-1), total, change


def turned_moves(
    decision: Decision, rotation: Rotation, moves: NDArray[np.int64], by: int | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return moves (moves, values of a move) with everybody `by` seats further."""
    found = moves.copy()
    for i in decision.seats:
        found[:, i] = np.where(moves[:, i] >= 0, (moves[:, i] + by) % rotation.seats, moves[:, i])
    return found


def decisions_at(game: Game, slots: Slots, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return which choice is asked for in each of some packed states in which a seat chooses: its index."""
    game = fresh(game)
    decisions = list(game.declared.decisions)
    if len(decisions) == 1:
        return np.zeros(len(keys), np.int64)
    place, kinds = Place(game, ()), []
    for key in keys.tolist():
        place.set(slots.unpack(key))
        kinds.append(decisions.index(asked(game, game.next())[0]))  # type: ignore[arg-type]
    return np.array(kinds, np.int64)


def turned_keys(slots: Slots, rotation: Rotation, keys: NDArray[np.uint64], by: int) -> NDArray[np.uint64]:
    """Packed states rotated by `by` seats."""
    if by == 0:
        return keys
    found = keys.copy()
    for i in rotation.single:
        numbers = slots.column(keys, i)
        slots.put(found, i, np.where(numbers >= 0, (numbers + by) % rotation.seats, numbers))
    for at, step in rotation.rows:
        for seat in range(rotation.seats):
            slots.put(found, at + (seat + by) % rotation.seats * step, slots.column(keys, at + seat * step))
    return found


def reachable(graph: Graph) -> NDArray[np.int64]:
    """Return the states that can be reached from the start, in breadth-first order."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    inside = graph.target >= 0
    before = np.concatenate(([0], np.cumsum(inside)))
    inner = np.ones(int(before[-1]), np.int8), graph.target[inside], before[graph.row]
    links = csr_array(inner, shape=(graph.states, graph.states))
    return np.asarray(breadth_first_order(links, graph.start, return_predecessors=False), np.int64)


def in_order(graph: Graph) -> Graph:
    """Return the graph with the moves of each choice in ascending order; rules may list them in any order."""
    if not any(decision.moves for decision in graph.game.declared.decisions):
        return graph
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    number = np.where(graph.mover[source] >= 0, graph.weight[graph.label], 0)  # of a move; rolls stay as they are
    order = np.lexsort((number, source))
    return replace(graph, target=graph.target[order], label=graph.label[order])


def committed(graph: Graph, states: NDArray[np.bool_], picked: NDArray[np.int64]) -> Graph:
    """Return the graph in which nobody chooses in some `states`: of their edges only the `picked` ones (states,) are
    left.
    """
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    kept, count = ~states[source] | (picked[source] == np.arange(graph.edges)), len(graph.weight)
    label = graph.label[kept] + states[source[kept]] * count  # as before, and the same labels with a weight of 1
    return replace(
        graph,
        row=np.concatenate(([0], np.cumsum(kept)))[graph.row],
        target=graph.target[kept],
        label=as_labels(label, 2 * count),
        weight=np.concatenate((graph.weight, np.ones_like(graph.weight))),
        total=np.tile(graph.total, 2),
        change=np.tile(graph.change, 2),
        mover=np.where(states, -1, graph.mover).astype(np.int32),
    )


def only(graph: Graph, states: NDArray[np.int64]) -> Graph:
    """Return the graph with only these states, numbered anew in this order; no edge may lead to another, and one
    starts.
    """
    length = np.diff(graph.row)[states]
    edges = ranges(graph.row[states], length)
    number = np.full(graph.states, -1, np.int32)
    number[states] = np.arange(len(states), dtype=np.int32)
    target = graph.target[edges]
    return replace(
        graph,
        start=int(number[graph.start]),
        keys=graph.keys[states],
        row=np.concatenate(([0], np.cumsum(length))),
        target=np.where(target < 0, target, number[np.maximum(target, 0)]).astype(np.int32),
        label=graph.label[edges],
        mover=graph.mover[states],
    )
