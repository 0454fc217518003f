"""Values of states, from the end of a game backwards: expected sums, optimal policies, and the bound on their error.

Plain functions over arrays, interpreted or compiled (`dicelab.solver.solution.loops.fast`). A `Process` is a chain in
which seats may choose; in one without choices the same loops find expected sums. Arrays over states, such as `value`,
are longer by the number of outcomes: an edge that ends the game with outcome k has the target -1 - k, which as an index
counts from the end, so ``value[-1 - k]`` is what outcome k adds. The reward of an edge e with label k, and what follows
it, is therefore always

    worth of e = gain[k] + sign[k] * value[target[e]]

where `sign` is -1 for an edge that rotates the view of two seats (its `gain` is then 1: both values add up to 1).

Labels and numbers of edges are unsigned in the loops that take most of the time: an index that can't be negative needs
no test whether it counts from the end, which makes these loops 1.6 times as fast.

The bound is rigorous. Let v be the values found, and w numbers of states that each step lowers on average. If
``v + d w`` does not rise by any roll, nor by any choice of a seat that would gain from it, then the true values are at
most ``v + d w``; likewise for ``v - d w`` from below. One pass over all edges finds the smallest such d. The expected
steps to the end are the best w, but they need not be exact. (Converged values alone are no bound: in a long game the
residuals of all steps add up.)
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.runtime.arrays import Floats
from dicelab.solver.enumeration.model import ranges
from dicelab.solver.solution.loops import PASSES, called, fast
from dicelab.solver.solution.ordering import OrderedEdges

UNLIMITED = -2
"""Stands for an edge where a self-loop gains without limit."""
FIT, FARTHEST = 1e-2, 1e4
"""Extrapolate only if all but this share of the squared change is explained, and at most so many times the change."""
SOON, NEAR = 12, 1e-15
"""Limit of passes of Newton's method, and the relative change at which it ends, which is as little as can be asked for.
"""
NOWHERE = -(2**62)
"""Stands for no state: less than any target, for -1 - k is outcome k."""
WITH_ROLL, WITH_ROLLS = -2, -3
"""Stand for a state whose value is found with that of one roll, or with those of several, which lead back to it."""


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
    label: NDArray[Any]
    chance: NDArray[np.float64]
    gain: NDArray[np.float64]
    sign: NDArray[np.float64]

    @classmethod
    def of(
        cls, edges: OrderedEdges, gain: Floats, sign: Floats | None = None, side: NDArray[np.int8] | None = None
    ) -> Process:
        """Return the process with these edges; by default nobody chooses, and no edge rotates the view."""
        ends, row, target, label, chance, _ = edges.arrays
        side = np.zeros(len(row) - 1, np.int8) if side is None else side
        sign = np.ones(len(gain)) if sign is None else sign
        return cls(ends, row[:-1], row[1:], side, target, label, chance, gain, sign)

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop of this module on the process, compiled where there are many edges."""
        return fast(loop, len(self.target))(self, *arguments)

    def edges_of(self, inside: slice) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
        """Return the edges of some states: source (counted from the first of these states), target
        and label of each.
        """
        first, count = self.first[inside], (self.stop - self.first)[inside]
        edge = ranges(first, count)
        return np.repeat(np.arange(len(count)), count), self.target[edge], self.label[edge]


def with_prizes(value: Floats, prize: Floats) -> Floats:
    """Return the values of states, then the prizes of the outcomes, the last one first: edges to them have negative
    targets.
    """
    return np.concatenate((value, prize[::-1]))


def settle(p, value, first, last, most, relative, absolute):
    """Return the value iteration: fill `value` for components ``last - 1`` down to `first`, with at most `most` passes
    over each.

    Passes end when no value changes by more than ``relative * abs(value) + absolute``. Each is followed by an
    extrapolation, unless more than `PASSES` passes are allowed: then values change monotonically from 0. Components
    that go round through a single state are left to `solve_for_one` unless that is so. Returns the component that has
    not converged, or -1; or ``-2 - s`` where a self-loop of state s gains without limit. Invariant: the components
    after b have their values.

    Scratch, for each state of a component: `certain` as in `improve_states`; `was`, `made` and `change` as in
    `extrapolate`; `past` as in `led_back_to`; `rise` as in `solve_for_one`.
    """
    most_states = 1
    for b in range(first, last):
        most_states = max(most_states, p.ends[b] - (p.ends[b - 1] if b > 0 else 0))
    certain = np.empty(most_states, np.int64)
    was, made, change = np.empty(most_states), np.empty(most_states), np.empty(most_states)
    past, rise = np.empty(most_states, np.int64), np.zeros(most_states)
    guess = 0.0
    for b in range(last - 1, first - 1, -1):
        begin = p.ends[b - 1] if b > 0 else 0
        end = p.ends[b]
        if end - begin > 1 and most <= PASSES:
            back = led_back_to(p, begin, end, past)
            if back >= 0 and solve_for_one(p, value, rise, past, begin, end, back, guess, absolute):
                guess = value[back]
                continue
        certain[: end - begin] = -1
        passes = 0
        moved = 1
        while moved > 0:
            if passes == most:
                return b
            moved = improve_states(p, value, was, certain, begin, end, relative, absolute)
            if moved < 0:
                return moved
            if end - begin == 1:
                break
            if moved > 0 and most <= PASSES:
                extrapolate(value[begin:end], was, made, change, passes > 0)
            passes += 1
    return -1


