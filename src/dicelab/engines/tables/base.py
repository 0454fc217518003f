"""The base class of the engines that follow a table.

Each of them builds a table and has a kernel that steps through it with many games side by side. This class does what
they share: the games are played page by page, what the kernel counts is added up, and the compiled engine plays the
games that leave the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import LOWEST, Games, KernelCounts, counters, games_of
from dicelab.compile.kernels.writers.simulate import DONE, must_be_translatable
from dicelab.engines.compiled import Compiled, WithKernel
from dicelab.errors import NotSmall
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.scheduler import Engine, Tallied
from dicelab.translation.translator import NotTranslatable

DRAWING = "compiled, memo, turn, reference and cuda"
"""The engines that play mixed strategies, in words."""
PAGE = 2**32
"""Games whose indices have the same upper half; one call of a kernel plays games of one page."""
MANY, SHARE = 500, 0.01
"""Smallest chunk, and largest share of its games left over, beyond which the compiled engine plays all further games.
"""


class Tabled(WithKernel):
    """A game with its parameters and strategies, played by following a table; see `WithKernel` for the parameters.

    Attributes
    ----------
    run
        The game and its strategies.
    blocks
        Blocks of four rolls after which a game is left to the compiled engine.
    draws_moves
        Whether it plays strategies that draw their moves. In a table of all entries these follow from the roll alone.
    mixes
        Whether one of its strategies draws its moves.

    Raises
    ------
    NotSmall
        If the rules can't be translated, or a strategy draws its moves where this engine doesn't play that.
    """

    name = "tabled"
    blocks = 0
    draws_moves = False

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        mixed = [strategy.name for strategy in self.strategies if strategy.mixes]
        if mixed and not self.draws_moves:
            raise NotSmall(f"{mixed[0]} draws its moves (mixture), which the engines {DRAWING} play")
        self.mixes = bool(mixed)
        must_be_translatable(game, calls)
        self.run = Run(game, tuple(calls))
        self._lock = threading.Lock()
        self._others: Engine | None = None
        self._given_up = False

    def must_suit(self) -> None:
        """Refuse a game that this engine can play, but not faster than others: here one whose moves are drawn."""
        if self.mixes:
            raise NotSmall("a strategy draws its moves (mixture), so what follows can't be looked up there")

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play games `low` to ``high - 1`` of a seed.

        Raises
        ------
        PlayError
            With the seed and the game index.
        """
        total = Tallied.empty(self.outcomes, self.tallies)
        while low < high and not self._given_up:
            upto = min(high, (low // PAGE + 1) * PAGE)
            left = self._play(seed, low, upto, total)
            if left is None:
                total.merge(self.others().play(seed, low, upto))
            else:
                for first, last in runs(sorted(left)):
                    total.merge(self.others().play(seed, low + first, low + last + 1))
                if upto - low >= MANY and len(left) > SHARE * (upto - low):
                    self.give_up()
            low = upto
        if low < high:
            total.merge(self.others().play(seed, low, high))
        return total

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        """Play games of one page; returns the games left over, counted from `low`.

        None means that all are left over, and that none is counted in `total`.
        """
        slow = np.empty(high - low, np.int64)
        try:
            slows = self._follow(games_of(seed, low, high - low, self.blocks), slow, total)
        except Exception:
            if low == high:
                raise  # compilation or the cache
            return None  # an index out of bounds, in some game
        return None if slows < 0 else slow[:slows].tolist()

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        """Follow the table, and list in `slow` the games left over; returns how many, -1 if no game is counted."""
        raise NotImplementedError  # table, memo, turn, counter and lockstep define it

    def _added(self, total: Tallied, play: Callable[[KernelCounts], tuple[int, int, int]], games: int) -> int:
        """Add to `total` what a kernel counts, unless it fails; returns the same as `_follow`.

        It returns a status, the number of games left over, and the number of rows of `spill`.
        """
        counted = counters(self.outcomes, self.tallies, (games + 1) * self.tallies)
        status, slows, spilled = play(counted)
        if status != DONE:
            return -1
        total.add(counted.counts, counted.hist, LOWEST, counted.spill[:spilled])
        return int(slows)

    def give_up(self) -> None:
        """Play all games from now on with the compiled engine."""
        self._given_up = True
        self.name = self.others().name

    def others(self) -> Engine:
        """Return the engine for games that are left over: compiled, or reference if the rules can't be compiled."""
        with self._lock:
            if self._others is None:
                try:
                    self._others = Compiled(self.game, self.calls, self.limit)
                except NotTranslatable:
                    self._others = Reference(self.game, self.calls, self.limit)
            return self._others


def runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of consecutive numbers.

    >>> list(runs([1, 2, 3, 7, 9, 10]))
    [(1, 3), (7, 7), (9, 10)]
    """
    first = 0
    for i in range(1, len(numbers) + 1):
        if i == len(numbers) or numbers[i] != numbers[i - 1] + 1:
            yield numbers[first], numbers[i - 1]
            first = i
