"""Approximate values of a chain by value iteration: faster than those with an error bound, and enough to fit rules."""

# The loop is written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations


def nearly(ends, row, target, label, chance, leave, gain, prize, value, enough, passes):
    """Update `value` towards the expected sum of rewards from each state to the end.

    As `chains.solution.loops.values`, except that the iteration on a component ends when no value changes by more than
    `enough`, or after `passes` passes. On entry, `value` has initial guesses.

    Component b has the states ``ends[b - 1]`` to ``ends[b] - 1``, and state s the edges ``row[s]`` to ``row[s + 1] -
    1``. Edge e leads to state ``target[e]``, or ends the game with outcome ``-1 - target[e]``; its probability and its
    reward are those of ``label[e]``. ``leave[s]`` is the probability that s is left: 1 minus that of its loops.
    """
    for back in range(ends.size):
        b = ends.size - 1 - back
        begin = ends[b - 1] if b > 0 else 0
        for _ in range(passes):  # Gauss-Seidel: later components are final, later states of this one already updated
            moved = 0.0
            for i in range(ends[b] - begin):
                s = ends[b] - 1 - i
                total = 0.0
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]]
                    if t < 0:
                        worth += prize[-1 - t]
                    elif t != s:
                        worth += value[t]
                    total += chance[label[e]] * worth
                total /= leave[s]  # solves v = total + (1 - leave) v, which accounts for the loops at s
                moved = max(moved, abs(total - value[s]))
                value[s] = total
            if moved <= enough:
                break
