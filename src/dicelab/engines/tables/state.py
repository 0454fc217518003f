"""The engine `table`: a lookup table of all transitions of a game of few states, followed by hundreds of games at once.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. Nothing is compiled for a game: all games have the
same kernel (`dicelab.compile.kernels.table`). The compiled engine plays the rare games with a rejected word, and games
that last very long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.arguments import BANKS, BINS, LOWEST, PATIENCE, ROW_BITS, Games, StateTable
from dicelab.engines.tables.base import Tabled
from dicelab.errors import NotSmall
from dicelab.rules.fields import MOST_COUNTED, Peak
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT, Explained
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.philox import pool
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.states.explorer import End, StateExplorer

# Packing --------------------------------------------------------------------------------------------------------------
#
# Packs a game of few states into one table: for each state and each number of its roll, what is added to a place.
#
# A roll is one uniform number below the total weight W of its dice, so each state has a row of W entries. The *place*
# of a game is one word that holds the row at which it stands and its tallies::
#
#     bits  0-19   row: the index of the first entry of the state, or of the ending
#     bits 20-63   tallies that grow: `Counting.bits` bits each, the first one lowest, each in its unit and plus a bias
#
# An entry is the difference of two places, modulo 2**64: the next row minus this one, and the changes of the tallies.
# `dicelab.compile.kernels.lanes` follows the table.

MOST_POSITIONS = 256
MOST_EDGES = 4096
"""Limit on the outcomes of all states together, which are explored in plain Python."""
MOST_COLUMNS = 2**18
"""Limit on the entries of a table: 2 MiB, which fit into the cache of one core."""
COUNT_BITS = 64 - ROW_BITS
LEAST_BITS, MOST_HISTOGRAMS = 8, 500
FEW_ENDINGS, HISTOGRAM_BITS = 32, 12
"""Up to so many endings, their rows are as far apart as their histograms (2**12), so that row + tally is the index of
the number to increase."""
SHORTEST, LONGEST = 256, 2**31
"""Shortest game, in rolls, that must not overflow its tallies; sentinel for "unbounded"."""
RARE = 2**32 >> 16
"""Limit on the number of 32-bit words that a roll may reject; other engines play games with more."""


@dataclass(frozen=True)
class Positions:
    """The states of a game and their transitions.

    Attributes
    ----------
    start
        The first state, and the change of the tallies before it.
    weights
        Total weight of the dice rolled in each state.
    ends
        For each state and each number below its weight: the next state, or ``-1 - outcome``, and the number of the
        change of the tallies.
    changes
        The changes of the tallies.
    choices
        The largest number of choices between two rolls.
    """

    start: End
    weights: list[int]
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int


def positions_of(run: Run) -> Positions:
    """Return the states of a game and their transitions, found by the rules in plain Python.

    Raises
    ------
    NotSmall
        If there are too many states, or outcomes of a roll, or none.
    """
    game = run.game
    if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()):
        raise NotSmall("a Peak can't be counted by adding")
    explorer = StateExplorer(run)
    if explorer.start[0] < 0:
        raise NotSmall("it is over before the first roll")
    weights: list[int] = []
    ends: list[list[End]] = []
    edges = columns = 0
    for here in explorer.positions.things:  # `follow` appends new states to it
        kind, dice = explorer.throw_at(here)
        with Explained(explorer.game):
            thrown = pool(explorer.game, kind, dice)
        columns += thrown.weight
        if not thrown.whole or columns > MOST_COLUMNS or 2**32 % thrown.weight > RARE:
            raise NotSmall(f"{kind.name} of {thrown.count} dice has too many outcomes for a table")
        row: list[End] = []
        for outcome in thrown.outcomes:
            row += [explorer.follow(kind, outcome.seen)] * outcome.weight
        weights.append(thrown.weight)
        ends.append(row)
        edges += len(thrown.outcomes)
        if len(explorer.positions.things) > MOST_POSITIONS or edges > MOST_EDGES:
            raise NotSmall(f"it has more than {min(len(explorer.positions.things), MOST_POSITIONS):,} states")
    return Positions(explorer.start, weights, ends, explorer.changes.things, explorer.choices)


def throws_within(changes: Iterable[Sequence[int]], start: Sequence[int]) -> int:
    """Return the number of rolls, each with one of these changes, that can't bring a tally beyond its limit; at most
    `LONGEST`.
    """
    most = [max(map(abs, by)) for by in zip(*changes, strict=True)]
    room = [(MOST_COUNTED - abs(first)) // by for first, by in zip(start, most, strict=False) if by]
    return max(0, min(room, default=LONGEST))


@dataclass(frozen=True)
class Counting:
    """How the tallies of a game are counted in its place.

    Tallies that change while a game goes on *grow*; all have equally many of the upper bits of the place, the first one
    the lowest. The other tallies change only when the game ends, if at all: their values together with the outcome are
    an *ending* of the game.

    Attributes
    ----------
    growing
        Numbers of the tallies that grow.
    units
        Greatest common divisor of the changes of each of these; the place counts multiples of it.
    bits
        Bits of each.
    throws
        Number of rolls in which none of them can overflow.
    spans
        For each of them, in its unit: smallest and largest change in one roll, and value at the start.
    endings
        Each outcome with the values of all tallies, 0 for those that grow.
    """

    growing: tuple[int, ...]
    units: tuple[int, ...]
    bits: int
    throws: int
    spans: tuple[tuple[int, int, int], ...]
    endings: list[tuple[int, tuple[int, ...]]]

    @classmethod
    def of(cls, positions: Positions) -> Counting:
        """Return the layout of the tallies in a place.

        Raises
        ------
        NotSmall
            If there are too many tallies, or they are too large.
        """
        changes, start = positions.changes, positions.changes[positions.start[1]]
        edges = {end for row in positions.ends for end in row}
        going_on = [changes[change] for target, change in edges if target >= 0]
        last = [changes[change] for target, change in edges if target < 0]
        made = going_on + last
        growing = tuple(k for k, by in enumerate(zip(*going_on, strict=True)) if any(by))
        units = tuple(gcd(start[k], *(by[k] for by in made)) or 1 for k in growing)
        spans = tuple(_span(k, unit, made, start) for k, unit in zip(growing, units, strict=True))
        bits = COUNT_BITS // max(1, len(growing))
        if bits < LEAST_BITS:
            raise NotSmall(f"its {len(growing)} tallies don't fit into one word")
        throws = min(_throws_until_full(bits, spans), throws_within(made, start))
        if throws < SHORTEST or any(abs(start[k]) >> bits - 2 for k in growing):
            raise NotSmall("its tallies are too many, or change by too much, to fit into one word")
        _must_not_be_large(start, last)
        endings = sorted({_ending(end, changes, start, growing) for end in edges if end[0] < 0})
        if len(endings) * len(growing) > MOST_HISTOGRAMS:
            raise NotSmall("it has too many endings")
        return cls(growing, units, bits, throws, spans, endings)

    def counted(self, low: int, high: int) -> int:
        """Return the number of rolls in which the tally that grows stays in `low` to ``high - 1``; 0 unless exactly one
        grows.
        """
        if len(self.spans) != 1:
            return 0
        least, most, start = self.spans[0]
        if not low <= start < high:
            return 0
        down = (low - start) // least if least < 0 else LONGEST
        up = (high - 1 - start) // most if most > 0 else LONGEST
        return min(down, up)

    @property
    def bias(self) -> int:
        """What is added to each tally that grows, so that its bits never hold a negative number."""
        return 1 << self.bits - 1

    def packed(self, change: tuple[int, ...], bias: int = 0) -> int:
        """Return a change of the tallies as a number that is added to a place; `bias` is added to each tally in its
        unit.
        """
        fields = [change[k] // unit + bias for k, unit in zip(self.growing, self.units, strict=True)] or [bias]
        return sum(value << ROW_BITS + self.bits * field for field, value in enumerate(fields))


def _span(k: int, unit: int, made: Iterable[Sequence[int]], start: Sequence[int]) -> tuple[int, int, int]:
    """Return the smallest and the largest change of tally k in one roll, and its value at the start, in its unit."""
    by = [0, *(change[k] // unit for change in made)]
    return min(by), max(by), start[k] // unit


def _throws_until_full(bits: int, spans: Iterable[tuple[int, int, int]]) -> int:
    """Return the number of rolls in which no tally of so many bits can overflow; at most `LONGEST`.

    It starts within 2**(bits - 2) of the bias 2**(bits - 1) and then changes by at most 2**(bits - 2).
    """
    return min([(1 << bits - 2) // (max(-down, up) + 1) for down, up, _ in spans], default=LONGEST)


def _must_not_be_large(start: Sequence[int], ends: Iterable[Sequence[int]]) -> None:
    """Refuse a game that may end at once with a tally beyond the limit."""
    if any(abs(first + by) > MOST_COUNTED for last in ends for first, by in zip(start, last, strict=True)):
        raise NotSmall("its tallies are too large")


def _ending(
    end: End, changes: list[tuple[int, ...]], start: tuple[int, ...], growing: tuple[int, ...]
) -> tuple[int, tuple[int, ...]]:
    """Return the ending to which the end of a transition belongs."""
    last = changes[end[1]]
    return -1 - end[0], tuple(0 if k in growing else first + last[k] for k, first in enumerate(start))


@dataclass(frozen=True)
class PlaceTable:
    """A game as a table of what each roll adds to its place.

    Attributes
    ----------
    entries
        uint64 array. With `pairs`, a row has an entry for each pair of rolls (first number * weight + second number);
        otherwise it has the weight, the rejection threshold, and then an entry for each number.
    pairs
        Rolls are followed two at a time, because the dice of all states have the same weight.
    weight, rejected
        That weight, and its rejection threshold: the number of 32-bit words that it rejects; 1 and 0 otherwise.
    start
        Place at the beginning.
    live, shift
        Row of the first ending. The endings are ``1 << shift`` apart, and the first is as far above the last row of a
        state. After the endings there is one more row, for games that are not counted.
    """

    entries: NDArray[np.uint64]
    pairs: bool
    weight: int
    rejected: int
    start: int
    live: int
    shift: int


def table_of(positions: Positions, counting: Counting, may_pair: bool = True) -> PlaceTable:
    """Return the table of a game; without `may_pair`, rolls are followed one at a time.

    Raises
    ------
    NotSmall
        When it would be too large.
    """
    weight = positions.weights[0] if len(set(positions.weights)) == 1 else 0
    size, endings = len(positions.weights), len(counting.endings)
    pairs = may_pair and weight > 0 and (size + 2 * endings + 2) * weight**2 <= MOST_COLUMNS
    widths = [weight**2] * size if pairs else [2 + w for w in positions.weights]
    rows = np.concatenate([[0], np.cumsum(widths)]).tolist()
    shift = max(widths[0] - 1 if pairs else 2, 1).bit_length()
    if endings < FEW_ENDINGS:
        shift = max(shift, HISTOGRAM_BITS)
    live = rows[-1] + (1 << shift)  # so far above the states that row + tally of a game that goes on is below it
    rows[-1:] = [live + (ending << shift) for ending in range(endings + 1)]
    total = live + (endings + 1 << shift)
    if total > 1 << ROW_BITS:
        raise NotSmall("its table would be too large")
    single = _single(positions, counting, np.array(rows, np.uint64))
    entries = np.zeros(total, np.uint64)
    for at, w, (targets, added) in zip(rows, positions.weights, single, strict=False):
        if pairs:  # an ending is not left by the second roll
            second = [single[target][1] if target < size else np.zeros(w, np.uint64) for target in targets.tolist()]
            entries[at : at + w * w] = (added[:, None] + second).reshape(-1)
        else:
            entries[at : at + 2 + w] = w, 2**32 % w, *added
    if not pairs:  # at an ending: weight 1, no rejection, and the entry of number 0 adds 0
        entries[rows[size:]] = 1
    begin = rows[positions.start[0]] + counting.packed(positions.changes[positions.start[1]], counting.bias)
    return PlaceTable(
        entries, pairs, weight if pairs else 1, 2**32 % weight if pairs else 0, begin % 2**64, live, shift
    )


def _single(
    positions: Positions, counting: Counting, rows: NDArray[np.uint64]
) -> list[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
    """For each state and each number of its roll: where it leads, and what it adds to the place.

    It leads to a state, or to an ending: these are numbered after the states, and so are their `rows`. What it adds is
    the next row - this row + the change of the tallies, modulo 2**64.
    """
    changes, size = positions.changes, len(positions.ends)
    number = {ending: size + k for k, ending in enumerate(counting.endings)}
    packed = np.array([counting.packed(change) % 2**64 for change in changes], np.uint64)
    throws = []
    for row, ends in zip(rows, positions.ends, strict=False):
        start = changes[positions.start[1]]
        leads = [end[0] if end[0] >= 0 else number[_ending(end, changes, start, counting.growing)] for end in ends]
        throws.append((np.array(leads), rows[leads] - row + packed[[change for _, change in ends]]))
    return throws


LONG = 4 * PATIENCE
"""Number of rolls that a game may go on after it has become too long, until the kernel checks."""


class TableEngine(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If the game has too many states, its tallies don't fit, or its rules can't be translated.
    """

    name = "table"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        positions = positions_of(self.run)
        self.counting = Counting.of(positions)
        throws = min(self.counting.throws, limit // (1 + positions.choices)) - LONG
        counted = self.counting.counted(LOWEST, LOWEST + BINS) - LONG
        if throws < SHORTEST // 2:
            raise NotSmall("it could play only very short games")
        self.table = table_of(positions, self.counting)
        self.direct = self.table.pairs and 1 << self.table.shift == BINS and counted >= SHORTEST
        self.short = np.zeros(0, np.uint32)
        if self.direct:
            self.short = self.table.entries.astype(np.uint32)
            throws = min(throws, counted)
        self.blocks = throws // 4
        self.text = cache.text_of("table")

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        table, counting = self.table, self.counting
        lowest, bins = (LOWEST, BINS) if counting.growing else (0, 1)
        shape = len(counting.endings) + 1, max(1, len(counting.growing)), bins
        unseen = table.live if self.direct else 0  # what the kernel counts for games that go on
        hist = np.zeros((BANKS, unseen + prod(shape)), np.int64)
        spill = np.empty((0 if self.direct else games.games * shape[1], 3), np.int64)
        less = counting.bias + LOWEST if self.direct else 0  # 32-bit places: tally - LOWEST instead of tally + bias
        unused = table.live + (len(counting.endings) << table.shift) + (counting.bias << ROW_BITS)
        start, void = (np.uint64((place - (less << ROW_BITS)) % 2**64) for place in (table.start, unused))
        weight, rejected, live, shift = map(np.uint64, (table.weight, table.rejected, table.live, table.shift))
        words = weight, rejected, start, void, live, shift
        given = StateTable(table.entries, self.short, table.pairs, *words, counting.bits, lowest, *shape[1:])
        slows, spilled = self._kernel(games, given, hist.reshape(-1), spill, slow)
        add_counted(counting, hist.sum(axis=0)[unseen:].reshape(shape), spill[:spilled], total)
        return int(slows)


def add_counted(counting: Counting, hist: NDArray[np.int64], spill: NDArray[np.int64], total: Tallied) -> None:
    """Add the counts of a kernel, by ending, tally that grows and value, to `total`; `spill` has other values."""
    for number, (outcome, values) in enumerate(counting.endings):
        others = spill[spill[:, 0] == number]
        games = int(hist[number, 0].sum()) + int((others[:, 1] == 0).sum())
        if games == 0:
            continue
        total.counts[outcome] += games
        for t, value in enumerate(values):
            if t not in counting.growing:
                total.histograms[outcome][t][value] += games
        for field, (t, unit) in enumerate(zip(counting.growing, counting.units, strict=True)):
            histogram = total.histograms[outcome][t]
            for at in hist[number, field].nonzero()[0].tolist():
                histogram[(at + LOWEST) * unit] += int(hist[number, field, at])
            for value in others[others[:, 1] == field, 2].tolist():
                histogram[value * unit] += 1
