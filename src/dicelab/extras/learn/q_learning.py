"""Tabular Q-learning: values of moves, estimated from games alone.

A learner has no access to the rules; it sees the observations, masks and rewards of an environment. After each game,
its moves are updated from the last to the first: the value of a move is changed towards the reward plus the largest
value known in the next state [1]_. If two seats learn against each other, the value of the next state to one seat is 1
minus that to the other [2]_. So one table serves both, and one seat's exploration doesn't distort what the other
learns.

References
----------
.. [1] Watkins, Dayan, "Q-learning", Machine Learning 8, 1992.
.. [2] Littman, "Markov games as a framework for multi-agent reinforcement learning", ICML 1994.

By itself because it is the learner alone, with its compiled loop, without environments, storage and messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, PlayError
from dicelab.extras.learn.episode import Episode
from dicelab.questions.policies.objective import Objective
from dicelab.rules.private import private_fields
from dicelab.runtime.arrays import Floats
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import committed, in_order, only, reachable
from dicelab.solver.value_iteration import optimum

if TYPE_CHECKING:
    from dicelab.extras.learn.gym_env import DiceEnv
    from dicelab.extras.learn.pettingzoo_env import DiceAEC


@dataclass
class TriedMove:
    """The estimated value of a move, and the number of its updates."""

    worth: float = 0.0
    visits: int = 0


@dataclass
class Learner:
    """A table of estimated values, and how it is updated.

    Attributes
    ----------
    chance
        Source of the learner's random numbers.
    epsilon
        Share of moves made at random, for exploration.
    omega
        The step size of the n-th update of a move is ``1 / n**omega``.
    known
        By observation, as bytes: the estimate of each move tried there.
    """

    chance: Random
    epsilon: float
    omega: float
    known: dict[bytes, dict[int, TriedMove]] = field(default_factory=dict)

    def choose(self, observation: NDArray[np.int64], mask: NDArray[np.int8]) -> int:
        """Return the move with the largest estimate; with probability `epsilon`, or if none was tried here, a random
        one.
        """
        tried = self.known.get(observation.tobytes())
        if not tried or self.chance.random() < self.epsilon:
            moves = np.flatnonzero(mask)
            return int(moves[int(self.chance.random() * len(moves))])
        return best_of(tried)

    def learn(self, seen: bytes, action: int, target: float) -> float:
        """Update a move's estimate towards `target`; return the new value of the state, its largest estimate."""
        tried = self.known.setdefault(seen, {})
        move = tried.setdefault(action, TriedMove())
        move.visits += 1
        move.worth += (target - move.worth) / move.visits**self.omega
        return max(known.worth for known in tried.values())


def best_of(tried: dict[int, TriedMove]) -> int:
    """Return the move with the largest estimate; the first one of equal ones."""
    return min(tried, key=lambda action: (-tried[action].worth, action))


def play_alone(env: DiceEnv, learner: Learner, seed: int, number: int) -> None:
    """Play game `number` of a seed in a Gymnasium environment and learn from it."""
    moves: list[tuple[bytes, int, float]] = []
    seen, info = env.reset(seed=seed, options={"game": number})
    over = False
    while not over:
        mask = info["action_mask"]
        if not mask.any():  # over before the seat has chosen: nothing to learn
            return
        action = learner.choose(seen, mask)
        after, reward, over, _, info = env.step(action)
        moves.append((seen.tobytes(), action, reward))
        seen = after
    worth = 0.0
    for key, action, reward in reversed(moves):
        worth = learner.learn(key, action, reward + worth)


def play_together(env: DiceAEC, learner: Learner, seed: int, number: int) -> None:
    """Play game `number` of a seed in a PettingZoo environment, where two seats share a learner, and learn from it."""
    moves: list[tuple[bytes, int, str]] = []
    env.reset(seed=seed, options={"game": number})
    while True:
        seen, _, over, _, info = env.last()
        if over or not info["action_mask"].any():
            break
        action = learner.choose(seen, info["action_mask"])
        moves.append((seen.tobytes(), action, env.agent_selection))
        env.step(action)
    _learn_backwards(learner, moves, dict(env.rewards))


