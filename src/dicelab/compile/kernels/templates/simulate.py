"""Plays many games, one after the other, by the rules.

`dicelab.compile.kernels.writers.simulate` explains it, and fills the slots.
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
    record,
    search,
    some_words,
    tallied,
    unsigned,
)
from dicelab.compile.kernels.templates.slots import CACHED, slot

new_record = record(slot.slots)

slot.functions


@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, first, more, dice, counted, report, records, resumed):
    _g = new_record()
    k0, k1, lo, hi, prefill, limit = run
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    counts, hist, spill = counted
    slot.set_params
    slot.name_rows
    prefilled = 4 * prefill
    slot.prepare
    full = spill.shape[0] - slot.tallies  # above this there is no room for the tallies of one more game
    spilled = np.int64(0)
    throws = 0
    # Games lo .. base - 1 are played and counted. The first blocks of the next 64 games are computed together.
    for base in range(lo, hi, GAMES):
        for b in range(prefill):
            some_words(
                first[b * 4 * GAMES : (b + 1) * 4 * GAMES], k0, k1, base, b, np.int64(GAMES), np.int64(1), np.int64(0)
            )
        for i in range(min(GAMES, hi - base)):
            game = slot.game
            report[0] = base + i - lo
            if spilled > full:
                report[1] = throws
                report[2] = spilled
                return slot.FULL
            slot.begin
            choices = 0
            made = -slot.blocks  # `more` holds blocks made .. made + BLOCKS - 1 of this game; none yet
            # Each round makes roll t or one choice. A step is -1 (over), kind << 16 | dice (a roll; 0 dice: all of
            # them), or -2 - (kind << 16 | seat) (a choice).
            while True:
                step = slot.next(slot.state)
                if step == -1:
                    break
                if t + choices >= limit:
                    return slot.ENDLESS
                if step >= 0:
                    slot.which
                    if t < prefilled:
                        word = first[unsigned(t * GAMES + i)]
                    else:
                        b = (t >> 2) - made
                        if b >= slot.blocks or b < 0:
                            made = t >> 2
                            some_words(more, k0, k1, game, made, np.int64(slot.blocks), np.int64(0), np.int64(1))
                            b = 0
                        word = more[unsigned((t & 3) * GAMES + b)]
                    # Upper half: a number below the weight. Lower half: what decides about rejection.
                    scaled = np.uint64(word) * slot.weight
                    u = scaled >> HALF
                    if (scaled & LOW) < slot.reject:
                        u = slot.again
                    o = np.int64(guide[slot.place + (u >> slot.shift)])
                    if o < 0:
                        o = search(u, o, width, sums)
                    t += 1
                    slot.throws
                else:
                    kind = (-2 - step) >> 16
                    seat = (-2 - step) & 65535
                    if kind >= slot.decisions or seat >= who.size:
                        return slot.BAD_STEP
                    choices += 1
                    slot.choices
            throws += t
            outcome = np.int64(slot.outcome)
            if outcome < 0 or outcome >= counts.size or _g._outside < 0:
                return slot.BAD_OUTCOME
            counts[outcome] += 1
            if base + i - lo < records.shape[0]:
                slot.record
            slot.count
    report[0] = hi - lo
    report[1] = throws
    report[2] = spilled
    return slot.DONE
