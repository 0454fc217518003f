"""Makes one step of many games, with one seat of each moved from outside.

`dicelab.kernels.writers.vector` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.kernels import rule_support as _rules
from dicelab.kernels.core import HALF, LOW, draw_slowly, one_word, place, record, unsigned
from dicelab.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)

slot.functions


@njit(nogil=True, cache=CACHED)
def kernel(k0, k1, limit, stride, setting, tables, rows, learner, lanes, step, report):
    _g = new_record()
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = tables
    moves, begins, varying, wanted = learner
    cells, counted, lane = lanes
    chosen, seen, mask, reward, over, refused, final, ended = step
    slot.set_params
    slot.name_rows
    learning, tally, sign, prize = wanted[0], wanted[1], wanted[2], wanted[3]
    for i in range(chosen.size):
        report[0] = i
        action = chosen[i]
        beginning = action < 0
        reward[i] = 0.0
        over[i] = refused[i] = False
        # One round, or two if the game ends: then the second begins the lane's next game.
        while True:
            before = counted[i, tally] if tally >= 0 else 0
            if beginning:
                t = made = 0
                asked = -1
                slot.reset
                slot.start
            else:
                t, made, asked = lane[i, 1], lane[i, 2], lane[i, 3]
                slot.load
                slot.load_tallies
            outcome = lane[i, 4]
            if asked >= 0:
                if t + made >= limit:
                    return slot.ENDLESS
                made += 1
                slot.move
                allowed = moves[action, 0] == asked
                if allowed:
                    slot.legal
                refused[i] = not allowed
                if allowed:
                    slot.rules
            # Play on, unless nothing has changed: the move was refused, or the game was over when it began.
            on = beginning or (asked >= 0 and not refused[i])
            while on:
                at = slot.next(slot.state)
                if at == -1:
                    asked = -1
                    outcome = np.int64(slot.outcome)
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
                    if (scaled & LOW) < pools[4 * row + 1]:
                        o = draw_slowly(k0, k1, lane[i, 0], t, row, pools, guide, sums, values, apart)
                    else:
                        o = place(scaled >> HALF, row, width, pools, guide, sums)
                    t += 1
                    slot.throws
                else:
                    kind = (-2 - at) >> 16
                    seat = (-2 - at) & 65535
                    if kind >= slot.decisions or seat >= who.size:
                        return slot.WRONG
                    made += 1
                    slot.choices
            if _g._outside < 0:
                return slot.WRONG
            slot.store
            slot.store_tallies
            lane[i, 1], lane[i, 2], lane[i, 3], lane[i, 4] = t, made, asked, outcome
            if not beginning:
                if tally >= 0:
                    reward[i] = sign * (counted[i, tally] - before)
                if asked < 0:
                    over[i] = True
                    reward[i] += np.float64(outcome == prize)
                    ended[i, 0] = outcome
                    for k in range(counted.shape[1]):
                        ended[i, 1 + k] = counted[i, k]
                    for k in range(varying.size):
                        final[i, k] = cells[i, varying[k]]
                    lane[i, 0] += stride
                    beginning = True
                    continue
            break
        for k in range(varying.size):
            seen[i, k] = cells[i, varying[k]]
        mask[i, :] = 0
        if asked >= 0:
            some = False
            for action in range(begins[asked], begins[asked + 1]):
                slot.move
                allowed = True
                slot.considered
                mask[i, action] = allowed
                some |= allowed
            if _g._outside < 0:
                return slot.WRONG
            if not some:
                return slot.NO_MOVE
    return slot.DONE
