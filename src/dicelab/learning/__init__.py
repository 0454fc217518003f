"""Environments for reinforcement learning (Gymnasium, PettingZoo), and a tabular Q-learner.

`gym` makes a Gymnasium environment for one seat of a game, `vector` one of many games at once, `aec` a PettingZoo
environment for all seats. Importing this package registers the ids of `dicelab.learning.make` with Gymnasium.
`dicelab.learn` learns in them and computes the exact value of the learned policy. Both libraries are an extra:
``pip install 'dicelab[learn]'``.
"""

from __future__ import annotations

from dicelab.learning.make import aec, gym, register, vector

__all__ = ["aec", "gym", "vector"]

register()
