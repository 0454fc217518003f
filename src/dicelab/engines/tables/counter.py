"""The engine `counter`: a lookup table for games with money or other counters, beside few states.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. While the counters are within the bounds for which the
transitions are valid (`dicelab.runtime.states.counters`), a roll is one lookup and a few additions. When a counter
leaves them (no money, too little for all bets, or close to the goal), the compiled rules play the game to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.arguments import CounterTable, GameBatch, Games, KernelCounts
from dicelab.compile.kernels.lanes import LANES
from dicelab.compile.kernels.writers import simulate as k
from dicelab.engines.tables.base import Tabled
from dicelab.engines.tables.state import throws_within
from dicelab.errors import NotSmall
from dicelab.rules.fields import Peak, Tally
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.counters import CounterStates, counter_states
from dicelab.runtime.states.explorer import UNRAISED

SHORTEST = 1000
RESUMED = 512
"""Games that are handed to the compiled rules at once, few enough to stay in the cache."""
MORE_CHOICES = 8
"""Choices between two rolls that are allowed out of bounds, in addition to those within them."""


class CounterEngine(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If the game has no counters, or too many states without them.
    """

    name = "counter"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        states = counter_states(self.run)
        self.most = limit // (1 + states.choices + MORE_CHOICES)
        tallies = [change[: self.tallies] for change in states.changes]
        self.blocks = min(self.most, throws_within(tallies, tallies[states.start[1]])) // 4 - 64
        if self.blocks < SHORTEST:
            raise NotSmall("it could play only very short games")
        self.table = _table(states, list(game.declared.tallies.values()))
        self.numbers = self._positions(states)
        self.tables = tables(game)
        self.text, self.places = k.write(type(game), self.strategies, self.tables.one_word, resumed=True)

    def _positions(self, states: CounterStates) -> tuple[NDArray[np.int64], list[int]]:
        """Return all states with a column for each counter (states, numbers), and the columns of the counters."""
        names = Slots.of(self.game, self.calls).names
        at, still = ([names.index(span.name) for span in spans] for spans in (states.spans, states.still))
        every = len(states.positions[0]) + len(at) + len(still)
        numbers = np.zeros((len(states.positions), every), np.int64)
        numbers[:, [i for i in range(every) if i not in at + still]] = np.array(states.positions, np.int64)
        numbers[:, still] = [span.value for span in states.still]
        return numbers, at

    def _play_none(self) -> None:
        self._stepped: Any = cache.load(cache.text_of("counter"))
        super()._play_none()

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        stopped = np.empty((games.games, 3 + len(self.table.added)), np.int64)

        def play(counted: KernelCounts) -> tuple[int, int, int]:
            slows, spilled, halted = self._stepped(games, self.table, counted, slow, stopped)
            rest = counted._replace(spill=counted.spill[spilled:])
            status, more = self._finish(games, stopped[:halted], rest)
            return status, slows, spilled + more

        return self._added(total, play, games.games)

    def _finish(self, games: Games, stopped: NDArray[np.int64], counted: KernelCounts) -> tuple[int, int]:
        """Play games to their end from rows of the kernel's `stopped`; returns a status, and how many rows spilled."""
        numbers, at = self.numbers
        size, columns = numbers.shape[1], [2 + column for column in at]
        status, spilled, report = k.DONE, 0, np.zeros(3, np.int64)
        for low in range(0, max(1, len(stopped)), RESUMED):  # also for none, which compiles the kernel
            some = stopped[low : low + RESUMED]
            begun = np.empty((len(some), 2 + size + self.tallies), np.int64)
            begun[:, 0] = some[:, 0] + int(games.first)
            begun[:, 1] = some[:, 1]
            begun[:, 2 : 2 + size] = numbers[some[:, 2]]
            begun[:, columns] = some[:, 3 + self.tallies :]
            begun[:, 2 + size :] = some[:, 3 : 3 + self.tallies]
            which = GameBatch(games.k0, games.k1, 0, len(some), 0, self.most)
            rest = counted._replace(spill=counted.spill[spilled:])
            status = max(status, self._simulate(which, rest, report, resumed=begun))
            spilled += int(report[2])
        return status, spilled


def _table(states: CounterStates, counted: Sequence[Tally]) -> CounterTable:
    """Return the arrays of `dicelab.compile.kernels.counter`.

    After the last state there is one more, for lanes without a game, and before the first change one that adds nothing.
    """
    size, weight = len(states.ends), states.weight
    ways = np.full((size + 1, weight), size << 32, np.int64)  # bits 32-63: next state; bits 0-31: change + 1
    ways[:size] = [[(end << 32) + change + 1 for end, change in row] for row in states.ends]
    tallies = len(counted)
    every = tallies + len(states.spans)
    peaks = np.array([k for k, tally in enumerate(counted) if isinstance(tally, Peak)], np.int64)
    # `CounterStates.changes` transposed: a row for each tally and counter, two for each peak; a column for each change.
    numbers = np.zeros((every + 2 * len(peaks), len(states.changes) + 1), np.int64)
    numbers[every::2, 0], numbers[every + 1 :: 2, 0] = UNRAISED, -1
    numbers[:, 1:] = np.array(states.changes, np.int64).reshape(len(states.changes), -1).T
    added, above, source = numbers[:every], numbers[every::2], numbers[every + 1 :: 2]
    source = np.where(source >= 0, tallies + source, every) * LANES  # offset of a counter's lanes, or of the zeros
    values = np.array([span.value for span in states.spans], np.int64)
    begin = added[:, states.start[1] + 1].copy()
    raised = numbers[every::2, states.start[1] + 1], numbers[every + 1 :: 2, states.start[1] + 1]
    begin[peaks] = [max(0, by + (values[at] if at >= 0 else 0)) for by, at in zip(*raised, strict=True)]
    begin[tallies:] += values
    lows, highs = (np.array([getattr(span, end) for span in states.spans], np.int64) for end in ("low", "high"))
    if (begin[tallies:] < lows).any() or (begin[tallies:] >= highs).any():
        raise NotSmall("its counters are at a bound when the game begins")
    moved = np.flatnonzero(added.any(axis=1))
    arrays = ways.reshape(-1), np.ascontiguousarray(added), moved, peaks, np.ascontiguousarray(above), source
    dice = np.uint64(weight), np.uint64(2**32 % weight)
    return CounterTable(*arrays, *dice, tallies, lows, highs, states.start[0], begin)
