"""The exact value of a learned policy, computed on the graph of the game.

Transitions that the learned policy does not take are removed from the graph, and the rest is solved like the game. If
two seats learn, the value of each is that against the best response to its policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, PlayError
from dicelab.learning.episode import Table
from dicelab.learning.q_learning import Learner, best_of
from dicelab.questions.policies.objective import Objective
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.enumerate import graph_of
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import committed, in_order, only, reachable
from dicelab.solver.solution.ordering import Numbers
from dicelab.solver.value_iteration import optimum


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
        graph = in_order(graph_of(run, seats, memory, counted=wanted.needs_tallies))
        if graph.start < 0:
            raise ParameterError(f"{run.game.name} is over before anybody chooses")
        table = Table(run, seats, wanted)
        chooses = np.flatnonzero(graph.mover >= 0)
        seen = np.stack([graph.slots.column(graph.keys[chooses], i) for i in table.varying.tolist()], axis=1)
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
            value, error = _value(_kept(self.graph, picked, seat), self.wanted, seat)
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
                moves = graph.weight[graph.label[graph.row[state] : graph.row[state + 1]]]
                picked[state] = graph.row[state] + int(np.searchsorted(moves, wanted))
        return picked

    def worths(self, learner: Learner) -> Numbers:
        """The learner's estimate of the value of each edge; 0 if it has never taken it."""
        graph, found = self.graph, np.zeros(self.graph.edges)
        sign = float(self.wanted.sign)
        for seen, tried in learner.known.items():
            for state in self.at(seen):
                first = int(graph.row[state])
                moves = graph.weight[graph.label[first : graph.row[state + 1]]]
                for action, known in tried.items():
                    found[first + int(np.searchsorted(moves, self.number[action]))] = sign * known.worth
        return found


def _value(graph: Graph, wanted: Objective, seat: int) -> tuple[float, float]:
    """The value of a game to a seat that plays optimally, other free seats playing against it; a bound on its error."""
    gain, prize, side, unit = wanted.rewards(graph, seat)
    found = optimum(graph, side, gain, prize)
    return unit * float(gain[graph.start_change] + found.value[graph.start]), unit * found.error(graph.start)


def _kept(graph: Graph, picked: NDArray[np.int64], seat: int) -> Graph:
    """The part of the graph that can be reached with only the picked edges where one seat chooses."""
    kept = committed(graph, graph.mover == seat, picked)
    return only(kept, np.sort(reachable(kept)))
