"""Plays one game step by step: each call begins it, makes one roll or one choice, or lists the moves.

`dicelab.compile.kernels.writers.step` explains it, and fills the slots.
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
def place_rolled(k0, k1, call, dice, seen):
    """Write what a roll shows into `seen`, the outcome that was chosen or the next one of the game; return its place,
    -1 where no such roll is asked for.
    """
    kinds, pools, guide, sums, values, apart, width = dice
    t, at = call[1], call[3]
    kind = at >> 16
    if at < 0 or kind >= kinds.shape[0] or (at & 65535) > kinds[kind, 1]:
        return np.int64(-1)
    o = np.int64(call[2] * width)
    if call[0] == slot.ROLL:
        row = kinds[kind, 0] + (at & 65535)
        scaled = one_word(k0, k1, call[4], t, 0) * pools[4 * row]
        u = scaled >> HALF
        if (scaled & LOW) < pools[4 * row + 1]:
            u = draw_slowly(k0, k1, call[4], t, row, pools, guide, sums, values, apart, values)
        o = np.int64(place(u, row, width, pools, guide, sums))
    for j in range(kinds[kind, 2]):
        seen[j] = values[o + j]
    return o


@njit(nogil=True, cache=CACHED)
def kernel(k0, k1, setting, rows, dice, cells, counted, call, move, _options, sensible, seen):
    _g = new_record()
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    slot.set_params
    slot.name_rows
    wanted, t, at = call[0], call[1], call[3]
    i = np.int64(0)
    if wanted == slot.BEGIN:
        slot.reset
        slot.start
    else:
        slot.load
        slot.load_tallies
    if wanted == slot.ROLL or wanted == slot.OUTCOME:
        kind = at >> 16
        o = place_rolled(k0, k1, call, dice, seen)
        if o < 0:
            return slot.WRONG
        slot.throws
    elif wanted == slot.CHOOSE:
        kind = (-2 - at) >> 16
        seat = (-2 - at) & 65535
        if at > -2 or kind >= slot.decisions or seat >= who.size:
            return slot.WRONG
        slot.choices
        slot.keep_move
    elif wanted == slot.MOVE or wanted == slot.LIST:
        asked = (-2 - at) >> 16
        if at > -2 or asked >= slot.decisions:
            return slot.WRONG
        if wanted == slot.LIST:
            count = np.int64(0)
            slot.list
            call[2] = count
            return slot.WRONG if _g._outside < 0 else slot.DONE
        slot.take_move
        allowed = True
        slot.legal
        if not allowed:
            return slot.REFUSED
        slot.rules
    elif wanted == slot.ROWS:
        slot.open
        return slot.WRONG if _g._outside < 0 else slot.DONE
    call[3] = slot.next(slot.state)
    if call[3] == -1:
        call[2] = np.int64(slot.outcome)
    if _g._outside < 0:
        return slot.WRONG
    slot.store
    slot.store_tallies
    return slot.DONE
