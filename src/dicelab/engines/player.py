"""Plays a run on the engine that answers first."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

from dicelab.engines.dispatch import Quickest, forced, quickest
from dicelab.engines.replay import Replay
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.interrupts import Stopped, held_interrupts, on_another_thread
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Done, in_chunks, interrupted_between
from dicelab.runtime.totals import Tallied
from dicelab.states.tally_bounds import must_be_within_bounds

T = TypeVar("T")
PATIENCE, EAGER = 0.25, 0.03
"""Seconds that the reference engine may take before another engine is thought of: at first, and where Numba, which
takes long to import, is at hand."""


@dataclass
class Player:
    """Plays the games of a run, in order, on the engine that is quickest to answer.

    Parameters
    ----------
    run, seed
        What is played.
    engine
        ``auto``, or one by its name (`dicelab.engines.dispatch.ENGINES`): with ``auto`` the reference engine begins at
        once, and a faster one is made only when much is left to play. All engines play the same games, so it does not
        matter where the change is; whether they do is checked on the first games, which are played again.
    threads
        Threads of engines other than the reference engine.
    limit
        Throws and choices after which a game is taken to be endless.
    keep
        Keep a record of every game, which engines with tables do not do.

    Raises
    ------
    ParameterError, NotTranslatable
    """

    run: Run
    seed: int
    engine: str = "auto"
    threads: int = 1
    limit: int = LIMIT
    keep: bool = False
    seconds: float = 0.0
    note: str = ""

    def __post_init__(self) -> None:
        self._player = forced(self.run, self.engine, self.limit, self.keep)
        self._settled = self.engine != "auto"
        self._quickest: Quickest | None = None
        self._first = Replay(self.run.game, self.seed, self.keep)
        self._compared: dict[str, int] = {}

    @property
    def engine_used(self) -> str:
        """The engine that plays now."""
        return self._player.name

    def play(self, low: int, high: int, done: Done) -> None:
        """Play games `low` to ``high - 1``.

        Raises
        ------
        Stopped
            On Ctrl-C; `done` has then had all games up to some game.
        EngineMismatchError
            When an engine that ``auto`` chose plays one of the first games otherwise than the reference engine.
        """
        asked = high - low
        if not self._settled:
            low = self._timed(lambda: self._begin(low, high, done))
            if low == high:
                return
            assert self._quickest is not None
            self._player, self.note = on_another_thread(self._quickest.make)
            self._settled = True
        threads = 1 if self._player.name == "reference" else self.threads

        def compared(chunk: Tallied) -> None:
            with interrupted_between():
                self._compare(asked)  # at each chunk, because an engine with a table may have given up since the last
            must_be_within_bounds(self.run.game, chunk)
            done(chunk)

        self._timed(lambda: in_chunks(self._player, self.seed, threads, low, high, compared))

    def _compare(self, asked: int) -> None:
        """Compare the engine that plays now with the games that the reference engine has played for ``auto``.

        Once for each engine, and again when more games are asked for than before, so that more may be compared.
        """
        name, games = self._player.name, self._first.games(asked)
        if name != "reference" and games > self._compared.get(name, 0):
            self._compared[name] = games
            self._first.compare(self._player, games)

    def _timed(self, work: Callable[[], T]) -> T:
        began = perf_counter()
        try:
            return work()
        finally:
            self.seconds += perf_counter() - began

    def _begin(self, low: int, high: int, done: Done) -> int:
        """Play game by game until a faster engine would be quicker; returns the first game left."""
        began, first = perf_counter() - self.seconds, low
        worth = patience = EAGER if "numba" in sys.modules else PATIENCE
        with held_interrupts() as stopped:
            while low < high and not stopped():
                with interrupted_between():
                    game = self._player.play(self.seed, low, low + 1)
                self._first.keep(low, game)
                done(game)
                low += 1
                spent = perf_counter() - began
                left = (high - low) * (spent - self.seconds) / (low - first)
                if spent > patience and max(left, spent) > worth:
                    if self._quickest is None:
                        with interrupted_between():
                            self._quickest = quickest(self.run, self.limit, self.keep, left)
                    worth = self._quickest.worth
                    if max(left, spent) > worth:
                        break
        if stopped():
            raise Stopped
        return low