@called
def led_back_to(p, begin, end, past):
    """Return the only state of a component to which edges from later states lead back, or -1.

    Edges between a roll and a choice, or what is certain, don't count where `rising_past` solves for both:
    ``past[t - begin]`` receives the other state for the roll t, -1 for rolls without, and for the other state
    `WITH_ROLL` or `WITH_ROLLS`.
    """
    back = np.int64(-1)
    past[: end - begin] = -1
    for s in range(begin, end):
        for e in range(np.uint64(p.first[s]), np.uint64(p.stop[s])):
            t = np.int64(p.target[e])
            if t >= s or t < begin or t == back:
                continue
            roll, other = (s, t) if is_open(p, s) else (t, s)
            known = past[roll - begin]
            if known == other:
                continue
            if known < 0 and is_open(p, roll) and goes_past(p, other, roll):
                past[roll - begin] = other
                past[other - begin] = WITH_ROLL if past[other - begin] == -1 else WITH_ROLLS
            elif back >= 0:
                return np.int64(-1)
            else:
                back = t
    return back


@called
def is_open(p, s):
    """Return whether a state is a roll with several edges."""
    return p.side[s] == 0 and p.stop[s] > p.first[s] + 1


@called
def goes_past(p, s, roll):
    """Return whether `rising_past` of a roll can solve for the state s: it is no open roll, has at most one edge to the
    roll, none to itself, and none to states between, whose values a pass finds later than that of the roll; nor do
    edges lead to s from those that a pass finds between both.
    """
    if is_open(p, s):
        return False
    count = 0
    for e in range(p.first[s], p.stop[s]):
        t = p.target[e]
        if t == s or s < t < roll:
            return False
        count += t == roll
    for t in range(roll + 1, s):
        for e in range(p.first[t], p.stop[t]):
            if p.target[e] == s:
                return False
    return count <= 1


@called
def solve_for_one(p, value, rise, past, begin, end, back, guess, absolute):
    """Find the values of a component in which edges lead back to the state `back` alone, by Newton's method.

    A pass is then a function of the value of this state, which is a line as long as the best edges stay: ``rise[s -
    begin]`` is how much the value of state s rises with it. The pass begins with a `guess`. It says where the line
    meets the value that it was given, and how far the best edges stay: if so far, values on these lines are those that
    are looked for. Returns false, with values of 0, if that isn't found soon, and where the value of `back` hardly
    changes by a pass whatever it is: any value may look right there.
    """
    value[back] = guess
    for _ in range(SOON):
        given = value[back]
        rise[back - begin] = 1.0
        least, most = rising_pass(p, value, rise, past, begin, end)
        made, slope = value[back], rise[back - begin]
        if least > most or not abs(slope) <= 1.0 - 1.0 / FARTHEST:
            break
        by = (made - given) / (1.0 - slope)
        if least <= by <= most or abs(by) <= NEAR * abs(made) + absolute:
            for s in range(begin, end):
                value[s] += by * rise[s - begin]
            return True
        value[back] = given + by
    for s in range(begin, end):
        value[s] = 0.0
    return False


@called
def rising_pass(p, value, rise, past, begin, end):
    """Set the value and the rise of every state of a component to that of its best or its mean edge, in reverse order.

    Returns the least and the most by which the given value may rise while the best edges stay; least is above most
    where a self-loop gains without limit, or is never left.
    """
    least, most = -np.inf, np.inf
    for s in range(end - 1, begin - 1, -1):
        other = past[s - begin]
        if other == WITH_ROLL:
            continue
        if p.side[s] != 0:
            edge, least, most = rising_choice(p, value, rise, s, NOWHERE, begin, end, least, most)
            if edge == UNLIMITED:
                return np.inf, -np.inf
        elif other >= 0:
            least, most = rising_past(p, value, rise, s, other, begin, end, least, most)
        else:
            total, up, leaves, _, _, _ = rising_roll(p, value, rise, s, NOWHERE, begin, end)
            if leaves <= 0.0:
                return np.inf, -np.inf
            value[s], rise[s - begin] = (total, up) if leaves == 1.0 else (total / leaves, up / leaves)
    return least, most


