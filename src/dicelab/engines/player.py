"""Plays a run, with the engine asked for or with the one expected to finish first."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from time import perf_counter
from typing import TypeVar
from weakref import WeakKeyDictionary

from dicelab.compile.kernels.writers.simulate import must_see_own
from dicelab.engines.tables.base import Tabled
from dicelab.errors import DicelabError, EngineMismatchError, ParameterError, PlayError, slow
from dicelab.limits import LIMITS
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.loading.registry import entry_points
from dicelab.runtime.interpreter import LIMIT, Played, Reference
from dicelab.runtime.interrupts import Stopped, held_interrupts, on_another_thread
from dicelab.runtime.lineup import Run, uncompiled
from dicelab.runtime.scheduler import Done, Engine, Tallied, in_chunks, interrupted_between
from dicelab.runtime.states.tally_bounds import must_be_within_bounds
from dicelab.runtime.timing import Meter, TooMuch, aside
from dicelab.translation.translator import NotTranslatable

# Dispatch -------------------------------------------------------------------------------------------------------------
#
# Chooses the engine that plays a run: the one asked for, or the one expected to finish first, and why no other.
#
# The choice depends on the game, its strategies and the number of rolls and choices to play. It depends neither on time
# nor on which kernels are compiled already, so it is the same on every machine.

ENGINES = ("auto", "table", "counter", "turn", "memo", "lockstep", "compiled", "reference")
"""The names that may be asked for; after ``auto``, the order in which it tries them."""
GROUP = "dicelab.engines"
"""Entry points of installed packages: functions that make an engine for a run, given the limit on the rolls and choices
of a game, and whether a record of every game is kept. The engine's `name` is that of the entry point; several threads
ask it to play at the same time.
"""
SOON = ("table", "compiled")
"""Engines that pay from `LIMITS.compiling_work` rolls and choices on; the others pay from `LIMITS.table_work` on:
`counter`, which explores states in plain Python, takes up to a few seconds for that."""


@dataclass(frozen=True)
class ChosenEngine:
    """The engine that plays a run, ready to play.

    Attributes
    ----------
    engine
        The engine.
    others
        For each engine that would have been preferred to it, why it doesn't play.
    note
        A note for the user, empty if there is nothing to say.
    """

    engine: Engine
    others: dict[str, str]
    note: str = ""

    def explained(self, first: int) -> dict[str, str]:
        """For each engine whether it plays, and why; the reference engine has played the `first` games."""
        played = self.engine.name
        reasons = (
            dict.fromkeys(ENGINES[1:], f"not needed: {played} is faster")
            | self.others
            | {played: getattr(self.engine, "how", "plays")}
        )
        if first and played != "reference":
            games = f"first {first:,} games" if first > 1 else "first game"
            reasons["reference"] = f"played the {games}; {played} is faster"
        return reasons


def forced(run: Run, engine: str, limit: int = LIMIT, keep: bool = False) -> Engine:
    """Return the engine asked for, ready to play; for ``auto`` the reference engine, or the compiled one if players
    look ahead, for whom rules are compiled even where few games are played.

    Raises
    ------
    ParameterError
        If there is no such engine, or it can't play this game.
    NotTranslatable
        If the rules can't be compiled, which the engine ``compiled`` was asked to do.
    """
    if engine not in ENGINES:
        return _of_package(engine)(run, limit, keep)
    tabled = engine not in ("auto", "compiled", "reference")
    if tabled and keep:
        raise ParameterError(f"engine: {engine} can't keep a record of every game; leave it out, or use compiled")
    try:
        return _made(run, engine, limit, keep)
    except DicelabError as error:
        if not tabled:
            raise
        raise ParameterError(f"engine: {run.game.name} can't be played by {engine}: {error}; leave it out") from error


def _of_package(name: str) -> Callable[[Run, int, bool], Engine]:
    """Return what makes an engine that `auto` never chooses: one of an installed package, such as `cuda` of dicelab.

    Raises
    ------
    ParameterError
        If there is none, or the package can't be imported.
    """
    points = entry_points(group=GROUP)
    for point in points:
        if point.name != name:
            continue
        try:
            load: Callable[[Run, int, bool], Engine] = point.load()
        except Exception as error:
            raise ParameterError(f"engine: {name} of an installed package can't be loaded: {error}") from error
        return load
    *names, last = [*ENGINES, *(point.name for point in points)]
    raise ParameterError(f"engine: {name!r} is not allowed; it is {', '.join(names)} or {last}")


def chosen(run: Run, work: float, limit: int = LIMIT, keep: bool = False) -> ChosenEngine:
    """Return the engine expected to finish first, if `work` rolls and choices, as a meter counts
    them, are to be made.
    """
    others: dict[str, str] = {}
    refused = ""
    for name in ENGINES[1:-1]:
        if work < (least := LIMITS.compiling_work if name in SOON else LIMITS.table_work):
            others[name] = f"worth it from {least:,} rolls and choices on; here are about {float(f'{work:.2g}'):,.0f}"
            continue
        if keep and name != "compiled":
            others[name] = "it keeps no record of every game"
            continue
        try:
            return ChosenEngine(_made(run, name, limit, keep, asked=False), others)
        except DicelabError as error:
            others[name] = str(error)
            refused = f"not compiled, so played slowly in plain Python: {error}" if name == "compiled" else ""
    return ChosenEngine(Reference(run.game, run.calls, limit, keep), others, refused)


def _made(run: Run, name: str, limit: int, keep: bool, asked: bool = True) -> Engine:
    """Return an engine, compiled.

    Raises
    ------
    DicelabError
        If it can't play the game or, unless it was `asked` for, doesn't suit it; the message says why.
    """
    if name in ("auto", "compiled") and any(call.strategy.moves is not None for call in run.calls):
        from dicelab.engines.compiled import Ahead, looks_ahead

        if any(looks_ahead(call.strategy) for call in run.calls):
            try:
                return Ahead(run.game, run.calls, limit, keep, name == "compiled")
            except NotTranslatable:
                if name != "auto":
                    raise
    if name in ("auto", "reference"):
        return Reference(run.game, run.calls, limit, keep)
    if name == "compiled":
        from dicelab.engines.compiled import Compiled

        return Compiled(run.game, run.calls, limit, keep)
    engine = table_engines()[name](run.game, run.calls, limit)
    if not asked:
        engine.must_suit()
    engine.compile()
    return engine


def table_engines() -> dict[str, Callable[..., Tabled]]:
    """Return the engines that follow a table, by name; imported when first needed."""
    from dicelab.engines.lockstep import Lockstep
    from dicelab.engines.tables.counter import CounterEngine
    from dicelab.engines.tables.memo import MemoEngine
    from dicelab.engines.tables.state import TableEngine
    from dicelab.engines.tables.turn import TurnEngine

    return {kind.name: kind for kind in (TableEngine, CounterEngine, TurnEngine, MemoEngine, Lockstep)}


def slow_games(games: int) -> str:
    """Return a note that compiled code left so many games to the reference engine; empty if it left none.

    >>> slow_games(1)  # doctest: +ELLIPSIS
    '1 game was played by the reference engine, slowly: ...'
    """
    if not games:
        return ""
    were = "game was" if games == 1 else "games were"
    why = "a number leaves its range inside a rule, or 64 bits, or a list its room"
    return f"{games:,} {were} played by the reference engine, slowly: {why}"


# Compares an engine with the reference engine on the first games of a run ---------------------------------------------


GAMES, SHARE = 200, 100
"""Limits on the games compared: their number, and one in `SHARE` of the games asked for."""


@dataclass
class Replay:
    """Results of the first games of a run, as the reference engine played them.

    Attributes
    ----------
    game
        The game with its parameters.
    seed
        Seed of the run.
    records
        Whether the run keeps a record of every game.
    low
        Index of the first game kept.
    kept
        Outcome and tallies of up to `GAMES` consecutive games.
    """

    game: Game
    seed: int
    records: bool
    low: int = 0
    kept: list[Played] = field(default_factory=list)

    def keep(self, index: int, result: Tallied) -> None:
        """Keep the result of one game, if it is one of the first."""
        if not self.kept:
            self.low = index
        if len(self.kept) < GAMES and index == self.low + len(self.kept):
            outcome = result.counts.index(1)
            self.kept.append(Played(outcome, tuple(next(iter(values)) for values in result.histograms[outcome])))

    def games(self, asked: int) -> int:
        """Return the number of games to compare in a run of `asked` games."""
        return min(len(self.kept), asked // SHARE)

    def compare(self, engine: Engine, games: int) -> None:
        """Play the first games again on another engine and compare the results, which are not counted.

        Raises
        ------
        EngineMismatchError
            If a game has another result; with the seed, the game index and both results.
        """
        tallied, expected = engine.play(self.seed, self.low, self.low + games), self._tallied(self.kept[:games])
        if _equal(tallied, expected):
            return
        where = f"games {self.low} to {self.low + games - 1} played together, though not one by one"
        for index, played in enumerate(self.kept[:games], self.low):
            alone, one = engine.play(self.seed, index, index + 1), self._tallied([played])
            if not _equal(alone, one):
                where, tallied, expected = f"game {index}", alone, one
                break
        raise EngineMismatchError(
            f"{self.game.name}: two engines disagree on seed {self.seed}, {where}: the {engine.name} engine has "
            f"{self._words(tallied)}; the reference engine has {self._words(expected)}; please report this, and use "
            "--engine reference meanwhile"
        )

    def _tallied(self, games: Sequence[Played]) -> Tallied:
        """Return the sums over some games."""
        total = Tallied.empty(max(1, len(outcome_names(self.game))), len(self.game.declared.tallies))
        for played in games:
            total.count(played.outcome, played.tallies)
        if self.records:
            total.records.append([(played.outcome, *played.tallies) for played in games])
        return total

    def _words(self, total: Tallied) -> str:
        """Return a sentence part: outcome and tallies of one game, or games in each outcome and sums of tallies of
        several.
        """
        counts = [(name, n) for name, n in zip(outcome_names(self.game), total.counts, strict=False) if n]
        outcomes = [f"outcome {name}" if total.games == 1 else f"{n} games {name}" for name, n in counts]
        names = enumerate(self.game.declared.tallies)
        return ", ".join([*outcomes, *(f"{name} {sum(total.histogram(k).elements())}" for k, name in names)])


def _equal(one: Tallied, other: Tallied) -> bool:
    """Return whether counts, histograms and records are the same."""
    rows = [[tuple(int(n) for n in row) for part in total.records for row in part] for total in (one, other)]
    return rows[0] == rows[1] and (one.counts, one.histograms) == (other.counts, other.histograms)


T = TypeVar("T")
LONGEST = LIMITS.compiling_work
"""Work at which the reference engine leaves a single game, so that another engine can play it."""
CLOSER, SEED = LIMITS.table_work // 4, 0
"""Work from which on games of this seed show how much work games are, so that all seeds get the same engine."""
_work: WeakKeyDictionary[type[Game], float] = WeakKeyDictionary()
"""Work done for each game in this process."""


@dataclass
class Player:
    """Plays the games of a run in order.

    Parameters
    ----------
    run, seed
        The run and its seed.
    engine
        ``auto``, or the name of an engine (`dicelab.engines.player.ENGINES`). With ``auto`` the reference engine
        begins at once, and a faster engine takes over if enough time would be left to play. All engines play the same
        games; the first games are played again by the new engine, and compared.
    threads
        Number of threads for engines other than the reference engine.
    limit
        Rolls and choices after which a game is taken to be endless.
    keep
        Keep a record of every game, which table engines can't do.
    quiet
        Warn of nothing that `note` says.
    choose
        What chooses an engine for ``auto``, in place of `chosen`.
    work
        Work done before for each game: a kernel that doesn't pay for one short run may for many.
    """

    run: Run
    seed: int
    engine: str = "auto"
    threads: int = 1
    limit: int = LIMIT
    keep: bool = False
    quiet: bool = False
    seconds: float = 0.0
    choose: Callable[[Run, float, int, bool], ChosenEngine] | None = None
    work: MutableMapping[type[Game], float] = field(default_factory=lambda: _work)

    def __post_init__(self) -> None:
        must_see_own(type(self.run.game), (call.strategy for call in self.run.calls))
        asked = forced(self.run, self.engine, self.limit, self.keep)
        chosen_now = self.engine == "auto" and not isinstance(asked, Reference)
        why = "compiled plays games of players that look ahead" if chosen_now else f"{asked.name} was asked for"
        self._choice = ChosenEngine(asked, dict.fromkeys(ENGINES[1:], why))
        self._reference = asked if self.engine == "auto" and isinstance(asked, Reference) else None
        self._meter, self._left = Meter(LONGEST), 0
        if self._reference is not None:
            self._reference.meter = self._meter
        self._level = 0
        self._first = Replay(self.run.game, self.seed, self.keep)
        self._begun = self._left_out = self._handed = 0
        self._compared: dict[str, int] = {}

    @property
    def engine_used(self) -> str:
        """Name of the engine that plays now."""
        return self._choice.engine.name

    @property
    def note(self) -> str:
        """A note for the user, empty if there is nothing to say."""
        return "; ".join(filter(None, (self.note_on_engine, slow_games(self._left_out))))

    @property
    def note_on_engine(self) -> str:
        """The part of the note that doesn't depend on the games that were played."""
        return uncompiled(self.run.calls) or self._choice.note

    @property
    def explained(self) -> dict[str, str]:
        """For each engine whether it plays, and why or why not."""
        if self._reference is None or self._level:
            return self._choice.explained(self._begun)
        return chosen(self.run, min(LIMITS.compiling_work - 1, self.work.get(type(self.run.game), 0.0))).explained(0)

    def play(self, low: int, high: int, done: Done, is_over: Callable[[], bool] = lambda: False) -> None:
        """Play games `low` to ``high - 1``.

        Raises
        ------
        Stopped
            On Ctrl-C; OutOfTime when the time `is_over`; `done` has then been called with all games up to some game.
        EngineMismatchError
            If the engine that ``auto`` chose plays one of the first games differently from the reference engine.
        """
        asked = high - low
        if self._reference is not None:
            self._reference.is_over = is_over
            low = self._timed(partial(self._begin, self._reference, low, high, done))
            if low == high:
                return
            self._choose(high - low)
        engine = self._choice.engine

        # Nobody but its package has tested it; or `auto` has chosen it at once.
        unknown = self.engine not in ENGINES or (self.engine == "auto" and self._reference is None)
        first = low

        def compared(chunk: Tallied) -> None:
            self._handed += chunk.games
            with interrupted_between():
                if unknown:
                    self._follow(first)
                # At each chunk, because a table engine may have given up since the last one.
                self._compare(max(asked, self._handed))
            must_be_within_bounds(self.run.game, chunk)
            self._left_out += chunk.left
            done(chunk)

        threads = 1 if engine.name == "reference" else self.threads
        before = self._left_out
        try:
            self._timed(lambda: in_chunks(engine, self.seed, threads, low, high, compared, is_over))
        finally:
            slow(slow_games(self._left_out) if self._left_out > before and not self.quiet else "")

    def _follow(self, first: int) -> None:
        """Play games from `first` on with the reference engine for the comparison: about one in `SHARE` of those that
        were handed over, so that slow games show before any is played twice.
        """
        wanted = min(GAMES, self._handed // SHARE)
        if wanted < GAMES and wanted < 2 * len(self._first.kept):  # all are compared again
            return
        reference = Reference(self.run.game, self.run.calls, self.limit, self.keep)
        while len(self._first.kept) < wanted:
            index = self._first.low + len(self._first.kept) if self._first.kept else first
            self._first.keep(index, reference.play(self.seed, index, index + 1))

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
            while low < high and not (stopped() or self._level or self._expected(high - low) >= LIMITS.compiling_work):
                before = self._meter.work
                try:
                    with interrupted_between():
                        game = reference.play(self.seed, low, low + 1)
                except TooMuch:
                    self._left = 1
                    break
                self._first.keep(low, game)
                done(game)
                self.work[type(self.run.game)] = self.work.get(type(self.run.game), 0.0) + self._meter.work - before
                self._begun += 1
                low += 1
        if stopped():
            raise Stopped
        return low

    def _expected(self, games: int) -> float:
        """Work of so many games, and that done for this game in this process before; 0 at first."""
        if self._meter.work < LIMITS.first_work:
            return 0.0
        before = self.work.get(type(self.run.game), 0.0) + self._left * LONGEST
        mean = self._meter.work / (self._begun + self._left)
        return before + games * (self._usual or mean if before + games * mean >= CLOSER else mean)

    @cached_property
    def _usual(self) -> float:
        """Work of a game, as the mean of a few games of `SEED`; 0 if they can't be played."""
        sample, games = Reference(self.run.game, self.run.calls, self.limit), 0
        sample.meter = meter = Meter(LONGEST)
        with suppress(PlayError, TooMuch):
            while meter.work < LIMITS.first_work:
                games += 1
                sample.play(SEED, games - 1, games)
        return meter.work / games if meter.work >= LIMITS.first_work else 0.0

    def _choose(self, games: int) -> None:
        """Change to the engine that suits so many more games; it is chosen again when they have become very many."""
        work = self._expected(games)
        level = bisect((LIMITS.compiling_work, LIMITS.table_work), work)
        if level > self._level:
            with aside():
                self._choice = on_another_thread(lambda: (self.choose or chosen)(self.run, work, self.limit, self.keep))
            if self.note == self._choice.note and not self.quiet:  # otherwise it was said at once
                slow(self.note)
            self._level = level
        self.work[type(self.run.game)] = work
