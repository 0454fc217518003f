"""A file of rules while it is written, or a text that is not saved: the check, and a short simulation."""

from __future__ import annotations

import json
from pathlib import Path

from dicelab.conformance.in_child import examine
from dicelab.interface.lab.work.card import card_of_file
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.questions.simulate import simulate
from dicelab.rules.loading.registry import find, unsaved

GAMES, FEW = 10_000, 100
"""Number of games of the simulation; and of one that is there at once, because nothing is compiled for it."""


def check(wire: Wire, file: str, seconds: float) -> None:
    """Send what the check of a file finds."""
    wire.send(json=json.dumps(examine(file, seconds).to_dict()))


def figures(wire: Wire, asked: GameRequest) -> None:
    """Send the result of a short simulation."""
    wire.send(json=simulate(game_of(asked), asked["strategies"], games=GAMES, seed=1).to_json())


def draft(wire: Wire, file: str, path: str, text: str, seconds: float) -> None:
    """Send the card of the game in a text that is not saved, and the results of a few games and of a short simulation;
    or why it can't be read.
    """
    unsaved[Path(path).resolve()] = text
    card = card_of_file(file, seconds)
    wire.send(card=card)
    if "broken" not in card:
        game = find(file)()
        wire.send(few=simulate(game, games=FEW, seed=1, engine="reference").to_json())
        wire.send(json=simulate(game, games=GAMES, seed=1).to_json())


def draft_check(wire: Wire, file: str, path: str, text: str, seconds: float) -> None:
    """Send what the check finds in a text that is not saved."""
    wire.send(json=json.dumps(examine(file, seconds, unsaved=(Path(path), text)).to_dict()))
