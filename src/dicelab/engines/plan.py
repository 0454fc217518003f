"""What is to be played, and in which order: a run, its chunks, and when to look at its precision.

A run is a game with its parameters and one strategy for each seat. It is played as chunks of consecutive game indices;
since every game has its own random stream, the games do not depend on the chunks, the threads or the engine.
"""

from __future__ import annotations

import os
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from dicelab.engines.reference import LIMIT, Call, Reference, parse_call
from dicelab.engines.tally import Tallied
from dicelab.errors import ParameterError
from dicelab.rules.game import Game
from dicelab.rules.registry import find

SEEDS = 2**64
CHUNK_SECONDS = 0.1
"""Time that a chunk should take: often enough for progress and Ctrl-C, rarely enough to cost nothing."""
FIRST_CHUNK = 256
LARGEST_CHUNK = 2**20
FIRST_LOOK = 1000


class Engine(Protocol):
    """Plays games `low` to ``high - 1`` of a seed."""

    name: str

    def play(self, seed: int, low: int, high: int) -> Tallied: ...


@dataclass(frozen=True)
class Run:
    """A game with its parameters, and a strategy for each seat (none in a game without choices)."""

    game: Game
    calls: tuple[Call, ...]

    @classmethod
    def of(cls, game: str | type[Game] | Game, strategies: str | Sequence[str] = (), **parameters: object) -> Run:
        """Look up the game and its strategies.

        Parameters
        ----------
        game
            A name, a path to a file, a game's class, or a game with its parameters.
        strategies
            One for each seat, or one for all; none means the game's default.
        **parameters
            Parameters of the game that are not at their default.

        Raises
        ------
        InputError
            Naming what is unknown or not allowed.
        """
        if isinstance(game, str):
            game = find(game)
        if isinstance(game, type):
            game = game(**parameters)
        elif parameters:
            game = type(game)(**{**game.parameters, **parameters})
        texts = [strategies] if isinstance(strategies, str) else list(strategies)
        return cls(game, _seat(game, texts))

    @property
    def strategies(self) -> list[str]:
        """The strategies as people write them, one for each seat."""
        return [str(call) for call in self.calls]


def _seat(game: Game, texts: list[str]) -> tuple[Call, ...]:
    """A strategy for each seat."""
    if not game.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy")
        return ()
    if not texts:
        if not game.strategies:
            raise ParameterError(f"{game.name} has choices but declares no strategy")
        texts = [next(iter(game.strategies))]
    seats = game.seat_count()
    if len(texts) not in (1, seats):
        raise ParameterError(f"{game.name} has {seats} seats: give one strategy for all or one for each, not {len(texts)}")
    calls = [parse_call(type(game), text) for text in texts]
    return tuple(calls if len(calls) == seats else calls * seats)


def as_seed(seed: object) -> int:
    """A seed as a number of 64 bits; drawn at random when it is None.

    Raises
    ------
    ParameterError
        When it is not a whole number from 0 to 2**64 - 1.
    """
    if seed is None:
        return secrets.randbits(48)
    try:
        number = int(seed) if isinstance(seed, str | int) and not isinstance(seed, bool) else -1
    except ValueError:
        number = -1
    if not 0 <= number < SEEDS:
        raise ParameterError(f"seed: {seed!r} is not allowed; it takes a whole number, 0 to {SEEDS - 1}")
    return number


def engine_for(run: Run, wanted: str = "auto", limit: int = LIMIT) -> tuple[Engine, str]:
    """An engine that plays the run, and a note where it is not the one hoped for.

    Parameters
    ----------
    wanted
        ``auto`` takes the compiled engine and falls back on the reference engine; a name forces that engine.

    Raises
    ------
    NotTranslatable
        When ``compiled`` is forced and the rules can't be compiled.
    """
    if wanted not in ("auto", "compiled", "reference"):
        raise ParameterError(f"engine: {wanted!r} is not allowed; it is auto, compiled or reference")
    if wanted == "reference":
        return Reference(run.game, run.calls, limit), ""
    from dicelab.engines.compiled import Compiled
    from dicelab.engines.translate import NotTranslatable

    try:
        return Compiled(run.game, run.calls, limit), ""
    except NotTranslatable as error:
        if wanted == "compiled":
            raise
        return Reference(run.game, run.calls, limit), f"not compiled, so played slowly in plain Python: {error}"


def usable_threads(threads: int | None) -> int:
    """Number of threads: as asked for, else one for each core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise ParameterError(f"threads: {threads!r} is not allowed; it takes a whole number, 1 to 1024")
    return threads


def looks() -> Iterator[int]:
    """Numbers of games at which precision is looked at: 1000, then a quarter more each time."""
    games = FIRST_LOOK
    while True:
        yield games
        games += games // 4


@dataclass
class Chunks:
    """Plays chunks of games on threads and hands them over in the order of their game indices."""

    engine: Engine
    seed: int
    threads: int
    size: int = FIRST_CHUNK

    def run(self, low: int, high: int, done: Callable[[Tallied], None]) -> None:
        """Play games `low` to ``high - 1``, calling `done` with each chunk, first games first.

        On an interrupt the chunks that run are finished; `done` then has had the longest unbroken run of games from
        the first, and the interrupt is raised again.
        """
        waiting: deque[Future[Tallied]] = deque()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while low < high or waiting:
                    while low < high and len(waiting) < self.threads + 1:
                        upto = min(high, low + self.size)
                        waiting.append(pool.submit(self._play, low, upto))
                        low = upto
                    waiting[0].result()
                    done(waiting.popleft().result())
            except BaseException:
                for future in waiting:
                    future.cancel()
                while waiting and not waiting[0].cancelled() and waiting[0].exception() is None:
                    done(waiting.popleft().result())
                raise

    def _play(self, low: int, high: int) -> Tallied:
        began = perf_counter()
        result = self.engine.play(self.seed, low, high)
        seconds = max(perf_counter() - began, 1e-6)
        fitting = int((high - low) * min(4.0, CHUNK_SECONDS / seconds))
        self.size = max(16, min(LARGEST_CHUNK, fitting))
        return result
