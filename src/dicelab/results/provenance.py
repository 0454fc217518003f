"""What a result says of the game that it is about."""

from __future__ import annotations

from dicelab.rules.game import Game, outcome_names


def winners(game: Game) -> bool:
    """Are the outcomes of a game the seats that win?"""
    return game.outcomes is None and bool(outcome_names(game))