@called
def rising_roll(p, value, rise, s, past, begin, end):
    """Return sums over the edges of roll s: of what they are worth and its rise and the chance of those that leave, but
    for those to the state `past`; and of the chances, gains and signs of these.
    """
    total = up = leaves = there = gains = signs = 0.0
    for e in range(np.uint64(p.first[s]), np.uint64(p.stop[s])):
        k, t = p.label[e], p.target[e]
        if t == past:
            there += p.chance[k]
            gains += p.chance[k] * p.gain[k]
            signs += p.chance[k] * p.sign[k]
        elif t == s:  # of v = ... + chance (gain + sign v) the part with v goes to the left side
            leaves += p.chance[k] * (1.0 - p.sign[k])
            total += p.chance[k] * p.gain[k]
        else:
            leaves += p.chance[k]
            total += p.chance[k] * (p.gain[k] + p.sign[k] * value[t])
            if 0 <= t < end:
                up += p.chance[k] * p.sign[k] * rise[t - begin]
    return total, up, leaves, there, gains, signs


@called
def rising_choice(p, value, rise, s, roll, begin, end, least, most):
    """Set the value and the rise of choice s to those of its best edge, of equal ones the first; edges to the state
    `roll` don't count.

    Returns the edge, -1 if there is none, or `UNLIMITED`; and the least and the most by which the given value may rise.
    """
    side, best, up, edge = p.side[s], 0.0, 0.0, np.int64(-1)
    for e in range(np.uint64(p.first[s]), np.uint64(p.stop[s])):
        k, t = p.label[e], p.target[e]
        if t == roll:
            continue
        worth = p.gain[k] + p.sign[k] * value[t]
        by = p.sign[k] * rise[t - begin] if 0 <= t < end else 0.0
        if t == s:
            if p.sign[k] > 0.0 and side * p.gain[k] <= 0.0:
                continue  # a self-loop that gains nothing is never needed
            if p.sign[k] > 0.0:
                return np.int64(UNLIMITED), least, most
            worth, by = 0.5 * p.gain[k], 0.0  # v = gain - v
        if edge < 0:
            best, up, edge = worth, by, np.int64(e)
        elif side * worth > side * best:
            least, most = narrowed(side * (worth - best), side * (by - up), least, most)
            best, up, edge = worth, by, np.int64(e)
        else:
            least, most = narrowed(side * (best - worth), side * (up - by), least, most)
    value[s], rise[s - begin] = best, up
    return edge, least, most


@called
def narrowed(ahead, faster, least, most):
    """Return the least and the most by which a value may rise, if what is `ahead` by so much, and rises `faster` by so
    much with it, is to stay ahead.
    """
    if faster > 0.0:
        least = max(least, -ahead / faster)
    elif faster < 0.0:
        most = min(most, -ahead / faster)
    return least, most


@called
def rising_past(p, value, rise, s, past, begin, end, least, most):
    """Set the value and the rise of roll s, and of the state `past`, to which some of its edges lead, and which may
    lead straight back. Returns the least and the most by which the given value may rise.

    With v the value of s, that of `past` is the better one of ``gain + sign v``, if there is an edge back, and the best
    of all other edges.
    """
    total, up, leaves, there, gains, signs = rising_roll(p, value, rise, s, past, begin, end)
    side, gain, sign, back = p.side[past], 0.0, 1.0, False
    for e in range(np.uint64(p.first[past]), np.uint64(p.stop[past])):
        if p.target[e] == s:
            back, gain, sign = True, p.gain[p.label[e]], p.sign[p.label[e]]
    edge, least, most = rising_choice(p, value, rise, past, s, begin, end, least, most)
    left = leaves + there - signs * sign
    part = 1.0 / left if left > 0.0 else 0.0  # what is divided here needn't wait for values
    share = 1.0 / (leaves + there)
    if back and left > 0.0:
        mean, higher = (total + gains + signs * gain) * part, up * part
        ahead = side * (gain + sign * mean - value[past])
        faster = side * (sign * higher - rise[past - begin])
        if edge < 0 or ahead >= 0.0:
            if edge >= 0:
                least, most = narrowed(ahead, faster, least, most)
            value[past], rise[past - begin] = gain + sign * mean, sign * higher
            value[s], rise[s - begin] = mean, higher
            return least, most
        least, most = narrowed(-ahead, -faster, least, most)
    value[s] = (total + gains + signs * value[past]) * share
    rise[s - begin] = (up + signs * rise[past - begin]) * share
    return least, most


