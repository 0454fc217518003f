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
from dicelab.solver.public_regret import fill
from dicelab.solver.public_tree import Averages, Expanded, PublicTree, expanded

Remembered = tuple[bytes, bytes]
"""By seat, what it remembers with each hand, as the bytes of an array."""


@runtime_checkable
class HasOptions(Protocol):
    """A saved policy of mixed strategies: `dicelab.questions.policies.mixed_policy.MixedPolicy`."""

    @property
    def after(self) -> Places:
        """By option, what is remembered after it."""

    def options(self, game: Game, before: int, /) -> tuple[int, list[tuple[int, ...]], list[int]]:
        """Return the first option, the moves and their weights."""

    def entering(self, start: Game, seat: int, /) -> int:
        """Return what a seat may remember where a round begins."""


def plans_of(
    tree: GameTree | GeneralTree, calls: Sequence[Call], free: Collection[int] = (), start: Game | None = None
) -> Plans:
    """Return the plans of the strategies of all seats; those of free seats are best responses to the others. `start` is
    the first state, if the tree is that of a round.

    Raises
    ------
    PlayError
        As in `plan_of`.
    """
    plans = [
        pure_plan(tree, seat, None) if seat in free else plan_of(tree, seat, call, start)
        for seat, call in enumerate(calls)
    ]
    for seat in free:
        plans[seat] = pure_plan(tree, seat, best_moves(tree, seat, tuple(plans)))
    return tuple(plans)


def averages_of(tree: PublicTree, calls: Sequence[Call], free: Collection[int] = ()) -> Averages:
    """Return the strategies of all seats but free ones on a public tree; they know the state alone, and no memory.

    Raises
    ------
    PlayError
        As in `plan_of`.
    """
    averages = np.zeros(tree.numbers, np.float32)
    nodes = tree.movers, tree.first, tree.targets, tree.offsets
    for seat in {0, 1}.difference(free):
        hands, parts, begins = tree.hands[seat].size, list[Numbers](), np.zeros(len(tree.movers), np.int64)
        for node, moves in enumerate(tree.moves):
            begins[node] = sum(map(np.size, parts[-1:])) + (begins[node - 1] if node else 0)
            mixes = np.zeros((len(moves), hands))
            for hand in range(hands if tree.movers[node] == seat else 0):
                mixes[:, hand] = _mix(tree.state(node, seat, hand), moves, seat, calls[seat], None)
            parts.append(mixes.ravel())
        fill(nodes, tree.length, seat, hands, begins, np.concatenate(parts).astype(np.float32), averages)
    return averages


def followed(tree: PublicTree, calls: Sequence[Call], start: Game) -> tuple[PublicTree, Averages, Places]:
    """Return how saved strategies play on a public tree; strategies that aren't saved know the state alone.

    Parameters
    ----------
    tree, calls
        The tree, and the strategies of both seats.
    start
        The first state of the round.

    Returns
    -------
    tuple
        The tree with a node for each node and what both remember there, by hand; their averages; and by number of that
        tree the option of the saved strategy, -1 where none is saved.

    Raises
    ------
    TooLarge
        When they remember too much.
    PlayError
        When a situation is not in a file, and as in `plan_of`.
    """
    levels, averages, options = _expanded(tree, calls, start)
    return levels.tree, averages, options


def in_all_histories(tree: PublicTree, calls: Sequence[Call], start: Game, free: Collection[int]) -> Averages:
    """Return how saved strategies play on a public tree, in each history by itself; 0 for free seats, whose best
    responses may depend on everything that happened. Parameters and errors are those of `followed`.
    """
    levels, averages, _ = _expanded(tree, calls, start, free)
    whole, short = np.zeros(tree.numbers, np.float32), levels.tree
    nodes = short.movers, short.first, short.targets, tree.offsets[levels.before]
    for seat in {0, 1}.difference(free):
        fill(nodes, tree.length, seat, tree.hands[seat].size, levels.begins, averages, whole)
    return whole


