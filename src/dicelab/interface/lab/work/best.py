"""Optimal play: the policy over two fields of the state, as a card, and the short rule."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.lab.work.answer import answered
from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.interface.reporting import card as carding
from dicelab.questions.heuristics import rule as ruling
from dicelab.questions.policies.grid import grid
from dicelab.questions.policies.objective import AT_LEAST
from dicelab.questions.policies.solve import solve
from dicelab.rules.params import whole_number


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
    wire.send(json=json.dumps(grid(_policy(asked, memory, objective, file), x, y, _numbers(at)).to_dict()))


def card(
    wire: Wire, asked: Asked, memory: int, objective: str | None, file: str, at: dict[str, str], suffix: str
) -> None:
    """Send the policy, or its states with some values, as a card: a file with this suffix."""
    made: Any = carding.card(_policy(asked, memory, objective, file), **_numbers(at))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"card.{suffix}")
        made.save(path)
        wire.send(card=b64encode(path.read_bytes()).decode())


def rule(wire: Wire, asked: Asked, memory: int, objective: str | None, file: str, leaves: str) -> None:
    """Send the policy as a short rule, with its exact cost."""
    number: Any = whole_number(leaves) or leaves
    answered(wire, ruling.rule(_policy(asked, memory, objective, file), number, memory=memory))


def _numbers(at: dict[str, str]) -> dict[str, int]:
    """Return the values of fields as numbers.

    Raises
    ------
    ParameterError
    """
    given: dict[str, int] = {}
    for name, text in at.items():
        number = whole_number(text)
        if number is None:
            raise ParameterError(f"at.{name}: {text!r} is not a whole number")
        given[name] = number
    return given


def _policy(asked: Asked, memory: int, objective: str | None, file: str) -> Policy:
    """Return the policy in the file; solved if there is none yet.

    Raises
    ------
    DicelabError
        When the game has no policy over its states.
    """
    if Path(file).exists():
        return Policy.load(file, game_of(asked))
    policy = solve(game_of(asked), objective=objective, memory=memory).policy
    if policy is not None:
        policy.save(file)
    if policy is None and (objective or "").startswith(AT_LEAST):
        raise DicelabError(f"{objective} has a value and no policy: the best moves depend on a tally")
    if policy is None:
        raise DicelabError("this game is solved turn by turn; there is no policy over its states to show")
    return policy