@called
def improve_states(p, value, was, certain, begin, end, relative, absolute):
    """Set every state of a component to its best or its mean edge, in reverse order (one pass of Gauss-Seidel).

    ``certain[s - begin]`` is the edge by which state s is left, if there is only one, or one was the best when s was
    last visited; else -1. `was` receives the values before the pass. Returns 1 if a value changes by more than
    ``relative * abs(value) + absolute``, else 0, or ``-2 - s`` where a self-loop of state s gains without limit.
    """
    moved = 0
    for s in range(end - 1, begin - 1, -1):
        if p.side[s] == 0:
            total = mean_of_roll(p, value, certain, begin, end, s)
            certain[s - begin] = p.first[s] if p.stop[s] == p.first[s] + 1 else -1
        else:
            total, certain[s - begin] = best_of_choice(p, value, s)
            if certain[s - begin] == UNLIMITED:
                return -2 - s
        was[s - begin] = value[s]
        if abs(total - value[s]) > relative * abs(total) + absolute:
            moved = 1
        value[s] = total
    return moved


@called
def mean_of_roll(p, value, certain, begin, end, s):
    """Return the mean worth of the edges of a roll.

    An edge to a state that is certain to lead straight back counts as a self-loop: passes converge slowly there. Where
    there is no self-loop nothing is divided, because the next state waits for this value, and a division takes longer
    than all the rest.
    """
    total = leaves = 0.0  # `leaves`: the probability of the edges that are no self-loops
    stays = False
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
            stays = True
            leaves += p.chance[k] * (1.0 - sign)
            total += p.chance[k] * gain
    if not stays:
        return total
    return total / leaves if leaves > 0.0 else value[s] + total


@called
def best_of_choice(p, value, s):
    """Return the worth of the best edge of a choice, and this edge, or `UNLIMITED`; of equal ones the first."""
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


@called
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


def place(p, first, move):
    """Set `move` to the place of edge ``first[s]`` among those of each state s in which a seat chooses, else to -1."""
    for s in range(move.size):
        move[s] = first[s] - p.first[s] if p.side[s] != 0 else -1


def proof_range(p, value, prize, steps, picked, roundings, longer):
    """Return the smallest and the largest d for which ``value + d steps`` and ``value - d steps`` bound the true value.

    With such a d the upper bound doesn't rise, and the lower bound doesn't fall, by any roll and any choice of the side
    that would gain from it: no value is off by more than ``d steps``. There is none if the largest is below the
    smallest. `prize` (outcomes) is what outcomes add; here `value` need not be longer by these. `picked` (states) is
    the edge that is taken where a seat chooses, `roundings` as in `dicelab.solver.solution.ordering.OrderedEdges`.
    `longer` (states, if any seat chooses) receives the edge of an equal move with more steps that should have been
    picked, or -1 if there is none.
    """
    least = 0.0
    most = 1e300
    for s in range(p.side.size):
        here, left = value[s], steps[s]
        if p.side[s] != 0:
            longer[s] = -1
        mean = ahead = 0.0  # of a roll: the mean worth of its edges, and of the steps that follow
        size = 0.0  # the sum of the magnitudes of these worths, which bounds the rounding errors of the mean
        chosen = np.uint64(picked[s])
        for e in range(np.uint64(p.first[s]), np.uint64(p.stop[s])):
            k, t = p.label[e], p.target[e]
            after, later = (value[t], steps[t]) if t >= 0 else (prize[-1 - t], 0.0)
            worth = p.gain[k] + p.sign[k] * after
            if p.side[s] == 0:
                mean += p.chance[k] * worth
                ahead += p.chance[k] * later
                size += p.chance[k] * abs(worth)
                continue
            if t == s and p.sign[k] > 0.0 and p.side[s] * p.gain[k] <= 0.0:
                continue
            # The bounds hold for this move if over <= d * fewer: over is by how much the move is better than the
            # value (for the picked move: differs from it), fewer by how much it lowers the expected steps.
            over = p.side[s] * (worth - here)
            if e == chosen:
                over = abs(over)
            if p.gain[k] != 0.0:
                over += 2.5e-16 * (abs(worth) + abs(here))
            fewer = left - later
            if fewer > 0.0:
                if over > least * fewer:
                    least = over / fewer
            elif over > 0.0 or (over == 0.0 and fewer < 0.0):  # no d will do
                longer[s] = e
            elif over > most * fewer:
                most = over / fewer
        if p.side[s] == 0:
            rounding = 1.2e-16 * (p.stop[s] - p.first[s] + 5 + roundings)
            off = abs(here - mean) + rounding * (size + abs(here - mean))
            fewer = left - ahead - rounding * left
            if fewer <= 0.0:
                most = -1.0
            elif off > least * fewer:
                least = off / fewer
    return least, most
