"""Mixed strategies on a public tree by regrets: discounted CFR on vectors over hands, in which the seats learn in turn.

The weights are those of `dicelab.solver.mixed`. A pass through the tree leaves out what the other seat never reaches
with any hand: nothing is learned there.

The numbers of a history, `regrets` and `averages`, are those of each move in turn, by hand of the seat that moves.
Where they begin follows from the way to the history (`dicelab.solver.public_tree.PublicTree.offsets`).

By itself because it works on vectors over hands, while `dicelab.solver.mixed` works on sequences.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded, kept

LEARN, BEST, MEAN, RESPOND, NOTE = 0, 1, 2, 3, 4
"""What a seat does in a pass: learn from the strategy of the other, or, against its average, the best, its own average,
the best, which becomes its average, or the best, while what each move gets is added to `regrets`."""


@guarded
def shares(numbers, base, many, hands, sigma, depth):  # type: ignore[no-untyped-def]
    """Set the probabilities of the moves of each hand in proportion to numbers, those below 0 taken as 0."""
    for hand in range(hands):
        sigma[depth, many, hand] = 0.0
    for move in range(many):
        for hand in range(hands):
            share = max(np.float64(numbers[base + move * hands + hand]), 0.0)
            sigma[depth, move, hand] = share
            sigma[depth, many, hand] += share
    for move in range(many):
        for hand in range(hands):
            total = sigma[depth, many, hand]
            share = sigma[depth, move, hand] / total if total > 0.0 else 1.0 / many
            sigma[depth, move, hand] = share


@guarded
def add_mixture(averages, base, many, hands, reach, sigma, depth, weight):  # type: ignore[no-untyped-def]
    """Add the strategy of a seat to its average, by hand, as far as it plays so that this history comes about."""
    for move in range(many):
        for hand in range(hands):
            averages[base + move * hands + hand] += weight * reach[depth, hand] * sigma[depth, move, hand]


@guarded
def add_regrets(regrets, base, many, hands, gains, value, depth, shrink):  # type: ignore[no-untyped-def]
    """Add to the regrets what each move would have gained."""
    for move in range(many):
        for hand in range(hands):
            regret = regrets[base + move * hands + hand] + gains[depth, move, hand] - value[depth, hand]
            regrets[base + move * hands + hand] = regret * (shrink if regret > 0.0 else 0.5)


@guarded
def add_gains(regrets, base, many, hands, gains, depth):  # type: ignore[no-untyped-def]
    """Add what each move gets."""
    for move in range(many):
        for hand in range(hands):
            regrets[base + move * hands + hand] += gains[depth, move, hand]


@guarded
def set_best(averages, base, many, hands, gains, depth):  # type: ignore[no-untyped-def]
    """Set the strategy of a seat to the best move of each hand."""
    for hand in range(hands):
        best = 0
        for move in range(1, many):
            if gains[depth, move, hand] > gains[depth, best, hand]:
                best = move
        for move in range(many):
            averages[base + move * hands + hand] = 1.0 if move == best else 0.0


@guarded
def follow(reach, sigma, depth, move, hands, own):  # type: ignore[no-untyped-def]
    """Set with which probability the other seat lets a move come about, by its hand; return whether it does at all."""
    total = 0.0
    for hand in range(hands):
        share = 1.0 if own else sigma[depth, move, hand]
        reach[depth + 1, hand] = reach[depth, hand] * share
        total += reach[depth + 1, hand]
    return total > 0.0


@guarded
def finish(ends, end, reach, value, depth, parts, grouped):  # type: ignore[no-untyped-def]
    """Set what a seat gets at an end, by its hand."""
    payoffs, own_groups, other_groups = ends
    parts[: payoffs.shape[2]] = 0.0
    for hand in range(reach.shape[1]):
        parts[other_groups[end, hand]] += reach[depth, hand]
    for group in range(payoffs.shape[1]):
        grouped[group] = 0.0
        for other in range(payoffs.shape[2]):
            grouped[group] += payoffs[end, group, other] * parts[other]
    for hand in range(value.shape[1]):
        value[depth, hand] = grouped[own_groups[end, hand]]


@guarded
def note(own, task, move, depth, value, gains, sigma, hands):  # type: ignore[no-untyped-def]
    """Add to what a seat gets, by hand, what it gets after a move."""
    for hand in range(hands):
        gain = value[depth + 1, hand]
        if not own:
            value[depth, hand] += gain
        elif task in (BEST, RESPOND, NOTE):
            gains[depth, move, hand] = gain
            value[depth, hand] = gain if move == 0 else max(value[depth, hand], gain)
        else:
            gains[depth, move, hand] = gain
            value[depth, hand] += sigma[depth, move, hand] * gain


@guarded
def begin(regrets, averages, base, many, hands, reach, sigma, depth, task, own, weight):  # type: ignore[no-untyped-def]
    """Set the strategy with which a seat goes on from a history; the average of the other one's learns it."""
    shares(regrets if task == LEARN else averages, base, many, hands, sigma, depth)
    if not own and task == LEARN:
        add_mixture(averages, base, many, hands, reach, sigma, depth, weight)


@guarded
def leave(regrets, averages, base, many, hands, gains, value, depth, task, shrink):  # type: ignore[no-untyped-def]
    """Note what the task asks for, when all moves of the seat in a history were followed."""
    if task == LEARN:
        add_regrets(regrets, base, many, hands, gains, value, depth, shrink)
    if task == NOTE:
        add_gains(regrets, base, many, hands, gains, depth)
    if task == RESPOND:
        set_best(averages, base, many, hands, gains, depth)


