"""The exact value of a learned policy, computed on the graph of the game.

Transitions that the learned policy does not take are removed from the graph, and the rest is solved like the game. If
two seats learn, the value of each is that against the best response to its policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order

from dicelab.chains.amounts import in_units
from dicelab.chains.enumerate import graph_of
from dicelab.chains.model import Graph
from dicelab.chains.ordering import Numbers
from dicelab.errors import ParameterError, PlayError
from dicelab.learning.episode import Table
from dicelab.learning.q_learning import Learner, best_of
from dicelab.mdp.value_iteration import optimum
from dicelab.policies.objective import Objective
from dicelab.rules.game import seat_count
from dicelab.runtime.lineup import Run


@dataclass(frozen=True)
class Judge:
    """The graph of a game, and the states in it that belong to each observation.

    Attributes
    ----------
    graph, seats, wanted
        The graph in which the learning seats have all choices; these seats; their objective.
    places
        By observation, as bytes: the indices of the states with this observation.
    number
        For each action its index among the moves of its decision.
    """

    graph: Graph
    seats: tuple[int, ...]
    wanted: Objective
    places: dict[bytes, list[int]]
    number: list[int]

    @classmethod
    def of(cls, run: Run, seats: Sequence[int], wanted: Objective, memory: int | None = None) -> Judge:
        """Enumerate the states.

        Raises
        ------
        TooLarge, PlayError
            As in `dicelab.solve`.
        ParameterError
            When the game is over before anybody chooses.
        """
        graph = graph_of(run, seats, memory, counted=wanted.kind in ("most", "fewest"))
        if graph.start < 0:
            raise ParameterError(f"{run.game.name} is over before anybody chooses")
        table = Table(run, seats, wanted)
        chooses = np.flatnonzero(graph.mover >= 0)
        seen = np.stack([_column(graph, chooses, i) for i in table.varying.tolist()], axis=1)
        places: dict[bytes, list[int]] = {}
        for state, numbers in zip(chooses.tolist(), seen, strict=True):
            places.setdefault(numbers.tobytes(), []).append(state)
        decisions = [decision for decision, _ in table.actions]
        number = [i - decisions.index(decision) for i, decision in enumerate(decisions)]
        return cls(graph, tuple(seats), wanted, places, number)

    def best(self) -> tuple[tuple[float, ...], float]:
        """The value of optimal play to each learning seat, and a bound on its error; two seats play each other."""
        value, error = _value(self.graph, self.wanted, self.seats[0])
        return (value, 1.0 - value)[: len(self.seats)], error

    def worth(self, picked: NDArray[np.int64]) -> tuple[float | None, ...]:
        """The value of the picked edges (one per state) to each learning seat; None if a game might never end."""
        return tuple(self._worth_to(seat, picked) for seat in self.seats)

    def _worth_to(self, seat: int, picked: NDArray[np.int64]) -> float | None:
        try:
            value, error = _value(_reached(_kept(self.graph, picked, seat)), self.wanted, seat)
        except PlayError:
            return None
        return value if isfinite(error) else None

    def at(self, seen: bytes) -> list[int]:
        """The states with this observation.

        Raises
        ------
        PlayError
            When there is none.
        """
        if seen not in self.places:
            values = np.frombuffer(seen, np.int64).tolist()
            raise PlayError(
                f"{self.graph.game.name}: a game reached the state {values}, which is not among the enumerated states; "
                "next() must not change the state where a seat is asked to choose"
            )
        return self.places[seen]

    def picked(self, learner: Learner) -> NDArray[np.int64]:
        """The edge that a learner takes in each state: -1 if it doesn't choose there, the first one if unseen."""
        graph = self.graph
        picked = np.where(graph.mover >= 0, graph.row[:-1], -1)
        for seen, tried in learner.known.items():
            wanted = self.number[best_of(tried)]
            for state in self.at(seen):
                moves = graph.weight[graph.row[state] : graph.row[state + 1]]
                picked[state] = graph.row[state] + int(np.searchsorted(moves, wanted))
        return picked

    def worths(self, learner: Learner) -> Numbers:
        """The learner's estimate of the value of each edge; 0 if it has never taken it."""
        graph, found = self.graph, np.zeros(self.graph.edges)
        sign = -1.0 if self.wanted.kind == "fewest" else 1.0
        for seen, tried in learner.known.items():
            for state in self.at(seen):
                first = int(graph.row[state])
                moves = graph.weight[first : graph.row[state + 1]]
                for action, known in tried.items():
                    found[first + int(np.searchsorted(moves, self.number[action]))] = sign * known.worth
        return found


def _value(graph: Graph, wanted: Objective, seat: int) -> tuple[float, float]:
    """The value of a game to a seat that plays optimally, other free seats playing against it; a bound on its error."""
    prize, gain, unit = np.zeros(graph.outcomes), np.zeros(len(graph.changes)), 1.0
    side = np.full(max(1, seat_count(graph.game)), -1, np.int8)
    side[seat] = -1 if wanted.kind == "fewest" else 1
    if wanted.kind in ("win", "outcome"):
        prize[seat if wanted.kind == "win" else wanted.number] = 1.0
    else:
        gain, unit = in_units(graph.changes[:, wanted.number], list(graph.game.declared.tallies)[wanted.number])
    found = optimum(graph, side, gain, prize)
    return unit * float(gain[graph.start_change] + found.value[graph.start]), unit * found.error(graph.start)


def _kept(graph: Graph, picked: NDArray[np.int64], seat: int) -> Graph:
    """The graph with only the picked edges in the states where one seat chooses."""
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    return _of_edges(graph, (graph.mover[source] != seat) | (picked[source] == np.arange(graph.edges)))


def _reached(graph: Graph) -> Graph:
    """The part of the graph that can be reached from the start; states are renumbered in the same order."""
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    goes_on = graph.target >= 0
    links = csr_matrix(
        (np.ones(int(goes_on.sum()), np.int8), (source[goes_on], graph.target[goes_on])), shape=(graph.states,) * 2
    )
    reached = np.sort(breadth_first_order(links, graph.start, return_predecessors=False)).astype(np.int64)
    new = np.full(graph.states, -1, np.int32)
    new[reached] = np.arange(len(reached), dtype=np.int32)
    part = _of_edges(graph, new[source] >= 0)
    target = np.where(part.target < 0, part.target, new[np.maximum(part.target, 0)])
    row = np.concatenate(([0], np.cumsum(np.diff(part.row)[reached])))
    per_state = {name: getattr(graph, name)[reached] for name in ("keys", "total", "mover")}
    return replace(part, start=int(new[graph.start]), row=row, target=target, **per_state)


def _of_edges(graph: Graph, taken: NDArray[np.bool_]) -> Graph:
    """The graph with the edges for which `taken` is true."""
    before = np.concatenate(([0], np.cumsum(taken)))
    parts = {name: getattr(graph, name)[taken] for name in ("target", "weight", "change")}
    return replace(graph, row=before[graph.row], **parts)


def _column(graph: Graph, states: NDArray[np.int64], i: int) -> NDArray[np.int64]:
    """The values of the i-th field in some states, unpacked from their keys."""
    slots = graph.slots
    mask = np.uint64((1 << int(slots.span[i]).bit_length()) - 1)
    packed = (graph.keys[states, int(slots.word[i])] >> np.uint64(slots.shift[i])) & mask
    return np.asarray(packed.astype(np.int64) + slots.low[i], np.int64)
