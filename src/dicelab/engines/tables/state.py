"""The engine `table`: a lookup table of all transitions of a game of few states, followed by hundreds of games at once.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. Nothing is compiled for a game: all games have the
same kernel (`dicelab.compile.kernels.table`). The compiled engine plays the rare games with a rejected word, and games
that last very long.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.arguments import BANKS, BINS, LOWEST, PATIENCE, ROW_BITS, Games, StateTable
from dicelab.engines.tables.base import Tabled
from dicelab.engines.tables.packing import SHORTEST, Counting, positions_of, table_of
from dicelab.errors import NotSmall
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call
from dicelab.runtime.totals import Tallied

LONG = 4 * PATIENCE
"""Number of rolls that a game may go on after it has become too long, until the kernel checks."""


class TableEngine(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If the game has too many states, its tallies don't fit, or its rules can't be translated.
    PlayError
        If a rule or a strategy breaks the contract in a reachable state.
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
