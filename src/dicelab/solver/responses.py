"""Loops over the edges of a game in which each seat plays for itself: best responses, and the values to all seats.

Compiled as those of `dicelab.solver.solution.loops` are.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from dicelab.solver.solution.loops import PASSES, called


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
    """One pass over a component: every state gets the values of its best or its mean edge, in reverse order.

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
