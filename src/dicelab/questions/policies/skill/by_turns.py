"""The values of all states of a large game, found turn by turn: each turn is evaluated when it is first needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import numpy as np

from dicelab.errors import NotSmall, ParameterError, TooLarge
from dicelab.limits import LIMITS
from dicelab.questions.policies.files import load
from dicelab.questions.policies.objective import Objective, default_objective
from dicelab.questions.policies.plan import planned
from dicelab.questions.policies.skill.values import Values, values
from dicelab.questions.policies.solve import about_policy
from dicelab.questions.policies.solving import is_off, keep, path_for, used
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.arrays import Floats
from dicelab.runtime.leftovers import Draft


@dataclass(frozen=True)
class TurnValues(Values):
    """The values of one game under a policy that was found turn by turn."""

    policy: TurnPolicy | None = None

    @classmethod
    def under(cls, policy: TurnPolicy) -> TurnValues:
        """Return the values under a policy."""
        game = policy.game
        wanted, none = Objective.of(game, str(policy.about["objective"])), np.zeros((0, 0), np.uint64)
        value = np.zeros((0, max(1, seat_count(game))))
        return cls(game, wanted, none, value, np.zeros(0, np.int64), policy=policy)

    def best(self, game: Game) -> tuple[int, ...]:
        """As in `Values`."""
        assert self.policy is not None
        move = self.policy.move(game)
        return super().best(game) if move is None else move

    def _place(self, game: Game) -> int | None:
        return None

    def _to_come(self, game: Game) -> Floats | None:
        assert self.policy is not None
        worth = self.policy.worth(game)
        return self._further.get(self._key(game)) if worth is None else np.array(worth)


class _LargeForValues(TooLarge):
    """A game has many states."""


def valued(
    game: Game,
    *,
    objective: str | None = None,
    memory: int | None = None,
    policy: TurnPolicy | str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
) -> Values:
    """Return the values of a game: of all states, or where these are very many, turn by turn.

    Parameters
    ----------
    game, objective, memory, progress
        As in `dicelab.questions.policies.skill.values.values`.
    policy
        A policy that was found turn by turn, or its file; the game isn't solved then.
    """
    if policy is not None:
        return TurnValues.under(of_turns(policy, game, objective))
    if not game.declared.decisions:
        return values(game, objective=objective, memory=memory, progress=progress)
    plan = planned(game, (), 0, objective, memory, {})

    def look(found: int, expanded: int) -> None:
        if found > LIMITS.many_with_policy and plan.all_optimal:
            raise _LargeForValues(f"{game.name} has more than {LIMITS.many_with_policy:,} states")
        progress(found, expanded)

    try:
        return values(game, objective=objective, memory=memory, progress=look)
    except TooLarge as error:
        try:
            turns, kept = plan.turn_by_turn(progress)
        except NotSmall as why:
            if isinstance(error, _LargeForValues):
                return values(game, objective=objective, memory=memory, progress=progress)
            raise TooLarge(f"{error}; it can't be solved turn by turn: {why}") from why
        return TurnValues.under(TurnPolicy.of(game, about_policy(plan, turns.value, turns.error), kept))


def of_turns(policy: TurnPolicy | str | os.PathLike[str], game: Game, objective: str | None) -> TurnPolicy:
    """Return a policy of the beginnings of turns, or that of a file.

    Raises
    ------
    InputError
        Also when it has another objective, or the moves in every state.
    """
    loaded = load(policy, game) if isinstance(policy, str | os.PathLike) else policy
    if not isinstance(loaded, TurnPolicy):
        raise ParameterError("this policy has moves and not the values of rolls; leave it out, and the game is solved")
    loaded.must_be_for(game, "the policy")
    if objective is not None and objective != loaded.about["objective"]:
        raise ParameterError(f"the policy was solved for {loaded.about['objective']}, not for {objective}")
    return loaded


# Kept values ----------------------------------------------------------------------------------------------------------
#
# The values of games (`dicelab.questions.policies.skill.by_turns`) in files, and those kept in the cache folder.


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
    """
    objective = objective or default_objective(game)
    kept = known_values(game, objective)
    if kept is None:
        kept = values = valued(game, objective=objective, memory=memory, progress=progress)
        keep(_path(game, objective), lambda file: save_values(values, file))
    return kept


def known_values(game: Game, objective: str | None = None) -> Values | None:
    """Return the values of a game that are kept in the cache folder; None if there are none."""
    return used(_path(game, objective or default_objective(game)), lambda file: load_values(file, game))


def _path(game: Game, objective: str | None) -> Path:
    return path_for(game, "values", str(objective))


def write_values(values: Values, file: Path) -> None:
    """Write the values of a game into a file: a copy of those that are kept, if they are."""
    path = _path(values.game, values.objective.text)
    with Draft(file) as draft:
        if is_off() or not os.path.exists(path):
            save_values(values, draft.path)
        else:
            copyfile(path, draft.path)
        draft.publish()


def save_values(values: Values, path: Path) -> None:
    """Write values into a file; of a game that was solved turn by turn, those of the beginnings of turns."""
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