def _learn_backwards(learner: Learner, moves: Sequence[tuple[bytes, int, str]], rewards: dict[str, float]) -> None:
    # `worth` is the value, to the agent `whose`, of the state in which the move after the current one was made.
    worth, whose = 0.0, ""
    for key, action, agent in reversed(moves):
        target = rewards[agent] if not whose else worth if agent == whose else 1.0 - worth
        worth, whose = learner.learn(key, action, target), agent


# The exact value of a learned policy, computed on the graph of the game -----------------------------------------------
#
# Transitions that the learned policy does not take are removed from the graph, and the rest is solved like the game. If
# two seats learn, the value of each is that against the best response to its policy.


@dataclass(frozen=True)
class PolicyEvaluator:
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
    def of(cls, run: Run, seats: Sequence[int], wanted: Objective, memory: int | None = None) -> PolicyEvaluator:
        """Enumerate the states.

        Raises
        ------
        TooLarge, PlayError
            As in `dicelab.solve`.
        ParameterError
            When the game is over before anybody chooses.
        """
        graph = in_order(graph_ahead(run, seats, memory, counted=wanted.needs_tallies))
        if graph.start < 0:
            raise ParameterError(f"{run.game.name} is over before anybody chooses")
        table = Episode(run, seats, wanted)
        chooses = np.flatnonzero(graph.mover >= 0)
        seen = np.stack([graph.slots.column(graph.keys[chooses], i) for i in table.varying.tolist()], axis=1)
        for seat in seats:
            unseen = np.flatnonzero(table.hidden_from(seat)[table.varying])
            seen[np.ix_(graph.mover[chooses] == seat, unseen)] = table.low[unseen]
        places: dict[bytes, list[int]] = {}
        for state, numbers in zip(chooses.tolist(), seen, strict=True):
            places.setdefault(numbers.tobytes(), []).append(state)
        decisions = [decision for decision, _ in table.actions]
        number = [i - decisions.index(decision) for i, decision in enumerate(decisions)]
        return cls(graph, tuple(seats), wanted, places, number)

    def best(self) -> tuple[tuple[float, ...], float]:
        """Return the value of optimal play to each learning seat, and a bound on its error; two seats play each other.

        With hidden information it isn't known: then there are no values.
        """
        if private_fields(self.graph.game):
            return (), inf
        value, error = _value(self.graph, self.wanted, self.seats[0])
        return (value, 1.0 - value)[: len(self.seats)], error

    def worth(self, picked: NDArray[np.int64]) -> tuple[float | None, ...]:
        """Return the value of the picked edges (one per state) to each learning seat; None if a
        game might never end.
        """
        return tuple(self._worth_to(seat, picked) for seat in self.seats)

    def _worth_to(self, seat: int, picked: NDArray[np.int64]) -> float | None:
        try:
            value, error = _value(_kept(self.graph, picked, seat), self.wanted, seat)
        except PlayError:
            return None
        return value if isfinite(error) else None

    def at(self, seen: bytes) -> list[int]:
        """Return the states with this observation.

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
        """Return the edge that a learner takes in each state: -1 if it doesn't choose there, the
        first one if unseen.
        """
        graph = self.graph
        picked = np.where(graph.mover >= 0, graph.row[:-1], -1)
        for seen, tried in learner.known.items():
            wanted = self.number[best_of(tried)]
            for state in self.at(seen):
                moves = graph.weight[graph.label[graph.row[state] : graph.row[state + 1]]]
                picked[state] = graph.row[state] + int(np.searchsorted(moves, wanted))
        return picked

    def worths(self, learner: Learner) -> Floats:
        """Return the learner's estimate of the value of each edge; 0 if it has never taken it."""
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
    """Return the value of a game to a seat that plays optimally, other free seats playing against it; a bound on its
    error.
    """
    gain, prize, side, unit = wanted.rewards(graph, seat)
    found = optimum(graph, side, gain, prize)
    return unit * float(gain[graph.start_change] + found.value[graph.start]), unit * found.error(graph.start)


def _kept(graph: Graph, picked: NDArray[np.int64], seat: int) -> Graph:
    """Return the part of the graph that can be reached with only the picked edges where one seat chooses."""
    kept = committed(graph, graph.mover == seat, picked)
    return only(kept, np.sort(reachable(kept)))
