"""Mixed strategies for both seats of a game tree: by a linear program where it is small enough, else by regrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.solver import mixed_program, public_regret, regret
from dicelab.solver.game_tree import GameTree
from dicelab.solver.hidden_states import Numbers
from dicelab.solver.public_tree import PublicTree

AT_ONCE = 20_000_000
"""Payoffs and sequences that are gone through until the clock is looked at: about a tenth of a second."""

FIRST_WEIGHT = 10_000.0
"""What weights of rounds in averages are divided by, so that 32 bits hold their sums."""
FORGOTTEN = 16
"""First rounds on a public tree that don't count in the averages: they play much that is soon given up, through which
both best responses would have to go."""
MEASURED = 1.4
"""Factor between the rounds after which the gap is measured on a public tree, which takes as long as some rounds."""

Averages = NDArray[np.float32]


@dataclass(frozen=True)
class Mixed:
    """Mixed strategies of both seats.

    Attributes
    ----------
    plans
        By seat, the probabilities of its sequences; of a public tree the averages, from which those of moves follow.
    secured
        What seat 0 gets at least by its plan, and at most against that of seat 1.
    worth
        What it gets by both.
    fraction
        The value, if it is proved in fractions.
    rounds
        The rounds in which the seats have learned; 0 after a linear program.
    size
        The largest payoff.
    """

    plans: tuple[Numbers, Numbers] | Averages
    secured: tuple[float, float]
    worth: float
    fraction: Fraction | None
    rounds: int
    size: float


def equilibrium_of(tree: GameTree, gap: float, seconds: float, late: Callable[[], bool]) -> Mixed:
    """Return strategies that leave both seats together at most a gap to gain, or what is known when it is late.

    A linear program, if the tree is small enough for it, takes `seconds` at most; `late` is called about ten times a
    second afterwards.
    """
    found = _by_program(tree, gap, seconds)
    return found or _by_regrets(tree, gap, late)


def given(tree: GameTree, plans: tuple[Numbers, Numbers]) -> Mixed:
    """Return what given plans secure."""
    return _mixed(tree, plans, _secured(tree, plans), None, 0)


def _mixed(
    tree: GameTree, plans: tuple[Numbers, Numbers], secured: tuple[float, float], fraction: Fraction | None, rounds: int
) -> Mixed:
    worth = tree.level + float(plans[0] @ (tree.payoffs @ plans[1]))
    size = max(1.0, abs(tree.level) + float(np.abs(tree.payoffs.data).max(initial=0.0)))
    return Mixed(plans, secured, worth, fraction, rounds, size)


def _by_program(tree: GameTree, gap: float, seconds: float) -> Mixed | None:
    """Return what a linear program finds; None if that is too large for it, or leaves more than the gap to gain."""
    if tree.payoffs.nnz > mixed_program.MOST_PAYOFFS:
        return None
    plans = mixed_program.plans(tree, seconds)
    if plans is None:
        return None
    proved = mixed_program.proved_value(tree, plans)
    if proved:
        return _mixed(tree, proved[1], (float(proved[0]), float(proved[0])), proved[0], 0)
    low, high = _secured(tree, plans)
    return _mixed(tree, plans, (low, high), None, 0) if high - low <= gap else None


def _secured(tree: GameTree, plans: tuple[Numbers, Numbers]) -> tuple[float, float]:
    """Return what seat 0 gets at least by its plan, and at most against that of seat 1."""
    first, second = tree.sides
    low = -regret.best_response(second.starts, second.parents, _rows(tree.payoffs.T), plans[0], -1.0)
    high = regret.best_response(first.starts, first.parents, _rows(tree.payoffs), plans[1], 1.0)
    return tree.level + float(low), tree.level + float(high)


def _rows(payoffs: Any) -> tuple[Any, Any, Any]:
    rows = payoffs.tocsr()
    return rows.indptr, rows.indices, rows.data


def _by_regrets(tree: GameTree, gap: float, late: Callable[[], bool]) -> Mixed:
    """Return what regrets find until the gap is small enough, or it is late."""
    sides = [(side.starts, side.parents) for side in tree.sides]
    rows = _rows(tree.payoffs), _rows(tree.payoffs.T)
    one, two = tree.payoffs.shape
    sigmas, regrets, averages = ((np.zeros(one), np.zeros(two)) for _ in range(3))
    for side, sigma in zip(tree.sides, sigmas, strict=True):
        sigma[1:] = np.repeat(1.0 / np.diff(side.starts), np.diff(side.starts))
    at_once, rounds, checked = max(1, AT_ONCE // (2 * tree.payoffs.nnz + 5 * (one + two))), 0, 0
    while True:
        regret.improve(*sides, rows, sigmas, regrets, averages, at_once, rounds)
        rounds += at_once
        last = late()
        if rounds < 1.1 * checked and not last:
            continue
        checked = rounds
        low, high = _secured(tree, averages)
        if high - low <= gap or last:
            return _mixed(tree, averages, (low, high), None, rounds)


def by_public_regrets(tree: PublicTree, gap: float, late: Callable[[], bool]) -> Mixed:
    """Return what regrets find on a public tree until the gap is small enough, or it is late."""
    regrets, averages = np.zeros(tree.numbers, np.float32), np.zeros(tree.numbers, np.float32)
    rounds, checked = 0, 0

    def gets(seat: int, task: int, shrink: float = 1.0, weight: float = 0.0) -> float:
        nodes, sizes = (tree.movers, tree.first, tree.targets, tree.offsets), (tree.length, tree.widest)
        given = tree.ends[seat], seat, tree.hands[1 - seat], sizes, regrets, averages
        return float(tree.hands[seat] @ public_regret.walk(nodes, *given, task, shrink, weight))

    while True:
        rounds += 1
        power = rounds**1.5
        for seat in (0, 1):
            gets(seat, public_regret.LEARN, power / (power + 1), rounds**2 / FIRST_WEIGHT)
        last = late()
        if rounds == FORGOTTEN and not last:
            averages[:] = 0.0
        if rounds < max(FORGOTTEN + 1, MEASURED * checked) and not last:
            continue
        checked = rounds
        low, high = tree.level - gets(1, public_regret.BEST), tree.level + gets(0, public_regret.BEST)
        if high - low <= gap or last:
            size = max(1.0, abs(tree.level) + max(float(np.abs(end[0]).max(initial=0.0)) for end in tree.ends))
            return Mixed(averages, (low, high), tree.level + gets(0, public_regret.MEAN), None, rounds, size)
