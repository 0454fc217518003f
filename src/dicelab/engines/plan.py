"""What is to be played, and in which order: a run, its chunks, and when to look at its precision.

A run is a game with its parameters and one strategy for each seat. It is played as chunks of consecutive game indices;
since every game has its own random stream, the games do not depend on the chunks, the threads or the engine.
"""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol, TypeVar

from dicelab.engines.reference import LIMIT, Call, Reference, parse_call
from dicelab.engines.tally import Tallied
from dicelab.errors import ParameterError
from dicelab.rules.game import Game, seat_count
from dicelab.rules.params import as_integer, whole_number
from dicelab.rules.registry import find

T = TypeVar("T")
SEEDS = 2**64
CHUNK_SECONDS = 0.1
"""Time that a chunk should take: often enough for progress and Ctrl-C, rarely enough to cost nothing."""
PATIENCE = 0.25
"""Seconds that the reference engine may take before another engine is thought of."""
START_UP, COMPILATION = 0.5, 2.5
"""About the seconds until a kernel that was kept plays, and until one that must be compiled does."""
FIRST_CHUNK = 256
LARGEST_CHUNK = 2**20
FIRST_LOOK = 1000


class Engine(Protocol):
    """Plays games `low` to ``high - 1`` of a seed."""

    name: str

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play them."""
        ...


@dataclass(frozen=True)
class Run:
    """A game with its parameters, and a strategy for each seat (none in a game without choices)."""

    game: Game
    calls: tuple[Call, ...]

    @classmethod
    def of(
        cls,
        game: str | os.PathLike[str] | type[Game] | Game,
        strategies: str | Sequence[str] = (),
        **parameters: object,
    ) -> Run:
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
        table = _set_up(game, parameters)
        return cls(table, _seat(table, _texts(strategies)))

    @property
    def strategies(self) -> list[str]:
        """The strategies as people write them, one for each seat."""
        return [str(call) for call in self.calls]


def _set_up(game: object, parameters: dict[str, object]) -> Game:
    """The game with its parameters."""
    if isinstance(game, str | os.PathLike):
        game = find(str(game))
    if isinstance(game, type) and issubclass(game, Game) and game is not Game:
        return game(**parameters)
    if not isinstance(game, Game):
        raise ParameterError(f"{game!r} is no game; give a name, a path to a file, a Game class or a Game")
    return type(game)(**{**game.parameters, **parameters}) if parameters else game


def _texts(strategies: object) -> list[str]:
    """Strategies as a list of texts."""
    texts = [strategies] if isinstance(strategies, str) else strategies
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"strategies: {strategies!r} is not allowed; give texts such as 'bank_over:20'")
    return list(texts)


def _seat(game: Game, texts: list[str]) -> tuple[Call, ...]:
    """A strategy for each seat."""
    if not game.declared.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy")
        return ()
    if not texts:
        if not game.declared.strategies:
            raise ParameterError(f"{game.name} has choices but declares no strategy")
        texts = [next(iter(game.declared.strategies))]
    seats = seat_count(game)
    if len(texts) not in (1, seats):
        raise ParameterError(
            f"{game.name} has {seats} seats: give one strategy for all or one for each, not {len(texts)}"
        )
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
    number = whole_number(seed) if isinstance(seed, str) else as_integer(seed)
    if number is None or not 0 <= number < SEEDS:
        raise ParameterError(f"seed: {seed!r} is not allowed; it takes a whole number, 0 to {SEEDS - 1}")
    return number


def compiled_or_reference(run: Run, limit: int = LIMIT) -> tuple[Engine, str]:
    """The compiled engine; where the rules can't be compiled the reference engine, and a note that says why."""
    from dicelab.engines.compiled import Compiled
    from dicelab.engines.rewrite import NotTranslatable

    try:
        return Compiled(run.game, run.calls, limit), ""
    except NotTranslatable as error:
        return Reference(run.game, run.calls, limit), f"not compiled, so played slowly in plain Python: {error}"


def usable_threads(threads: object) -> int:
    """Number of threads: as asked for, else (None) one for each core that this process may use."""
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)  # Linux only
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    number = as_integer(threads)
    if number is None or not 1 <= number <= 1024:
        raise ParameterError(f"threads: {threads!r} is not allowed; it takes a whole number, 1 to 1024")
    return number


def looks() -> Iterator[int]:
    """Numbers of games at which precision is looked at: 1000, then a quarter more each time."""
    games = FIRST_LOOK
    while True:
        yield games
        games += games // 4


Done = Callable[[Tallied], None]
"""Receives the games of one chunk; chunks come in the order of their game indices."""


