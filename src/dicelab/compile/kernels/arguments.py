"""What the engines pass to their kernels, as named tuples of arrays, and the sizes on which both agree.

This module doesn't import Numba. All arrays of whole numbers are int64 unless their description says otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicelab.runtime.arrays import Array

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


class GameBatch(NamedTuple):
    """Which games to play one after the other, by the rules."""

    k0: np.uint64
    """Lower half of the seed; `k1` is the upper half."""
    k1: np.uint64
    low: int
    """Index of the first game; `high` is one above that of the last."""
    high: int
    prefill: int
    """Blocks of each game that are computed in advance."""
    limit: int
    """Rolls and choices after which a game is taken to be endless."""


class KernelSetting(NamedTuple):
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


class StateTable(NamedTuple):
    """A `dicelab.engines.tables.state.PlaceTable`, and how what it adds up is counted."""

    entries: Array
    """The table for 64-bit places."""
    short: Array
    """The same for 32-bit places; empty unless they suffice."""
    pairs: bool
    """Whether rolls are followed two at a time."""
    weight: np.uint64
    """Total weight of the dice; `rejected` is the number of words that it rejects."""
    rejected: np.uint64
    start: np.uint64
    """Place at which games begin; `void` is that of games that are not counted."""
    void: np.uint64
    live: np.uint64
    """Row of the first ending; the endings are ``1 << shift`` apart."""
    shift: np.uint64
    bits: int
    """Bits of each tally that grows."""
    lowest: int
    """Lowest value in a histogram, which has so many `bins`."""
    growing: int
    """Number of tallies that grow, at least 1."""
    bins: int


class CounterTable(NamedTuple):
    """The states of a game with counters, as `dicelab.compile.kernels.counter` describes them."""

    ways: Array
    """The transition of each state and number of its roll."""
    added: Array
    """What each change adds to each tally and counter (tallies and counters, changes)."""
    moved: Array
    """The rows of `added` that are not 0 everywhere."""
    peaks: Array
    """Numbers of the tallies that are peaks."""
    above: Array
    """To what each change raises each of them (peaks, changes): so much above `source`, the first of a row of lanes."""
    source: Array
    weight: np.uint64
    """Total weight of the dice; `rejected` is the number of words that it rejects."""
    rejected: np.uint64
    tallies: int
    """Number of tallies."""
    lows: Array
    """Lowest value of each counter; `highs` is one above the highest."""
    highs: Array
    start: int
    """State in which games begin, with the tallies and counters `begin`."""
    begin: Array


class MemoRolls(NamedTuple):
    """The rolls of a game whose transitions are remembered; the first five are those of `outcome_tables.Tables`."""

    kinds: Array
    guide: Array
    """As in `Tables`, but with numbers of outcomes instead of places in `values`."""
    sums: Array
    values: Array
    width: int
    dice: Array
    """Five numbers for each row of dice (`dicelab.engines.tables.memo`)."""
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
    """The transitions remembered by one thread, as `dicelab.engines.tables.memo` describes them."""

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
    """Numbers of states and changes so far, and the place at which games begin; 0 if it is not known."""


class TurnTable(NamedTuple):
    """The states of one turn; the first five are those of `outcome_tables.Tables`, with an outcome for idle lanes."""

    kinds: Array
    guide: Array
    """As in `Tables`, but with numbers of outcomes instead of places in `values`."""
    sums: Array
    values: Array
    width: int
    info: Array
    """uint64 array: five numbers for each state (`dicelab.engines.tables.turn`)."""
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


class Outcomes(NamedTuple):
    """The rolls of a game with all their outcomes, as `dicelab.solver.enumeration.enumerate_python.RollArrays` lists
    them.
    """

    kinds: Array
    wide: int
    first: Array
    many: Array
    values: Array
    weights: Array
    sums: Array


class Branches(NamedTuple):
    """Where the outcomes and moves of some states lead; those of the n-th are ``begins[n] .. begins[n + 1] - 1``."""

    begins: Array
    totals: Array
    """Sum of the weights of each state, 1 for a choice; `movers` has the seat that chooses, -1 for a roll."""
    movers: Array
    packed: Array
    """The next state of each branch (branches, words)."""
    ends: Array
    """0 where the game goes on, -1 - outcome where it is over."""
    since: Array
    """What is added to the tallies, then how far the view was rotated, where it is (branches, columns)."""
    heavy: Array
    """Weight of the outcome, or number of the move."""
    label: Array
    """Room for the labels of the edges."""


class ChainArrays(NamedTuple):
    """All states and edges that were found so far, as `dicelab.compile.kernels.writers.enumerate` describes them."""

    keys: Array
    table: Array
    """int32 array: numbers of states by the hash of their keys; -1 where there is none."""
    row: Array
    target: Array
    mover: Array
    changes: Array
    numbers_of_changes: Array
    """As `table`, for the changes."""
    labels: Array
    numbers_of_labels: Array
    """As `table`, for the labels."""


class SplitPacking(NamedTuple):
    """How states in two parts are packed (`dicelab.solver.turns.parts`)."""

    low: Array
    span: Array
    word: Array
    shift: Array
    outer: Array
    order: Array
    bit: Array


class Asked(NamedTuple):
    """Which branches of a turn are followed, from which beginnings."""

    beginnings: Array
    """The outer numbers of states (beginnings, numbers)."""
    numbers: Array
    """The inner numbers (nodes, numbers), and in `steps` what `next` asks for at each node."""
    steps: Array
    node: Array
    """The node of each branch; those of a node follow each other."""
    branch: Array
    """Number of the outcome or move."""


class BranchEnds(NamedTuple):
    """Where these branches lead, as `dicelab.compile.kernels.writers.turn_steps` describes it (beginnings,
    branches).
    """

    begins: Array
    """What `next` asks for at each beginning."""
    status: Array
    keys: Array
    step: Array
    by: Array
    gain: Array
    touched: Array

    @classmethod
    def room(cls, beginnings: int, branches: int, words: int) -> BranchEnds:
        """Room for the results of so many beginnings and branches."""
        shape = beginnings, branches
        numbers = [np.zeros(shape, np.int64) for _ in range(4)]
        keys = np.zeros((*shape, words), np.uint64)
        return cls(np.zeros(beginnings, np.int64), np.zeros(shape, np.int8), keys, *numbers)


class LearnerArrays(NamedTuple):
    """What one seat, moved from outside, can do and is rewarded for (`dicelab.compile.kernels.writers.vector`)."""

    moves: Array
    begins: Array
    varying: Array
    """Indices of the numbers of a state that are observed."""
    wanted: Array
    prizes: Array


class Lanes(NamedTuple):
    """The games of a batch between two steps: a row of each array for each game."""

    cells: Array
    counted: Array
    lane: Array


class BatchStep(NamedTuple):
    """One step of a batch: a row of each array for each game; the kernel fills all but `chosen`."""

    chosen: Array
    """Number of the action; -1 begins a game."""
    seen: Array
    """What is observed."""
    mask: Array
    """The actions that are sensible now."""
    reward: Array
    over: Array
    """Whether the game ended; `final` and `ended` then have its last state, its outcome and its tallies."""
    refused: Array
    """Whether the move was not allowed."""
    final: Array
    ended: Array


class KernelCounts(NamedTuple):
    """What a kernel has counted."""

    counts: Array
    """Number of games with each outcome."""
    hist: Array
    """Number of games with each outcome and each value of a tally, from `LOWEST` on (outcomes, tallies, `BINS`)."""
    spill: Array
    """Values outside the histogram (rows, 3): outcome, tally, value."""


def games_of(seed: int, first: int, games: int, blocks: int) -> Games:
    """Return the games ``first`` to ``first + games - 1`` of a seed."""
    return Games(np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), np.uint64(first), games, blocks)


def batch_of(seed: int, low: int, high: int, prefill: int, limit: int) -> GameBatch:
    """Return the games ``low`` to ``high - 1`` of a seed."""
    return GameBatch(np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), low, high, prefill, limit)


def counters(outcomes: int, tallies: int, spill: int) -> KernelCounts:
    """Room for counts, with `spill` rows for values outside the histogram."""
    hist = np.zeros((outcomes, tallies, BINS), np.int64)
    return KernelCounts(np.zeros(outcomes, np.int64), hist, np.empty((spill, 3), np.int64))
