"""The values of games (`dicelab.questions.policies.skill.by_turns`) in files, and those kept in the cache folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import numpy as np

from dicelab.questions.policies.kept_solutions import is_off, keep, path_for, used
from dicelab.questions.policies.objective import Objective, default_objective
from dicelab.questions.policies.skill.by_turns import TurnValues, valued
from dicelab.questions.policies.skill.values import Values
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.results.draft import Draft
from dicelab.rules.game import Game


def kept_values(
    game: Game,
    *,
    objective: str | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
) -> Values:
    """Return the values of a game: those that are kept, else it is solved, and they are kept for the next time.

    Parameters
    ----------
    game, objective, memory, progress
        As in `dicelab.questions.policies.skill.by_turns.valued`.

    Raises
    ------
    InputError, TooLarge, PlayError
    """
    objective = objective or default_objective(game)
    path = path_for(game, "values", str(objective))
    found = used(path, lambda file: load_values(file, game))
    if found is None:
        found = values = valued(game, objective=objective, memory=memory, progress=progress)
        keep(path, lambda file: save_values(values, file))
    return found


def write_values(values: Values, file: Path) -> None:
    """Write the values of a game into a file: a copy of those that are kept, if they are.

    Raises
    ------
    OSError
    """
    path = path_for(values.game, "values", values.objective.text)
    with Draft(file) as draft:
        if is_off() or not os.path.exists(path):
            save_values(values, draft.path)
        else:
            copyfile(path, draft.path)
        draft.publish()


def save_values(values: Values, path: Path) -> None:
    """Write values into a file; of a game that was solved turn by turn, those of the beginnings of turns.

    Raises
    ------
    OSError
    """
    if isinstance(values, TurnValues):
        assert values.policy is not None
        values.policy.save(path)
        return
    text = values.objective.text
    with open(path, "wb") as file:
        np.savez(file, keys=values.keys, value=values.value, move=values.move, cycles=values.cycles, objective=text)


def load_values(path: Path, game: Game) -> Values:
    """Read values of a game from a file that `save_values` has written."""
    with np.load(path, allow_pickle=False) as kept:
        if "move" in kept:
            arrays = kept["keys"], kept["value"], kept["move"]
            return Values(game, Objective.of(game, str(kept["objective"])), *arrays, int(kept["cycles"]))
    return TurnValues.under(TurnPolicy.load(path, game))
