"""The values of a game in a file of the server, taken from the cache folder or solved."""

from __future__ import annotations

from pathlib import Path

from dicelab.interface.lab.work.named import Asked, game_of
from dicelab.interface.lab.work.process import Wire
from dicelab.questions.policies.skill.kept_values import kept_values, load_values, save_values
from dicelab.questions.policies.skill.values import Values
from dicelab.results.draft import Draft
from dicelab.rules.game import Game


def solve(wire: Wire, asked: Asked, file: str, memory: int, objective: str | None = None) -> None:
    """Write the values of a game into a file.

    Raises
    ------
    InputError, TooLarge, PlayError
    """
    found = kept_values(game_of(asked), objective=objective, memory=memory)
    with Draft(file) as draft:
        save_values(found, draft.path)
        draft.publish()


def loaded(file: str | None, game: Game) -> Values | None:
    """Return the values of a game; None without a file."""
    return None if file is None or not Path(file).exists() else load_values(Path(file), game)
