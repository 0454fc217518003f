"""What the moves of a game with hidden information are worth against mixed strategies."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np

from dicelab.errors import DicelabError, TooLarge
from dicelab.questions.policies.mixed_policy import MixedPolicy
from dicelab.questions.policies.skill.seen import PlayEvent
from dicelab.rules.actions import Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, Game, fresh, reset, seat_count
from dicelab.runtime.interpreter import asked
from dicelab.solver.game_tree import GameTree, GeneralTree, Plans, coming
from dicelab.solver.given_plan import followed, options_of
from dicelab.solver.hidden_game import measured
from dicelab.solver.hidden_states import Numbers
from dicelab.solver.mixed import noted
from dicelab.solver.public_tree import PublicTree


def worths_of(policy: MixedPolicy) -> Numbers:
    """Return what each option is worth to its seat by what it has seen, if the others follow the policy and it responds
    as well as possible; nan where the others would never have let it come to this.

    Raises
    ------
    TooLarge
        When the game has too many histories.
    DicelabError
        When the policy was saved by another version.
    """
    call = Call(policy.strategy, ())
    solved = measured(policy.game, [call] * seat_count(policy.game))
    gets, reached = np.zeros(len(policy.weight)), np.zeros(len(policy.weight))
    for begin, (tree, mixed) in zip(solved.begins, solved.parts, strict=True):
        if isinstance(tree, PublicTree):
            assert isinstance(mixed.plans, np.ndarray)
            options = followed(tree, [call] * 2, begin)[2]
            for seat in (0, 1):
                added, likely = noted(tree, mixed.plans, seat)
                gets += np.bincount(options, added, len(gets))
                reached += np.bincount(options, likely, len(gets))
            continue
        assert isinstance(mixed.plans, tuple)
        for seat, side in enumerate(tree.sides):
            added, likely = _of_seat(tree, seat, mixed.plans)
            options = options_of(side, policy, policy.entering(begin, seat))[0][1:]
            gets += np.bincount(options, added, len(gets))
            reached += np.bincount(options, likely, len(gets))
    found = np.full(len(gets), np.nan)
    np.divide(gets, reached, out=found, where=reached > 0)
    return found


def _of_seat(tree: GameTree | GeneralTree, seat: int, plans: Plans) -> tuple[Numbers, Numbers]:
    """Return by sequence of a seat, without the first, what it gets at most if the others follow their plans, times how
    likely the rolls and the others lead there; and how likely.

    Raises
    ------
    TooLarge
    """
    side, gets, likely = tree.sides[seat], tree.gets(seat, plans), coming(tree, seat, plans)
    if likely is None:
        raise TooLarge(f"the game has {tree.histories:,} histories, too many for hints")
    for k in range(len(side.knowledge) - 1, -1, -1):
        gets[side.parents[k]] += gets[side.starts[k] : side.starts[k + 1]].max()
    reached = np.repeat(likely, np.diff(side.starts))
    return gets[1:] + tree.level_of(seat) * reached, reached


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
                made = int(self.policy.after[first + moves.index(step.values)])
            applied(kind.run, table, step.values)
        first, moves, weights = self.policy.options(game, made)
        worths, total = self.worths[first : first + len(moves)].tolist(), sum(weights)
        if any(map(isnan, worths)):
            raise DicelabError("the policy of the others never leads here, so that it doesn't say what moves are worth")
        return dict(zip(moves, worths, strict=True)), {m: w / total for m, w in zip(moves, weights, strict=True)}
