"""The game of a question, as a task receives it."""

from __future__ import annotations

from typing import Any, TypedDict

from dicelab.rules.game import Game
from dicelab.rules.loading.registry import find


class Asked(TypedDict):
    """A question about a game: what the server passes to a task."""

    called: str
    """Name or file of the game, as on the command line."""
    parameters: dict[str, str]
    strategies: list[str]


def game_of(asked: Asked) -> Game:
    """Return the game with its parameters.

    Raises
    ------
    InputError
    """
    values: dict[str, Any] = dict(asked["parameters"])
    return find(asked["called"])(**values)