@dataclass
class Player:
    """Plays the games of a run, in order, on the engine that is quickest to answer.

    Parameters
    ----------
    run, seed
        What is played.
    engine
        ``compiled``, ``reference``, or ``auto``: the reference engine begins at once, and the compiled one is made
        only when much is left to play. All engines play the same games, so it does not matter where the change is.
    threads
        Threads of the compiled engine.
    limit
        Throws and choices after which a game is taken to be endless.

    Raises
    ------
    ParameterError, NotTranslatable
    """

    run: Run
    seed: int
    engine: str = "auto"
    threads: int = 1
    limit: int = LIMIT
    seconds: float = 0.0
    note: str = ""

    def __post_init__(self) -> None:
        if self.engine not in ("auto", "compiled", "reference"):
            raise ParameterError(f"engine: {self.engine!r} is not allowed; it is auto, compiled or reference")
        self._player: Engine = Reference(self.run.game, self.run.calls, self.limit)
        self._settled = self.engine == "reference"
        if self.engine == "compiled":
            from dicelab.engines.compiled import Compiled

            self._player = Compiled(self.run.game, self.run.calls, self.limit)
            self._settled = True

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
        """
        if not self._settled:
            low = self._timed(lambda: self._begin(low, high, done))
            if low == high:
                return
            with held_interrupts() as stopped:
                self._player, self.note = compiled_or_reference(self.run, self.limit)
            if stopped():
                raise Stopped
            self._settled = True
        threads = self.threads if self._player.name == "compiled" else 1
        self._timed(lambda: in_chunks(self._player, self.seed, threads, low, high, done))

    def _timed(self, work: Callable[[], T]) -> T:
        began = perf_counter()
        try:
            return work()
        finally:
            self.seconds += perf_counter() - began

    def _begin(self, low: int, high: int, done: Done) -> int:
        """Play game by game until the compiled engine would be quicker; returns the first game left."""
        began, first = perf_counter() - self.seconds, low
        worth = PATIENCE
        with held_interrupts() as stopped:
            while low < high and not stopped():
                done(self._player.play(self.seed, low, low + 1))
                low += 1
                spent = perf_counter() - began
                left = (high - low) * (spent - self.seconds) / (low - first)
                if spent > PATIENCE and max(left, spent) > worth:
                    worth = seconds_to_make(self.run)
                    if max(left, spent) > worth:
                        break
        if stopped():
            raise Stopped
        return low


def seconds_to_make(run: Run) -> float:
    """About how long it takes until the compiled engine plays."""
    from dicelab.engines import cache, kernel
    from dicelab.engines.rewrite import NotTranslatable

    try:
        text, _ = kernel.write(type(run.game), kernel.distinct(call.strategy for call in run.calls))
    except NotTranslatable:
        return 0.0  # try at once, and so say why it is slow
    return START_UP if cache.kept(text) else COMPILATION


class Stopped(KeyboardInterrupt):
    """Ctrl-C, raised between two chunks: nothing is half done."""


@contextmanager
def held_interrupts() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is only noted; the value says whether it came. The second time it is raised at once, as ever.

    Outside the main thread, or where the program has a handler of its own, nothing is changed.
    """
    handler = signal.getsignal(signal.SIGINT)
    held = getattr(handler, "came", None)
    if held is not None:
        yield lambda: bool(held)
        return
    came: list[bool] = []

    def note(number: int, frame: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(True)

    note.came = came  # type: ignore[attr-defined]
    if handler is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def in_chunks(engine: Engine, seed: int, threads: int, low: int, high: int, done: Done) -> None:
    """Play games `low` to ``high - 1`` on threads, calling `done` with each chunk, first games first.

    Raises
    ------
    Stopped
        On Ctrl-C, after the chunks that are being played: `done` then has had all games up to some game.
    """
    size = FIRST_CHUNK if engine.name == "compiled" else 1

    def play(start: int, stop: int) -> Tallied:
        nonlocal size
        began = perf_counter()
        result = engine.play(seed, start, stop)
        seconds = max(perf_counter() - began, 1e-6)
        size = max(1, min(LARGEST_CHUNK, int((stop - start) * min(4.0, CHUNK_SECONDS / seconds))))
        return result

    waiting: deque[Future[Tallied]] = deque()
    with held_interrupts() as stopped, ThreadPoolExecutor(threads) as pool:
        try:
            while waiting or (low < high and not stopped()):
                while low < high and len(waiting) <= threads and not stopped():
                    upto = min(high, low + size)
                    waiting.append(pool.submit(play, low, upto))
                    low = upto
                done(waiting.popleft().result())
                while stopped() and waiting and waiting[-1].cancel():
                    waiting.pop()
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    if stopped():
        raise Stopped
