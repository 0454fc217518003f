"""Monte Carlo tree search before one choice: the tries of `dicelab.questions.policies.thinking.mcts`, in the same
order, with the same sums.

`dicelab.compile.kernels.writers.thinking` fills the slots. Before this the text of the kernel has the functions of the
template `thinking`, and the kernel of the template `simulate`, which plays games on.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import (
    BLOCKS,
    GAMES,
    HALF,
    LOW,
    accepted,
    draw_slowly,
    multiply,
    one_word,
    place,
    record,
    search,
    some_words,
    tallied,
    unsigned,
)
from dicelab.compile.kernels.templates.slots import CACHED, slot
from dicelab.compile.kernels.templates.thinking import (
    end_worth,
    list_moves,
    load_state,
    make_move,
    next_step,
    store_state,
)

new_record = record(slot.slots)
kernel = njit  # that of the template `simulate`, which comes with the rules

slot.functions

play_on = kernel
called = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
GOLDEN = np.uint64(0x9E3779B9)
TREE = np.uint64(1 << 63)


@called
def apply_roll(_g, setting, rows, dice, kind, o):
    """Apply the rule of a roll to an outcome."""
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    slot.name_rows
    slot.throws


@called
def played_on(run, setting, rows, scratch, dice, counted, tree, n, games, number):
    """Play games on from a node, those from `number` on, and write what they are worth into ``tree.worth``; returns
    whether compiled rules could.
    """
    k0, k1, limit = run
    first, more = scratch
    begun, report = tree.begun, tree.report
    for g in range(games):
        begun[g, 0] = number + g
        begun[g, 1] = 0
        for j in range(tree.cells.shape[1]):
            begun[g, 2 + j] = tree.cells[n, j]
    done = np.int64(0)
    while True:
        part = k0, k1, np.int64(0), games - done, np.int64(0), limit
        status = play_on(
            part, setting, rows, first, more, dice, counted, report, tree.records[done:games], begun[done:games]
        )
        if status == slot.DONE:
            break
        if status != slot.FULL or report[0] == 0:
            return False
        done += report[0]
    for g in range(games):
        for s in range(tree.out.size):
            worth = tree.prizes[tree.records[g, 0], s]
            for i in range(tree.signs.shape[0]):
                worth += tree.signs[i, s] * tree.records[g, 1 + i]
            tree.worth[g, s] = worth
    return True


@called
def new_node(_g, run, setting, rows, scratch, dice, counted, tree, n, games, number):
    """Make the state of the game node `n`; returns how many nodes were judged by games, -1 where a rule went wrong."""
    store_state(_g, setting, rows, tree.cells[n])
    step = next_step(_g, setting, rows)
    tree.steps[n], tree.tries[n] = step, 1
    tree.child[n] = tree.sibling[n] = tree.moves[n] = tree.phase[n] = -1
    tree.made[n] = 0
    if _g._outside < 0:
        return np.int64(-1)
    judged = np.int64(0)
    if step == -1:
        if end_worth(_g, setting, rows, tree):
            return np.int64(-1)
    else:
        if not played_on(run, setting, rows, scratch, dice, counted, tree, n, games, number):
            return np.int64(-1)
        for s in range(tree.out.size):
            total = 0.0
            for g in range(games):
                total += tree.worth[g, s]
            tree.out[s] = total / games
        judged = np.int64(1)
    for s in range(tree.out.size):
        tree.value[n, s] = tree.played[n, s] = tree.out[s]
    return judged


@called
def find_units(run, setting, rows, scratch, dice, counted, tree, bonus, games):
    """Find the unit of the bonus, by games that are played on from node 0; returns whether compiled rules could."""
    if not played_on(run, setting, rows, scratch, dice, counted, tree, np.int64(0), games, np.int64(1 << 62)):
        return False
    for s in range(tree.out.size):
        total = 0.0
        for g in range(games):
            total += tree.worth[g, s]
        mean, total = total / games, 0.0
        for g in range(games):
            total += (tree.worth[g, s] - mean) * (tree.worth[g, s] - mean)
        tree.unit[s] = bonus * np.sqrt(total / games)
        if tree.unit[s] == 0.0:
            tree.unit[s] = 1.0
    return True


@called
def list_considered(_g, setting, rows, tree, n):
    """List the moves of node `n`, put the game into its state, and return how many moves are considered; 0 where a rule
    went wrong.
    """
    load_state(_g, setting, rows, tree.cells[n])
    asked = (-2 - tree.steps[n]) >> 16
    if asked >= slot.decisions:
        return np.int64(0)
    count = list_moves(_g, setting, rows, asked, tree.options, tree.sensible, tree.listed)
    if count == 0:
        return np.int64(0)
    considered = np.int64(0)
    for m in range(count):
        considered += tree.sensible[m]
    if considered == 0:
        for m in range(count):
            tree.sensible[m] = True
        considered = np.int64(count)
    return considered


@called
def after_move(_g, setting, rows, tree, n):
    """Make the first move of node `n` that was not tried; returns whether all went well."""
    considered = list_considered(_g, setting, rows, tree, n)
    if considered == 0:
        return False
    left = tree.made[n]
    for m in range(tree.listed[0]):
        if tree.sensible[m]:
            if left == 0:
                load_state(_g, setting, rows, tree.cells[n])
                make_move(_g, setting, rows, (-2 - tree.steps[n]) >> 16, tree.options, m)
                return _g._outside >= 0
            left -= 1
    return False


@called
def most_hopeful(tree, n):
    """Return the state after node `n` that is worth most to the seat that chooses, with its bonus for few tries."""
    seat = (-2 - tree.steps[n]) & 65535
    unit, log = tree.unit[seat], 2 * tree.logs[tree.tries[n]]
    best, most = np.int64(-1), 0.0
    c = tree.child[n]
    while c >= 0:
        hope = tree.value[c, seat] + unit * np.sqrt(log / tree.tries[c])
        if best < 0 or hope > most:
            best, most = c, hope
        c = tree.sibling[c]
    return best


@called
def update(tree, dice, n):
    """Work out what node `n` is worth from where it leads; what is untried is worth what games said."""
    kinds, pools, guide, sums, values, apart, width = dice
    tree.tries[n] += 1
    if tree.steps[n] < -1:
        if tree.made[n] == tree.moves[n]:
            seat = (-2 - tree.steps[n]) & 65535
            best, c = tree.child[n], tree.sibling[tree.child[n]]
            while c >= 0:
                if tree.value[c, seat] > tree.value[best, seat]:
                    best = c
                c = tree.sibling[c]
            for s in range(tree.out.size):
                tree.value[n, s] = tree.value[best, s]
        return
    row = kinds[tree.steps[n] >> 16, 0] + (tree.steps[n] & 65535)
    weight = np.int64(pools[4 * row])
    left = weight
    tree.out[:] = 0.0
    c = tree.child[n]
    while c >= 0:
        o = tree.label[c]
        one = np.int64(sums[o]) - (np.int64(sums[o - 1]) if o > tree.firsts[row] else np.int64(0))
        left -= one
        for s in range(tree.out.size):
            tree.out[s] += np.float64(one) * tree.value[c, s]
        c = tree.sibling[c]
    for s in range(tree.out.size):
        tree.value[n, s] = (tree.out[s] + np.float64(left) * tree.played[n, s]) / np.float64(weight)


@called
def add_child(tree, n, c, label):
    """Put node `c` among those after node `n`, in the order of their labels."""
    tree.label[c] = label
    before, one = np.int64(-1), tree.child[n]
    while one >= 0 and tree.label[one] < label:
        before, one = one, tree.sibling[one]
    tree.sibling[c] = one
    if before < 0:
        tree.child[n] = c
    else:
        tree.sibling[before] = c


@called
def child_with(tree, n, label):
    """Return the node after node `n` with a label; -1 if there is none."""
    c = tree.child[n]
    while c >= 0 and tree.label[c] != label:
        c = tree.sibling[c]
    return c


@called
def next_outcome(tree, dice, n):
    """Return the place of the next outcome of the roll of node `n`, whose sequence is spread evenly over all outcomes;
    -1 for a roll that is none of the tables, or with outcomes that are apart.
    """
    kinds, pools, guide, sums, values, apart, width = dice
    kind, which = tree.steps[n] >> 16, tree.steps[n] & 65535
    if kind >= kinds.shape[0] or which > kinds[kind, 1]:
        return np.int64(-1)
    row = kinds[kind, 0] + which
    if apart[row, 0] != 0:
        return np.int64(-1)
    part = (np.uint64(tree.phase[n]) + np.uint64(tree.tries[n]) * GOLDEN) & LOW
    high, low = multiply(part, pools[4 * row])
    return np.int64(place((high << HALF) | (low >> HALF), row, width, pools, guide, sums))


@called
def most_tried(tree, seat):
    """Return the node after node 0 that was tried most; of those tried as often, the one worth most to a seat."""
    best, c = tree.child[0], tree.sibling[tree.child[0]]
    while c >= 0:
        if tree.tries[c] > tree.tries[best] or (
            tree.tries[c] == tree.tries[best] and tree.value[c, seat] > tree.value[best, seat]
        ):
            best = c
        c = tree.sibling[c]
    return best


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, scratch, dice, counted, tree, cells, tries, seat, games, bonus, spread_games):
    _g = new_record()
    k0, k1, limit = run
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    slot.set_params
    slot.name_rows
    if tries < 0:
        return np.int64(-1)
    load_state(_g, setting, rows, cells)
    many = np.int64(1)
    judged = new_node(_g, run, setting, rows, scratch, dice, counted, tree, np.int64(0), games, np.int64(0))
    if judged < 0 or tree.steps[0] >= -1:
        return np.int64(-1)
    if not find_units(run, setting, rows, scratch, dice, counted, tree, bonus, spread_games):
        return np.int64(-1)
    tree.moves[0] = list_considered(_g, setting, rows, tree, np.int64(0))
    rolls = np.int64(0)
    for _ in range(max(tries, tree.moves[0])):
        n, deep, new = np.int64(0), np.int64(0), False
        while not new and tree.steps[n] != -1:
            tree.path[deep] = n
            deep += 1
            step = tree.steps[n]
            if step < -1:
                if tree.moves[n] < 0:
                    tree.moves[n] = list_considered(_g, setting, rows, tree, n)
                new = tree.made[n] < tree.moves[n]
                if not new:
                    n = most_hopeful(tree, n)
                    if n < 0:
                        return np.int64(-1)
                    continue
                if not after_move(_g, setting, rows, tree, n):
                    return np.int64(-1)
                label = tree.made[n]
                tree.made[n] += 1
            else:
                if tree.phase[n] < 0:
                    tree.phase[n] = np.int64(one_word(k0, k1, TREE, rolls, 0))
                    rolls += 1
                o = next_outcome(tree, dice, n)
                if o < 0:
                    return np.int64(-1)
                label = o // width
                c = child_with(tree, n, label)
                if c >= 0:
                    n = c
                    continue
                new = True
                load_state(_g, setting, rows, tree.cells[n])
                apply_roll(_g, setting, rows, dice, step >> 16, o)
                if _g._outside < 0:
                    return np.int64(-1)
            # The state of the game is new.
            more = new_node(_g, run, setting, rows, scratch, dice, counted, tree, many, games, games * judged)
            if more < 0:
                return np.int64(-1)
            judged += more
            add_child(tree, n, many, label)
            n = many
            many += 1
        if not new:
            tree.tries[n] += 1
        for i in range(deep - 1, -1, -1):
            update(tree, dice, tree.path[i])
    return tree.label[most_tried(tree, seat)]