def _expanded(
    tree: PublicTree, calls: Sequence[Call], start: Game, free: Collection[int] = ()
) -> tuple[Expanded, Averages, Places]:
    """Return what `followed` does, with where the nodes are in the tree. Free seats remember and do nothing."""
    asked = dict[tuple[int, Remembered], tuple[Numbers, Places]]()

    def mixes(node: int, memory: Remembered) -> tuple[Numbers, Places]:
        """Return the probabilities of all moves, by hand, and the options."""
        seat, moves = int(tree.movers[node]), tree.moves[node]
        made = np.frombuffer(memory[seat], np.int64)
        chances, options = np.zeros((len(moves), made.size)), np.full((len(moves), made.size), -1)
        saved = calls[seat].strategy.moves
        if seat in free:
            return chances, options
        for hand, before in enumerate(made.tolist()):
            state = tree.state(node, seat, hand)
            if not isinstance(saved, HasOptions):
                chances[:, hand] = _mix(state, moves, seat, calls[seat], None)
                continue
            first, listed, weights = saved.options(state, before)
            for n, (move, weight) in enumerate(zip(listed, weights, strict=True)):
                chances[moves.index(move), hand] = weight / sum(weights)
                options[moves.index(move), hand] = first + n
        return chances, options

    def after(node: int, memory: Remembered) -> list[Remembered]:
        asked[node, memory] = mixes(node, memory)
        options = asked[node, memory][1]
        seat = int(tree.movers[node])
        saved = calls[seat].strategy.moves
        if seat in free or not isinstance(saved, HasOptions):
            return [memory] * len(options)
        kept = [np.asarray(saved.after[row], np.int64).tobytes() for row in options]
        return [(made, memory[1]) if seat == 0 else (memory[0], made) for made in kept]

    first = []
    for seat, call in enumerate(calls):
        saved = None if seat in free else call.strategy.moves
        enters = saved.entering(start, seat) if isinstance(saved, HasOptions) else 0
        first.append(np.full(tree.hands[seat].size, enters, np.int64).tobytes())
    levels, memories = expanded(tree, (first[0], first[1]), after)
    both = [asked[node, memory] for node, memory in zip(levels.origin.tolist(), memories, strict=True)]
    averages = np.concatenate([chances.ravel() for chances, _ in both]).astype(np.float32)
    return levels, averages, np.concatenate([options.ravel() for _, options in both])


def _mix(state: Game, moves: Sequence[tuple[int, ...]], seat: int, call: Call, memory: Memory | None) -> Numbers:
    """Return the probabilities with which a strategy makes the moves that are allowed in a state."""
    mix = np.zeros(len(moves))
    with Explained(state):
        chosen = chosen_by(state, seat, call, memory)
        pairs = zip(chosen.moves, chosen.weights, strict=True) if isinstance(chosen, Mixture) else [(chosen, 1)]
        total = sum(chosen.weights) if isinstance(chosen, Mixture) else 1
        for one, weight in pairs:
            move = as_move(one)
            if weight == 0:
                continue
            if move not in moves:
                raise IllegalMoveError(f"{call.strategy.name} of seat {seat} chose {move}, which is not allowed")
            mix[moves.index(move)] += weight / total
    return mix


def options_of(side: Side, policy: HasOptions, entering: int) -> tuple[Places, Places]:
    """Return by sequence of a seat the number of its last option in a saved policy, and what that remembers after it;
    of the sequence without a move -1, and `entering`.
    """
    options, made = (np.full(int(side.starts[-1]), start, np.int64) for start in (-1, entering))
    for k, one in enumerate(side.knowledge):
        first, moves, _ = policy.options(one.state, int(made[side.parents[k]]))
        for n, move in enumerate(moves):
            sequence = int(side.starts[k]) + one.moves.index(move)
            options[sequence], made[sequence] = first + n, policy.after[first + n]
    return options, made


def plan_of(tree: GameTree | GeneralTree, seat: int, call: Call, start: Game | None = None) -> Numbers:
    """Return the plan of a strategy of a seat, which is asked in all information sets that it can reach.

    Raises
    ------
    PlayError
        When it fails, makes a move that is not allowed, or reads what its seat doesn't see.
    """
    side = tree.sides[seat]
    plan = np.zeros(int(side.starts[-1]))
    plan[0] = 1.0
    made = np.zeros(0, np.int64)
    if isinstance(saved := call.strategy.moves, HasOptions):
        made = options_of(side, saved, 0 if start is None else saved.entering(start, seat))[1]
    kept: dict[int, Memory] = {}  # by information set, what the strategy remembers after it
    before = np.searchsorted(side.starts, side.parents, side="right") - 1
    for k, one in enumerate(side.knowledge):
        at, reached = int(side.starts[k]), plan[side.parents[k]]
        if not reached:
            continue
        if isinstance(call.strategy.moves, HasOptions):
            _, moves, weights = call.strategy.moves.options(one.state, int(made[side.parents[k]]))
            for move, weight in zip(moves, weights, strict=True):
                plan[at + one.moves.index(move)] = reached * weight / sum(weights)
            continue
        memory = None
        if call.strategy.memory is not None:
            memory = kept[k] = (
                _copied(kept[int(before[k])], one.state) if before[k] >= 0 else call.strategy.memory(one.state)
            )
        plan[at : at + len(one.moves)] = reached * _mix(one.state, one.moves, seat, call, memory)
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
    copied = type(memory)(game)
    for name, value in vars(memory).items():
        if isinstance(value, list):
            list.__setitem__(vars(copied)[name], slice(None), value)
        else:
            vars(copied)[name] = value
    return copied
