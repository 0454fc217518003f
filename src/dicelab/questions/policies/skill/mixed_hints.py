"""What the moves of a game with hidden information are worth against mixed strategies."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np

from dicelab.errors import DicelabError, TooLarge
from dicelab.questions.policies.mixed_policy import MixedPolicy, seen
from dicelab.questions.policies.skill.seen import PlayEvent
from dicelab.rules.actions import Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, Game, fresh, reset
from dicelab.runtime.interpreter import asked
from dicelab.solver.game_tree import GameTree, GeneralTree, Plans, game_tree
from dicelab.solver.given_plan import plan_of
from dicelab.solver.hidden_states import Numbers


def worths_of(policy: MixedPolicy) -> Numbers:
    """Return what each option is worth to its seat by what it has seen, if the other seat follows the policy and it
    responds as well as possible; nan where the other seat would never have let it come to this.

    Raises
    ------
    TooLarge
        When the game has too many histories.
    DicelabError
        When the policy was saved by another version.
    """
    tree = game_tree(policy.game)
    known = [seen(one.state, seat) for seat, side in enumerate(tree.sides) for one in side.knowledge]
    if policy.keys[:, 1].tolist() != known:
        raise DicelabError("the policy was saved by another version of dicelab; solve the game again")
    call = Call(policy.strategy, ())
    plans = tuple(plan_of(tree, seat, call) for seat in range(len(tree.sides)))
    return np.concatenate([_of_seat(tree, seat, plans) for seat in range(len(plans))])


def _of_seat(tree: GameTree | GeneralTree, seat: int, plans: Plans) -> Numbers:
    """Return what each option of a seat is worth to it, if the others follow their plans.

    By sequence, `gets` is what the seat gets at most at the ends that follow, and `reached` how likely the rolls and
    the others lead there.
    """
    side, gets, reached = tree.sides[seat], tree.gets(seat, plans), tree.reached(seat, plans)
    if reached is None:
        raise TooLarge(f"the game has {tree.histories:,} histories, too many for hints")
    for k in range(len(side.knowledge) - 1, -1, -1):
        own = slice(int(side.starts[k]), int(side.starts[k + 1]))
        gets[side.parents[k]] += gets[own].max()
        reached[side.parents[k]] += reached[own.start]  # the same after each move
    found = np.full(len(gets) - 1, np.nan)
    np.divide(gets[1:], reached[1:], out=found, where=reached[1:] > 0)
    return tree.level_of(seat) + found


class MixedHints:
    """What each move is worth to a seat by what it has seen (`worths_of`), and how often the policy makes it.

    Attributes
    ----------
    played
        The rolls and moves so far; whoever plays the game sets it.
    """

    def __init__(self, policy: MixedPolicy, worths: Numbers | None = None) -> None:
        self.policy = policy
        self.played: Sequence[PlayEvent] = ()
        self.worths = worths_of(policy) if worths is None else worths

    def __call__(
        self, game: Game, decision: Decision, seat: int
    ) -> tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], float]]:
        """Return the value of each move to a seat, and the probability with which the policy makes it.

        Raises
        ------
        DicelabError
            When the others would never have let it come to this by the policy, so that no move has a value.
        """
        table, made = fresh(self.policy.game), 0
        reset(table)
        for step in self.played:
            kind, number = asked(table, table.next())
            if isinstance(kind, Decision) and number == seat:
                first, moves, _ = self.policy.options(table, made)
                made = first + 1 + moves.index(step.values)
            applied(kind.run, table, step.values)
        first, moves, weights = self.policy.options(game, made)
        worths, total = self.worths[first : first + len(moves)].tolist(), sum(weights)
        if any(map(isnan, worths)):
            raise DicelabError("the policy of the others never leads here, so that it doesn't say what moves are worth")
        return dict(zip(moves, worths, strict=True)), {m: w / total for m, w in zip(moves, weights, strict=True)}
