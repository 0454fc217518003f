"""What the engines pass to their kernels, as named tuples of arrays, and the sizes on which both agree.

This module doesn't import Numba. All arrays of whole numbers are int64 unless their description says otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

ROW_BITS = 20
"""Lower bits of a place: the row of the table at which a game stands. The upper bits count its tallies."""
BANKS = 4
"""Copies of the histograms, used in turn: adding to a number that has just been added to would stall."""
PATIENCE = 64
"""Rounds of four rolls between two checks for games that last too long."""
BINS = 4096
"""Values of a tally that a histogram holds, from `LOWEST` on; others go to `spill` one by one."""
LOWEST = -1024


class Games(NamedTuple):
    """Which games to play."""

    k0: np.uint64
    """Lower half of the seed; `k1` is the upper half."""
    k1: np.uint64
    first: np.uint64
    """Index of the first game."""
    games: int
    """Number of games."""
    blocks: int
    """Blocks of four rolls after which a game is left to the compiled engine."""


class Setting(NamedTuple):
    """What depends on the parameters of the game and on the arguments of the strategies."""

    params: Array
    """Parameters, and limits of fields that depend on them."""
    args: Array
    """Arguments of the strategies (seats, arguments)."""
    who: Array
    """Number of the strategy of each seat."""
    starts: Array
    """Initial value of each field: of the state, then of the memories."""
    spans: Array
    """Lowest and highest number of each move (choices, numbers, 2)."""


class MemoRolls(NamedTuple):
    """The rolls of a game whose transitions are remembered; the first five are those of `outcome_tables.Tables`."""

    kinds: Array
    guide: Array
    """As in `Tables`, but with numbers of outcomes instead of places in `values`."""
    sums: Array
    values: Array
    width: int
    dice: Array
    """Five numbers for each row of dice (`dicelab.kernels.writers.memo`)."""
    listed: Array
    """uint16 array: the outcome of each number below `largest`, for each row of dice; empty if that is not used."""
    largest: np.uint64
    """Largest total weight."""
    doubtful: np.uint64
    """If the lower half of a word times `largest` is at least this, no row of dice rejects the word."""
    stride: np.uint64
    """Number of entries of a state."""
    change_at: np.uint64
    """First bit of the change of the tallies in an entry."""


class Memo(NamedTuple):
    """The transitions remembered by one thread, as `dicelab.kernels.writers.memo` describes them."""

    keys: Array
    """uint64 array (states, words): packed states."""
    table: Array
    """int32 array: numbers of states by the hash of their keys; -1 where there is none."""
    entries: Array
    """uint32 array of entries."""
    changes: Array
    """Different changes of the tallies (changes, tallies)."""
    added: Array
    """The same, each as one word."""
    found: Array
    """Numbers of states and changes so far, the place at which games begin, and what is counted there."""


class TurnTable(NamedTuple):
    """The states of one turn; the first five are those of `outcome_tables.Tables`, with an outcome for idle lanes."""

    kinds: Array
    guide: Array
    """As in `Tables`, but with numbers of outcomes instead of places in `values`."""
    sums: Array
    values: Array
    width: int
    info: Array
    """uint64 array: five numbers for each state (`dicelab.kernels.writers.turn`)."""
    entries: Array
    """uint64 array: the entry of each state and outcome."""
    kind_of: Array
    """Kind of the roll of each state."""
    fields: Array
    """Values of the fields of each state (states, fields)."""
    lows: Array
    """Lowest value of each field; `sizes` has the number of its values."""
    sizes: Array
    node_at: Array
    """Number of the state with each combination of values, in mixed radix; -1 where there is none."""
    bits: Array
    """Number of bits of each tally in an entry."""
    idle: np.uint64
    """State of lanes without a game."""


class Counted(NamedTuple):
    """What a kernel has counted."""

    counts: Array
    """Number of games with each outcome."""
    hist: Array
    """Number of games with each outcome and each value of a tally, from `LOWEST` on (outcomes, tallies, `BINS`)."""
    spill: Array
    """Values outside the histogram (rows, 3): outcome, tally, value."""


def games_of(seed: int, first: int, games: int, blocks: int) -> Games:
    """The games ``first`` to ``first + games - 1`` of a seed."""
    return Games(np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), np.uint64(first), games, blocks)


def counters(outcomes: int, tallies: int, spill: int) -> Counted:
    """Room for counts, with `spill` rows for values outside the histogram."""
    hist = np.zeros((outcomes, tallies, BINS), np.int64)
    return Counted(np.zeros(outcomes, np.int64), hist, np.empty((spill, 3), np.int64))
