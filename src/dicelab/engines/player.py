"""Plays a run, with the engine asked for or with the one expected to finish first."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from typing import TypeVar
from weakref import WeakKeyDictionary

from dicelab.engines.dispatch import ENGINES, MANY, SOME, Choice, chosen, forced
from dicelab.engines.replay import Replay
from dicelab.errors import PlayError, slow
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.interrupts import Stopped, held_interrupts, on_another_thread
from dicelab.runtime.lineup import Run
from dicelab.runtime.meter import Meter, TooMuch
from dicelab.runtime.scheduler import Done, in_chunks, interrupted_between
from dicelab.runtime.states.tally_bounds import must_be_within_bounds
from dicelab.runtime.totals import Tallied

T = TypeVar("T")
FIRST, LONGEST = 2_000, SOME
"""Work of the reference engine before other engines are considered: it shows how much work games are. And work at which
it leaves a single game, so that another engine can play it."""
CLOSER, SEED = MANY // 4, 0
"""Work from which on games of this seed show how much work games are, so that all seeds get the same engine."""
_work: WeakKeyDictionary[type[Game], float] = WeakKeyDictionary()
"""Work done for each game in this process: a kernel that doesn't pay for one short run may for many."""


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

    def __post_init__(self) -> None:
        asked = forced(self.run, self.engine, self.limit, self.keep)
        self._choice = Choice(asked, dict.fromkeys(ENGINES[1:], f"{asked.name} was asked for"))
        self._reference = asked if self.engine == "auto" and isinstance(asked, Reference) else None
        self._meter, self._left = Meter(LONGEST), 0
        if self._reference is not None:
            self._reference.meter = self._meter
        self._level = 0
        self._first = Replay(self.run.game, self.seed, self.keep)
        self._begun = 0
        self._compared: dict[str, int] = {}

    @property
    def engine_used(self) -> str:
        """Name of the engine that plays now."""
        return self._choice.engine.name

    @property
    def note(self) -> str:
        """A note for the user, empty if there is nothing to say."""
        return self._choice.note

    @property
    def explained(self) -> dict[str, str]:
        """For each engine whether it plays, and why or why not."""
        if self._reference is None or self._level:
            return self._choice.explained(self._begun)
        return chosen(self.run, min(SOME - 1, _work.get(type(self.run.game), 0.0))).explained(0)

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
        if self._reference is not None:
            low = self._timed(partial(self._begin, self._reference, low, high, done))
            if low == high:
                return
            self._choose(high - low)
        engine = self._choice.engine

        def compared(chunk: Tallied) -> None:
            with interrupted_between():
                self._compare(asked)  # at each chunk, because a table engine may have given up since the last one
            must_be_within_bounds(self.run.game, chunk)
            done(chunk)

        threads = 1 if engine.name == "reference" else self.threads
        self._timed(lambda: in_chunks(engine, self.seed, threads, low, high, compared))

    def _compare(self, asked: int) -> None:
        """Compare the current engine with the reference engine on the games that the latter has played for ``auto``.

        This is done once for each engine, and again when more games are asked for, because more are then compared.
        """
        name, games = self.engine_used, self._first.games(asked)
        if name != "reference" and games > self._compared.get(name, 0):
            self._compared[name] = games
            self._first.compare(self._choice.engine, games)

    def _timed(self, work: Callable[[], T]) -> T:
        began = perf_counter()
        try:
            return work()
        finally:
            self.seconds += perf_counter() - began

    def _begin(self, reference: Reference, low: int, high: int, done: Done) -> int:
        """Play game by game until another engine is expected to finish first; returns the index of the next game."""
        with held_interrupts() as stopped:
            while low < high and not (stopped() or self._level or self._expected(high - low) >= SOME):
                before = self._meter.work
                try:
                    with interrupted_between():
                        game = reference.play(self.seed, low, low + 1)
                except TooMuch:
                    self._left = 1
                    break
                self._first.keep(low, game)
                done(game)
                _work[type(self.run.game)] = _work.get(type(self.run.game), 0.0) + self._meter.work - before
                self._begun += 1
                low += 1
        if stopped():
            raise Stopped
        return low

    def _expected(self, games: int) -> float:
        """Work of so many games, and that done for this game in this process before; 0 at first."""
        if self._meter.work < FIRST:
            return 0.0
        before = _work.get(type(self.run.game), 0.0) + self._left * LONGEST
        mean = self._meter.work / (self._begun + self._left)
        return before + games * (self._usual or mean if before + games * mean >= CLOSER else mean)

    @cached_property
    def _usual(self) -> float:
        """Work of a game, as the mean of a few games of `SEED`; 0 if they can't be played."""
        sample, games = Reference(self.run.game, self.run.calls, self.limit), 0
        sample.meter = meter = Meter(LONGEST)
        with suppress(PlayError, TooMuch):
            while meter.work < FIRST:
                games += 1
                sample.play(SEED, games - 1, games)
        return meter.work / games if meter.work >= FIRST else 0.0

    def _choose(self, games: int) -> None:
        """Change to the engine that suits so many more games; it is chosen again when they have become very many."""
        work = self._expected(games)
        level = bisect((SOME, MANY), work)
        if level > self._level:
            self._choice = on_another_thread(lambda: chosen(self.run, work, self.limit, self.keep))
            slow(self.note)
            self._level = level
        _work[type(self.run.game)] = work
