"""The values of all states of a large game, found turn by turn: each turn is evaluated when it is met."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dicelab.errors import NotSmall, ParameterError, TooLarge
from dicelab.questions.policies.files import load
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.plan import planned
from dicelab.questions.policies.skill.values import Values, values
from dicelab.questions.policies.solve import about_policy
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.arrays import Floats
from dicelab.solver.limits import LIMITS


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
        found = self.policy.move(game)
        return super().best(game) if found is None else found

    def _place(self, game: Game) -> int | None:
        return None

    def _to_come(self, game: Game) -> Floats | None:
        assert self.policy is not None
        found = self.policy.worth(game)
        return self._further.get(self._key(game)) if found is None else np.array(found)


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

    Raises
    ------
    InputError, TooLarge, PlayError
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
    found = load(policy, game) if isinstance(policy, str | os.PathLike) else policy
    if not isinstance(found, TurnPolicy):
        raise ParameterError("this policy has moves and not the values of rolls; leave it out, and the game is solved")
    found.must_be_for(game, "the policy")
    if objective is not None and objective != found.about["objective"]:
        raise ParameterError(f"the policy was solved for {found.about['objective']}, not for {objective}")
    return found
