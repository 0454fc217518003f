"""Three and more seats, each playing to win: best answers to each other, block by block from the end.

There need not be one best way to play. Where the moves of a block settle, no seat gains by another move there as long
as the others keep to theirs (a pure equilibrium; there may be others). Where they chase each other for ever, they are
left as they are, and the number of such blocks is told. What a seat could gain from the start by playing otherwise is
found exactly afterwards, by looking for its best answer to the moves of all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.model import Graph
from dicelab.chains.ordering import Numbers, ordered
from dicelab.chains.unfold import unrolled
from dicelab.errors import EndlessGameError
from dicelab.mdp import loops as backups
from dicelab.mdp.value_iteration import Optimum, optimum

SLOW = 1e-10
"""Where nobody gains more than this anywhere, no moves chase each other: they only took long to settle."""


@dataclass(frozen=True)
class Several:
    """Moves for all seats.

    Attributes
    ----------
    value
        float64 array (positions, seats): chance of each seat to win, from each position of the graph. Where positions
        are seen from the seat whose turn it is, seats are counted from there.
    picked
        int64 array: the edge picked at each position at which a seat chooses, -1 elsewhere.
    gains
        For each seat the most that it could gain from the start by playing otherwise, the error of this included.
    anywhere
        The most that any seat could gain by playing otherwise from any position on.
    steps
        Throws and choices of a game, on average.
    blocks, chasing
        Blocks of positions that can reach each other, and those of them in which moves chase each other.
    """

    value: Numbers
    picked: NDArray[np.int64]
    gains: tuple[float, ...]
    anywhere: float
    steps: float
    blocks: int
    chasing: int


def several(graph: Graph, seats: int) -> Several:
    """Moves for all seats, each playing to win.

    Raises
    ------
    EndlessGameError
        When a position can be reached from which no game ever ends.
    """
    edges = ordered(graph, turning=True)
    turn = np.zeros(len(graph.changes), np.int64) if graph.turn is None else graph.turn
    value, picked = np.zeros((graph.states, seats)), np.full(graph.states, -1, np.int64)
    chasing = np.zeros(len(edges.ends), np.int64)
    shape = edges.ends, edges.row, edges.target, edges.label, edges.chance, edges.leave
    found = int(
        edges.run(backups.settle_all, *shape, turn[edges.change], graph.mover[edges.order], value, picked, chasing)
    )
    values, picks = np.empty_like(value), np.full(graph.states, -1, np.int64)
    values[edges.order] = value
    chooses = picked >= 0
    here = edges.order[chooses]
    picks[here] = graph.row[here] + picked[chooses] - edges.row[:-1][chooses]
    gained = _gained(graph, values, picks)
    if gained is not None and gained[1] < SLOW:
        found = 0
    if gained is None:  # moves that are as good as others, but put the game off for ever
        return Several(values, picks, (inf,) * seats, inf, nan, len(edges.ends), found)
    return Several(values, picks, *gained, len(edges.ends), found)


def _gained(graph: Graph, values: Numbers, picks: NDArray[np.int64]) -> tuple[tuple[float, ...], float, float] | None:
    """What each seat could gain from the start, any seat from anywhere, and the steps of a game.

    Where positions are seen from the seat whose turn it is, the best answer of seat 0 in each view is that of all.
    """
    seats, n = values.shape[1], graph.states
    try:
        if graph.turn is None:
            answers = [_best_answer(graph, picks, seat) for seat in range(seats)]
            starts = [graph.start] * seats
            worth = [values[:, seat] for seat in range(seats)]
        else:
            whole, first = unrolled(graph, reached=False), int(graph.turn[graph.start_change])
            picked = np.where(picks >= 0, picks + np.arange(seats)[:, None] * graph.edges, -1).reshape(-1)
            answers = [_best_answer(whole, picked, 0)] * seats
            starts = [(first - seat) % seats * n + graph.start for seat in range(seats)]
            worth = [np.concatenate([values[:, -by % seats] for by in range(seats)])] * seats
    except EndlessGameError:
        return None
    off = [abs(a.value[s] - w[s]) + a.error(s) for s, a, w in zip(starts, answers, worth, strict=True)]
    anywhere = max(float((a.value - w).max()) for a, w in zip(answers, worth, strict=True))
    return tuple(map(float, off)), max(0.0, anywhere), float(answers[0].steps[starts[0]])


def _best_answer(graph: Graph, picked: NDArray[np.int64], seat: int) -> Optimum:
    """The best play of one seat while all others make the moves picked."""
    fixed = (graph.mover >= 0) & (graph.mover != seat)
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    kept = ~fixed[source] | (picked[source] == np.arange(graph.edges))
    row = np.concatenate(([0], np.cumsum(kept)))[graph.row]
    weight, mover = graph.weight.copy(), graph.mover.copy()
    weight[fixed[source]] = 1
    mover[fixed] = -1
    alone = replace(
        graph, row=row, target=graph.target[kept], weight=weight[kept], change=graph.change[kept], mover=mover
    )
    prize = np.zeros(graph.outcomes)
    prize[seat] = 1.0
    return optimum(alone, np.ones(seat + 1, np.int8), np.zeros(len(graph.changes)), prize)
