"""Plays games by their rules on a GPU, one game in each thread at a time.

`dicelab.extras.gpu.rules` explains it, and fills the slots.
"""

# mypy: ignore-errors

import numpy as np
from numba import cuda, uint32, uint64

from dicelab.compile.kernels import rule_support as _rules
from dicelab.compile.kernels.core import FIRST_LANE, HALF, LOW, below, draw_slowly, guarded, record, search, unsigned
from dicelab.compile.kernels.core import place as place_of
from dicelab.compile.kernels.templates.slots import slot
from dicelab.extras.gpu import rule_support as _gpu
from dicelab.extras.gpu.kernel import BOUNDS, philox
from dicelab.extras.gpu.shape import COUNTERS

new_record = record(slot.slots)
new_lane = record(["rolls", "choices"])

slot.functions


@guarded
def advance(_lane, arrays, word, limit, k0, k1, game, setting, dice):
    """Make the choices before the next roll, and that roll; returns `GOES_ON`, or why there is no such roll."""
    slot.unpack
    args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = dice
    # A step is -1 (over), kind << 16 | dice (a roll; 0 dice: all of them), or -2 - (kind << 16 | seat) (a choice).
    while True:
        step = slot.next(slot.state)
        if step == -1:
            return slot.OVER
        if _lane.rolls + _lane.choices >= limit or _g._outside < 0:
            return slot.LEFT
        if step >= 0:
            break
        kind = (-2 - step) >> 16
        seat = (-2 - step) & 65535
        if kind >= slot.decisions or seat >= who.size:
            return slot.LEFT
        _lane.choices += 1
        choices = _lane.choices
        slot.choices
    slot.prepare
    slot.which
    scaled = uint64(word) * uint64(uint32(slot.weight))  # upper half: a number below the weight; lower half: rejection
    u = scaled >> HALF
    if (scaled & LOW) < slot.reject:
        slot.slowly
    else:
        o = np.int64(guide[slot.place + (u >> slot.shift)])
        if o < 0:
            o = search(u, o, width, sums)
    _lane.rolls += 1
    slot.throws
    return slot.GOES_ON


@guarded
def tallied(outcome, tally, value, near, width, hist, spill, spilled):
    """Count the value of a tally: in shared memory, in `hist`, or as a row of `spill`."""
    at = unsigned(outcome * hist.shape[1] + tally)
    if unsigned(value) < unsigned(width):
        cuda.atomic.add(near, at * unsigned(width) + unsigned(value), uint32(1))
    elif unsigned(value - slot.LOWEST) < unsigned(hist.shape[2]):
        cuda.atomic.add(hist, (outcome, tally, value - slot.LOWEST), unsigned(1))
    else:
        row = cuda.atomic.add(spilled, 0, 1)
        if row < spill.shape[0]:
            spill[row, 0] = outcome
            spill[row, 1] = tally
            spill[row, 2] = value


@cuda.jit(**BOUNDS)
def kernel(run, games, limit, setting, dice, policies, hist, spill, left, noted):
    """Play games.

    Parameters
    ----------
    run
        uint64 array: key (two halves), and index of the first game.
    games, limit
        Number of games, and of rolls and choices after which one is left to the compiled engine.
    setting, dice, policies
        Arrays: of `dicelab.compile.kernels.arguments.KernelSetting` without the first, of
        `dicelab.runtime.outcome_tables.Tables`, and of the policies.
    hist
        uint64 array (outcomes, tallies, values), to which games are added.
    spill
        int64 array (rows, 3) for values outside: outcome, tally, value.
    left
        int64 array for the games that are left to the compiled engine.
    noted
        int64 array: how many values are outside, and how many games are left.
    """
    near = cuda.shared.array(COUNTERS, uint32)
    for n in range(cuda.threadIdx.x, COUNTERS, cuda.blockDim.x):
        near[n] = 0
    cuda.syncthreads()
    groups = hist.shape[0] * hist.shape[1]
    width = min(COUNTERS // groups, hist.shape[2] + slot.LOWEST)
    _g = new_record()
    _lane = new_lane()
    args, who, starts, spans = setting
    slot.set_params
    slot.name_rows
    k0, k1 = run[0], run[1]
    block = 0
    i = cuda.grid(1)
    # Each round makes the four rolls of a block of random words, so that all lanes of a warp compute blocks together;
    # a game that ends within a block waits for its end. Then the lane goes on with its next game.
    while i < games:
        game = np.int64(run[2] + unsigned(i))
        if block == 0:
            _lane.rolls = 0
            _lane.choices = 0
            slot.begin
        a, b, c, d = philox(
            uint32(k0),
            uint32(k1),
            uint32(block),
            uint32(0),
            uint32(unsigned(game) & LOW),
            uint32(unsigned(game) >> HALF),
        )
        status = slot.GOES_ON
        part = 0
        while part < 4 and status == slot.GOES_ON:
            status = advance(_lane, (slot.arrays), a, limit, k0, k1, game, setting, dice)
            a, b, c = b, c, d
            part += 1
        block += 1
        if status != slot.GOES_ON:
            outcome = np.int64(slot.outcome)
            if status == slot.OVER and 0 <= outcome < hist.shape[0] and _g._outside >= 0:
                slot.count
            else:
                at = cuda.atomic.add(noted, 1, 1)
                if at < left.size:
                    left[at] = i
                _g._outside = 0
            block = 0
            i += cuda.gridsize(1)
    cuda.syncthreads()
    for n in range(cuda.threadIdx.x, groups * width, cuda.blockDim.x):
        if near[n] > 0:
            of = n // width
            at = of // hist.shape[1], of % hist.shape[1], n % width - slot.LOWEST
            cuda.atomic.add(hist, at, uint64(near[n]))
