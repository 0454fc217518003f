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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dicelab.learning.gym_env import DiceEnv
    from dicelab.learning.pettingzoo_env import DiceAEC


@dataclass
class Known:
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
    known: dict[bytes, dict[int, Known]] = field(default_factory=dict)

    def choose(self, observation: NDArray[np.int64], mask: NDArray[np.int8]) -> int:
        """The move with the largest estimate; with probability `epsilon`, or if none was tried here, a random one."""
        tried = self.known.get(observation.tobytes())
        if not tried or self.chance.random() < self.epsilon:
            moves = np.flatnonzero(mask)
            return int(moves[int(self.chance.random() * len(moves))])
        return best_of(tried)

    def learn(self, seen: bytes, action: int, target: float) -> float:
        """Update a move's estimate towards `target`; return the new value of the state, its largest estimate."""
        tried = self.known.setdefault(seen, {})
        move = tried.setdefault(action, Known())
        move.visits += 1
        move.worth += (target - move.worth) / move.visits**self.omega
        return max(known.worth for known in tried.values())


def best_of(tried: dict[int, Known]) -> int:
    """The move with the largest estimate; the first one of equal ones."""
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