@kept
def walk(nodes, ends, seat, chances, sizes, regrets, averages, task, shrink, weight):  # type: ignore[no-untyped-def]
    """Return by hand of a seat what it gets, and let it learn.

    Parameters
    ----------
    nodes
        `movers`, `first`, `targets` and `offsets` of the tree.
    ends
        What the seat gets at each end, by group of its hands and of those of the other; the groups of its hands, and
        of those of the other.
    seat, chances
        The seat, and the probabilities of the hands of the other.
    sizes
        The longest game, and the most moves.
    task, shrink, weight
        `LEARN`, `BEST`, `MEAN`, `RESPOND` or `NOTE`; what positive regrets are multiplied by, and the weight of this
        round in averages.
    """
    movers, first, targets, offsets = nodes
    length, widest = sizes
    mine, others = ends[1].shape[1], chances.size
    reach = np.zeros((length + 1, others))
    value = np.zeros((length + 1, mine))
    sigma = np.zeros((length + 1, widest + 1, max(mine, others)))
    gains = np.zeros((length + 1, widest, mine))
    node, base = np.zeros(length + 1, np.int64), np.zeros(length + 1, np.int64)
    child = np.zeros(length + 1, np.int64)
    parts = np.zeros(max(mine, others))
    grouped = np.zeros(max(mine, others))
    reach[0] = chances
    child[0] = -1
    d = 0
    while True:
        n = node[d]
        start, many = first[n], first[n + 1] - first[n]
        own = movers[n] == seat
        hands = mine if own else others
        if child[d] < 0:
            value[d] = 0.0
            if not own or task in (LEARN, MEAN):
                begin(regrets, averages, base[d], many, hands, reach, sigma, d, task, own, weight)
            child[d] = 0
        move = child[d]
        if move < many:
            target = targets[start + move]
            reached = follow(reach, sigma, d, move, others, own)
            if target >= 0 and reached:
                d += 1
                node[d], base[d], child[d] = target, base[d - 1] + offsets[start + move], -1
                continue
            if target >= 0 or not reached:
                for hand in range(mine):
                    value[d + 1, hand] = 0.0
            else:
                finish(ends, -1 - target, reach, value, d + 1, parts, grouped)
        else:
            if own:
                leave(regrets, averages, base[d], many, mine, gains, value, d, task, shrink)
            if d == 0:
                return value[0]
            d -= 1
            move = child[d]
            own = movers[node[d]] == seat
        note(own, task, move, d, value, gains, sigma, mine)
        child[d] += 1


@kept
def fill(nodes, length, seat, hands, begins, mixtures, averages):  # type: ignore[no-untyped-def]
    """Set the strategy of a seat in all histories to the mixtures at their nodes, which begin at `begins`."""
    movers, first, targets, offsets = nodes
    node, base = np.zeros(length + 1, np.int64), np.zeros(length + 1, np.int64)
    child = np.zeros(length + 1, np.int64)
    child[0] = -1
    d = 0
    while d >= 0:
        n = node[d]
        start, many = first[n], first[n + 1] - first[n]
        if child[d] < 0:
            if movers[n] == seat:
                averages[base[d] : base[d] + many * hands] = mixtures[begins[n] : begins[n] + many * hands]
            child[d] = 0
        if child[d] == many:
            d -= 1
            continue
        edge = start + child[d]
        child[d] += 1
        if targets[edge] >= 0:
            d += 1
            node[d], base[d], child[d] = targets[edge], base[d - 1] + offsets[edge], -1


@kept
def gather(nodes, sizes, seat, chances, mine, averages, begins, found, seldom):  # type: ignore[no-untyped-def]
    """Add up the averages of a seat in all histories of a node, by how likely the other lets them come about, plus
    `seldom`.

    Parameters
    ----------
    nodes
        `movers`, `first`, `targets` and `offsets` of the tree; `averages` has the numbers of each history.
    sizes, seat, chances, mine
        The longest game, and the most moves; the seat, the probabilities of the hands of the other, and how many hands
        the seat may have.
    begins, found
        By node, where its numbers begin in `found`.
    """
    movers, first, targets, offsets = nodes
    length, widest = sizes
    others = chances.size
    reach = np.zeros((length + 1, others))
    sigma = np.zeros((length + 1, widest + 1, others))
    node, base = np.zeros(length + 1, np.int64), np.zeros(length + 1, np.int64)
    child = np.zeros(length + 1, np.int64)
    reach[0] = chances
    child[0] = -1
    d = 0
    while d >= 0:
        n = node[d]
        start, many = first[n], first[n + 1] - first[n]
        own = movers[n] == seat
        if child[d] < 0:
            if own:
                weight = reach[d].sum() + seldom
                for k in range(many * mine):
                    found[begins[n] + k] += weight * averages[base[d] + k]
            else:
                shares(averages, base[d], many, others, sigma, d)
            child[d] = 0
        if child[d] == many:
            d -= 1
            continue
        move = child[d]
        child[d] += 1
        if targets[start + move] >= 0:
            follow(reach, sigma, d, move, others, own)
            d += 1
            node[d], base[d], child[d] = targets[start + move], base[d - 1] + offsets[start + move], -1
