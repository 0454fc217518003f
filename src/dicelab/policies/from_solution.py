"""Convert a solution into a policy: sorted by state, without the memory of strategies."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumeration.model import Graph, moves_numbered, ranges
from dicelab.chains.enumeration.unfold import turned_keys
from dicelab.chains.solution.ordering import Numbers
from dicelab.engines.policy import Policy
from dicelab.rules.game import fresh
from dicelab.rules.source import source_hash
from dicelab.runtime.interpreter import asked
from dicelab.states.codec import Slots
from dicelab.states.cursor import Place
from dicelab.states.symmetry import Rotation

Worth = Callable[[NDArray[np.int32], NDArray[np.int64]], Numbers]
"""Takes seats and edges, arrays of equal length; returns the value of each edge to the seat, which chooses there."""


def policy_of(graph: Graph, picked: NDArray[np.int64], worth: Worth, about: dict[str, Any]) -> Policy | None:
    """The policy of a solution: the moves in every state in which an optimised seat chooses, with their values to it.

    None if the best move depends on the memory of a strategy, which no player sees.
    """
    chooses = np.flatnonzero(graph.mover >= 0)
    with ThreadPoolExecutor(1) as pool:
        in_order = pool.submit(_sorted_keys, graph, chooses)
        length = np.diff(graph.row)[chooses]
        edges = ranges(graph.row[chooses], length)
        moves, worths = _moves(graph, chooses, length, edges), worth(np.repeat(graph.mover[chooses], length), edges)
        keys, order = in_order.result()
    state = order % max(1, len(chooses))
    if (keys[1:] == keys[:-1]).all(axis=1).any():  # two states differ only in a strategy's memory
        return None
    row = np.concatenate(([0], np.cumsum(length[state])))
    options = ranges((np.cumsum(length) - length)[state], length[state])
    best = (picked[chooses] - graph.row[chooses])[state] + row[:-1]
    about = {**about, "source_hash": source_hash(type(graph.game))}
    return Policy(graph.game, about, keys, row, moves[options], worths[options], best)


def _sorted_keys(graph: Graph, states: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The keys of some states without the memory of strategies, sorted, and the place of each before it was sorted.

    If states are seen from the seat to move, those seen from the next seat come after all of these, and so on.
    """
    keys = graph.without_memory(states)
    rotation = Rotation.of(graph.game) if graph.turn is not None else None
    if rotation is not None:  # the options are the same from every seat
        slots = Slots.of(graph.game, ())
        keys = np.concatenate([turned_keys(slots, rotation, keys, by) for by in range(rotation.seats)])
    order = np.lexsort(keys.T[::-1]) if keys.shape[1] > 1 else np.argsort(keys[:, 0])
    return keys[order], order


def _moves(graph: Graph, order: NDArray[np.int64], length: NDArray[np.int64], edges: Any) -> NDArray[np.int64]:
    """The move of each edge: int64 (edges, values of a move), padded with 0 if some decisions have fewer values."""
    game = fresh(graph.game)
    decisions = list(game.declared.decisions)
    number = graph.weight[edges].astype(np.int64)
    if len(decisions) == 1:
        return moves_numbered(decisions[0], game, number)
    place, kinds = Place(game, ()), []
    for state in order.tolist():
        place.set(graph.slots.unpack(graph.keys[state].tolist()))
        kinds.append(decisions.index(asked(game, game.next())[0]))  # type: ignore[arg-type]
    kind = np.repeat(np.array(kinds), length)
    found = np.zeros((len(edges), max(len(d.kinds) for d in decisions)), np.int64)
    for k, decision in enumerate(decisions):
        found[kind == k, : len(decision.kinds)] = moves_numbered(decision, game, number[kind == k])
    return found
