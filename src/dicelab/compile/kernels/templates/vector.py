"""Makes one step of many games, with one seat of each moved from outside.

`dicelab.compile.kernels.writers.vector` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import HALF, LOW, draw_slowly, guarded, one_word, place, record, unsigned
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)

slot.functions


@guarded
def make(_g, action, asked, moves, rows, setting):
    """Make a move in the choice that is asked for, if it is legal; returns whether it is."""
    params, args, who, starts, spans = setting
    slot.name_rows
    slot.move
    allowed = moves[action, 0] == asked
    if allowed:
        slot.legal
    if allowed:
        slot.rules
    return allowed


@guarded
def play_on(_g, i, k0, k1, limit, setting, tables, rows, learning, lane):
    """Play on until the learner is asked, or the game is over; returns a status."""
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = tables
    slot.name_rows
    t, made = lane[i, 1], lane[i, 2]
    while True:
        at = slot.next(slot.state)
        if at == -1:
            asked = -1
            lane[i, 4] = np.int64(slot.outcome)
            break
        if at < -1 and ((-2 - at) & 65535) == learning:
            asked = (-2 - at) >> 16
            if asked >= slot.decisions:
                return slot.WRONG
            break
        if t + made >= limit:
            return slot.ENDLESS
        if at >= 0:
            kind = at >> 16
            if kind >= kinds.shape[0] or (at & 65535) > kinds[kind, 1]:
                return slot.WRONG
            row = kinds[kind, 0] + (at & 65535)
            scaled = one_word(k0, k1, lane[i, 0], t, 0) * pools[4 * row]
            u = scaled >> HALF
            if (scaled & LOW) < pools[4 * row + 1]:
                u = draw_slowly(k0, k1, lane[i, 0], t, row, pools, guide, sums, values, apart, values)
            o = place(u, row, width, pools, guide, sums)
            t += 1
            slot.throws
        else:
            kind = (-2 - at) >> 16
            seat = (-2 - at) & 65535
            if kind >= slot.decisions or seat >= who.size:
                return slot.WRONG
            made += 1
            slot.choices
    lane[i, 1], lane[i, 2], lane[i, 3] = t, made, asked
    return slot.DONE


@guarded
def keep_ended(i, cells, counted, lane, varying, final, ended):
    """Keep the outcome, the tallies and the last state of a game that is over."""
    ended[i, 0] = lane[i, 4]
    for k in range(counted.shape[1]):
        ended[i, 1 + k] = counted[i, k]
    for k in range(varying.size):
        final[i, k] = cells[i, varying[k]]


@guarded
def list_moves(_g, i, asked, moves, begins, mask, rows, setting):
    """Mark the moves that are sensible in the choice that is asked for; returns a status."""
    params, args, who, starts, spans = setting
    slot.name_rows
    some = False
    for action in range(begins[asked], begins[asked + 1]):
        slot.move
        allowed = True
        slot.considered
        mask[i, action] = allowed
        some |= allowed
    if _g._outside < 0:
        return slot.WRONG
    return slot.DONE if some else slot.NO_MOVE


@njit(nogil=True, cache=CACHED)
def kernel(k0, k1, limit, stride, setting, tables, rows, learner, lanes, step, report):
    _g = new_record()
    params, args, who, starts, spans = setting
    moves, begins, varying, wanted, prizes = learner
    cells, counted, lane = lanes
    chosen, seen, mask, reward, over, refused, final, ended = step
    slot.set_params
    slot.name_rows
    learning, tally, sign = wanted[0], wanted[1], wanted[2]
    for i in range(chosen.size):
        report[0] = i
        beginning = chosen[i] < 0
        reward[i] = 0.0
        over[i] = refused[i] = False
        # One round, or two if the game ends: then the second begins the lane's next game.
        while True:
            before = counted[i, tally] if tally >= 0 else 0
            asked = -1
            if beginning:
                lane[i, 1:4] = 0
                slot.reset
                slot.start
            else:
                asked = lane[i, 3]
                slot.load
                slot.load_tallies
            if asked >= 0:
                if lane[i, 1] + lane[i, 2] >= limit:
                    return slot.ENDLESS
                lane[i, 2] += 1
                refused[i] = not make(_g, chosen[i], asked, moves, rows, setting)
            # Play on, unless nothing has changed: the move was refused, or the game was over when it began.
            if beginning or (asked >= 0 and not refused[i]):
                status = play_on(_g, i, k0, k1, limit, setting, tables, rows, learning, lane)
                if status != slot.DONE:
                    return status
            if _g._outside < 0:
                return slot.WRONG
            slot.store
            slot.store_tallies
            if beginning:
                break
            if tally >= 0:
                reward[i] = sign * (counted[i, tally] - before)
            if lane[i, 3] >= 0:
                break
            over[i] = True
            reward[i] += prizes[lane[i, 4]]
            keep_ended(i, cells, counted, lane, varying, final, ended)
            lane[i, 0] += stride
            beginning = True
        for k in range(varying.size):
            seen[i, k] = cells[i, varying[k]]
        mask[i, :] = 0
        if lane[i, 3] >= 0:
            status = list_moves(_g, i, lane[i, 3], moves, begins, mask, rows, setting)
            if status != slot.DONE:
                return status
    return slot.DONE
