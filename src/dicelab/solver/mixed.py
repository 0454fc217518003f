"""Mixed strategies for all seats of a game tree: by a linear program where it is small enough, else by regrets.

With two opposed seats the averages of regret matching come to an equilibrium. With more seats, or other payoffs, they
need not; what each seat could gain against them is measured all the same, and the best that was found is kept.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees" (1994). The program
is solved in floating point (HiGHS). Its solution is a corner, so that the probabilities of moves are fractions, mostly
with small denominators. They are guessed from the solution; both best responses in whole numbers then show whether the
guess is an equilibrium. If it is, the value is proved whatever the program did.

Regrets are those of discounted CFR, in which the seats learn in turn: Brown and Sandholm, "Solving
Imperfect-Information Games via Discounted Regret Minimization" (AAAI 2019), with their weights (3/2, 0, 2). The error
doesn't rest on them: it follows from the best responses of both seats to the strategies that were found.

Liar's dice with one die of six faces, gaps after 1,000, 10,000 and 20,000 rounds: 6e-5, 1.2e-6 and 7e-7; with CFR+ and
weights t: 1.2e-4, 2.3e-6 and 1.1e-6; with predictive CFR+ and weights t^5: 8e-4, 6e-5 and 2.5e-5.

A seat is given as the arrays `starts` and `parents` of `dicelab.solver.game_tree.Side`; `sigma` has the probability of
each move in its information set, a plan the product of the probabilities of all moves of each sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dicelab.compile.kernels.core import guarded, kept
from dicelab.limits import LIMITS
from dicelab.solver.game_tree import GameTree, GeneralTree, Plans, Side
from dicelab.solver.hidden_states import Numbers
from dicelab.solver.public_regret import BEST, LEARN, MEAN, NOTE, RESPOND, walk
from dicelab.solver.public_tree import Averages, PublicTree


@guarded
def follow(starts, parents, sigma, plan):  # type: ignore[no-untyped-def]
    """Set the probabilities of all sequences of a seat."""
    plan[0] = 1.0
    for k in range(starts.size - 1):
        before = plan[parents[k]]
        for s in range(starts[k], starts[k + 1]):
            plan[s] = before * sigma[s]


@guarded
def worths(rows, plan, sign, worth):  # type: ignore[no-untyped-def]
    """Set what each sequence of a seat gets at the ends of the game, if the other seat follows a plan."""
    pointers, places, numbers = rows
    for s in range(worth.size):
        total = 0.0
        for p in range(pointers[s], pointers[s + 1]):
            total += numbers[p] * plan[places[p]]
        worth[s] = sign * total


@guarded
def learn(starts, parents, worth, regret, sigma, kept_share):  # type: ignore[no-untyped-def]
    """Add to the regrets what each move would have gained, and set the next strategy in proportion to them."""
    for k in range(starts.size - 2, -1, -1):
        first, end = starts[k], starts[k + 1]
        mean, total = 0.0, 0.0
        for s in range(first, end):
            mean += sigma[s] * worth[s]
        worth[parents[k]] += mean
        for s in range(first, end):
            regret[s] += worth[s] - mean
            regret[s] *= kept_share if regret[s] > 0.0 else 0.5
            sigma[s] = max(regret[s], 0.0)
            total += sigma[s]
        for s in range(first, end):
            sigma[s] = sigma[s] / total if total > 0.0 else 1.0 / (end - first)


@kept
def improve(first, second, rows, sigmas, regrets, averages, rounds, begun):  # type: ignore[no-untyped-def]
    """Play rounds in which each seat in turn learns from the strategy of the other.

    `first` and `second` have `starts` and `parents` of each seat; `rows` what seat 0 gets, by its own sequences and by
    those of seat 1, as `dicelab.solver.game_tree.GameTree.payoffs` and its transpose. `averages` are plans in which
    round t counts t squared.
    """
    plans = np.empty(sigmas[0].size), np.empty(sigmas[1].size)
    worth = np.empty(sigmas[0].size), np.empty(sigmas[1].size)
    follow(second[0], second[1], sigmas[1], plans[1])
    for t in range(begun + 1, begun + rounds + 1):
        power = np.float64(t) ** 1.5
        weight = 3.0 / (t + 2.0)
        worths(rows[0], plans[1], 1.0, worth[0])
        learn(first[0], first[1], worth[0], regrets[0], sigmas[0], power / (power + 1.0))
        follow(first[0], first[1], sigmas[0], plans[0])
        worths(rows[1], plans[0], -1.0, worth[1])
        learn(second[0], second[1], worth[1], regrets[1], sigmas[1], power / (power + 1.0))
        follow(second[0], second[1], sigmas[1], plans[1])
        for seat in range(2):
            for s in range(plans[seat].size):
                averages[seat][s] += weight * (plans[seat][s] - averages[seat][s])


@kept
def improve_all(starts, parents, first, ends, gets, sigmas, plans, regrets, averages, rounds, begun):  # type: ignore[no-untyped-def]
    """Play rounds in which each seat of several in turn learns from the strategies of all others.

    The arrays of all seats are one after the other: `first` has where the sequences of each begin, and `starts` and
    `ends`, by seat and end, have numbers among all sequences; `gets` has by seat and end what the seat gets times the
    probability of the rolls. `plans` are those of the last round.
    """
    seats = gets.shape[0]
    worth = np.empty(sigmas.size)
    for seat in range(seats):
        follow(starts[seat], parents[seat], sigmas[first[seat] : first[seat + 1]], plans[first[seat] : first[seat + 1]])
    for t in range(begun + 1, begun + rounds + 1):
        power = np.float64(t) ** 1.5
        weight = 3.0 / (t + 2.0)
        for seat in range(seats):
            low, high = first[seat], first[seat + 1]
            worth[low:high] = 0.0
            for end in range(gets.shape[1]):
                got = gets[seat, end]
                if got != 0.0:
                    for other in range(seats):
                        if other != seat:
                            got *= plans[ends[other, end]]
                    worth[ends[seat, end]] += got
            sigma = sigmas[low:high]
            learn(starts[seat], parents[seat], worth[low:high], regrets[low:high], sigma, power / (power + 1.0))
            follow(starts[seat], parents[seat], sigma, plans[low:high])
        for s in range(plans.size):
            averages[s] += weight * (plans[s] - averages[s])


@kept
def most(starts, parents, gets):  # type: ignore[no-untyped-def]
    """Return the most that a seat gets, given what each of its sequences gets at the ends; `gets` is overwritten."""
    for k in range(starts.size - 2, -1, -1):
        gets[parents[k]] += gets[starts[k] : starts[k + 1]].max()
    return gets[0]


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
    solution = linprog(goal, limits, np.zeros(limits.shape[0]), flows, start, free, method="highs-ipm", options=options)
    if solution.status:
        return None
    return _plan(tree.sides[0], solution.x[:sequences]), _plan(tree.sides[1], -solution.ineqlin.marginals)


def _flow(side: Side) -> Any:
    """Return a matrix that takes plans to what comes out of each information set, less what goes into it."""
    from scipy.sparse import csr_array

    sets = len(side.knowledge)
    ends = np.concatenate([[0], 1 + np.repeat(np.arange(sets), np.diff(side.starts))])
    rows = np.concatenate([ends, 1 + np.arange(sets)])
    columns = np.concatenate([np.arange(ends.size), side.parents])
    return csr_array((np.repeat([1.0, -1.0], [ends.size, sets]), (rows, columns)), (sets + 1, ends.size))


def _plan(side: Side, weights: Numbers) -> Numbers:
    """Return a plan without the errors of the program: no probability below 0, and flows that are kept."""
    plan = np.zeros(weights.size)
    plan[0] = 1.0
    for k, parent in enumerate(side.parents.tolist()):
        part = np.where(weights[side.starts[k] : side.starts[k + 1]] > ZERO * weights[parent], 1.0, 0.0)
        part *= weights[side.starts[k] : side.starts[k + 1]]
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
    fractions = [Fraction(0)] * plan.size
    fractions[0] = Fraction(1)
    starts = side.starts.tolist()
    for k, parent in enumerate(side.parents.tolist()):
        if fractions[parent] == 0:
            continue
        shares = [Fraction(float(p / plan[parent])).limit_denominator(most) for p in plan[starts[k] : starts[k + 1]]]
        if sum(shares) != 1:
            return None
        fractions[starts[k] : starts[k + 1]] = [fractions[parent] * share for share in shares]
    return fractions


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


FIRST_WEIGHT = 10_000.0
"""What weights of rounds in averages are divided by, so that 32 bits hold their sums."""
FORGOTTEN = 16
"""First rounds on a public tree that don't count in the averages: they play much that is soon given up, through which
both best responses would have to go."""
MEASURED = 1.4
"""Factor between the rounds after which the gap is measured on a public tree, which takes as long as some rounds."""


@dataclass(frozen=True)
class MixedStrategies:
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


def equilibrium_of(
    tree: GameTree | GeneralTree, gap: float, seconds: float, late: Callable[[], bool]
) -> MixedStrategies:
    """Return strategies that leave all seats together at most a gap to gain, or what is known when it is late.

    A linear program, if the seats are opposed and the tree is small enough for it, takes `seconds` at most; `late` is
    called about ten times a second afterwards.
    """
    if isinstance(tree, GeneralTree):
        return _by_general_regrets(tree, gap, late)
    solution = _by_program(tree, gap, seconds)
    return solution or _by_regrets(tree, gap, late)


def given(
    tree: GameTree | GeneralTree, plans: Plans, fraction: Fraction | None = None, rounds: int = 0
) -> MixedStrategies:
    """Return what given plans secure."""
    values, best, sizes = list[float](), list[float](), [1.0]
    for seat, side in enumerate(tree.sides):
        level, gets = tree.level_of(seat), tree.gets(seat, plans)
        values.append(level + float(gets @ plans[seat]))
        best.append(level + float(most(side.starts, side.parents, gets)))
        sizes.append(abs(level) + float(np.abs(_payoffs(tree)).max(initial=0.0)))
    return MixedStrategies(plans, tuple(values), tuple(best), fraction, rounds, max(sizes))


def _payoffs(tree: GameTree | GeneralTree) -> Numbers:
    return tree.worths if isinstance(tree, GeneralTree) else tree.payoffs.data


def _by_program(tree: GameTree, gap: float, seconds: float) -> MixedStrategies | None:
    """Return what a linear program finds; None if that is too large for it, or leaves more than the gap to gain."""
    if tree.payoffs.nnz > LIMITS.payoffs:
        return None
    solution = plans(tree, seconds)
    if solution is None:
        return None
    proved = proved_value(tree, solution)
    if proved:
        values = float(proved[0]), float(tree.total) - float(proved[0])
        return replace(given(tree, proved[1], proved[0]), values=values, best=values)
    measured = given(tree, solution)
    return measured if measured.gap <= gap else None


def _rows(payoffs: Any) -> tuple[Any, Any, Any]:
    rows = payoffs.tocsr()
    return rows.indptr, rows.indices, rows.data


def _uniform(tree: GameTree | GeneralTree) -> list[Numbers]:
    """Return by seat the same probability for all moves of an information set."""
    return [np.concatenate([[0.0], np.repeat(1.0 / (many := np.diff(side.starts)), many)]) for side in tree.sides]


def _by_regrets(tree: GameTree, gap: float, late: Callable[[], bool]) -> MixedStrategies:
    """Return what regrets find until the gap is small enough, or it is late."""
    sides = [(side.starts, side.parents) for side in tree.sides]
    rows = _rows(tree.payoffs), _rows(tree.payoffs.T)
    one, two = tree.payoffs.shape
    regrets, averages = ((np.zeros(one), np.zeros(two)) for _ in range(2))
    sigmas = tuple(_uniform(tree))
    at_once, rounds, checked = max(1, LIMITS.payoffs_at_once // (2 * tree.payoffs.nnz + 5 * (one + two))), 0, 0
    while True:
        improve(*sides, rows, sigmas, regrets, averages, at_once, rounds)
        rounds += at_once
        last = late()
        if rounds < 1.1 * checked and not last:
            continue
        checked = rounds
        valued = given(tree, averages, None, rounds)
        if valued.gap <= gap or last:
            return valued


def _by_general_regrets(tree: GeneralTree, gap: float, late: Callable[[], bool]) -> MixedStrategies:
    """Return the best that regrets find until the gap is small enough, or it is late: averages, or the last plans."""
    first = np.cumsum([0, *(side.starts[-1] for side in tree.sides)])
    ends = tree.ends + first[:-1, None].astype(np.int32)
    sides = tuple(side.starts for side in tree.sides), tuple(side.parents for side in tree.sides)
    sigmas = np.concatenate(_uniform(tree))
    plans, regrets, averages = (np.zeros(sigmas.size) for _ in range(3))
    gets = tree.chances * tree.worths
    at_once, rounds, checked = max(1, LIMITS.payoffs_at_once // (gets.size * len(tree.sides) + 5 * sigmas.size)), 0, 0
    best: MixedStrategies | None = None
    while True:
        improve_all(*sides, first, ends, gets, sigmas, plans, regrets, averages, at_once, rounds)
        rounds += at_once
        last = late()
        if rounds < 1.1 * checked and not last:
            continue
        checked = rounds
        for each in (averages, plans):
            valued = given(tree, tuple(np.split(each.copy(), first[1:-1])), None, rounds)
            best = valued if best is None or valued.gap < best.gap else best
        assert best is not None
        if best.gap <= gap or last:
            return replace(best, rounds=rounds)


def by_public_regrets(tree: PublicTree, gap: float, late: Callable[[], bool]) -> MixedStrategies:
    """Return what regrets find on a public tree until the gap is small enough, or it is late."""
    regrets, averages = np.zeros(tree.numbers, np.float32), np.zeros(tree.numbers, np.float32)
    rounds, checked = 0, 0
    while True:
        rounds += 1
        power = rounds**1.5
        for seat in (0, 1):
            _public_pass(tree, regrets, averages, seat, LEARN, power / (power + 1), rounds**2 / FIRST_WEIGHT)
        last = late()
        if rounds == FORGOTTEN and not last:
            averages[:] = 0.0
        if rounds < max(FORGOTTEN + 1, MEASURED * checked) and not last:
            continue
        checked = rounds
        valued = given_publicly(tree, averages)
        if valued.gap <= gap or last:
            return replace(valued, rounds=rounds)


def given_publicly(tree: PublicTree, averages: Averages, free: Collection[int] = ()) -> MixedStrategies:
    """Return what given strategies on a public tree secure; those of free seats become best responses."""
    for seat in free:
        _public_pass(tree, averages, averages, seat, RESPOND)
    level = tree.level, tree.total - tree.level
    first = level[0] + _public_pass(tree, averages, averages, 0, MEAN)
    best = tuple(level[seat] + _public_pass(tree, averages, averages, seat, BEST) for seat in (0, 1))
    size = max(1.0, abs(tree.level) + max(float(np.abs(end[0]).max(initial=0.0)) for end in tree.ends))
    return MixedStrategies(averages, (first, tree.total - first), best, None, 0, size)


def _public_pass(
    tree: PublicTree,
    regrets: Averages,
    averages: Averages,
    seat: int,
    task: int,
    shrink: float = 1.0,
    weight: float = 0.0,
) -> float:
    """Return what a seat gets above its level in a pass through a public tree (`dicelab.solver.public_regret.walk`)."""
    nodes, sizes = (tree.movers, tree.first, tree.targets, tree.offsets), (tree.length, tree.widest)
    given = tree.ends[seat], seat, tree.hands[1 - seat], sizes, regrets, averages
    return float(tree.hands[seat] @ walk(nodes, *given, task, shrink, weight))


def noted(tree: PublicTree, averages: Averages, seat: int) -> tuple[Numbers, Numbers]:
    """Return by number of a public tree what each move of a seat gets it at most, if the other follows its averages,
    times how likely the rolls and the other lead there; and how likely. Numbers of the other seat are 0.
    """
    both, plays = np.zeros((2, tree.numbers)), averages.astype(np.float64)
    nodes, sizes = (tree.movers, tree.first, tree.targets, tree.offsets), (tree.length, tree.widest)
    fair = tree.deals / np.outer(*tree.hands)
    fair = np.ascontiguousarray(fair if seat == 0 else fair.T)
    count = len(tree.ends[seat][1])
    own, other = (np.tile(np.arange(hands), (count, 1)) for hands in fair.shape)
    for ends, probabilities in zip((tree.ends[seat], (np.tile(fair, (count, 1, 1)), own, other)), both, strict=True):
        walk(nodes, ends, seat, tree.hands[1 - seat], sizes, probabilities, plays, NOTE, 1.0, 0.0)
    counts = np.diff(tree.first).tolist()
    both *= np.concatenate(
        [np.tile(tree.hands[who], many) for who, many in zip(tree.movers.tolist(), counts, strict=True)]
    )
    level = tree.level if seat == 0 else tree.total - tree.level
    return both[0] + level * both[1], both[1]
