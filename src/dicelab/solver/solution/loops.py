"""Loops over the edges of a chain: the arithmetic of every answer in floating point.

Plain functions over arrays; `fast` compiles them for large chains. `chain` is a tuple of arrays, as in
`dicelab.solver.solution.ordering.OrderedEdges`:

    ends                component b has the states ends[b - 1] ... ends[b] - 1, from 0 for b = 0
    row                 state s has the edges e = row[s] ... row[s + 1] - 1
    target              the next state, or -1 - k where the game ends with outcome k
    label               edges with the same probability and the same change of the tallies share a label:
                        chance[label] is the probability, gain[label] what is added to a sum
    chance
    exit_probability    the probability that a step from s doesn't lead back to s

States are in topological order: an edge leads to a later state or stays inside its strongly connected component.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from dicelab.limits import LIMITS
from dicelab.runtime.timing import aside

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"


PASSES = 300
"""Limit of passes over a component; one that has not converged by then is solved by elimination."""


def fast(loop: Callable[..., Any], edges: int) -> Callable[..., Any]:
    """Return the loop itself for fewer than `LIMITS.interpreted_edges` edges, else its compiled form."""
    return loop if edges < LIMITS.interpreted_edges else _compiled(loop)


_called: list[Callable[..., Any]] = []
_compiles = Lock()


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let compiled loops call a function, which stays plain Python for those that are not compiled."""
    _called.append(function)
    return function


@cache
def _compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    with aside(), _compiles:
        from dicelab.compile.kernels.core import callable_when_compiled, kept

        while _called:
            callable_when_compiled(_called.pop())
        loop = kept(loop)
    return loop


def components(row, target, order, ends):
    """Strongly connected components in topological order (Tarjan's algorithm, without recursion).

    Fills `order` with the states, component by component, and `ends` with the end of each component in it; returns the
    number of components. Inside a component states are in reverse postorder of the search, so that few edges lead back
    and a pass over the component follows the play.
    """
    n = row.size - 1
    low = np.zeros(n, np.int32)  # smallest time known to be reachable, from 1; n + 1 once its component is complete
    came = np.empty(n, np.int32)  # when the search came to each state of the path
    edge = np.empty(n, np.int64)  # the next edge of each state of the path
    stack = np.empty(n, np.int32)  # finished states, in postorder, whose components are still open
    base = np.empty(n, np.int32)  # height of the stack when the search came to each state of the path
    path = np.empty(n, np.int32)  # the states from the root to where the search is
    held = time = found = 0
    last = n  # Tarjan finds the last component first: order[last:] and ends[n - found:] are filled
    for root in range(n):
        depth = -1
        t = root
        while low[root] <= n:
            if low[t] == 0:  # the search comes to t
                depth += 1
                time += 1
                low[t] = time
                came[depth] = time
                edge[depth] = row[t]
                base[depth] = held
                path[depth] = t
            s = path[depth]
            # Edges to states that were seen before; the search goes on at the first that was not. Its edge is looked at
            # again when that is finished, and lowers low[s] then.
            e, stop, least = np.uint64(edge[depth]), np.uint64(row[s + 1]), low[s]
            while e < stop:
                t = target[e]
                if t >= 0:
                    time_of_t = low[np.uint64(t)]
                    if time_of_t == 0:
                        break
                    least = min(least, time_of_t)
                e += np.uint64(1)
            low[s] = least
            if e < stop:
                edge[depth] = e
                continue
            stack[held] = s
            held += 1
            if low[s] == came[depth]:
                # s is the root of a component, which consists of the states on the stack from its base on.
                ends[n - 1 - found] = last
                found += 1
                last -= held - base[depth]
                for i in range(base[depth], held):
                    low[stack[i]] = n + 1  # complete: no longer lowers any other state
                    order[last + held - 1 - i] = stack[i]
                held = base[depth]
            depth -= 1
            t = s
    for i in range(found):
        ends[i] = ends[n - found + i]
    return found


def reorder(chain, order, rank, new_row, new_target, new_label):
    """Fill `new_row`, `new_target`, `new_label` with the edges for states in `order`; `rank` is its inverse."""
    _, row, target, label, _, _ = chain
    at = np.uint64(0)
    for i in range(order.size):
        s = order[i]
        new_row[i] = at
        for e in range(np.uint64(row[s]), np.uint64(row[s + 1])):
            t = target[e]
            new_target[at] = rank[t] if t >= 0 else t
            new_label[at] = label[e]
            at += np.uint64(1)
    new_row[order.size] = at


