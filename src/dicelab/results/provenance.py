"""What results state about a game and how it was played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dicelab.rules.game import Game, outcome_names, player_names, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.strategies import Given, known_calls


def about(game: Game, strategies: Sequence[Given], without: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of a result that say what was asked; `without` names parameters that vary within the result."""
    parameters = {name: value for name, value in shown(game).items() if name not in without}
    params, calls = game.declared.params, known_calls(game, strategies)
    return {
        "game": game.name,
        "parameters": parameters,
        "differing": tuple(name for name in parameters if game.parameters[name] != params[name].default),
        "strategies": list(map(str, strategies)),
        "arguments": [call.arguments if call else {} for call in calls],
        "players": player_names(game),
        "source_hash": source_hash(type(game), [call.strategy for call in calls if call]),
    }


def winners(game: Game) -> bool:
    """Return whether the outcomes of a game are its winning seats."""
    return game.outcomes is None and bool(outcome_names(game))
