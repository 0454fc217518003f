"""Values of all states of a game (`dicelab.policies.skill.values`), solved once and kept in a file of the server."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dicelab.lab.work.named import Asked, game_of
from dicelab.lab.work.process import Wire
from dicelab.policies.objective import Objective
from dicelab.policies.skill.values import Values, values
from dicelab.results.draft import Draft
from dicelab.rules.game import Game


def solve(wire: Wire, asked: Asked, file: str, memory: int) -> None:
    """Solve a game and write its values into a file.

    Raises
    ------
    InputError, TooLarge, PlayError
    """
    found = values(game_of(asked), memory=memory)
    with Draft(file) as draft:
        with open(draft.path, "wb") as written:
            np.savez(written, keys=found.keys, value=found.value, move=found.move, cycles=found.cycles)
        draft.publish()


def loaded(file: str | None, game: Game) -> Values | None:
    """The values of a game; None without a file."""
    if file is None or not Path(file).exists():
        return None
    with np.load(file, allow_pickle=False) as kept:
        arrays = kept["keys"], kept["value"], kept["move"]
        return Values(game, Objective.of(game, None), *arrays, int(kept["cycles"]))
