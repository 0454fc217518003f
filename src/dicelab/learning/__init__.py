"""Learning to play from games alone: the environments of Gymnasium and PettingZoo, and a tabular learner.

`gym` makes a Gymnasium environment of a game for one seat, `aec` a PettingZoo environment for all of them;
`dicelab.learn` learns in them and says how far from the best play it has come. Both libraries are an extra:
``pip install 'dicelab[learn]'``.
"""

from __future__ import annotations

from dicelab.learning.make import aec, gym

__all__ = ["aec", "gym"]
