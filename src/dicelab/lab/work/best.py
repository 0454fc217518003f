"""Optimal play: the solution, the policy over two fields of the state, and the short rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.errors import DicelabError, ParameterError
from dicelab.heuristics import rule as ruling
from dicelab.lab.work.named import Asked, game_of
from dicelab.lab.work.process import Wire
from dicelab.policies import solve as solving
from dicelab.policies.grid import grid
from dicelab.policies.solution import Solution
from dicelab.rules.params import whole_number


def solve(wire: Wire, asked: Asked, memory: int, objective: str | None, file: str, store: str | None = None) -> None:
    """Send the solution, and keep its policy in a file."""
    wire.send(json=_solved(asked, memory, objective, file, store).to_json())


def policy_map(
    wire: Wire,
    asked: Asked,
    memory: int,
    objective: str | None,
    file: str,
    x: str | None,
    y: str | None,
    at: dict[str, str],
) -> None:
    """Send the policy over two fields of the state."""
    given: dict[str, int] = {}
    for name, text in at.items():
        number = whole_number(text)
        if number is None:
            raise ParameterError(f"at.{name}: {text!r} is not a whole number")
        given[name] = number
    wire.send(json=json.dumps(grid(_policy(asked, memory, objective, file), x, y, given).to_dict()))


def rule(wire: Wire, asked: Asked, memory: int, objective: str | None, file: str, leaves: str) -> None:
    """Send the policy as a short rule, with its exact cost."""
    number: Any = whole_number(leaves) or leaves
    wire.send(json=ruling.rule(_policy(asked, memory, objective, file), number, memory=memory).to_json())


def _solved(asked: Asked, memory: int, objective: str | None, file: str, store: str | None = None) -> Solution:
    found = solving.solve(game_of(asked), objective=objective, memory=memory, store=store)
    if found.policy is not None and not Path(file).exists():
        found.policy.save(file)
    return found


def _policy(asked: Asked, memory: int, objective: str | None, file: str) -> Policy:
    """The policy in the file; solved if there is none yet.

    Raises
    ------
    DicelabError
        When the game has no policy over its states.
    """
    if Path(file).exists():
        return Policy.load(file, game_of(asked))
    policy = _solved(asked, memory, objective, file).policy
    if policy is None:
        raise DicelabError("this game is solved turn by turn; there is no policy over its states to show")
    return policy
