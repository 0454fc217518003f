"""What the states are worth in which turns end, if all seats make the best moves: from the ends backwards."""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import kept


@kept
def sweep(value, first_group, weight, chooser, first_edge, target, seat_after):  # type: ignore[no-untyped-def]
    """Work out the value of every state to every seat once more, from the last on; returns the largest change.

    State n has the groups ``first_group[n] .. first_group[n + 1] - 1``, each with its weight and the seat that chooses
    among the edges ``first_edge[g] .. first_edge[g + 1] - 1``. An edge leads to state `target`, which is seen from
    `seat_after`. A state without groups is an end.
    """
    largest, seats = 0.0, value.shape[1]
    new = np.zeros(seats)
    for n in range(value.shape[0] - 1, -1, -1):
        if first_group[n] == first_group[n + 1]:
            continue
        new[:] = 0.0
        total = 0.0
        for g in range(first_group[n], first_group[n + 1]):
            total += weight[g]
            best = first_edge[g]
            for e in range(first_edge[g] + 1, first_edge[g + 1]):
                here = value[target[e], (chooser[g] - seat_after[e]) % seats]
                if here > value[target[best], (chooser[g] - seat_after[best]) % seats]:
                    best = e
            for s in range(seats):
                new[s] += weight[g] * value[target[best], (s - seat_after[best]) % seats]
        for s in range(seats):
            largest = max(largest, abs(new[s] / total - value[n, s]))
            value[n, s] = new[s] / total
    return largest
