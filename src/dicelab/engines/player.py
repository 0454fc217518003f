"""Plays a run, with the engine asked for or with the one expected to finish first."""

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
"""Seconds that the reference engine plays before other engines are considered: usually, and if Numba, which takes long
to import, is imported already."""


@dataclass
class Player:
    """Plays the games of a run in order.

    Parameters
    ----------
    run, seed
        The run and its seed.
    engine
        ``auto``, or the name of an engine (`dicelab.engines.dispatch.ENGINES`). With ``auto`` the reference engine
        begins at once, and a faster engine takes over if enough time would be left to play. All engines play the same
        games; the first games are played again by the new engine, and compared.
    threads
        Number of threads for engines other than the reference engine.
    limit
        Rolls and choices after which a game is taken to be endless.
    keep
        Keep a record of every game, which table engines can't do.

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
        """Name of the engine that plays now."""
        return self._player.name

    def play(self, low: int, high: int, done: Done) -> None:
        """Play games `low` to ``high - 1``.

        Raises
        ------
        Stopped
            On Ctrl-C; `done` has then been called with all games up to some game.
        EngineMismatchError
            If the engine that ``auto`` chose plays one of the first games differently from the reference engine.
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
                self._compare(asked)  # at each chunk, because a table engine may have given up since the last one
            must_be_within_bounds(self.run.game, chunk)
            done(chunk)

        self._timed(lambda: in_chunks(self._player, self.seed, threads, low, high, compared))

    def _compare(self, asked: int) -> None:
        """Compare the current engine with the reference engine on the games that the latter has played for ``auto``.

        This is done once for each engine, and again when more games are asked for, because more are then compared.
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
        """Play game by game until another engine is expected to finish first; returns the index of the next game."""
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
