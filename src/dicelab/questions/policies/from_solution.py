"""Convert a solution into a policy: sorted by state, without the memory of strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.arrays import Floats
from dicelab.runtime.states.codec import Slots, order_of
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import Graph, moves_numbered, ranges
from dicelab.solver.enumeration.unfold import decisions_at, turned_keys, turned_moves

Worth = Callable[[NDArray[np.int32], NDArray[np.int64]], Floats]
"""Takes seats and edges, arrays of equal length; returns the value of each edge to the seat, which chooses there."""


def policy_of(graph: Graph, picked: NDArray[np.int64], worth: Worth, about: dict[str, Any]) -> Policy | None:
    """Return the policy of a solution: the moves in every state in which an optimised seat chooses, with their values
    to it.

    None if the best move depends on the memory of a strategy, which no player sees.
    """
    chooses = np.flatnonzero(graph.mover >= 0)
    keys, length = graph.without_memory(chooses), np.diff(graph.row)[chooses]
    edges = ranges(graph.row[chooses], length)
    kind = np.repeat(decisions_at(graph.game, graph.slots, graph.keys[chooses]), length)
    moves, worths = _moves(graph, kind, edges), worth(np.repeat(graph.mover[chooses], length), edges)
    best = picked[chooses] - graph.row[chooses]
    rotation = Rotation.of(graph.game) if graph.turn is not None else None
    if rotation is not None:  # the options are the same from every seat
        slots = Slots.of(graph.game, ())
        keys = np.concatenate([turned_keys(slots, rotation, keys, by) for by in range(rotation.seats)])
    order = order_of(keys)
    keys, state = keys[order], order % max(1, len(chooses))
    if (keys[1:] == keys[:-1]).all(axis=1).any():  # two states differ only in a strategy's memory
        return None
    row = np.concatenate(([0], np.cumsum(length[state])))
    options = ranges((np.cumsum(length) - length)[state], length[state])
    made, best = moves[options], best[state] + row[:-1]
    if rotation is not None and any(decision.seats for decision in graph.game.declared.decisions):
        by = np.repeat(order // max(1, len(chooses)), length[state])
        made = _turned(graph, rotation, made, kind[options], by)
        again = np.lexsort((*made.T[::-1], np.repeat(np.arange(len(state)), length[state])))
        made, options, best = made[again], options[again], np.argsort(again)[best]
    about = {**about, "source_hash": about.get("source_hash") or source_hash(type(graph.game))}
    return Policy(graph.game, about, keys, row, made, worths[options], best)


def _turned(
    graph: Graph, rotation: Rotation, moves: NDArray[np.int64], kind: NDArray[np.int64], by: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the moves of some options as they are `by` seats further; `kind` says which choice each is of."""
    found = moves.copy()
    for k, decision in enumerate(graph.game.declared.decisions):
        mine = kind == k
        found[mine] = turned_moves(decision, rotation, moves[mine], by[mine])
    return found


def _moves(graph: Graph, kind: NDArray[np.int64], edges: Any) -> NDArray[np.int64]:
    """Return the move of each edge: int64 (edges, values of a move), padded with 0 if some
    decisions have fewer values.
    """
    decisions, number = graph.game.declared.decisions, graph.weight[graph.label[edges]].astype(np.int64)
    found = np.zeros((len(edges), max(len(d.kinds) for d in decisions)), np.int64)
    if len(decisions) == 1:
        return moves_numbered(decisions[0], graph.game, number)
    for k, decision in enumerate(decisions):
        found[kind == k, : len(decision.kinds)] = moves_numbered(decision, graph.game, number[kind == k])
    return found
