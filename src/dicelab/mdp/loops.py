"""Loops over the edges of a decision process: values of optimal policies, and the check of their error bound.

Plain functions over arrays in the layout of `dicelab.chains.loops`, interpreted or compiled as those are. In addition:

    side[s]       1: a seat chooses that maximises the value, -1: one that minimises it, 0: dice are rolled
    sign[label]   1, or -1 where the edge rotates the view of two seats: the next state is then seen from the other
                  seat, and its value v is worth ``gain - v`` with a gain of 1 (both values add up to 1)
    worth of e    gain[label[e]] + sign[label[e]] * value[target[e]], or gain[label[e]] + prize[outcome]

A self-loop is an edge from a state to itself that doesn't rotate the view.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

PASSES = 300
"""Limit of passes over a component; after that its best moves are fixed and their values are solved for."""


def settle(
    first,
    last,
    ends,
    row,
    target,
    label,
    chance,
    exit_probability,
    sign,
    side,
    gain,
    prize,
    value,
    was,
    by,
    passes_most,
):
    """Value iteration: fill `value` for components ``last - 1`` down to `first`.

    `gain` (labels) is what an edge adds, `prize` (outcomes) what an outcome adds; `was` and `by` are scratch, as long
    as the largest component. Each pass sets every state of a component to its best or mean edge, in reverse order. If
    the error shrinks by the same factor with each pass, the rest is extrapolated (Aitken), unless more than `PASSES`
    passes are allowed: then values change monotonically from 0. Returns the component that has not converged after
    `passes_most`, or -1; or ``-2 - s`` where a self-loop of state s gains without limit.
    """
    for b in range(last - 1, first - 1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        while moved > 1e-13:
            if passes == passes_most:
                return b
            passes += 1
            moved = 0.0
            # Passes 4 and 5 of every six are compared: `by` is the change of pass 4, `was` the values before each.
            if passes % 6 >= 4:
                for i in range(end - begin):
                    was[i] = value[begin + i]
            for i in range(end - begin):
                s = end - 1 - i
                here = side[s]
                total = 0.0
                leaves = exit_probability[s]
                none = True  # no move has been considered yet
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]]
                    if t < 0:
                        worth += prize[-1 - t]
                    elif t != s:
                        worth += sign[label[e]] * value[t]
                    elif sign[label[e]] < 0.0:
                        # The same state for the other seat: v = ... + p (1 - v), so v (exit + p) = ... + p,
                        # where the exit probability counts this edge; for a move v = 1 - v, so v = 1 / 2.
                        leaves += chance[label[e]]
                        worth *= 1.0 if here == 0 else 0.5
                    elif here * worth > 0.0:
                        return -2 - s
                    elif here != 0:
                        continue  # a self-loop that gains nothing is never needed
                    if here == 0:
                        total += chance[label[e]] * worth
                    elif none or here * worth > here * total:
                        total = worth
                        none = False
                if here == 0:
                    total /= leaves
                off = abs(total - value[s])
                if off > moved * abs(total):
                    moved = off / abs(total) if total != 0.0 else 1.0
                value[s] = total
            if end - begin == 1:
                break
            if passes_most > PASSES:
                continue
            if passes % 6 == 4:
                for i in range(end - begin):
                    by[i] = value[begin + i] - was[i]
            elif passes % 6 == 5 and moved > 1e-13:
                both = 0.0
                old = 0.0
                new = 0.0
                for i in range(end - begin):
                    step = value[begin + i] - was[i]
                    both += step * by[i]
                    old += by[i] * by[i]
                    new += step * step
                share = both / old if old > 0.0 else 0.0  # change 5 = share * change 4 (least squares)
                # if that explains nearly all of change 5: add the rest of the geometric series
                if 0.0 < share < 0.9999 and new - share * both < 1e-4 * new:
                    for i in range(end - begin):
                        value[begin + i] += (value[begin + i] - was[i]) * share / (1.0 - share)
    return -1


def pick(first, last, row, target, label, sign, side, gain, prize, value, picked):
    """Fill `picked` with the best edge of each state in which a seat chooses, -1 in others; of equal ones the first."""
    for s in range(first, last):
        picked[s] = -1
        best = 0.0
        for e in range(row[s], row[s + 1]):
            if side[s] == 0:
                break
            t = target[e]
            if t == s and sign[label[e]] > 0.0:
                continue
            worth = gain[label[e]] + (prize[-1 - t] if t < 0 else sign[label[e]] * value[t])
            if picked[s] < 0 or side[s] * worth > side[s] * best:
                best = worth
                picked[s] = e


def expected_steps(
    first,
    last,
    ends,
    row,
    target,
    label,
    chance,
    exit_probability,
    sign,
    side,
    gain,
    prize,
    value,
    picked,
    idle,
    tie,
    steps,
):
    """Fill `steps` with the expected rolls and choices to the end under the policy `picked`; results as in `settle`.

    A choice with a gain of 0 counts `idle` steps. With a `tie` above 0, of all edges within it of the best the one with
    the most steps counts. The numbers need not be exact: the proof only needs each step to lower them by nearly one.
    """
    for b in range(last - 1, first - 1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        while moved > 1e-3:
            if passes == PASSES:
                return b
            passes += 1
            moved = 0.0
            for i in range(end - begin):
                s = end - 1 - i
                total = 1.0
                leaves = exit_probability[s]
                if side[s] != 0:
                    total = 0.0
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if e != picked[s]:
                            if tie == 0.0 or t == s:
                                continue
                            worth = gain[label[e]] + (prize[-1 - t] if t < 0 else sign[label[e]] * value[t])
                            if abs(worth - value[s]) > tie * (1.0 + abs(value[s])):
                                continue
                        more = idle if gain[label[e]] == 0.0 else 1.0
                        if t >= 0:
                            more += steps[t]
                        total = max(total, more)
                else:
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if t == s and sign[label[e]] < 0.0:
                            leaves -= chance[label[e]]
                        elif t >= 0 and t != s:
                            total += chance[label[e]] * steps[t]
                    total /= leaves
                moved = max(moved, abs(total - steps[s]))
                steps[s] = total
            if end - begin == 1:
                break
    return -1


def pick_quickest(
    begin, end, row, target, label, chance, exit_probability, sign, side, gain, prize, value, picked, steps
):
    """Set `picked` to the equally good edges that leave a component in fewest steps (value iteration on `steps`)."""
    for s in range(begin, end):
        steps[s] = 0.0
    for _ in range(100 * PASSES):
        moved = 0.0
        for s in range(end - 1, begin - 1, -1):
            total = 1.0
            leaves = exit_probability[s]
            if side[s] == 0:
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    if t == s and sign[label[e]] < 0.0:
                        leaves -= chance[label[e]]
                    elif t >= 0 and t != s:
                        total += chance[label[e]] * steps[t]
                total /= leaves
            else:
                total = 1e300
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]] + (prize[-1 - t] if t < 0 else sign[label[e]] * value[t])
                    more = 1.0 + (steps[t] if t >= 0 else 0.0)
                    if t != s and abs(worth - value[s]) <= 1e-12 * (1.0 + abs(value[s])) and more < total:
                        total = more
                        picked[s] = e
            moved = max(moved, abs(total - steps[s]))
            steps[s] = total
        if moved < 1e-3:
            break


def proof_range(row, target, label, chance, sign, side, roundings, gain, prize, value, steps, picked, longer):
    """The smallest and the largest d for which ``value + d steps`` and ``value - d steps`` bound the true value.

    With such a d the upper bound doesn't rise, and the lower bound doesn't fall, by any roll and any choice of the side
    that would gain from it: no value is off by more than ``d steps``. There is none if the largest is below the
    smallest. Where an equal move with more steps should have been picked, `longer` receives its edge, else -1.
    """
    least = 0.0
    most = 1e300
    for s in range(row.size - 1):
        longer[s] = -1
        mean = 0.0
        size = abs(value[s])
        ahead = 0.0
        for e in range(row[s], row[s + 1]):
            t = target[e]
            worth = gain[label[e]] + (prize[-1 - t] if t < 0 else sign[label[e]] * value[t])
            more = steps[t] if t >= 0 else 0.0
            if side[s] == 0:
                mean += chance[label[e]] * worth
                ahead += chance[label[e]] * more
                if abs(worth) > size:
                    size = abs(worth)
                continue
            if t == s and sign[label[e]] > 0.0 and side[s] * gain[label[e]] <= 0.0:
                continue
            # The bounds hold for this move if over <= d * fewer: over is by how much the move is better than the
            # value (for the picked move: differs from it), fewer by how much it lowers the expected steps.
            over = side[s] * (worth - value[s])
            if e == picked[s]:
                over = abs(over)
            if gain[label[e]] != 0.0:
                over += 2.5e-16 * (abs(worth) + abs(value[s]))
            fewer = steps[s] - more
            if fewer > 0.0:
                if over > least * fewer:
                    least = over / fewer
            elif over > 0.0 or (over == 0.0 and fewer < 0.0):  # no d will do
                longer[s] = e
            elif over == 0.0:
                continue
            elif -over < most * -fewer:
                most = over / fewer
        if side[s] == 0:
            off = abs(value[s] - mean) + 1.2e-16 * (row[s + 1] - row[s] + 5 + roundings) * size
            fewer = steps[s] - ahead
            if fewer <= 0.0:
                most = -1.0
            elif off > least * fewer:
                least = off / fewer
    return least, most


def best_responses(ends, row, target, label, chance, exit_probability, rotation, player, value, picked, cycles):
    """Best-response iteration: fill `value` (states, seats) and `picked`, component by component from the end.

    At each state the seat that chooses picks the edge that is best for itself, while all others keep theirs. `rotation`
    (labels) is by how many seats an edge rotates the view. A seat changes its edge only for one that is better by more
    than rounding. In a component in which best responses cycle, the edges are fixed after a while and only the values
    are iterated; `cycles` receives its number. Returns how many such components there are.
    """
    seats = value.shape[1]
    after = np.zeros(seats)
    found = 0
    for b in range(ends.size - 1, -1, -1):
        begin = ends[b - 1] if b > 0 else 0
        end = ends[b]
        passes = 0
        moved = 1.0
        may_change = True  # edges may still be changed
        alone = end - begin == 1
        while moved > 1e-14 and passes < 40 * PASSES:
            passes += 1
            if may_change and passes > 10 * PASSES:
                may_change = False
                cycles[found] = b
                found += 1
            moved = 0.0
            for i in range(end - begin):
                s = end - 1 - i
                for k in range(seats):
                    after[k] = 0.0
                if player[s] < 0:
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if t < 0:
                            after[-1 - t] += chance[label[e]]
                        elif t != s or rotation[label[e]] > 0:
                            alone = alone and t != s
                            for k in range(
                                seats
                            ):  # seat k is seat k - rotation there; negative indices count from the end
                                after[k] += chance[label[e]] * value[t, k - rotation[label[e]]]
                    for k in range(seats):
                        after[k] /= exit_probability[s]
                else:
                    me = player[s]
                    best = -1.0
                    chosen = row[s]
                    for e in range(row[s], row[s + 1]):
                        t = target[e]
                        if t == s and rotation[label[e]] == 0:
                            continue
                        alone = alone and t != s
                        worth = value[t, me - rotation[label[e]]] if t >= 0 else (1.0 if -1 - t == me else 0.0)
                        if picked[s] == e:
                            worth += 1e-13  # more than rounding
                        if (may_change or picked[s] == e) and worth > best:
                            best = worth
                            chosen = e
                    picked[s] = chosen
                    t = target[picked[s]]
                    for k in range(seats):
                        after[k] = value[t, k - rotation[label[picked[s]]]] if t >= 0 else (1.0 if -1 - t == k else 0.0)
                for k in range(seats):
                    moved = max(moved, abs(after[k] - value[s, k]))
                    value[s, k] = after[k]
            if alone:
                break
    return found
