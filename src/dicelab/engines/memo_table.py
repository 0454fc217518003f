"""The engine `memo`: transitions are computed when first needed, and looked up from then on.

It plays the games of `dicelab.runtime.interpreter`, bit for bit, hundreds at once, and is fast for games that reach the
same states again and again. Each thread has its own memo table. When a table is full, the compiled engine plays all
games from that chunk on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dicelab.engines.base import Tabled
from dicelab.engines.compiled import rows, setting
from dicelab.errors import NotSmall, RulesError
from dicelab.kernels.arguments import LOWEST, Memo, MemoRolls, counters, games_of
from dicelab.kernels.writers import memo as graph_kernel
from dicelab.random.outcome_tables import tables
from dicelab.random.philox import ONE_WORD
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call, distinct
from dicelab.runtime.totals import Tallied
from dicelab.states.codec import Slots

POSITIONS, ENTRIES, CHANGES = 2**18, 2**22, 2**12
"""Limits of the memo table of each thread: states (18 bits), entries (32 MiB), different changes of the tallies."""
GUIDE_BITS = 12
MOST_DICE = 64
MOST_DIRECT = 64
"""Largest total weight for which a state has an entry for each number of a roll, not for each outcome."""
MOST_TALLIES = 5
SHORTEST = 1000


class Graph(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If its dice or its tallies don't fit.
    NotTranslatable
        If the rules can't be compiled.
    """

    name = "memo"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()) or self.tallies > MOST_TALLIES:
            raise NotSmall("its tallies don't fit into one word")
        self.bits = min(32, 64 // max(1, self.tallies))
        throws = min(1 << self.bits // 2, limit // (1 + graph_kernel.MOST_CHOICES))
        if throws < SHORTEST:
            raise NotSmall("it could play only very short games")
        self.blocks = throws // 4 - 64
        try:
            self.slots = Slots.of(game, calls)
        except RulesError as error:
            raise NotSmall(str(error)) from error
        self.dice = self._dice()
        self.strategies = distinct(call.strategy for call in calls)
        self.text, self.places = graph_kernel.write(type(game), self.strategies)
        self.setting = setting(game, calls, self.strategies)
        self._idle_tables: list[Memo] = []

    def _dice(self) -> MemoRolls:
        """How rolls are drawn.

        Raises
        ------
        NotSmall
        """
        made = tables(self.game, GUIDE_BITS)
        pools = made.pools.reshape(-1, 4)
        if len(pools) > MOST_DICE or (pools[:, 0] > ONE_WORD).any() or made.apart[:, 0].any():
            raise NotSmall("its rolls have too many outcomes")
        guide = np.where(made.guide >= 0, made.guide // made.width, made.guide).astype(np.int64)
        first = [int(guide[int(place)]) for place in pools[:, 3]]
        first = [number if number >= 0 else ~number for number in first]
        counts = np.diff([*first, len(made.sums)])
        dice = np.column_stack([pools, np.array(first, np.uint64)])
        direct = len(set(pools[:, 0].tolist())) == 1 and int(pools[0, 0]) <= MOST_DIRECT
        columns = np.full(len(pools), int(pools[0, 0]), np.int64) if direct else counts.astype(np.int64)
        return MemoRolls(made.kinds, guide, made.sums, made.values, made.width, dice.reshape(-1), columns, direct)

    def _new_table(self) -> Memo:
        """An empty table: no transition is known. Lanes without a game stand at the first entries."""
        first, direct = int(self.dice.columns.max()) + 2, self.dice.direct
        entries = np.empty(first if direct else ENTRIES, np.uint64)
        short = np.empty(2 * ENTRIES if direct else first, np.uint32)
        entries[:first] = short[:first] = 0
        return Memo(
            keys=np.empty((POSITIONS, self.slots.words + 1), np.uint64),
            table=np.full(2 * POSITIONS, -1, np.int32),
            entries=entries,
            short=short,
            changes=np.zeros((CHANGES, max(1, self.tallies)), np.int64),
            added=np.zeros(CHANGES, np.int64),
            found=np.array([0, first, 1, 0, 0], np.int64),
        )

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        with self._lock:
            memo = self._idle_tables.pop() if self._idle_tables else self._new_table()
        counted = counters(self.outcomes, self.tallies, (high - low) * self.tallies)
        slow = np.empty(high - low, np.int64)
        layout = self.slots.low, self.slots.span, self.slots.word, self.slots.shift
        games = games_of(seed, low, high - low, self.blocks)
        given = games, self.setting, rows(self.game, self.strategies), self.dice, layout
        most = (1 << self.bits - 2) // (4 * (self.blocks + 64))
        kernel: Any = self._kernel
        try:
            status, slows, spilled = kernel(*given, self.bits, most, memo, counted, slow)
        except Exception:
            if low == high:
                raise  # compilation or the cache
            return None  # an index out of bounds; the memo table may be inconsistent, so it is not used again
        with self._lock:
            self._idle_tables.append(memo)
        if status == graph_kernel.FULL:
            self.give_up()
        if status != graph_kernel.DONE:
            return None
        total.add(counted.counts, counted.hist, LOWEST, counted.spill[:spilled])
        left: list[int] = slow[:slows].tolist()
        return left
