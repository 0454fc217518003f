"""Policies for several seats, each playing for itself: best responses to each other, by component from the end.

Such games need not have one optimal policy. Where the moves of a component converge, no seat gains by another move
there as long as the others keep to theirs (a pure equilibrium; there may be others). Where best responses cycle, the
moves are left as they are, and the number of such components is reported. Then the exploitability of each seat is
computed: what it could gain from the start by a best response to the policies of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import EndlessGameError
from dicelab.runtime.arrays import Floats
from dicelab.solver.enumeration.graph import Share
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import committed, unrolled
from dicelab.solver.solution import loops
from dicelab.solver.solution.backward import with_prizes
from dicelab.solver.solution.ordering import ordered
from dicelab.solver.value_iteration import NOWHERE, Layers, Optimum, optimum, parts

SLOW = 1e-10
"""If no seat can gain more than this from any state, no best responses cycle: they only converged slowly."""


@dataclass(frozen=True)
class Several:
    """Policies for all seats.

    Attributes
    ----------
    value
        float64 array (states, seats): chance of each seat to win, or its mean payoff, from each state of the graph.
        Where states are seen from the seat whose turn it is, seats are counted from there.
    picked
        int64 array: the edge picked in each state in which a seat chooses, -1 in others.
    error
        The largest gain of a seat from the start by a best response to the others, the error of this gain included; of
        two sides with opposed interests a bound on the error of the value.
    anywhere
        The largest gain of any seat by a best response from any state on.
    steps
        Expected rolls and choices of a game.
    chasing
        Number of strongly connected components in which best responses cycle.
    """

    value: Floats
    picked: NDArray[np.int64]
    error: float
    anywhere: float
    steps: float
    chasing: int


def of_sides(
    graph: Graph,
    sides: Sequence[tuple[float, float]],
    gain: Floats,
    prize: Floats,
    share: Share = lambda done: None,
    layers: Layers = NOWHERE,
) -> Several:
    """Return the policies for two sides with opposed interests.

    Seat k gets a + c times what seat 0 gets, where ``a, c = sides[k]``; seat 0 gets `gain` for each row of the graph's
    changes and `prize` for each outcome.
    """
    side = np.array([1 if c >= 0 else -1 for _, c in sides], np.int8)
    optimal = optimum(graph, side, gain, prize, share, layers)
    value, start = np.stack([a + c * optimal.value for a, c in sides], axis=1), graph.start
    error, steps = (optimal.error(start), float(optimal.steps[start])) if start >= 0 else (0.0, 0.0)
    return Several(value, optimal.picked, max(abs(c) for _, c in sides) * error, 0.0, steps, 0)


def several(graph: Graph, prizes: Floats, share: Share = lambda done: None, gains: Floats | None = None) -> Several:
    """Return the policies for all seats, each playing for itself.

    Parameters
    ----------
    graph
        With all seats as decision seats.
    prizes
        float64 array (outcomes, seats): what each seat gets, such as 1 if it wins and 0 if not.
    share
        Called with the share of the solution that is done.
    gains
        float64 array (changes, seats): what each row of the graph's changes adds for each seat; None for nothing. Not
        where states are seen from the seat whose turn it is.

    Raises
    ------
    EndlessGameError
        When the game can reach a state from which it never ends.
    """
    edges = ordered(graph, turning=True)
    seats = prizes.shape[1]
    value = with_prizes(np.zeros((graph.states, seats)), prizes)
    picked = np.full(graph.states, -1, np.int64)
    gains = np.zeros((len(graph.changes), seats)) if gains is None else gains
    added = gains[edges.change] if gains.any() else np.zeros((0, seats))
    given = graph.turned[edges.change], graph.mover[edges.order], added, value, picked
    some = parts(edges.ends, len(edges.ends), lambda first: share((1.0 - first / graph.states) / 2))
    changed = sum(int(edges.run(loops.best_responses, *given, first, last)) for first, last in some)
    values, picks = np.empty((graph.states, seats)), np.full(graph.states, -1, np.int64)
    values[edges.order] = value[: graph.states]
    chooses = picked >= 0
    here = edges.order[chooses]
    picks[here] = graph.row[here] + picked[chooses] - edges.row[:-1][chooses]
    gained = _gained(graph, values, picks, gains, prizes, lambda done: share((1 + done) / 2))
    if gained is not None and gained[1] < SLOW:
        changed = 0
    if gained is None:  # the picked moves are as good as others, but the game never ends
        return Several(values, picks, inf, inf, nan, changed)
    return Several(values, picks, *gained, changed)


def _gained(
    graph: Graph, values: Floats, picks: NDArray[np.int64], gains: Floats, prizes: Floats, share: Share
) -> tuple[float, float, float] | None:
    """Return the gain of any seat from the start, from any state, and the steps of a game; None if it never ends.

    If states are seen from the seat whose turn it is, the best response of seat 0 in every rotation covers all seats.
    """
    seats, n = values.shape[1], graph.states
    try:
        if graph.turn is None:
            responses = []
            for seat in range(seats):
                share(seat / seats)
                responses.append(_best_response(graph, picks, seat, gains[:, seat].copy(), prizes[:, seat]))
            starts = [graph.start] * seats
            worth = [values[:, seat] for seat in range(seats)]
        else:
            whole, first = unrolled(graph, reached=False), int(graph.turn[graph.start_change])
            picked = np.where(picks >= 0, picks + np.arange(seats)[:, None] * graph.edges, -1).reshape(-1)
            none = np.zeros(len(whole.changes))
            responses = [_best_response(whole, picked, 0, none, prizes[:, 0], share)] * seats
            starts = [(first - seat) % seats * n + graph.start for seat in range(seats)]
            worth = [np.concatenate([values[:, -by % seats] for by in range(seats)])] * seats
    except EndlessGameError:
        return None
    off = [abs(a.value[s] - w[s]) + a.error(s) for s, a, w in zip(starts, responses, worth, strict=True)]
    anywhere = max(float((a.value - w).max()) for a, w in zip(responses, worth, strict=True))
    return float(max(off)), max(0.0, anywhere), float(responses[0].steps[starts[0]])


def _best_response(
    graph: Graph, picked: NDArray[np.int64], seat: int, gain: Floats, prize: Floats, share: Share = lambda done: None
) -> Optimum:
    """Return the best response of one seat, with these gains and prizes, to the picked moves of all others."""
    alone = committed(graph, (graph.mover >= 0) & (graph.mover != seat), picked)
    return optimum(alone, np.ones(seat + 1, np.int8), gain, prize, share)
