"""Mixed strategies in a page: what a player sees in each situation, its moves, their weights, their worth.

By itself because it imports NumPy, which the declaration of the command must not do.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from dicelab.errors import DicelabError, InputError, TooLarge
from dicelab.interface.publishing.optimal import NONE, SOLVE, Optimal
from dicelab.questions.policies.bluffing import equilibrium
from dicelab.questions.policies.mixed_policy import MixedPolicy
from dicelab.questions.policies.skill.mixed_review import worths_of
from dicelab.rules.game import Game
from dicelab.runtime.states.codec import Place, Slots, hidden_numbers

MOST = 400_000
"""Limit on the moves in all situations that a page holds."""
DIGITS = 7
"""Decimal places of what a move is worth."""


def mixed(game: Game, policy: str | os.PathLike[str] | None) -> tuple[Optimal | None, str]:
    """Return what a page knows of the equilibrium of a game with hidden information, and why it knows nothing.

    Parameters
    ----------
    game
        The game with its parameters.
    policy
        A file with mixed strategies, `SOLVE`, or `NONE` or None for neither.

    Raises
    ------
    InputError
        When a file is given that can't be used.
    DicelabError
        When it was asked for and isn't possible.
    """
    if policy == NONE:
        return None, ""
    if policy is None:
        return None, (
            f"No equilibrium is in it, as an opponent or a coach; dicelab publish --policy {SOLVE} adds that of a game "
            "that is small enough, such as with a die each."
        )
    try:
        found = equilibrium(game).policy if policy == SOLVE else MixedPolicy.load(policy, game)
        return _packed(found), ""
    except InputError:
        raise
    except DicelabError as error:
        raise DicelabError(f"the equilibrium of {game.name} can't be put into a page: {error}") from error


def _packed(policy: MixedPolicy) -> Optimal:
    """Return mixed strategies as a page holds them.

    A situation is known by what its seat sees (the numbers of the state that differ, those that are hidden from it at
    their lowest), by the seat, and by what it remembers of its own last move.
    """
    size = max(len(policy.weight), len(policy.keys))
    if size > MOST:
        raise TooLarge(f"it has {size:,} moves in all situations, or ways into them, and a page holds {MOST:,}")
    worths, slots, hide = worths_of(policy), Slots.of(policy.game, ()), hidden_numbers(policy.game)
    low = slots.low.tolist()
    examples = policy.examples()
    numbers = np.array([np.where(hide[seat], slots.low, Place(state, ()).read()) for seat, state in examples], np.int64)
    columns = np.flatnonzero(numbers.max(axis=0) > numbers.min(axis=0))
    wide = policy.moves.shape[1]
    data = {
        "seats": [seat for seat, _ in examples],
        "made": policy.keys[:, 0].tolist(),
        "numbers": [numbers[:, column].tolist() for column in columns],
        "at": policy.at.tolist(),
        "many": np.diff(policy.row).tolist(),
        "moves": [policy.moves[:, place].tolist() for place in range(wide)],
        "weights": policy.weight.tolist(),
        "after": policy.after.tolist(),
        "worths": [None if np.isnan(worth) else round(worth, DIGITS) for worth in worths.tolist()],
    }
    about: dict[str, Any] = {"mixed": True, "payoffs": policy.game.payoffs is not None, "columns": columns.tolist()}
    about |= {"hidden": [[int(seat[c]) for c in columns] for seat in hide], "low": [low[c] for c in columns]}
    return Optimal(about, json.dumps(data, separators=(",", ":")).encode())
