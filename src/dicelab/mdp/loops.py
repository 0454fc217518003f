"""Loops over the edges of a decision process: values of optimal policies, and the check of their error bound.

Plain functions over arrays, interpreted or compiled (`ready`). A `Process` holds states 0 ... n - 1 in topological
order of their strongly connected components, as `dicelab.chains.solution.ordering` arranges them. Arrays over states,
such as `value`, are longer by the number of outcomes: an edge that ends the game with outcome k has the target -1 - k,
which as an index counts from the end, so ``value[-1 - k]`` is what outcome k adds. The reward of an edge e with label
k, and what follows it, is therefore always

    worth of e = gain[k] + sign[k] * value[target[e]]

where `sign` is -1 for an edge that rotates the view of two seats (its `gain` is then 1: both values add up to 1).

Labels and numbers of edges are unsigned in the loops that take most of the time: an index that can't be negative needs
no test whether it counts from the end, which makes these loops 1.6 times as fast.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.solution.loops import INTERPRETED, fast
from dicelab.runtime.timing import aside

PASSES = 300
"""Limit of passes over a component; after that its best moves are fixed and their values are solved for."""
UNLIMITED = -2
"""Stands for an edge where a self-loop gains without limit."""
FIT, FARTHEST = 1e-2, 1e4
"""Extrapolate only if all but this share of the squared change is explained, and at most so many times the change."""


class Process(NamedTuple):
    """A decision process: states, their edges and rewards.

    Attributes
    ----------
    ends
        Where each component ends: its states are ``ends[b - 1]`` to ``ends[b] - 1``.
    first, stop
        The edges from a state s are ``first[s]`` to ``stop[s] - 1``.
    side
        1: a seat chooses that maximises the value, -1: one that minimises it, 0: dice are rolled.
    target, label
        For each edge the state that it leads to, and its place in the arrays that follow.
    chance, gain, sign
        For each label the probability, the reward, and -1 if the edge rotates the view, else 1.
    """

    ends: NDArray[np.int64]
    first: NDArray[np.int64]
    stop: NDArray[np.int64]
    side: NDArray[np.int8]
    target: NDArray[np.int32]
    label: NDArray[np.uint32]
    chance: NDArray[np.float64]
    gain: NDArray[np.float64]
    sign: NDArray[np.float64]

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop of this module on the process."""
        return ready(loop, len(self.target))(self, *arguments)


def ready(loop: Any, edges: int) -> Any:
    """A loop of this module, compiled if there are many edges."""
    if edges >= INTERPRETED:
        _let_loops_call(best_of_choice, mean_of_roll, improve_states, extrapolate, respond)
    return fast(loop, edges)


@cache
def _let_loops_call(*functions: Any) -> None:
    """Let compiled loops call these functions of this module, which stay plain Python for small processes."""
    with aside():
        from dicelab.kernels.core import callable_when_compiled

        for function in functions:
            callable_when_compiled(function)


def settle(p, value, first, last, most):
    """Value iteration: fill `value` for components ``last - 1`` down to `first`, with at most `most` passes over each.

    Each pass is followed by an extrapolation, unless more than `PASSES` passes are allowed: then values change
    monotonically from 0. Returns the component that has not converged, or -1; or ``-2 - s`` where a self-loop of state
    s gains without limit. Invariant: the components after b have their values.

    Scratch, for each state of a component: `certain` as in `improve_states`; `was`, `made` and `change` as in
    `extrapolate`.
    """
    most_states = 1
    for b in range(first, last):
        most_states = max(most_states, p.ends[b] - (p.ends[b - 1] if b > 0 else 0))
    certain = np.empty(most_states, np.int64)
    was, made, change = np.empty(most_states), np.empty(most_states), np.empty(most_states)
    for b in range(last - 1, first - 1, -1):
        begin = p.ends[b - 1] if b > 0 else 0
        end = p.ends[b]
        certain[: end - begin] = -1
        passes = 0
        moved = 1.0
        while moved > 1e-13:
            if passes == most:
                return b
            moved = improve_states(p, value, was, certain, begin, end)
            if moved < 0.0:
                return -1 + int(moved)
            if end - begin == 1:
                break
            if moved > 1e-13 and most <= PASSES:
                extrapolate(value[begin:end], was, made, change, passes > 0)
            passes += 1
    return -1


