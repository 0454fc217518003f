"""Environments for reinforcement learning (Gymnasium, PettingZoo).

`gym` makes a Gymnasium environment for one seat of a game, `vector` one of many games at once, `aec` a PettingZoo
environment for all seats. Importing this module registers the ids of `dicelab.extras.learn.make` with Gymnasium.
`dicelab.learn` learns in them and computes the exact value of the learned policy. Both libraries are an extra:
``pip install 'dicelab[learn]'``.
"""

from __future__ import annotations

from dicelab.extras.learn.make import aec, gym, register, vector

__all__ = ["aec", "gym", "vector"]

register()
