"""What each seat gets, if the game declares it: by its outcome, or what a tally has counted at the end."""

from __future__ import annotations

from collections.abc import Mapping

from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import value_of


def payoffs_of(game: Game) -> tuple[tuple[float, ...], ...] | None:
    """What each seat gets by each outcome, (outcomes, seats); None if the game doesn't declare it."""
    if not isinstance(game.payoffs, Mapping):
        return None
    return tuple(tuple(float(value_of(x, game)) for x in game.payoffs[name]) for name in outcome_names(game))


def payoff_tallies(game: Game) -> tuple[int, ...] | None:
    """For each seat the number of the tally that it plays for; None if the game doesn't declare them."""
    if game.payoffs is None or isinstance(game.payoffs, Mapping):
        return None
    names = list(game.declared.tallies)
    return tuple(names.index(tally.name) for tally in game.payoffs)