def improve_states(p, value, was, certain, begin, end):
    """Set every state of a component to its best or its mean edge, in reverse order (one pass of Gauss-Seidel).

    ``certain[s - begin]`` is the edge by which state s is left, if there is only one, or one was the best when s was
    last visited; else -1. `was` receives the values before the pass. Returns the largest relative change, or
    ``-1 - s`` where a self-loop of state s gains without limit.
    """
    moved = 0.0
    for s in range(end - 1, begin - 1, -1):
        if p.side[s] == 0:
            total = mean_of_roll(p, value, certain, begin, end, s)
            certain[s - begin] = p.first[s] if p.stop[s] == p.first[s] + 1 else -1
        else:
            total, certain[s - begin] = best_of_choice(p, value, s)
            if certain[s - begin] == UNLIMITED:
                return -1.0 - s
        was[s - begin] = value[s]
        off = abs(total - value[s])
        if off > moved * abs(total):
            moved = off / abs(total) if total != 0.0 else 1.0
        value[s] = total
    return moved


def mean_of_roll(p, value, certain, begin, end, s):
    """The mean worth of the edges of a roll.

    An edge to a state that is certain to lead straight back counts as a self-loop: passes converge slowly there.
    """
    total = leaves = 0.0  # `leaves`: the probability of the edges that are no self-loops
    for e in range(np.uint64(p.first[s]), np.uint64(p.stop[s])):
        k, t = p.label[e], p.target[e]
        gain, sign = p.gain[k], p.sign[k]
        if begin <= t < end:
            back = certain[t - begin]
            if t != s and back >= 0 and p.target[back] == s:
                gain += sign * p.gain[p.label[back]]
                sign *= p.sign[p.label[back]]
                t = s
        if t != s:
            leaves += p.chance[k]
            total += p.chance[k] * (gain + sign * value[t])
        else:  # of v = ... + chance (gain + sign v) the part with v goes to the left side
            leaves += p.chance[k] * (1.0 - sign)
            total += p.chance[k] * gain
    return total / leaves if leaves > 0.0 else value[s] + total


def best_of_choice(p, value, s):
    """The worth of the best edge of a choice, and this edge, or `UNLIMITED`; of equal ones the first."""
    side = p.side[s]
    best, edge = 0.0, np.int64(-1)
    for e in range(np.uint64(p.first[s]), np.uint64(p.stop[s])):
        k, t = p.label[e], p.target[e]
        worth = p.gain[k] + p.sign[k] * value[t]
        if t == s:
            if p.sign[k] > 0.0 and side * p.gain[k] <= 0.0:
                continue  # a self-loop that gains nothing is never needed
            if p.sign[k] > 0.0:
                return best, UNLIMITED
            worth = 0.5 * p.gain[k]  # v = gain - v
        if edge < 0 or side * worth > side * best:
            best, edge = worth, np.int64(e)
    return best, edge


def extrapolate(value, was, made, change, again):
    """Extrapolate the values of a component after a pass (Anderson's method with a memory of one pass).

    `was` is what the values were before this pass; unless it was the first (`again`), `made` is what the previous pass
    made of them, and `change` how much it changed them; both are replaced for the next call. If changes shrink by the
    same factor, the step taken is the rest of the geometric series.
    """
    both = square = new = 0.0
    for i in range(value.size):
        step = value[i] - was[i]
        less = step - change[i] if again else 0.0
        both += step * less
        square += less * less
        new += step * step
    # The part of the step that is proportional to `less` is extrapolated, if that is nearly all of it, and if steps do
    # shrink: those of a game that never ends stay the same or grow, and must not look as if they converged.
    fits = new * square - both * both < FIT * new * square and -FARTHEST * square < both < square
    share = both / square if fits else 0.0
    for i in range(value.size):
        now = value[i]
        value[i] -= share * (now - made[i]) if again else 0.0
        change[i] = now - was[i]
        made[i] = now


def pick(p, value, begin, end, first, stop):
    """Set `first` and `stop` of states in which a seat chooses to their best edge alone; of equal ones the first."""
    for s in range(begin, end):
        if p.side[s] != 0:
            edge = best_of_choice(p, value, s)[1]
            if edge >= 0:
                first[s] = edge
                stop[s] = edge + 1