def leaving(chain, loops, exit_probability):
    """Add the probabilities of the edges by which each state is left, to an `exit_probability` of 0.

    An edge from a state to itself is a self-loop only if its label is one of `loops`. The probabilities of the other
    edges are added up, because one minus the probability of self-loops would lose the digits of a small one.
    """
    _, row, target, label, chance, _ = chain
    for s in range(exit_probability.size):
        for e in range(row[s], row[s + 1]):
            if target[e] != s or not loops[label[e]]:
                exit_probability[s] += chance[label[e]]


def expected_visits(chain, first, last, pending, count):
    """Add the expected visits of the states of components `first` to ``last - 1`` to `count`.

    `pending` is the mass that has arrived at each state and has not been sent on. Returns the first component that has
    not converged after `PASSES` passes, its remaining mass still pending, or `last`.

    Invariant: `count`, plus the visits that the pending mass will still make, is the expected visits. A state sends all
    its pending mass on at once.
    """
    ends, row, target, label, chance, exit_probability = chain
    for b in range(first, last):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        inflow = 0.0  # all that comes from earlier components; they are settled
        for s in range(begin, end):
            inflow += pending[s]
        if inflow == 0.0:
            continue
        left = inflow
        passes = 0
        while left > 1e-17 * inflow:
            if passes == PASSES:
                return b
            passes += 1
            for s in range(begin, end):
                mass = pending[s]
                if mass == 0.0:
                    continue
                pending[s] = 0.0
                mass /= exit_probability[s]  # visits by self-loops included: a geometric series
                count[s] += mass
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    if t >= 0 and t != s:
                        pending[t] += mass * chance[label[e]]
            left = 0.0  # what edges back to earlier states of the component have left; none if it is a single state
            if end - begin > 1:
                for s in range(begin, end):
                    left += pending[s]
    return last


def arrivals(chain, count, arrives, edges):
    """Add the mass and the number of edges that arrive at each state, with `count` visits."""
    _, row, target, label, chance, _ = chain
    for s in range(row.size - 1):
        for e in range(row[s], row[s + 1]):
            t = target[e]
            if t >= 0:
                arrives[t] += count[s] * chance[label[e]]
                edges[t] += 1


def imbalance(arrives, edges, roundings, count):
    """Sum over the states of the residual of the visits ``count = start + count P``, rounding included."""
    total = 0.0
    for s in range(count.size):
        total += abs(arrives[s] - count[s]) + 1.2e-16 * (edges[s] + 5.0 + roundings) * (arrives[s] + count[s])
    return total


def variances(chain, roundings, gain, prize, value, off, count):
    """Variance of a sum: over all states, expected visits times the variance of one step about the value.

    `off` bounds the error of `value`, `count` is the expected visits. Returns the
    variance, the part of its error that comes from `value` and from rounding, and the largest variance of a step.
    """
    _, row, target, label, chance, _ = chain
    variance = 0.0
    lost = 0.0  # what rounding lost of the sum (Kahan)
    error = 0.0
    largest = 0.0
    for s in range(row.size - 1):
        mean = 0.0
        square = 0.0
        size = 0.0
        for e in range(row[s], row[s + 1]):
            t = target[e]
            after = value[t] if t >= 0 else prize[-1 - t]
            x = gain[label[e]] + after - value[s]  # the surprise of this step; its mean is 0 up to errors
            mean += chance[label[e]] * x
            square += chance[label[e]] * x * x
            if abs(after) > size:
                size = abs(after)
        step = square - mean * mean
        more = count[s] * step - lost
        raised = variance + more
        lost = (raised - variance) - more
        variance = raised
        by = 2.0 * off + 1e-15 * (size + abs(value[s]))  # bounds the error of each x
        error += count[s] * (
            2.0 * by * square**0.5 + by * by + 2.4e-16 * (row[s + 1] - row[s] + 5 + roundings) * square
        )
        if step > largest:
            largest = step
    return variance, error, largest


