"""Plays games of a network against itself, and keeps the states from which it learns.

`dicelab.compile.kernels.writers.thinking` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import HALF, LOW, below, draw_slowly, one_word, place, record, unsigned
from dicelab.compile.kernels.templates.slots import CACHED, slot
from dicelab.compile.kernels.templates.thinking import (
    end_worth,
    judge_state,
    judge_step,
    load_state,
    store_state,
    turn_end,
)

new_record = record(slot.slots)

slot.functions


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, dice, judge, met, report):
    _g = new_record()
    k0, k1, lo, hi, share, limit = run
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    states, best, greedy, begins, ends = met
    slot.set_params
    slot.name_rows
    met_now = np.int64(0)
    for game in range(lo, hi):
        report[0], report[1] = game - lo, met_now
        if met_now == states.shape[0]:
            return slot.FULL
        first, t, steps = met_now, np.int64(0), np.int64(0)
        begins[game - lo] = first
        begins[game - lo + 1] = first
        ends[game - lo, 0] = np.nan
        slot.reset
        slot.start
        store_state(_g, setting, rows, states[met_now])
        judge_state(judge, states[met_now])
        best[met_now] = judge.out
        greedy[met_now] = True
        met_now += 1
        while True:
            step = slot.next(slot.state)
            if step == -1 or steps == limit:
                break
            steps += 1
            if step >= 0:
                kind = step >> 16
                if kind >= kinds.shape[0] or (step & 65535) > kinds[kind, 1]:
                    return slot.WRONG
                row = kinds[kind, 0] + (step & 65535)
                scaled = one_word(k0, k1, game, t, 0) * pools[4 * row]
                u = scaled >> HALF
                if (scaled & LOW) < pools[4 * row + 1]:
                    u = draw_slowly(k0, k1, game, t, row, pools, guide, sums, values, apart, values)
                o = place(u, row, width, pools, guide, sums)
                t += 1
                slot.throws
                continue
            if met_now == states.shape[0]:
                return slot.FULL
            # The numbers that decide about random moves are those of games beyond all others.
            drawn = np.int64(below(k0, k1, np.int64(2**62) + game, 2 * steps, np.uint64(1 << 24), 0))
            u = np.int64(-1)
            if drawn < share:
                u = np.int64(below(k0, k1, np.int64(2**62) + game, 2 * steps + 1, np.uint64(1 << 24), 0))
            n = turn_end(_g, setting, rows, judge, step, -1)
            if n < 0:
                return slot.WRONG
            load_state(_g, setting, rows, judge.nodes[n])
            if judge_step(_g, setting, rows, judge, judge.nodes[n], judge.steps[n]):
                return slot.WRONG
            best[met_now] = judge.out
            greedy[met_now] = u < 0
            if u >= 0:
                load_state(_g, setting, rows, judge.nodes[0])
                n = turn_end(_g, setting, rows, judge, step, u)
            states[met_now] = judge.nodes[n]
            load_state(_g, setting, rows, judge.nodes[n])
            met_now += 1
        if step == -1:
            if end_worth(_g, setting, rows, judge):
                return slot.WRONG
            ends[game - lo] = judge.out
        else:
            met_now = first  # nothing is learned from a game that is given up
        if _g._outside < 0:
            return slot.WRONG
        begins[game - lo + 1] = met_now
    report[0], report[1] = hi - lo, met_now
    return slot.DONE
