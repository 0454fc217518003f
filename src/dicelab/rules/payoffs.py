"""What each seat gets at the end of a game, if the game declares it."""

from __future__ import annotations

from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import value_of


def payoffs_of(game: Game) -> tuple[tuple[float, ...], ...] | None:
    """What each seat gets by each outcome, (outcomes, seats); None if the game doesn't declare it."""
    if game.payoffs is None:
        return None
    return tuple(tuple(float(value_of(x, game)) for x in game.payoffs[name]) for name in outcome_names(game))
