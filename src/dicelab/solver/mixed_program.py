"""An equilibrium of a game in sequence form by a linear program, and its proof in fractions.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees" (1994). The program
is solved in floating point (HiGHS). Its solution is a corner, so that the probabilities of moves are fractions, mostly
with small denominators. They are guessed from the solution; both best responses in whole numbers then show whether the
guess is an equilibrium. If it is, the value is proved whatever the program did.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dicelab.solver.game_tree import GameTree, Side
from dicelab.solver.hidden_states import Numbers

MOST_PAYOFFS = 200_000
"""Payoffs in a tree that is given to the program: with 73,712 (liar's dice with six faces) it takes 2 s."""
DENOMINATORS = 10_000, 1_000_000
"""Of the probability of a move in one information set, at most; the larger one is right only where the program has 13
correct digits."""
ZERO = 1e-9
"""What a probability must exceed to be taken as one."""


def plans(tree: GameTree, seconds: float) -> tuple[Numbers, Numbers] | None:
    """Return the plans of both seats; None if there is no solution within so many seconds.

    The plan x of seat 0 obeys `flow(x) = (1, 0, ...)`. Seat 1 gets at most `q[0]`, the first of the dual variables of
    its own flow: for each of its sequences, the `q` of the information set in which it ends is at most what x leaves it
    there, and the `q` of all information sets that follow.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    first, second = (_flow(side) for side in tree.sides)
    limits = hstack([-tree.payoffs.T, second.T]).tocsr()
    flows = hstack([first, csr_array((first.shape[0], second.shape[0]))]).tocsr()
    sequences = tree.payoffs.shape[0]
    goal = np.zeros(limits.shape[1])
    goal[sequences] = -1.0
    start = np.zeros(first.shape[0])
    start[0] = 1.0
    free = [(0, None)] * sequences + [(None, None)] * second.shape[0]
    options = {"time_limit": seconds, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(goal, limits, np.zeros(limits.shape[0]), flows, start, free, method="highs-ipm", options=options)
    if found.status:
        return None
    return _plan(tree.sides[0], found.x[:sequences]), _plan(tree.sides[1], -found.ineqlin.marginals)


def _flow(side: Side) -> Any:
    """Return a matrix that takes plans to what comes out of each information set, less what goes into it."""
    from scipy.sparse import csr_array

    sets = len(side.knowledge)
    ends = np.concatenate([[0], 1 + np.repeat(np.arange(sets), np.diff(side.starts))])
    rows = np.concatenate([ends, 1 + np.arange(sets)])
    columns = np.concatenate([np.arange(ends.size), side.parents])
    return csr_array((np.repeat([1.0, -1.0], [ends.size, sets]), (rows, columns)), (sets + 1, ends.size))


def _plan(side: Side, found: Numbers) -> Numbers:
    """Return a plan without the errors of the program: no probability below 0, and flows that are kept."""
    plan = np.zeros(found.size)
    plan[0] = 1.0
    for k, parent in enumerate(side.parents.tolist()):
        part = np.where(found[side.starts[k] : side.starts[k + 1]] > ZERO * found[parent], 1.0, 0.0)
        part *= found[side.starts[k] : side.starts[k + 1]]
        if plan[parent] > 0:
            plan[side.starts[k] : side.starts[k + 1]] = plan[parent] * part / part.sum()
    return plan


def proved_value(tree: GameTree, plans: tuple[Numbers, Numbers]) -> tuple[Fraction, tuple[Numbers, Numbers]] | None:
    """Return what seat 0 gets, and the plans that prove it; None if the plans are no equilibrium in fractions."""
    if tree.whole is None:
        return None
    first, second = (_some_fractions(side, plan) for side, plan in zip(tree.sides, plans, strict=True))
    if first is None or second is None:
        return None
    most = _most(tree.sides[0], tree.whole, second, 1)
    least = -_most(tree.sides[1], tree.whole.T.tocsr(), first, -1)
    if most != least:
        return None
    return tree.base + most * tree.unit, (np.array(first, float), np.array(second, float))


def _some_fractions(side: Side, plan: Numbers) -> list[Fraction] | None:
    return next(filter(None, (_in_fractions(side, plan, most) for most in DENOMINATORS)), None)


def _in_fractions(side: Side, plan: Numbers, most: int) -> list[Fraction] | None:
    """Return a plan in which the probability of each move in its information set is a fraction; None if they aren't."""
    found = [Fraction(0)] * plan.size
    found[0] = Fraction(1)
    starts = side.starts.tolist()
    for k, parent in enumerate(side.parents.tolist()):
        if found[parent] == 0:
            continue
        shares = [Fraction(float(p / plan[parent])).limit_denominator(most) for p in plan[starts[k] : starts[k + 1]]]
        if sum(shares) != 1:
            return None
        found[starts[k] : starts[k + 1]] = [found[parent] * share for share in shares]
    return found


def _most(side: Side, whole: Any, plan: list[Fraction], sign: int) -> Fraction:
    """Return the most that a seat gets against a plan of the other, in units."""
    pointers, places, numbers = whole.indptr.tolist(), whole.indices.tolist(), whole.data.tolist()
    worth = [
        sum((sign * numbers[p] * plan[places[p]] for p in range(*pointers[s : s + 2]) if plan[places[p]]), Fraction(0))
        for s in range(len(pointers) - 1)
    ]
    starts, parents = side.starts.tolist(), side.parents.tolist()
    for k in range(len(parents) - 1, -1, -1):
        worth[parents[k]] += max(worth[starts[k] : starts[k + 1]])
    return worth[0]
