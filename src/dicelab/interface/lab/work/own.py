"""A file of rules while it is written: the check of the file, and a short simulation."""

from __future__ import annotations

import json

from dicelab.conformance.in_child import examine
from dicelab.interface.lab.work.process import Asked, Wire, game_of
from dicelab.questions.simulate import simulate

GAMES = 10_000
"""Number of games of the simulation."""


def check(wire: Wire, file: str, seconds: float) -> None:
    """Send what the check of a file finds."""
    wire.send(json=json.dumps(examine(file, seconds).to_dict()))


def figures(wire: Wire, asked: Asked) -> None:
    """Send the result of a short simulation."""
    wire.send(json=simulate(game_of(asked), asked["strategies"], games=GAMES, seed=1).to_json())
