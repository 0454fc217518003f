"""Functions of the kernels of `turn` and `memo`: rules applied to the game of one lane.

Only the functions are used: they follow the translated rules in the text of a kernel.
"""

# mypy: ignore-errors

import numpy as np

from dicelab.compile.kernels.core import guarded, tallied
from dicelab.compile.kernels.templates.slots import slot


@guarded
def choose(_g, setting, rows, most, game):
    """Make choices, at most so many, until dice are to be rolled or the game is over; returns the last step.

    `game` is its index, from which mixed strategies draw. The step is -1 where the game is over, and -2 where a rule
    went wrong.
    """
    params, args, who, starts, spans = setting
    slot.name_rows
    made = 0
    while True:
        step = slot.next(slot.state)
        if step >= -1:
            return step
        kind = (-2 - step) >> 16
        seat = (-2 - step) & 65535
        made += 1
        if kind >= slot.decisions or seat >= who.size or made > most:
            return -2
        slot.next_choice
        slot.choices


@guarded
def ended(_g, rows, outcomes):
    """Return the outcome of a game that is over; -1 if a rule went wrong."""
    slot.name_rows
    outcome = np.int64(slot.outcome)
    return -1 if outcome < 0 or outcome >= outcomes or _g._outside < 0 else outcome


@guarded
def count(_g, outcome, counted_games, spilled):
    """Count a game that is over; returns the number of rows in `spill`."""
    counts, hist, spill = counted_games
    counts[outcome] += 1
    slot.count
    return spilled
