"""Loops over the runs of a chain (`runs`), in the same layout; compiled as those of `loops` are.

`chain` is `HalfSteps.arrays`, `edges` is `OrderedEdges.arrays`. In all of the loops `y` (places) is scratch, zero at
the beginning and at the end: the mass that has arrived at a place, or what a place is worth. Mass moves in two
half-steps: along the lines of the runs to places, from these to the states to which they lead. Places of a component
are complete when all runs of the components up to it are done.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from dicelab.solver.solution.loops import PASSES, called

BLOCK = 512
"""States of a run that are looked at together: their values stay in the nearest cache."""


def mark_places(edges, states, bit, marks):
    """Set ``bit[k]`` of ``marks[s]`` where an edge with label k leads from one of the `states` to state s."""
    _, row, target, label, _, _ = edges
    for s in states:
        for e in range(row[s], row[s + 1]):
            if target[e] >= 0:
                marks[target[e]] |= bit[label[e]]


def sort_keys(keys, states, component, numbers, by, last_bits, last, words):
    """Fill `words` with what `states` are sorted by: for each the words, the most significant first.

    They hold the `component`, then `numbers`, then `last` with so many bits. `numbers` is (word, shift, mask, low) of
    where a number is in `keys` and its least value, (least, width, at) the least value of what is meant, its bits, and
    in which of `words` it comes; and `seats`: where it is not 0, it is the number of a seat, or negative, and is moved
    by `by` seats.
    """
    word, shift, mask, low, least, width, at, seats = numbers
    for k in range(np.uint64(states.size)):
        s = np.uint64(states[k])
        whole = np.uint64(component[k])
        w = 0
        for m in range(np.uint64(width.size)):
            bits = keys[s, word[m]] >> shift[m] & mask[m]
            if seats[m] > 0 or low[m] != least[m]:
                number = np.int64(bits) + low[m]
                if seats[m] > 0 and number >= 0:
                    number = (number + by) % seats[m]
                bits = np.uint64(number - least[m])
            if at[m] != w:
                words[w, k] = whole
                whole = np.uint64(0)
                w = at[m]
            whole = whole << width[m] | bits
        words[w, k] = whole << last_bits | last


def list_places(leads, begin, back):
    """List the places that lead to each state: those of state s from ``begin[s]`` on, which becomes their end."""
    for a in range(back.size):
        s = leads[a]
        back[begin[s]] = a
        begin[s] += 1


def find_runs(edges, change, outcomes, order, ends, places, made):
    """Fill the arrays of `made` with the runs of the states in `order`; returns the numbers of runs and of lines.

    The first two arrays of places say which state of the graph (or outcome) and which change a place stands for;
    ``number[s]`` is the place of state s in `order`. A state belongs to the run of the state before it if both are in
    one component and each of its edges leads to the next place with equal chance.
    """
    _, row, target, label, chance, _ = edges
    number, place_state, place_change, back_row, back = places
    begin, run_row, run_ends, place, line_label = made
    runs = 0
    lines = 0
    b = 0
    for i in range(order.size):
        s = np.uint64(order[i])
        many = row[s + np.uint64(1)] - row[s]
        same = i > 0 and i < ends[b] and lines - run_row[runs - 1] == many
        if same:  # the lines of this run are the last ones
            for k in range(np.uint64(many)):
                e = np.uint64(row[s]) + k
                j = np.uint64(lines - many) + k
                a = np.uint64(place[j] + i - begin[runs - 1])
                same = a < place_state.size and place_state[a] == target[e] and place_change[a] == change[label[e]]
                if not same or chance[line_label[j]] != chance[label[e]]:
                    same = False
                    break
        if same:
            continue
        while i >= ends[b]:
            run_ends[b] = runs
            b += 1
        begin[runs] = i
        run_row[runs] = lines
        runs += 1
        for edge in range(row[s], row[s + np.uint64(1)]):
            by = change[label[edge]]
            if target[edge] < 0:
                place[lines] = back.size + by * outcomes - 1 - target[edge]
            else:
                q = back_row[number[target[edge]]]
                while place_change[back[q]] != by:
                    q += 1
                place[lines] = back[q]
            line_label[lines] = label[edge]
            lines += 1
    while b < ends.size:
        run_ends[b] = runs
        b += 1
    begin[runs] = order.size
    run_row[runs] = lines
    return runs, lines


def list_edges(chain, low, high, labels, line_label, out, target, label):
    """List the edges of the states `low` to ``high - 1``; those of state s begin at ``out[s - low]``.

    ``labels[k, c]`` is the label of edges with change c that are as likely as those with label k.
    """
    _, _, _, begin, row, place, _, leads, place_change = chain
    r = np.searchsorted(begin, low, side="right") - 1
    at = 0
    for s in range(low, high):
        if begin[r + 1] <= s:
            r += 1
        out[s - low] = at
        for j in range(row[r], row[r + 1]):
            a = place[j] + s - begin[r]
            target[at] = leads[a]
            label[at] = labels[line_label[j], place_change[a]]
            at += 1
    out[high - low] = at


@called
def send_on(chain, r, here, y):
    """Send the mass of the states of run r, which is `here`, to the places to which they lead; none is left here."""
    _, _, _, _, row, place, chance, _, _ = chain
    for low in range(0, here.size, BLOCK):
        some = here[low : min(low + BLOCK, here.size)]
        for j in range(row[r], row[r + 1]):
            there = y[place[j] + low : place[j] + low + some.size]
            p = chance[j]
            for i in range(some.size):
                there[i] += p * some[i]
        some[:] = 0.0


def levels(chain, step, level, last, first, tiny, mass, late, late_ends, y, pmf):
    """Follow a tally through the levels `level` to ``last - 1``, as `dicelab.solver.solution.loops.levels` does.

    `step` is by rows of the graph's changes, and at least 1, so that no mass stays at a level. Components before
    `first` have no mass. Masses up to `tiny` are dropped; returns how much was.

    `mass` is that of each state at the present level. What leads to a place with a step of more than 1 waits in `late`,
    where each such place has room for ``step - 1`` levels, in a circle; that of component b ends at ``late_ends[b]``.
    """
    ends, run_ends, place_ends, begin, _, _, _, leads, place_change = chain
    slot = np.zeros(step.size, np.int64)  # for each change the place of this level in the circle
    dropped = 0.0
    for now in range(level, last):
        for k in range(step.size):
            slot[k] = now % (step[k] - 1) if step[k] > 1 else 0
        for b in range(first, ends.size):
            i = ends[b - 1] if b > 0 else 0
            while i < ends[b] and mass[i] == 0.0:
                i += 1
            if i < ends[b]:
                for r in range(run_ends[b - 1] if b > 0 else 0, run_ends[b]):
                    send_on(chain, r, mass[begin[r] : begin[r + 1]], y)
            # All mass of this level has left the component: what arrives now is at the next level.
            at = late_ends[b - 1] if b > 0 else 0
            for a in range(place_ends[b - 1] if b > 0 else 0, place_ends[b]):
                arrives = y[a]
                y[a] = 0.0
                k = place_change[a]
                if step[k] > 1:
                    waited = late[at + slot[k]]
                    late[at + slot[k]] = arrives
                    arrives = waited
                    at += step[k] - 1
                if arrives > tiny:
                    mass[leads[a]] += arrives
                else:
                    dropped += arrives
        for a in range(place_ends[-1], leads.size):
            pmf[now + step[place_change[a]], -1 - leads[a]] += y[a]
            y[a] = 0.0
    return dropped


def expected_visits(chain, back_row, back, pending, y, count):
    """As `loops.expected_visits`, from run to run: what arrives at a run in a pass is sent on in the same pass."""
    ends, run_ends, place_ends, begin, _, _, _, _, _ = chain
    for b in range(ends.size):
        arrived = 0.0
        inflow = -1.0
        passes = 0
        while inflow < 0.0 or arrived > 1e-17 * inflow:
            if passes == PASSES:
                return b
            arrived = 0.0
            for r in range(run_ends[b - 1] if b > 0 else 0, run_ends[b]):
                s = begin[r]
                here = pending[s : begin[r + 1]]
                for i in range(here.size):
                    some = here[i]  # what begins here
                    for q in range(back_row[s + i], back_row[s + i + 1]):
                        some += y[back[q]]
                        y[back[q]] = 0.0
                    here[i] = some
                    count[s + i] += some
                    arrived += some
                send_on(chain, r, here, y)
            if passes == 0:
                inflow = arrived
            passes += 1
    y[place_ends[-1] :] = 0.0
    return ends.size


def values(chain, back_row, back, back_change, gain, value, y, sums):
    """As the values over edges: Gauss-Seidel steps from run to run.

    `gain` (rows of the graph's changes) is what edges add, and `back_change` the row for each of `back`; `y` is what a
    place is worth, at the beginning what the edges to it add, with the prize of an outcome. `sums` is scratch, as long
    as the longest run.
    """
    ends, run_ends, _, begin, row, place, chance, _, _ = chain
    after = guess = 0.0  # the mean value of the component after b, and where a line through the two after it leads
    for b in range(ends.size - 1, -1, -1):
        first = ends[b - 1] if b > 0 else 0
        for s in range(first, ends[b]):
            for q in range(back_row[s], back_row[s + 1]):
                y[back[q]] = gain[back_change[q]] + guess
        passes = 0
        moved = 1.0
        while moved > 1e-15:
            if passes == PASSES:
                return b
            passes += 1
            moved = 0.0
            for r in range(run_ends[b] - 1, (run_ends[b - 1] if b > 0 else 0) - 1, -1):
                s = begin[r]
                many = begin[r + 1] - s
                sums[:many] = 0.0
                for low in range(0, many, BLOCK):
                    some = sums[low : min(low + BLOCK, many)]
                    for j in range(row[r], row[r + 1]):
                        there = y[place[j] + low : place[j] + low + some.size]
                        p = chance[j]
                        for i in range(some.size):
                            some[i] += p * there[i]
                for i in range(many):
                    total = sums[i]
                    by = abs(total - value[s + i])
                    if by > moved * abs(total):
                        moved = by / abs(total) if total != 0.0 else 1.0
                    value[s + i] = total
                    for q in range(back_row[s + i], back_row[s + i + 1]):
                        y[back[q]] = gain[back_change[q]] + total
        mean = 0.0
        for s in range(first, ends[b]):
            mean += value[s] / (ends[b] - first)
        guess = 2.0 * mean - after if after != 0.0 else mean
        after = mean
    return -1


def exits(chain, count, outcome, mass):
    """List the edges that end the game: the outcome of each, and the mass that leaves by it with `count` visits.

    Returns how many there are; `outcome` and `mass` have room for them.
    """
    _, _, place_ends, begin, row, place, chance, leads, _ = chain
    at = 0
    for r in range(begin.size - 1):
        many = begin[r + 1] - begin[r]
        for j in range(row[r], row[r + 1]):
            for i in range(max(0, place_ends[-1] - place[j]), many):
                outcome[at] = -1 - leads[place[j] + i]
                mass[at] = count[begin[r] + i] * chance[j]
                at += 1
    return at


def arrivals(chain, count, y, many, arrives, edges):
    """As `loops.arrivals`; `many` (places) is scratch as `y` is."""
    _, _, place_ends, begin, row, place, chance, leads, _ = chain
    for r in range(begin.size - 1):
        here = count[begin[r] : begin[r + 1]]
        for j in range(row[r], row[r + 1]):
            there = y[place[j] : place[j] + here.size]
            number = many[place[j] : place[j] + here.size]
            p = chance[j]
            for i in range(here.size):
                there[i] += p * here[i]
                number[i] += 1
    for a in range(place_ends[-1]):
        arrives[leads[a]] += y[a]
        edges[leads[a]] += many[a]


def proof_range(chain, roundings, worth, later, value, steps, mean, ahead, size):
    """As `backward.proof_range`, for a chain in which nobody chooses: the smallest d, infinite if there is none.

    `worth` (places) is what the edges to a place add and what follows, `later` the steps that follow. `mean`, `ahead`
    and `size` are scratch, as long as the longest run.
    """
    _, _, _, begin, row, place, chance, _, _ = chain
    least = 0.0
    for r in range(begin.size - 1):
        s = begin[r]
        many = begin[r + 1] - s
        mean[:many] = 0.0
        ahead[:many] = 0.0
        size[:many] = 0.0
        for j in range(row[r], row[r + 1]):
            there = worth[place[j] : place[j] + many]
            then = later[place[j] : place[j] + many]
            p = chance[j]
            for i in range(many):
                mean[i] += p * there[i]
                ahead[i] += p * then[i]
                size[i] += p * abs(there[i])
        rounding = 1.2e-16 * (row[r + 1] - row[r] + 5 + roundings)
        for i in range(many):
            off = abs(value[s + i] - mean[i])
            off += rounding * (size[i] + off)
            fewer = steps[s + i] - ahead[i] - rounding * steps[s + i]
            if fewer <= 0.0:
                return np.inf
            if off > least * fewer:
                least = off / fewer
    return least


def variances(chain, roundings, worth, value, off, count, mean, square, size):
    """As `loops.variances`; `worth` is as in `proof_range`, and the scratch space as long as that there."""
    _, _, _, begin, row, place, chance, _, _ = chain
    variance = 0.0
    lost = 0.0  # what rounding lost of the sum (Kahan)
    error = 0.0
    largest = 0.0
    for r in range(begin.size - 1):
        s = begin[r]
        many = begin[r + 1] - s
        mean[:many] = 0.0
        square[:many] = 0.0
        size[:many] = 0.0
        here = value[s : s + many]
        for j in range(row[r], row[r + 1]):
            there = worth[place[j] : place[j] + many]
            p = chance[j]
            for i in range(many):
                x = there[i] - here[i]  # the surprise of this step; its mean is 0 up to errors
                mean[i] += p * x
                square[i] += p * x * x
                size[i] = max(size[i], abs(there[i]))
        rounded = 2.4e-16 * (row[r + 1] - row[r] + 5 + roundings)
        for i in range(many):
            step = square[i] - mean[i] * mean[i]
            more = count[s + i] * step - lost
            raised = variance + more
            lost = (raised - variance) - more
            variance = raised
            by = 2.0 * off + 1e-15 * (size[i] + abs(here[i]))  # bounds the error of each x
            error += count[s + i] * (2.0 * by * square[i] ** 0.5 + by * by + rounded * square[i])
            largest = max(largest, step)
    return variance, error, largest
