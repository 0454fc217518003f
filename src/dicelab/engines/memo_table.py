"""The graph engine: positions are numbered as games come to them, and hundreds of games follow them side by side.

It plays the games of `dicelab.runtime.interpreter`, bit for bit, and is worth while where the same positions come up
again and again. Each thread numbers positions for itself. A game with more positions than there is room for is left to
the compiled engine, from the chunk on in which that was found out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicelab.engines.base import Tabled
from dicelab.engines.compiled import arguments, rows
from dicelab.errors import NotSmall, RulesError
from dicelab.kernels import memo as graph_kernel
from dicelab.kernels import simulate as k
from dicelab.random.outcome_tables import tables
from dicelab.random.philox import ONE_WORD
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call, distinct
from dicelab.runtime.totals import Tallied
from dicelab.states.codec import Slots

POSITIONS, ENTRIES, CHANGES = 2**18, 2**22, 2**12
"""Room of each thread: numbers of positions (18 bits), their entries (32 MiB), and different changes of the tallies."""
GUIDE_BITS = 12
MOST_DICE = 64
MOST_DIRECT = 64
"""Total weight of dice up to which a position has an entry for each number of a throw, not for each outcome."""
MOST_TALLIES = 5
SHORTEST = 1000


@dataclass
class Room:
    """What one thread has found."""

    words: int
    first: int
    tallies: int
    direct: bool
    arrays: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        keys = np.empty((POSITIONS, self.words + 1), np.uint64)
        table = np.full(2 * POSITIONS, -1, np.int32)
        entries = np.empty(self.first if self.direct else ENTRIES, np.uint64)
        short = np.empty(2 * ENTRIES if self.direct else self.first, np.uint32)
        entries[: self.first] = short[: self.first] = 0  # where lanes without a game stand
        changes = np.zeros((CHANGES, max(1, self.tallies)), np.int64)
        found = np.array([0, self.first, 1, 0, 0], np.int64)
        self.arrays = (keys, table, entries, short, changes, np.zeros(CHANGES, np.int64), found)


class Graph(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        When what it throws or counts does not fit.
    NotTranslatable
        When the rules can't be compiled.
    """

    name = "graph"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()) or self.tallies > MOST_TALLIES:
            raise NotSmall("its tallies can't be counted in one number")
        self.bits = min(32, 64 // max(1, self.tallies))
        throws = min(1 << self.bits // 2, limit // (1 + graph_kernel.MOST_CHOICES))
        if throws < SHORTEST:
            raise NotSmall("it is to be stopped too early")
        self.blocks = throws // 4 - 64
        try:
            self.slots = Slots.of(game, calls)
        except RulesError as error:
            raise NotSmall(str(error)) from error
        self.dice = self._dice()
        self.strategies = distinct(call.strategy for call in calls)
        self.text, self.places = graph_kernel.write(type(game), self.strategies)
        self.arguments = arguments(game, calls, self.strategies)
        self._rooms: list[Room] = []

    def _dice(self) -> tuple[Any, ...]:
        """Dice as the kernel takes them: kinds, guide, sums, values, width, rows of five numbers, entries of each."""
        made = tables(self.game, GUIDE_BITS)
        pools = made.pools.reshape(-1, 4)
        if len(pools) > MOST_DICE or (pools[:, 0] > ONE_WORD).any() or made.apart[:, 0].any():
            raise NotSmall("its throws have too many outcomes")
        guide = np.where(made.guide >= 0, made.guide // made.width, made.guide).astype(np.int64)
        first = [int(guide[int(place)]) for place in pools[:, 3]]
        first = [number if number >= 0 else ~number for number in first]
        counts = np.diff([*first, len(made.sums)])
        dice = np.column_stack([pools, np.array(first, np.uint64)])
        direct = len(set(pools[:, 0].tolist())) == 1 and int(pools[0, 0]) <= MOST_DIRECT
        columns = np.full(len(pools), int(pools[0, 0]), np.int64) if direct else counts.astype(np.int64)
        return made.kinds, guide, made.sums, made.values, made.width, dice.reshape(-1), columns, direct

    def _room(self) -> Room:
        *_, columns, direct = self.dice
        return Room(self.slots.words, int(columns.max()) + 2, self.tallies, direct)

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        with self._lock:
            room = self._rooms.pop() if self._rooms else self._room()
        counts = np.zeros(self.outcomes, np.int64)
        hist = np.zeros((self.outcomes, self.tallies, k.BINS), np.int64)
        spill = np.empty(((high - low) * self.tallies, 3), np.int64)
        slow = np.empty(high - low, np.int64)
        slots = self.slots.low, self.slots.span, self.slots.word, self.slots.shift
        games = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), np.uint64(low), high - low, self.blocks
        given = (*games, *self.arguments, rows(self.game, self.strategies), *self.dice, *slots)
        most = (1 << self.bits - 2) // (4 * (self.blocks + 64))
        kernel: Any = self._kernel
        try:
            status, slows, spilled = kernel(*given, self.bits, most, *room.arrays, counts, hist, spill, slow)
        except Exception:
            if low == high:
                raise  # compilation or the cache
            return None  # an index out of bounds; the room may be half furnished
        with self._lock:
            self._rooms.append(room)
        if status == graph_kernel.FULL:
            self.give_up()
        if status != graph_kernel.DONE:
            return None
        total.add(counts, hist, k.LOWEST, spill[:spilled])
        left: list[int] = slow[:slows].tolist()
        return left
