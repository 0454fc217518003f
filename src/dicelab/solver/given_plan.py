"""The plan of a given strategy in the tree of a game with hidden information: the probabilities of its sequences."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from dicelab.errors import IllegalMoveError
from dicelab.rules.game import Call, Game, Memory
from dicelab.rules.mixtures import Mixture
from dicelab.runtime.interpreter import Explained, as_move
from dicelab.solver.enumeration.mixing import chosen_by
from dicelab.solver.game_tree import GameTree, GeneralTree
from dicelab.solver.hidden_states import Numbers, Places


@runtime_checkable
class HasOptions(Protocol):
    """A saved policy of mixed strategies: `dicelab.questions.policies.mixed_policy.MixedPolicy`."""

    def options(self, game: Game, before: int, /) -> tuple[int, list[tuple[int, ...]], list[int]]:
        """Return the first option, the moves and their weights."""


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
    made = np.zeros(len(plan), np.int64)  # by sequence, what a saved policy remembers of it
    kept: dict[int, Memory] = {}  # by information set, what the strategy remembers after it
    before = np.searchsorted(side.starts, side.parents, side="right") - 1
    for k, one in enumerate(side.knowledge):
        start, reached = int(side.starts[k]), plan[side.parents[k]]
        if not reached:
            continue
        if isinstance(call.strategy.moves, HasOptions):
            first, moves, weights = call.strategy.moves.options(one.state, int(made[side.parents[k]]))
            for n, (move, weight) in enumerate(zip(moves, weights, strict=True)):
                place = start + one.moves.index(move)
                plan[place], made[place] = reached * weight / sum(weights), first + 1 + n
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


def pure_plan(tree: GameTree | GeneralTree, seat: int, moves: Places) -> Numbers:
    """Return the plan of a seat that makes one move in each information set, given by its number."""
    side = tree.sides[seat]
    plan = np.zeros(int(side.starts[-1]))
    plan[0] = 1.0
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
