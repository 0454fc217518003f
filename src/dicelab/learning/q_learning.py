"""Tabular Q-learning: what each move was found to be worth, from games alone.

A learner knows nothing of the rules: it sees observations, masks and rewards, as an environment gives them. After a
game its moves are gone through from the last to the first, and the worth of each is moved towards what came of it: the
reward, and the most that the next position is known to be worth [1]_. Where two seats learn against each other, what
the next position is worth to the other seat is what is left of 1 [2]_, so that one table serves both, and what a seat
tries out does not spoil what the other learns.

References
----------
.. [1] Watkins, Dayan, "Q-learning", Machine Learning 8, 1992.
.. [2] Littman, "Markov games as a framework for multi-agent reinforcement learning", ICML 1994.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Known:
    """What is known of one move: what it is worth, and how often it was made."""

    worth: float = 0.0
    visits: int = 0


@dataclass
class Learner:
    """What was learned, and how more is learned.

    Attributes
    ----------
    chance
        Of the learner's own random numbers.
    epsilon
        Share of moves made at random, to try them out.
    omega
        The worth of a move made for the n-th time moves by 1 / n**omega of the way towards what came of it.
    known
        For each position seen, by its observation as bytes: what is known of each move tried there.
    """

    chance: Random
    epsilon: float
    omega: float
    known: dict[bytes, dict[int, Known]] = field(default_factory=dict)

    def choose(self, observation: NDArray[np.int64], mask: NDArray[np.int8]) -> int:
        """The move that is best so far, at times any at random; always so where none was tried."""
        tried = self.known.get(observation.tobytes())
        if not tried or self.chance.random() < self.epsilon:
            moves = np.flatnonzero(mask)
            return int(moves[int(self.chance.random() * len(moves))])
        return best_of(tried)

    def learn(self, seen: bytes, action: int, came: float) -> float:
        """Learn what came of a move; returns what the position is worth now."""
        tried = self.known.setdefault(seen, {})
        move = tried.setdefault(action, Known())
        move.visits += 1
        move.worth += (came - move.worth) / move.visits**self.omega
        return max(known.worth for known in tried.values())


def best_of(tried: dict[int, Known]) -> int:
    """The move that is worth most; of equals the first."""
    return min(tried, key=lambda action: (-tried[action].worth, action))


def play_alone(env: Any, learner: Learner, seed: int, number: int) -> None:
    """Play one game in a Gymnasium environment, and learn from it."""
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


def play_together(env: Any, learner: Learner, seed: int, number: int) -> None:
    """Play one game of two seats in a PettingZoo environment, both with the same learner, and learn from it."""
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
    worth, whose = 0.0, ""
    for key, action, agent in reversed(moves):
        came = rewards[agent] if not whose else worth if agent == whose else 1.0 - worth
        worth, whose = learner.learn(key, action, came), agent
