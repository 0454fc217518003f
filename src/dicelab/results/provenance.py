"""A fact about a game that its results state."""

from __future__ import annotations

from dicelab.rules.game import Game, outcome_names


def winners(game: Game) -> bool:
    """Whether the outcomes of a game are its winning seats."""
    return game.outcomes is None and bool(outcome_names(game))
