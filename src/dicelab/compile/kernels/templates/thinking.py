"""Functions of kernels in which a network judges moves: all that the seat to choose can bring about before the next
roll, and what each of its moves is worth.

Only the functions are used: they follow the translated rules in the text of a kernel
(`dicelab.compile.kernels.writers.thinking`).
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels.hashtable import pack, place_of
from dicelab.compile.kernels.templates.slots import slot

called = njit  # as the writer defines it


@called
def load_state(_g, setting, rows, cells):
    """Put the game into a state: its numbers, and then the tallies."""
    slot.name_rows
    slot.load
    slot.load_tallies


@called
def store_state(_g, setting, rows, cells):
    """Write the state of the game, and then the tallies."""
    slot.name_rows
    slot.store
    slot.store_tallies


@called
def store_tallies(_g, cells):
    """Write the tallies."""
    slot.store_tallies


@called
def next_step(_g, setting, rows):
    """Return what `next` asks for."""
    params, args, who, starts, spans = setting
    slot.name_rows
    return slot.next(slot.state)


@called
def outcome_now(_g, setting, rows):
    """Return the outcome of a game that is over."""
    params, args, who, starts, spans = setting
    slot.name_rows
    return np.int64(slot.outcome)


@called
def list_moves(_g, setting, rows, asked, _options, sensible, listed):
    """Fill ``_options`` with the moves that are allowed, `sensible` with which are, and ``listed[0]`` with their
    number, which is returned; 0 if a rule went wrong.
    """
    params, args, who, starts, spans = setting
    slot.name_rows
    count = np.int64(0)
    slot.list
    listed[0] = count
    return count if _g._outside >= 0 else 0


@called
def make_move(_g, setting, rows, asked, _options, m):
    """Make a move that was listed."""
    params, args, who, starts, spans = setting
    slot.name_rows
    slot.take_option
    slot.rules


@called
def found_state(nodes, many, table):
    """Return the number of the state after the last of `many`, among them if it is one of them; else it becomes one."""
    h = np.uint64(1469598103934665603)
    for j in range(nodes.shape[1]):
        h = (h ^ np.uint64(nodes[many, j])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
    at = np.int64(h & np.uint64(table.size - 1))
    while table[at] >= 0:
        one, same = table[at], True
        for j in range(nodes.shape[1]):
            same &= nodes[one, j] == nodes[many, j]
        if same:
            return one
        at = (at + 1) & (table.size - 1)
    table[at] = many
    return many


@called
def see(judge, cells):
    """Pack a state as it is seen from the seat to move into ``judge.packed``; returns that seat, or -1 if a number is
    outside its range.
    """
    turn, numbers = judge.turn[0], judge.numbers
    by = cells[turn] if turn >= 0 else np.int64(0)
    for j in range(numbers.size):
        numbers[j] = cells[judge.seen[by, j]]
        if judge.single[j] and numbers[j] >= 0 and turn >= 0:
            numbers[j] = (numbers[j] - by) % judge.out.size
    wrong = pack(numbers, judge.low, judge.wide, judge.word, judge.shift, judge.packed, 0) >= 0
    return np.int64(-1) if wrong else by


@called
def add_inputs(hidden, first, coding, number, most, o):
    """Add to the first layer what a number from 0 to `most` gives to it; its inputs begin at `o`."""
    if coding == slot.one_of:
        for h in range(hidden.size):
            hidden[h] += slot.unit * first[o + number, h]
    elif coding == slot.up_to:
        for i in range(o, o + number):
            for h in range(hidden.size):
                hidden[h] += slot.unit * first[i, h]
    else:
        scaled = number * (slot.knots - 1) * slot.unit // most
        below, rest = scaled // slot.unit, scaled % slot.unit
        above = min(below + 1, slot.knots - 1)
        for h in range(hidden.size):
            hidden[h] += (slot.unit - rest) * first[o + below, h] + rest * first[o + above, h]
        if coding == slot.digits:
            o += slot.knots
            while number > 0:
                if number & 1:
                    for h in range(hidden.size):
                        hidden[h] += slot.unit * first[o, h]
                number >>= 1
                o += 1


@called
def judge_state(judge, cells):
    """Write what the network says a state is worth to each seat into ``judge.out``."""
    hidden, out, first = judge.hidden, judge.out, judge.first
    turn, seats = judge.turn[0], out.size
    by = cells[turn] if turn >= 0 else np.int64(0)
    if judge.known.shape[0] > 0 and see(judge, cells) >= 0:
        at = np.int64(judge.places[place_of(judge.packed, 0, judge.known, judge.places)])
        if at >= 0:
            for s in range(seats):
                out[(s + by) % seats] = judge.known_value[at, s]
            return
    for h in range(hidden.size):
        hidden[h] = slot.unit * judge.first_bias[h]
    for k in range(judge.spans.shape[0]):
        place, low, high, coding, o = (
            judge.spans[k, 0], judge.spans[k, 1], judge.spans[k, 2], judge.spans[k, 3], judge.spans[k, 4],
        )  # fmt: skip
        number = cells[judge.seen[by, place]]
        if judge.single[place] and number >= 0 and turn >= 0:
            number = (number - by) % seats
        add_inputs(hidden, first, coding, min(max(number, low), high) - low, high - low, o)
    for s in range(seats):
        total = slot.fine * judge.second_bias[s]
        for h in range(hidden.size):
            # Sums of whole numbers in floats are exact here, and a power of two divides them exactly.
            total += np.int64(np.floor(max(hidden[h], 0.0) / slot.unit)) * judge.second[h, s]
        seat = (s + by) % seats
        out[seat] = judge.least[s] + judge.span[s] * (np.float64(total) / slot.fine_squared)


@called
def end_worth(_g, setting, rows, judge):
    """Write what the end of a game is worth to each seat into ``judge.out``; returns whether rules went wrong.

    Rules may count something then.
    """
    outcome = outcome_now(_g, setting, rows)
    if outcome < 0 or outcome >= judge.prizes.shape[0] or _g._outside < 0:
        return True
    store_tallies(_g, judge.counted)
    for s in range(judge.out.size):
        worth = judge.prizes[outcome, s]
        for k in range(judge.counted.size):
            worth += judge.signs[k, s] * judge.counted[k]
        judge.out[s] = worth
    return False


@called
def waits(step):
    """Return whether a seat is to choose after others have chosen what all choose at once."""
    return step <= -2 and ((-2 - step) & 65535) > 0 and slot.together[(-2 - step) >> 16]


@called
def first_sensible(judge, count):
    """Return the number of the first move that was listed and is sensible; of the first one where none is."""
    for m in range(count):
        if judge.sensible[m]:
            return np.int64(m)
    return np.int64(0)


@called
def judge_answers(_g, setting, rows, judge, step):
    """As `judge_state`, where some of those who choose at once have not chosen yet: each of them in turn makes the move
    that is best for itself, if those after it make the first one allowed. Returns whether rules went wrong; the game
    moves on.
    """
    now, trial = judge.nodes[judge.nodes.shape[0] - 2], judge.nodes[judge.nodes.shape[0] - 1]
    while waits(step):
        store_state(_g, setting, rows, now)
        asked, seat = (-2 - step) >> 16, (-2 - step) & 65535
        count = list_moves(_g, setting, rows, asked, judge.options, judge.sensible, judge.listed)
        if count == 0:
            return True
        some = judge.sensible[first_sensible(judge, count)]
        best, chosen = -np.inf, np.int64(-1)
        for m in range(count):
            load_state(_g, setting, rows, now)
            list_moves(_g, setting, rows, asked, judge.options, judge.sensible, judge.listed)
            if some and not judge.sensible[m]:
                continue
            make_move(_g, setting, rows, asked, judge.options, m)
            step = next_step(_g, setting, rows)
            while waits(step):
                later = (-2 - step) >> 16
                many = list_moves(_g, setting, rows, later, judge.options, judge.sensible, judge.listed)
                if many == 0:
                    return True
                make_move(_g, setting, rows, later, judge.options, first_sensible(judge, many))
                step = next_step(_g, setting, rows)
            if _g._outside < 0:
                return True
            if step == -1:
                if end_worth(_g, setting, rows, judge):
                    return True
            else:
                store_state(_g, setting, rows, trial)
                judge_state(judge, trial)
            if judge.out[seat] > best:
                best, chosen = judge.out[seat], np.int64(m)
        load_state(_g, setting, rows, now)
        list_moves(_g, setting, rows, asked, judge.options, judge.sensible, judge.listed)
        make_move(_g, setting, rows, asked, judge.options, chosen)
        step = next_step(_g, setting, rows)
    if step == -1:
        return end_worth(_g, setting, rows, judge)
    store_state(_g, setting, rows, trial)
    judge_state(judge, trial)
    return False


@called
def judge_step(_g, setting, rows, judge, cells, step):
    """Write what the state of the game, which is also in `cells`, is worth to each seat into ``judge.out``; returns
    whether rules went wrong. The game may move on.
    """
    if step == -1:
        return end_worth(_g, setting, rows, judge)
    if waits(step):
        return judge_answers(_g, setting, rows, judge, step)
    judge_state(judge, cells)
    return False


@called
def raise_values(row, edges, value, many):
    """Set what each node is worth to the most that any node is worth to which its edges lead."""
    changed = True
    while changed:
        changed = False
        for n in range(many - 1, -1, -1):
            for e in range(row[n], row[n + 1]):
                if value[edges[e]] > value[n]:
                    value[n] = value[edges[e]]
                    changed = True


@called
def goes_on(step, seat, n, many, made):
    """Return whether the moves of node `n` are followed: those of the seat, as long as there is room."""
    if step > -2 or ((-2 - step) & 65535) != seat:
        return False
    return n == 0 or (many <= slot.most_nodes and made <= slot.most_edges)


@called
def look_ahead(_g, setting, rows, judge, step):
    """Find the states to which the choices of a seat can lead before the next roll, or another seat's choice, and what
    they are worth to it; returns how many they are, -1 if a rule went wrong. The game stays where it is.

    Node 0 is the state of the game. The edges of node n are ``judge.row[n] .. judge.row[n + 1] - 1``; one without edges
    is judged. A node whose moves have no room any more is judged as it is.
    """
    nodes, row, edges, steps, value = judge.nodes, judge.row, judge.edges, judge.steps, judge.value
    seat, table = (-2 - step) & 65535, judge.table
    from_node = judge.from_node
    table[:] = -1
    from_node[0] = -1
    store_state(_g, setting, rows, nodes[0])
    found_state(nodes, 0, table)
    many, made, n = 1, 0, 0
    while n < many:
        row[n] = made
        if n > 0:
            load_state(_g, setting, rows, nodes[n])
            step = next_step(_g, setting, rows)
        steps[n] = step
        value[n] = -np.inf
        follows = goes_on(step, seat, n, many, made)
        if follows:
            asked = (-2 - step) >> 16
            if asked >= slot.decisions:
                return -1
            count = list_moves(_g, setting, rows, asked, judge.options, judge.sensible, judge.listed)
            if count == 0:
                return -1
            some = judge.sensible[first_sensible(judge, count)]
            for m in range(count):
                if some and not judge.sensible[m]:
                    continue
                load_state(_g, setting, rows, nodes[n])
                make_move(_g, setting, rows, asked, judge.options, m)
                if _g._outside < 0:
                    return -1
                store_state(_g, setting, rows, nodes[many])
                found = found_state(nodes, many, table)
                if found == many:
                    from_node[found] = -1
                    many += 1
                if from_node[found] == n:
                    continue
                from_node[found] = n
                edges[made] = found
                if n == 0:
                    for j in range(judge.options.shape[1]):
                        judge.firsts[made, j] = judge.options[m, j]
                made += 1
        if not follows:
            if step != -1 and not waits(step):
                judge_state(judge, nodes[n])
            elif judge_step(_g, setting, rows, judge, nodes[n], step):
                return -1
            value[n] = judge.out[seat]
        n += 1
    row[many] = made
    load_state(_g, setting, rows, nodes[0])
    raise_values(row, edges, value, many)
    return many


@called
def best_first(_g, setting, rows, judge, step):
    """Return the number of the best of the moves that are listed in ``judge.firsts``, of equal ones the first that ends
    the game, else the first; -1 if a rule went wrong.
    """
    if look_ahead(_g, setting, rows, judge, step) < 0:
        return -1
    best = np.int64(0)
    for e in range(judge.row[1]):
        one, other = judge.edges[e], judge.edges[best]
        better = judge.value[one] > judge.value[other]
        ends = judge.steps[one] == -1 and judge.steps[other] != -1
        if better or (ends and judge.value[one] == judge.value[other]):
            best = np.int64(e)
    return best


@called
def turn_end(_g, setting, rows, judge, step, u):
    """Return the number of the node at which the seat's choices end: the best one, or the one of number `u` modulo how
    many they are if it isn't negative; -1 if a rule went wrong.
    """
    many = look_ahead(_g, setting, rows, judge, step)
    leaves, best = np.int64(0), np.int64(-1)
    for n in range(many):
        if judge.row[n] == judge.row[n + 1]:
            leaves += 1
            better = best < 0 or judge.value[n] > judge.value[best]
            if better or (judge.value[n] == judge.value[best] and judge.steps[n] == -1 and judge.steps[best] != -1):
                best = np.int64(n)
    if u < 0 or best < 0:
        return best
    left = u % leaves
    for n in range(many):
        if judge.row[n] == judge.row[n + 1]:
            if left == 0:
                return np.int64(n)
            left -= 1
    return best
