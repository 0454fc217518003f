"""Environments for reinforcement learning (Gymnasium, PettingZoo), and a tabular Q-learner.

`gym` makes a Gymnasium environment for one seat of a game, `aec` a PettingZoo environment for all seats.
`dicelab.learn` learns in them and computes the exact value of the learned policy. Both libraries are an extra:
``pip install 'dicelab[learn]'``.
"""

from __future__ import annotations

from dicelab.learning.make import aec, gym

__all__ = ["aec", "gym"]
