"""The state of a learner in the middle of its games, as plain data and arrays, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dicelab.learning.q_learning import Known, Learner
from dicelab.learning.result import Point


def state_of(learner: Learner, games: int, points: Sequence[Point]) -> dict[str, Any]:
    """All that a learner needs to go on after a number of games, and the points of its curve so far."""
    tried = list(learner.known.values())
    known = [one for moves in tried for one in moves.values()]
    return {
        "games": games,
        "points": list(points),
        "random": learner.chance.getstate(),
        "seen": np.frombuffer(b"".join(learner.known), np.int64).reshape(len(tried), -1 if tried else 0),
        "moves": np.array([len(moves) for moves in tried], np.int64),
        "actions": np.array([action for moves in tried for action in moves], np.int64),
        "worth": np.array([one.worth for one in known], np.float64),
        "visits": np.array([one.visits for one in known], np.int64),
    }


def restore(learner: Learner, state: dict[str, Any]) -> tuple[int, list[Point]]:
    """Put a learner into a state; returns the number of games it has learned from, and the points of its curve."""
    learner.chance.setstate(state["random"])
    moves = zip(state["actions"].tolist(), state["worth"].tolist(), state["visits"].tolist(), strict=True)
    for seen, count in zip(state["seen"], state["moves"].tolist(), strict=True):
        tried = (next(moves) for _ in range(count))
        learner.known[seen.tobytes()] = {action: Known(worth, visits) for action, worth, visits in tried}
    return state["games"], state["points"]
