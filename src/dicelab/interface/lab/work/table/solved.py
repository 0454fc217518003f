"""The values of a game (`dicelab.questions.policies.skill.by_turns`), solved once and kept in a file of the server."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.skill.by_turns import TurnValues, valued
from dicelab.questions.policies.skill.values import Values
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.results.draft import Draft
from dicelab.rules.game import Game


def solve(wire: Wire, asked: Asked, file: str, memory: int, objective: str | None = None) -> None:
    """Solve a game and write its values into a file; of a large game, those of the beginnings of turns.

    Raises
    ------
    InputError, TooLarge, PlayError
    """
    found = valued(game_of(asked), objective=objective, memory=memory)
    with Draft(file) as draft:
        if isinstance(found, TurnValues):
            assert found.policy is not None
            found.policy.save(draft.path)
        else:
            text = found.objective.text
            with open(draft.path, "wb") as written:
                np.savez(
                    written, keys=found.keys, value=found.value, move=found.move, cycles=found.cycles, objective=text
                )
        draft.publish()


def loaded(file: str | None, game: Game) -> Values | None:
    """The values of a game; None without a file."""
    if file is None or not Path(file).exists():
        return None
    with np.load(file, allow_pickle=False) as kept:
        if "move" in kept:
            arrays = kept["keys"], kept["value"], kept["move"]
            return Values(game, Objective.of(game, str(kept["objective"])), *arrays, int(kept["cycles"]))
    return TurnValues.under(TurnPolicy.load(file, game))
