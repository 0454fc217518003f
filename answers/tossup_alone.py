"""Toss Up! alone: one player throws and banks until the target is reached. How many turns does it take?

The rules are those of `dicelab.games.tossup`, for one seat. Strategies that do not look at the other's score play the
same way alone, so the number of turns they need alone determines which of two players wins (see `laws.py`).
"""

from __future__ import annotations

from dicelab.games.tossup import MOST_POINTS, TossUp
from dicelab.rules import Ints, Param, Seat


class TossUpAlone(TossUp):
    """Toss Up! alone: turns until the target is banked."""

    name = "tossup-alone"
    source = TossUp.source

    players = Param(1, 1, 1, "players at the table")
    target = TossUp.target

    seats = players

    scores = Ints(players, 0, target + MOST_POINTS, "points banked by each seat", grows=True)
    player = Seat(players, "whose turn it is")
    leader = Seat(players, "seat that reached the target first; -1 before", nobody=True)
