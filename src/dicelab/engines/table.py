"""The table engine: games of few positions, numbered once and followed through a table, hundreds at a time.

It plays the games of `dicelab.engines.reference`, bit for bit. Nothing is compiled for a game: the kernel is the same
for all of them (`dicelab.engines.table_kernel`). Where a game needs more than the first word for a throw, which is
rare, or lasts very long, the reference engine plays it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import cache
from dicelab.engines import kernel as k
from dicelab.engines.plan import Run
from dicelab.engines.reference import LIMIT, Call, play
from dicelab.engines.small import SHORTEST, Counting, NotSmall, positions_of, table_of
from dicelab.engines.tally import Tallied
from dicelab.rules.game import Game, fresh, outcome_names

BANKS = 4
PATIENCE = 64 * 4
"""Throws that a game may go on after it has become too long."""
PAGE = 2**32
"""Games of one call share the upper half of their index."""


class Table:
    """A game with its parameters and strategies, ready to be played many times.

    Parameters
    ----------
    game
        The game; only its parameters matter.
    calls
        One strategy for each seat; empty in a game without choices.
    limit
        Throws and choices after which a game is taken to be endless.

    Raises
    ------
    NotSmall
        When the game has too many positions, or what it counts does not fit.
    PlayError
        When a rule or a strategy breaks the contract at some position that can be reached.
    """

    name = "table"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        self.game = game
        self.calls = calls
        self.limit = limit
        positions = positions_of(Run(game, tuple(calls)))
        if positions.start[0] < 0:
            raise NotSmall("it is over before anything is thrown")
        self.counting = Counting.of(positions)
        throws = min(self.counting.throws, limit // (1 + positions.choices)) - PATIENCE
        if throws < SHORTEST // 2:
            raise NotSmall("it is to be stopped too early")
        self.outcomes = max(1, len(outcome_names(game)))
        self.table = table_of(positions, self.counting)
        self.blocks = throws // 4
        self.tallies = len(game.declared.tallies)
        self.text = Path(__file__).with_name("table_kernel.py").read_text()

    def compile(self) -> None:
        """Compile the kernel, which is kept for all games."""
        cache.compile_now(self.text, self._play_none, self.game.name, {})

    def _play_none(self) -> None:
        self._kernel = cache.load(self.text)
        self._play(0, 0, 0, Tallied.empty(self.outcomes, self.tallies))

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play games `low` to ``high - 1`` of a seed.

        Raises
        ------
        PlayError
            Naming the seed and the game.
        """
        total = Tallied.empty(self.outcomes, self.tallies)
        while low < high:
            upto = min(high, (low // PAGE + 1) * PAGE)
            self._play(seed, low, upto, total)
            low = upto
        return total

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> None:
        table, counting = self.table, self.counting
        hist = np.zeros((BANKS, len(counting.endings) + 1, max(1, len(counting.growing)), k.BINS), np.int64)
        spill = np.empty(((high - low) * hist.shape[2], 3), np.int64)
        slow = np.empty(high - low, np.int64)
        void = np.uint64(table.live + (len(counting.endings) << table.shift))
        words = [np.uint64(n) for n in (table.weight, table.rejected, table.start, table.live, table.shift)]
        games = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), np.uint64(low), high - low
        ending = void, counting.bits, self.blocks, k.LOWEST, hist.shape[2:], hist.reshape(-1), spill, slow
        numbers: Any = self._kernel(*games, table.entries, table.pairs, *words, *ending)
        slows, spilled = numbers
        self._count(hist.sum(axis=0), spill[:spilled], total)
        for index in slow[:slows].tolist():
            played = play(fresh(self.game), self.calls, seed, low + index, self.limit)
            total.count(played.outcome, played.tallies)

    def _count(self, hist: NDArray[np.int64], spill: NDArray[np.int64], total: Tallied) -> None:
        """Add what the kernel counted, by endings and tallies that grow."""
        counting = self.counting
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
                    histogram[(at + k.LOWEST) * unit] += int(hist[number, field, at])
                for value in others[others[:, 1] == field, 2].tolist():
                    histogram[value * unit] += 1
