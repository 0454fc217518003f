"""What a network says states are worth to each seat, if the one that chooses makes its best moves up to the next roll,
or the next choice of another seat; or the first of these moves.

`dicelab.questions.policies.skill.estimated_luck` calls it; `dicelab.compile.kernels.writers.thinking` fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import njit

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import record, unsigned
from dicelab.compile.kernels.templates.slots import CACHED, slot
from dicelab.compile.kernels.templates.thinking import (
    best_first,
    end_worth,
    judge_answers,
    judge_state,
    load_state,
    next_step,
    turn_end,
    waits,
)

new_record = record(slot.slots)

slot.functions


@njit(nogil=True, cache=CACHED)
def kernel(setting, rows, judge, states, worths, moves):
    _g = new_record()
    params, args, who, starts, spans = setting
    slot.set_params
    slot.name_rows
    for i in range(states.shape[0]):
        load_state(_g, setting, rows, states[i])
        judge.nodes[0] = states[i]
        n, step = 0, next_step(_g, setting, rows)
        if i < moves.shape[0]:
            e = best_first(_g, setting, rows, judge, step)
            if e < 0:
                return slot.WRONG
            moves[i] = judge.firsts[e]
            continue
        if step <= -2:
            n = turn_end(_g, setting, rows, judge, step, -1)
            if n < 0:
                return slot.WRONG
            step = judge.steps[n]
            load_state(_g, setting, rows, judge.nodes[n])
        if step == -1:
            if end_worth(_g, setting, rows, judge):
                return slot.WRONG
        elif waits(step):
            if judge_answers(_g, setting, rows, judge, step):
                return slot.WRONG
        else:
            judge_state(judge, judge.nodes[n])
        if _g._outside < 0:
            return slot.WRONG
        worths[i] = judge.out
    return slot.DONE