def levels(chain, step, deepest, level, last, tiny, enough, ring, pmf):
    """Distribution of a tally that no edge lowers: the mass at each value, one value (level) after the other.

    `step` (labels) is what an edge adds, `deepest` the largest of these. States are in topological order of the edges
    that add nothing; only these can be self-loops. Masses up to `tiny` are dropped. Fills `pmf` (values, outcomes);
    returns the next level, the mass dropped and the mass left, once less than `enough` is left, `pmf` is full or level
    `last` is reached.

    `ring` holds the mass of the levels ``level ... level + deepest``, each in a slot of n states, in a circle:

        ring[(v % (deepest + 1)) * n + s]    mass at value v in state s

    When a level is done its slot is empty, and becomes the slot of the level ``level + deepest + 1``.
    """
    ends, row, target, label, chance, exit_probability = chain
    size = deepest + 1
    n = row.size - 1
    place = np.zeros(step.size, np.int64)  # for each label where the slot begins to which its edges lead
    dropped = 0.0
    left = 1.0
    while left > enough and level < last and level + deepest < pmf.shape[0]:
        here = level % size * n
        now = ring[here : here + n]
        for k in range(step.size):
            place[k] = (level + step[k]) % size * n
        begin = 0
        for b in range(ends.size):
            end = ends[b]
            again = True
            passes = 0
            while again:  # until no edge back to an earlier state of the component has left mass at this level
                again = False
                passes += 1
                for s in range(begin, end):
                    mass = now[s]
                    if mass == 0.0:
                        continue
                    now[s] = 0.0
                    if mass <= tiny or passes > 10000:
                        dropped += mass
                        continue
                    mass /= exit_probability[s]
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        k = label[e]
                        if t < 0:
                            pmf[level + step[k], -1 - t] += mass * chance[k]
                        elif t != s or step[k] > 0:  # self-loops that add nothing are in the exit probability
                            ring[np.uint64(place[k] + t)] += mass * chance[k]
                            again |= t < s and step[k] == 0
            begin = end
        level += 1
        if level % 8 == 0 or level == last:
            left = 0.0
            for mass in ring:
                left += mass
    return level, dropped, left


# Responses ------------------------------------------------------------------------------------------------------------
#
# Loops over the edges of a game in which each seat plays for itself: best responses, and the values to all seats.
#
# Compiled as those of `dicelab.solver.solution.loops` are.

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def best_responses(chain, rotation, player, gain, value, picked, first, last):
    """Best-response iteration: fill `value` (states, seats) and `picked` for components ``last - 1`` down to `first`.

    At each state the seat that chooses picks the edge that is best for itself, while all others keep theirs. In a
    component in which best responses cycle, the edges are fixed after a while and only the values are iterated.
    Returns how many such components there are. Invariant: the components after b have their values.

    `chain` is `Edges.arrays`, `rotation` (labels) by how many seats an edge rotates the view, `gain` (labels, seats)
    what it adds for each seat (no rows: nothing), `player` (states) the seat that chooses, -1 where dice are rolled.
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


@called
def respond(chain, rotation, player, gain, value, picked, begin, end, may_change):
    """Make one pass over a component: every state gets the values of its best or its mean edge, in reverse order.

    Seat k is seat ``k - rotation`` in the next state; negative indices count from the end. A seat changes its edge only
    if it `may_change`, and for one that is better by more than rounding. Returns the largest change.
    """
    _, row, target, label, chance, exit_probability = chain
    moved, gains = 0.0, gain.shape[0] > 0
    for s in range(end - 1, begin - 1, -1):
        me = player[s]
        first, stop, total = row[s], row[s + 1], exit_probability[s]
        if me >= 0:
            best = -np.inf
            for e in range(row[s], row[s + 1]):
                if target[e] == s and rotation[label[e]] == 0:
                    continue  # a self-loop is never needed
                worth = value[target[e], me - rotation[label[e]]]
                if gains:
                    worth += gain[label[e], me]
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
                if gains:
                    after += chance[label[e]] * gain[label[e], k]
                if target[e] != s or rotation[label[e]] > 0:
                    after += chance[label[e]] * value[target[e], k - rotation[label[e]]]
            after /= total
            moved = max(moved, abs(after - value[s, k]))
            value[s, k] = after
    return moved
