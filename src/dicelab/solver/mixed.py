"""Mixed strategies for all seats of a game tree: by a linear program where it is small enough, else by regrets.

With two opposed seats the averages of regret matching come to an equilibrium. With more seats, or other payoffs, they
need not; what each seat could gain against them is measured all the same, and the best that was found is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.solver import mixed_program, public_regret, regret
from dicelab.solver.game_tree import GameTree, GeneralTree, Plans
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
    """Mixed strategies of all seats.

    Attributes
    ----------
    plans
        By seat, the probabilities of its sequences; of a public tree the averages, from which those of moves follow.
    values, best
        By seat, what it gets by all plans, and the most that it could get by another one against those of the others.
    fraction
        The value for seat 0, if it is proved in fractions.
    rounds
        The rounds in which the seats have learned; 0 after a linear program.
    size
        The largest payoff.
    """

    plans: Plans | Averages
    values: tuple[float, ...]
    best: tuple[float, ...]
    fraction: Fraction | None
    rounds: int
    size: float

    @property
    def gap(self) -> float:
        """What all seats together could gain."""
        return sum(self.best) - sum(self.values)


def equilibrium_of(tree: GameTree | GeneralTree, gap: float, seconds: float, late: Callable[[], bool]) -> Mixed:
    """Return strategies that leave all seats together at most a gap to gain, or what is known when it is late.

    A linear program, if the seats are opposed and the tree is small enough for it, takes `seconds` at most; `late` is
    called about ten times a second afterwards.
    """
    if isinstance(tree, GeneralTree):
        return _by_general_regrets(tree, gap, late)
    found = _by_program(tree, gap, seconds)
    return found or _by_regrets(tree, gap, late)


def given(tree: GameTree | GeneralTree, plans: Plans, fraction: Fraction | None = None, rounds: int = 0) -> Mixed:
    """Return what given plans secure."""
    values, best, sizes = list[float](), list[float](), [1.0]
    for seat, side in enumerate(tree.sides):
        level, gets = tree.level_of(seat), tree.gets(seat, plans)
        values.append(level + float(gets @ plans[seat]))
        best.append(level + float(regret.most(side.starts, side.parents, gets)))
        sizes.append(abs(level) + float(np.abs(_payoffs(tree)).max(initial=0.0)))
    return Mixed(plans, tuple(values), tuple(best), fraction, rounds, max(sizes))


def _payoffs(tree: GameTree | GeneralTree) -> Numbers:
    return tree.worths if isinstance(tree, GeneralTree) else tree.payoffs.data


def _by_program(tree: GameTree, gap: float, seconds: float) -> Mixed | None:
    """Return what a linear program finds; None if that is too large for it, or leaves more than the gap to gain."""
    if tree.payoffs.nnz > mixed_program.MOST_PAYOFFS:
        return None
    plans = mixed_program.plans(tree, seconds)
    if plans is None:
        return None
    proved = mixed_program.proved_value(tree, plans)
    if proved:
        values = float(proved[0]), float(tree.total) - float(proved[0])
        return replace(given(tree, proved[1], proved[0]), values=values, best=values)
    found = given(tree, plans)
    return found if found.gap <= gap else None


def _rows(payoffs: Any) -> tuple[Any, Any, Any]:
    rows = payoffs.tocsr()
    return rows.indptr, rows.indices, rows.data


def _uniform(tree: GameTree | GeneralTree) -> list[Numbers]:
    """Return by seat the same probability for all moves of an information set."""
    return [np.concatenate([[0.0], np.repeat(1.0 / (many := np.diff(side.starts)), many)]) for side in tree.sides]


def _by_regrets(tree: GameTree, gap: float, late: Callable[[], bool]) -> Mixed:
    """Return what regrets find until the gap is small enough, or it is late."""
    sides = [(side.starts, side.parents) for side in tree.sides]
    rows = _rows(tree.payoffs), _rows(tree.payoffs.T)
    one, two = tree.payoffs.shape
    regrets, averages = ((np.zeros(one), np.zeros(two)) for _ in range(2))
    sigmas = tuple(_uniform(tree))
    at_once, rounds, checked = max(1, AT_ONCE // (2 * tree.payoffs.nnz + 5 * (one + two))), 0, 0
    while True:
        regret.improve(*sides, rows, sigmas, regrets, averages, at_once, rounds)
        rounds += at_once
        last = late()
        if rounds < 1.1 * checked and not last:
            continue
        checked = rounds
        found = given(tree, averages, None, rounds)
        if found.gap <= gap or last:
            return found


def _by_general_regrets(tree: GeneralTree, gap: float, late: Callable[[], bool]) -> Mixed:
    """Return the best that regrets find until the gap is small enough, or it is late: averages, or the last plans."""
    first = np.cumsum([0, *(side.starts[-1] for side in tree.sides)])
    ends = tree.ends + first[:-1, None].astype(np.int32)
    sides = tuple(side.starts for side in tree.sides), tuple(side.parents for side in tree.sides)
    sigmas = np.concatenate(_uniform(tree))
    plans, regrets, averages = (np.zeros(sigmas.size) for _ in range(3))
    gets = tree.chances * tree.worths
    at_once, rounds, checked = max(1, AT_ONCE // (gets.size * len(tree.sides) + 5 * sigmas.size)), 0, 0
    best: Mixed | None = None
    while True:
        regret.improve_all(*sides, first, ends, gets, sigmas, plans, regrets, averages, at_once, rounds)
        rounds += at_once
        last = late()
        if rounds < 1.1 * checked and not last:
            continue
        checked = rounds
        for each in (averages, plans):
            found = given(tree, tuple(np.split(each.copy(), first[1:-1])), None, rounds)
            best = found if best is None or found.gap < best.gap else best
        assert best is not None
        if best.gap <= gap or last:
            return replace(best, rounds=rounds)


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
        best = tree.level + gets(0, public_regret.BEST), tree.total - tree.level + gets(1, public_regret.BEST)
        if sum(best) - tree.total <= gap or last:
            size = max(1.0, abs(tree.level) + max(float(np.abs(end[0]).max(initial=0.0)) for end in tree.ends))
            worth = tree.level + gets(0, public_regret.MEAN)
            return Mixed(averages, (worth, tree.total - worth), best, None, rounds, size)
