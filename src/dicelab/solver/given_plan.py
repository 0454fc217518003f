"""The plan of a given strategy in the tree of a game with hidden information: the probabilities of its sequences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from dicelab.errors import IllegalMoveError
from dicelab.rules.game import Call, Game, Memory
from dicelab.rules.mixtures import Mixture
from dicelab.runtime.interpreter import Explained, as_move
from dicelab.solver.enumeration.mixing import chosen_by
from dicelab.solver.game_tree import GameTree, GeneralTree, Plans, Side, best_moves
from dicelab.solver.hidden_states import Numbers, Places


@runtime_checkable
class HasOptions(Protocol):
    """A saved policy of mixed strategies: `dicelab.questions.policies.mixed_policy.MixedPolicy`."""

    def options(self, game: Game, before: int, /) -> tuple[int, list[tuple[int, ...]], list[int]]:
        """Return the first option, the moves and their weights."""


def plans_of(tree: GameTree | GeneralTree, calls: Sequence[Call], free: Collection[int] = ()) -> Plans:
    """Return the plans of the strategies of all seats; those of free seats are best responses to the others.

    Raises
    ------
    PlayError
        As in `plan_of`.
    """
    plans = [
        pure_plan(tree, seat, None) if seat in free else plan_of(tree, seat, call) for seat, call in enumerate(calls)
    ]
    for seat in free:
        plans[seat] = pure_plan(tree, seat, best_moves(tree, seat, tuple(plans)))
    return tuple(plans)


def options_of(side: Side, policy: HasOptions) -> Places:
    """Return by sequence of a seat what a saved policy remembers after it: 1 + the number of its last option, or 0."""
    made = np.zeros(int(side.starts[-1]), np.int64)
    for k, one in enumerate(side.knowledge):
        first, moves, _ = policy.options(one.state, int(made[side.parents[k]]))
        for n, move in enumerate(moves):
            made[int(side.starts[k]) + one.moves.index(move)] = first + 1 + n
    return made


def plan_of(tree: GameTree | GeneralTree, seat: int, call: Call) -> Numbers:
    """Return the plan of a strategy of a seat, which is asked in all information sets that it can reach.

    Raises
    ------
    PlayError
        When it fails, makes a move that is not allowed, or reads what its seat doesn't see.
    """
    side = tree.sides[seat]
    plan = np.zeros(int(side.starts[-1]))
    plan[0] = 1.0
    made = options_of(side, call.strategy.moves) if isinstance(call.strategy.moves, HasOptions) else plan
    kept: dict[int, Memory] = {}  # by information set, what the strategy remembers after it
    before = np.searchsorted(side.starts, side.parents, side="right") - 1
    for k, one in enumerate(side.knowledge):
        start, reached = int(side.starts[k]), plan[side.parents[k]]
        if not reached:
            continue
        if isinstance(call.strategy.moves, HasOptions):
            _, moves, weights = call.strategy.moves.options(one.state, int(made[side.parents[k]]))
            for move, weight in zip(moves, weights, strict=True):
                plan[start + one.moves.index(move)] = reached * weight / sum(weights)
            continue
        memory = None
        if call.strategy.memory is not None:
            memory = kept[k] = (
                _copied(kept[int(before[k])], one.state) if before[k] >= 0 else call.strategy.memory(one.state)
            )
        with Explained(one.state):
            chosen = chosen_by(one.state, seat, call, memory)
            pairs = zip(chosen.moves, chosen.weights, strict=True) if isinstance(chosen, Mixture) else [(chosen, 1)]
            total = sum(chosen.weights) if isinstance(chosen, Mixture) else 1
            for one_made, weight in pairs:
                move = as_move(one_made)
                if weight == 0:
                    continue
                if move not in one.moves:
                    raise IllegalMoveError(f"{call.strategy.name} of seat {seat} chose {move}, which is not allowed")
                plan[start + one.moves.index(move)] += reached * weight / total
    return plan


def pure_plan(tree: GameTree | GeneralTree, seat: int, moves: Places | None) -> Numbers:
    """Return the plan of a seat that makes one move in each information set, given by its number; None: the first."""
    side = tree.sides[seat]
    plan = np.zeros(int(side.starts[-1]))
    plan[0] = 1.0
    moves = np.zeros(len(side.knowledge), np.int64) if moves is None else moves
    for k, move in enumerate(moves.tolist()):
        plan[side.starts[k] + move] = plan[side.parents[k]]
    return plan


def _copied(memory: Memory, game: Game) -> Memory:
    """Return a memory of its own with the same numbers."""
    found = type(memory)(game)
    for name, value in vars(memory).items():
        if isinstance(value, list):
            list.__setitem__(vars(found)[name], slice(None), value)
        else:
            vars(found)[name] = value
    return found
