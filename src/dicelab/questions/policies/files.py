"""Reads policies from files: those of all states, and those of games that were solved turn by turn."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, cast

from dicelab.engines import policy_file
from dicelab.engines.policy import PREFIX, Moves, Policy
from dicelab.errors import InputError
from dicelab.questions.policies.mixed_policy import MixedPolicy
from dicelab.questions.policies.thinking.search import strategy_of_values
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.rules.game import Game, Strategy


def load(path: str | os.PathLike[str], game: Game | type[Game]) -> Moves:
    """Read a policy of a game; if `game` is an instance, the policy must be for its parameters.

    Raises
    ------
    InputError
        If the file can't be read or is damaged, or is a policy of another game or of other rules.
    ParameterError
        If it is for other parameters.
    """
    kind = policy_file.read(path)[0]["format"]
    if kind == policy_file.MIXED:
        raise InputError(f"{path} has mixed strategies; they are played: -s {PREFIX}{path}")
    if kind == policy_file.VALUES:
        raise InputError(f"{path} has values of states, not a policy; they are played: -s {PREFIX}{path}")
    kind_of_policy: type[Policy | TurnPolicy] = TurnPolicy if kind == policy_file.TURNS else Policy
    return kind_of_policy.load(path, game)


def strategy_of(path: str, game: Game | type[Game]) -> Strategy:
    """Return the policy in a file as a strategy of a game; if `game` is an instance, it must be for its parameters."""
    try:
        written = os.stat(path).st_mtime_ns
    except OSError:
        written = 0
    strategy = _strategy_of(path, cast(Any, game if isinstance(game, type) else type(game)), written)
    strategy.moves.must_be_for(game, path)
    return strategy


@cache
def _strategy_of(path: str, game: Any, written: int) -> Strategy:
    kind = policy_file.read(path)[0]["format"]
    if kind == policy_file.VALUES:
        return strategy_of_values(path, game, PREFIX + path)
    if kind == policy_file.MIXED:
        return MixedPolicy.load(path, game).named(PREFIX + path)
    return load(path, game).named(PREFIX + path)
