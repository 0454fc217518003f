"""An equilibrium of a game tree by regrets: predictive CFR+, in which later rounds count far more than the first ones.

Farina, Kroer and Sandholm, "Faster Game Solving via Predictive Blackwell Approachability" (AAAI 2021); CFR+ is of
Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014). The error doesn't rest on them: it follows from
the best responses of both seats to the strategies that were found.

A tree is given as the arrays `first`, `many`, `mover`, `share`, `slot`, `worth`, `starts` and `leads` of
`dicelab.solver.game_tree.GameTree`, and the seats of the information sets. `sigma` has the probability of each move.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept

LATER = 5
"""The power of the number of a round with which its strategies count. For liar's dice with four faces the gap is below
1e-9 after 800 rounds; with power 2 after 9,000, and without predictions it is 6e-6 after 10,000."""


@guarded
def go_down(tree, sigma, seat, reach, own):  # type: ignore[no-untyped-def]
    """Set the probability of each history: of the moves of a seat in `own`, of all else in `reach`."""
    first, many, mover, share, slot, _, _, _, _ = tree
    reach[0] = own[0] = 1.0
    for n in range(first.size):
        for j in range(many[n]):
            child = first[n] + j
            reach[child], own[child] = reach[n], own[n]
            if mover[n] == 2:
                reach[child] *= share[child]
            elif mover[n] == seat:
                own[child] *= sigma[slot[n] + j]
            else:
                reach[child] *= sigma[slot[n] + j]


@guarded
def mean(tree, sigma, value, seat, n):  # type: ignore[no-untyped-def]
    """Return what a history is worth to a seat: at the end of the game, or as the mean of those that follow it."""
    first, many, mover, share, slot, worth, _, _, _ = tree
    if many[n] == 0:
        return worth[n] if seat == 0 else -worth[n]
    found = 0.0
    for j in range(many[n]):
        child = first[n] + j
        found += value[child] * (share[child] if mover[n] == 2 else sigma[slot[n] + j])
    return found


@guarded
def share_out(weights, start, end, sigma):  # type: ignore[no-untyped-def]
    """Set the probabilities of moves in proportion to weights; all alike where there are none."""
    total = 0.0
    for s in range(start, end):
        total += weights[s]
    for s in range(start, end):
        sigma[s] = weights[s] / total if total > 0.0 else 1.0 / (end - start)


@guarded
def expect(regret, last, start, end, ahead, sigma):  # type: ignore[no-untyped-def]
    """Set the next strategy in an information set: in proportion to the regrets that are expected."""
    for s in range(start, end):
        ahead[s] = max(regret[s] + last[s], 0.0)
    share_out(ahead, start, end, sigma)


@kept
def average(starts, total, sigma):  # type: ignore[no-untyped-def]
    """Set the average strategies of both seats; where a seat never came, all moves are alike."""
    for k in range(starts.size - 1):
        share_out(total, starts[k], starts[k + 1], sigma)


@kept
def improve(tree, regret, last, sigma, total, rounds, begun):  # type: ignore[no-untyped-def]
    """Play rounds in which each seat in turn learns from the strategy of the other.

    `regret` holds what a seat would have gained by each move, not below 0; `last` what it would have gained in the last
    round, which is what it expects of the next one.
    """
    first, many, mover, _, slot, _, starts, leads, seats = tree
    nodes = first.size
    reach, own, value, ahead = np.empty(nodes), np.empty(nodes), np.empty(nodes), np.zeros(regret.size)
    for k in range(starts.size - 1):
        expect(regret, last, starts[k], starts[k + 1], ahead, sigma)
    for t in range(begun + 1, begun + rounds + 1):
        for seat in range(2):
            go_down(tree, sigma, seat, reach, own)
            for k in range(starts.size - 1):
                if seats[k] == seat:
                    last[starts[k] : starts[k + 1]] = 0.0
            for n in range(nodes - 1, -1, -1):
                value[n] = 0.0
                if reach[n] == 0.0:  # the other never comes here, so it doesn't count
                    continue
                value[n] = mean(tree, sigma, value, seat, n)
                if mover[n] == seat:
                    for j in range(many[n]):
                        last[slot[n] + j] += reach[n] * (value[first[n] + j] - value[n])
            for k in range(starts.size - 1):
                if seats[k] == seat:
                    for s in range(starts[k], starts[k + 1]):
                        total[s] += np.float64(t) ** LATER * own[leads[k]] * sigma[s]
                        regret[s] = max(regret[s] + last[s], 0.0)
                    expect(regret, last, starts[k], starts[k + 1], ahead, sigma)


@kept
def best_response(tree, levels, sigma, seat, best):  # type: ignore[no-untyped-def]
    """Return what a seat gets at most against the strategy of the other; `best` receives what each move is worth."""
    first, many, mover, _, slot, _, starts, _, _ = tree
    reach, own, value = np.empty(first.size), np.empty(first.size), np.empty(first.size)
    go_down(tree, sigma, seat, reach, own)
    best[:] = 0.0
    ends = np.zeros(best.size, np.int64)
    for k in range(starts.size - 1):
        ends[starts[k]] = starts[k + 1]
    # All histories of an information set have the same length.
    for level in range(levels.size - 2, -1, -1):
        for n in range(levels[level], levels[level + 1]):
            if mover[n] == seat:
                for j in range(many[n]):
                    best[slot[n] + j] += reach[n] * value[first[n] + j]
        for n in range(levels[level], levels[level + 1]):
            if mover[n] == seat:
                move = np.argmax(best[slot[n] : ends[slot[n]]])
                value[n] = value[first[n] + move]
            else:
                value[n] = mean(tree, sigma, value, seat, n)
    return value[0]


@kept
def reached(tree, sigma, reach):  # type: ignore[no-untyped-def]
    """Set the probability of each history under the strategies of both seats."""
    go_down(tree, sigma, -1, reach, np.empty(reach.size))
