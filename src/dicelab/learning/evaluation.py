"""What a learned policy is exactly worth, beside the best that there is: on the graph of the game.

Moves that the learner would make are kept, its others are taken out of the graph, and what is left is solved like the
game itself. Where two seats learn, each is judged at its worst: against the best answer to it.
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
    """The graph of a game, and where on it the positions of a learner are.

    Attributes
    ----------
    graph, seats, wanted
        The game with the choices of the learning seats left open, those seats, and what they want.
    places
        Numbers of the positions that look alike, by their observation as bytes.
    number
        The number of each action among the moves of its decision.
    """

    graph: Graph
    seats: tuple[int, ...]
    wanted: Objective
    places: dict[bytes, list[int]]
    number: list[int]

    @classmethod
    def of(cls, run: Run, seats: Sequence[int], wanted: Objective, memory: int | None = None) -> Judge:
        """Enumerate the positions.

        Raises
        ------
        TooLarge, PlayError
        ParameterError
            When the game is over before anybody chooses.
        """
        graph = graph_of(run, seats, memory, counted=wanted.kind in ("most", "fewest"))
        if graph.start < 0:
            raise ParameterError(f"{run.game.name} is over before anybody chooses")
        table = Table(run, seats, wanted)
        chooses = np.flatnonzero(graph.mover >= 0)
        seen = np.stack([_column(graph, chooses, i) for i in table.told.tolist()], axis=1)
        places: dict[bytes, list[int]] = {}
        for position, numbers in zip(chooses.tolist(), seen, strict=True):
            places.setdefault(numbers.tobytes(), []).append(position)
        decisions = [decision for decision, _ in table.actions]
        number = [i - decisions.index(decision) for i, decision in enumerate(decisions)]
        return cls(graph, tuple(seats), wanted, places, number)

    def best(self) -> tuple[tuple[float, ...], float]:
        """The most that each learning seat can have (of two, against the best play of the other), and its error."""
        value, error = _value(self.graph, self.wanted, self.seats[0])
        return (value, 1.0 - value)[: len(self.seats)], error

    def worth(self, picked: NDArray[np.int64]) -> tuple[float | None, ...]:
        """What the picked moves are worth to each learning seat; None where a game might never end."""
        return tuple(self._worth_to(seat, picked) for seat in self.seats)

    def _worth_to(self, seat: int, picked: NDArray[np.int64]) -> float | None:
        try:
            value, error = _value(_reached(_kept(self.graph, picked, seat)), self.wanted, seat)
        except PlayError:
            return None
        return value if isfinite(error) else None

    def at(self, seen: bytes) -> list[int]:
        """The positions that look like this.

        Raises
        ------
        PlayError
        """
        if seen not in self.places:
            told = np.frombuffer(seen, np.int64).tolist()
            raise PlayError(
                f"{self.graph.game.name}: a game met the state {told}, which exact answers do not know; "
                "next() must not change the state where a seat is asked to choose"
            )
        return self.places[seen]

    def picked(self, learner: Learner) -> NDArray[np.int64]:
        """The edge that a learner would take wherever it chooses; where it was never, the first."""
        graph = self.graph
        picked = np.where(graph.mover >= 0, graph.row[:-1], -1)
        for seen, tried in learner.known.items():
            wanted = self.number[best_of(tried)]
            for position in self.at(seen):
                moves = graph.weight[graph.row[position] : graph.row[position + 1]]
                picked[position] = graph.row[position] + int(np.searchsorted(moves, wanted))
        return picked

    def worths(self, learner: Learner) -> Numbers:
        """What the learner takes each edge to be worth; 0 where it has not tried it."""
        graph, found = self.graph, np.zeros(self.graph.edges)
        sign = -1.0 if self.wanted.kind == "fewest" else 1.0
        for seen, tried in learner.known.items():
            for position in self.at(seen):
                first = int(graph.row[position])
                moves = graph.weight[first : graph.row[position + 1]]
                for action, known in tried.items():
                    found[first + int(np.searchsorted(moves, self.number[action]))] = sign * known.worth
        return found


def _value(graph: Graph, wanted: Objective, seat: int) -> tuple[float, float]:
    """What a game is worth to a seat that plays its best, others that are free against it; and a bound on its error."""
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
    """The graph with the picked moves of one seat alone."""
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    return _of_edges(graph, (graph.mover[source] != seat) | (picked[source] == np.arange(graph.edges)))


def _reached(graph: Graph) -> Graph:
    """The graph of the positions that can be reached from the start."""
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    goes_on = graph.target >= 0
    ways = csr_matrix(
        (np.ones(int(goes_on.sum()), np.int8), (source[goes_on], graph.target[goes_on])), shape=(graph.states,) * 2
    )
    reached = np.sort(breadth_first_order(ways, graph.start, return_predecessors=False)).astype(np.int64)
    new = np.full(graph.states, -1, np.int32)
    new[reached] = np.arange(len(reached), dtype=np.int32)
    part = _of_edges(graph, new[source] >= 0)
    target = np.where(part.target < 0, part.target, new[np.maximum(part.target, 0)])
    row = np.concatenate(([0], np.cumsum(np.diff(part.row)[reached])))
    per_position = {name: getattr(graph, name)[reached] for name in ("keys", "total", "mover")}
    return replace(part, start=int(new[graph.start]), row=row, target=target, **per_position)


def _of_edges(graph: Graph, taken: NDArray[np.bool_]) -> Graph:
    """The graph with some of its edges alone."""
    before = np.concatenate(([0], np.cumsum(taken)))
    parts = {name: getattr(graph, name)[taken] for name in ("target", "weight", "change")}
    return replace(graph, row=before[graph.row], **parts)


def _column(graph: Graph, positions: NDArray[np.int64], i: int) -> NDArray[np.int64]:
    """One number of the state at some positions."""
    slots = graph.slots
    mask = np.uint64((1 << int(slots.span[i]).bit_length()) - 1)
    packed = (graph.keys[positions, int(slots.word[i])] >> np.uint64(slots.shift[i])) & mask
    return np.asarray(packed.astype(np.int64) + slots.low[i], np.int64)