def proof_range(p, value, steps, picked, roundings, longer):
    """The smallest and the largest d for which ``value + d steps`` and ``value - d steps`` bound the true value.

    With such a d the upper bound doesn't rise, and the lower bound doesn't fall, by any roll and any choice of the side
    that would gain from it: no value is off by more than ``d steps``. There is none if the largest is below the
    smallest. `picked` (states) is the edge that is taken where a seat chooses, `roundings` as in
    `chains.solution.ordering.Edges`. Where an equal move with more steps should have been picked, `longer` receives its
    edge, else -1.
    """
    least = 0.0
    most = 1e300
    for s in range(p.side.size):
        longer[s] = -1
        mean = ahead = 0.0  # of a roll: the mean worth of its edges, and of the steps that follow
        size = abs(value[s])  # the largest worth, which bounds the rounding errors of the mean
        for e in range(p.first[s], p.stop[s]):
            k = p.label[e]
            t = p.target[e]
            worth = p.gain[k] + p.sign[k] * value[t]
            if p.side[s] == 0:
                mean += p.chance[k] * worth
                ahead += p.chance[k] * steps[t]
                size = max(size, abs(worth))
                continue
            if t == s and p.sign[k] > 0.0 and p.side[s] * p.gain[k] <= 0.0:
                continue
            # The bounds hold for this move if over <= d * fewer: over is by how much the move is better than the
            # value (for the picked move: differs from it), fewer by how much it lowers the expected steps.
            over = p.side[s] * (worth - value[s])
            if e == picked[s]:
                over = abs(over)
            if p.gain[k] != 0.0:
                over += 2.5e-16 * (abs(worth) + abs(value[s]))
            fewer = steps[s] - steps[t]
            if fewer > 0.0:
                if over > least * fewer:
                    least = over / fewer
            elif over > 0.0 or (over == 0.0 and fewer < 0.0):  # no d will do
                longer[s] = e
            elif over > most * fewer:
                most = over / fewer
        if p.side[s] == 0:
            off = abs(value[s] - mean) + 1.2e-16 * (p.stop[s] - p.first[s] + 5 + roundings) * size
            fewer = steps[s] - ahead
            if fewer <= 0.0:
                most = -1.0
            elif off > least * fewer:
                least = off / fewer
    return least, most


def best_responses(chain, rotation, player, gain, value, picked, first, last):
    """Best-response iteration: fill `value` (states, seats) and `picked` for components ``last - 1`` down to `first`.

    At each state the seat that chooses picks the edge that is best for itself, while all others keep theirs. In a
    component in which best responses cycle, the edges are fixed after a while and only the values are iterated.
    Returns how many such components there are. Invariant: the components after b have their values.

    `chain` is `Edges.arrays`, `rotation` (labels) by how many seats an edge rotates the view, `gain` (labels, seats)
    what it adds for each seat, `player` (states) the seat that chooses, -1 where dice are rolled.
    """
    ends = chain[0]
    found = 0
    for b in range(last - 1, first - 1, -1):
        begin = ends[b - 1] if b > 0 else 0
        passes = 0
        moved = 1.0
        while moved > 1e-14 and passes < 40 * PASSES:
            if passes == 10 * PASSES:
                found += 1
            moved = respond(chain, rotation, player, gain, value, picked, begin, ends[b], passes < 10 * PASSES)
            passes += 1
    return found


def respond(chain, rotation, player, gain, value, picked, begin, end, may_change):
    """One pass over a component: every state gets the values of its best or its mean edge, in reverse order.

    Seat k is seat ``k - rotation`` in the next state; negative indices count from the end. A seat changes its edge only
    if it `may_change`, and for one that is better by more than rounding. Returns the largest change.
    """
    _, row, target, label, chance, exit_probability = chain
    moved = 0.0
    for s in range(end - 1, begin - 1, -1):
        me = player[s]
        first, stop, total = row[s], row[s + 1], exit_probability[s]
        if me >= 0:
            best = -np.inf
            for e in range(row[s], row[s + 1]):
                if target[e] == s and rotation[label[e]] == 0:
                    continue  # a self-loop is never needed
                worth = gain[label[e], me] + value[target[e], me - rotation[label[e]]]
                if picked[s] == e:
                    worth += 1e-13  # more than rounding
                if worth > best and (may_change or picked[s] == e):
                    best = worth
                    first = e
            picked[s] = first
            stop, total = first + 1, 1.0
        for k in range(value.shape[1]):
            after = 0.0
            for e in range(first, stop):
                after += chance[label[e]] * gain[label[e], k]
                if target[e] != s or rotation[label[e]] > 0:
                    after += chance[label[e]] * value[target[e], k - rotation[label[e]]]
            after /= total
            moved = max(moved, abs(after - value[s, k]))
            value[s, k] = after
    return moved
