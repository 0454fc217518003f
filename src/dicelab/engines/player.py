"""Plays a run on the engine that answers first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from dicelab.engines.chunks import Done, Engine, Stopped, held_interrupts, in_chunks
from dicelab.engines.plan import Run
from dicelab.engines.reference import LIMIT, Reference
from dicelab.engines.small import NotSmall
from dicelab.errors import ParameterError

if TYPE_CHECKING:
    from dicelab.engines.table import Table

T = TypeVar("T")
ENGINES = ("auto", "table", "compiled", "reference")
PATIENCE = 0.25
"""Seconds that the reference engine may take before another engine is thought of."""
START_UP, COMPILATION = 0.5, 1.0
"""Seconds left to play for which a faster engine is worth while: where its kernel was kept, and where it must be
compiled, which takes about twice that and is then kept for the next time."""


@dataclass
class Player:
    """Plays the games of a run, in order, on the engine that is quickest to answer.

    Parameters
    ----------
    run, seed
        What is played.
    engine
        ``table``, ``compiled``, ``reference``, or ``auto``: the reference engine begins at once, and a faster one is
        made only when much is left to play: the table engine where it can play the game, else the compiled one. All
        engines play the same games, so it does not matter where the change is.
    threads
        Threads of engines other than the reference engine.
    limit
        Throws and choices after which a game is taken to be endless.
    keep
        Keep a record of every game, which the table engine does not do.

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
        if self.engine not in ENGINES:
            told = f"{', '.join(ENGINES[:-1])} or {ENGINES[-1]}"
            raise ParameterError(f"engine: {self.engine!r} is not allowed; it is {told}")
        self._player: Engine = Reference(self.run.game, self.run.calls, self.limit, self.keep)
        self._settled = self.engine != "auto"
        self._table: Table | None = None
        if self.engine == "compiled":
            from dicelab.engines.compiled import Compiled

            self._player = Compiled(self.run.game, self.run.calls, self.limit, self.keep)
        if self.engine == "table":
            self._player = self._forced_table()

    def _forced_table(self) -> Engine:
        """The table engine, which was asked for."""
        from dicelab.engines.table import Table

        if self.keep:
            raise ParameterError(
                "engine: the table engine keeps no record of every game; leave it out, or take compiled"
            )
        try:
            made = Table(self.run.game, self.run.calls, self.limit)
        except NotSmall as error:
            name = self.run.game.name
            raise ParameterError(f"engine: {name} can't be played from a table: {error}; leave it out") from error
        made.compile()
        return made

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
                if self._table is not None:
                    self._table.compile()
                    self._player = self._table
                else:
                    self._player, self.note = compiled_or_reference(self.run, self.limit, self.keep)
            if stopped():
                raise Stopped
            self._settled = True
        threads = 1 if self._player.name == "reference" else self.threads
        self._timed(lambda: in_chunks(self._player, self.seed, threads, low, high, done))

    def _timed(self, work: Callable[[], T]) -> T:
        began = perf_counter()
        try:
            return work()
        finally:
            self.seconds += perf_counter() - began

    def _begin(self, low: int, high: int, done: Done) -> int:
        """Play game by game until a faster engine would be quicker; returns the first game left."""
        began, first = perf_counter() - self.seconds, low
        worth = PATIENCE
        with held_interrupts() as stopped:
            while low < high and not stopped():
                done(self._player.play(self.seed, low, low + 1))
                low += 1
                spent = perf_counter() - began
                left = (high - low) * (spent - self.seconds) / (low - first)
                if spent > PATIENCE and max(left, spent) > worth:
                    worth = self._worth()
                    if max(left, spent) > worth:
                        break
        if stopped():
            raise Stopped
        return low

    def _worth(self) -> float:
        """How many seconds must be left to play for a faster engine to be worth while."""
        from dicelab.engines import cache

        if self._table is None and not self.keep:
            from dicelab.engines.table import Table

            with suppress(NotSmall):
                self._table = Table(self.run.game, self.run.calls, self.limit)
        if self._table is not None:
            return START_UP if cache.kept(self._table.text) else COMPILATION
        return worth_compiling(self.run)


def compiled_or_reference(run: Run, limit: int = LIMIT, keep: bool = False) -> tuple[Engine, str]:
    """The compiled engine; where the rules can't be compiled the reference engine, and a note that says why."""
    from dicelab.engines.compiled import Compiled
    from dicelab.engines.rewrite import NotTranslatable

    try:
        return Compiled(run.game, run.calls, limit, keep), ""
    except NotTranslatable as error:
        return Reference(run.game, run.calls, limit, keep), f"not compiled, so played slowly in plain Python: {error}"


def worth_compiling(run: Run) -> float:
    """How many seconds must be left to play for the compiled engine to be worth while."""
    from dicelab.engines import cache, kernel
    from dicelab.engines.rewrite import NotTranslatable

    try:
        text, _ = kernel.write(type(run.game), kernel.distinct(call.strategy for call in run.calls))
    except NotTranslatable:
        return 0.0  # try at once, and so say why it is slow
    return START_UP if cache.kept(text) else COMPILATION
