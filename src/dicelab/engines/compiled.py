"""The compiled engine: rules and strategies compiled into one kernel.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. A game in which the kernel records an error (a value
outside its range, overflow of 64 bits, an index outside its row) is played again by the reference engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.arguments import LOWEST, GameBatch, KernelCounts, KernelSetting, batch_of, counters
from dicelab.compile.kernels.core import GAMES
from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers import thinking
from dicelab.compile.kernels.writers.moves import lists_moves
from dicelab.rules.actions import LISTABLE
from dicelab.rules.fields import Field, Ints, fields_of
from dicelab.rules.game import Game, Memory, Strategy, outcome_names, seat_count
from dicelab.rules.params import value_of
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Call, distinct
from dicelab.runtime.outcome_tables import Tables, tables
from dicelab.runtime.scheduler import Tallied
from dicelab.translation.endless import EndlessLoop, explained
from dicelab.translation.translator import KernelLayout

NOT_RESUMED, NO_RECORDS = np.zeros((0, 0), np.int64), np.zeros((0, 1), np.int64)
SPILL = 4096
"""Number of tally values outside the histogram that one call of a kernel can return."""
MOST_PREFILL = 4
"""Limit on the blocks of each game that are computed in advance; longer games compute their own."""


class WithKernel:
    """What all engines share that have a kernel: a game with its parameters and strategies, and the kernel.

    Parameters
    ----------
    game
        The game; only its parameters matter.
    calls
        One strategy for each seat; empty in a game without choices.
    limit
        Rolls and choices after which a game is taken to be endless.

    Attributes
    ----------
    text, places
        Text of the kernel, and for each function in it the file and line of its rule.
    tables
        The outcomes of rolls, for the kernel of `dicelab.compile.kernels.writers.simulate`.
    """

    text = ""
    tables: Tables

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        self.game = game
        self.calls = calls
        self.limit = limit
        self.strategies = distinct(call.strategy for call in calls)
        self.outcomes = max(1, len(outcome_names(game)))
        self.tallies = len(game.declared.tallies)
        self.places: dict[str, str] = {}
        self._kernel: Any = None

    def rows(self) -> tuple[np.ndarray, ...]:
        """Return new arrays for the kernel; see the function `rows`."""
        return rows(self.game, self.strategies)

    @cached_property
    def setting(self) -> KernelSetting:
        """The arguments of the kernel that depend on the parameters of the game and on the strategies in its seats."""
        return setting(self.game, self.calls, self.strategies)

    def compile(self) -> None:
        """Compile the kernel, or load it from the cache."""
        cache.compile_now(self.text, self._load, self.game.name, self.places)

    def _load(self) -> None:
        """Load the kernel and call it for nothing, which compiles it."""
        self._kernel = cache.load(self.text)
        self._play_none()

    def _play_none(self) -> None:
        """Play no games with the kernel."""
        self._play(0, 0, 0, Tallied.empty(self.outcomes, self.tallies))

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> object:
        """Play games, which are added to `total`."""
        raise NotImplementedError  # Compiled, the tables and cuda define it; a Follower of states plays no games

    def _simulate(
        self,
        run: GameBatch,
        counted: KernelCounts,
        report: NDArray[np.int64],
        records: NDArray[np.int64] = NO_RECORDS,
        resumed: NDArray[np.int64] = NOT_RESUMED,
        more: Sequence[NDArray[Any]] = (),
    ) -> int:
        """Call a kernel of `dicelab.compile.kernels.writers.simulate`; returns a status. `more` are arrays after the
        rows.
        """
        scratch = np.empty(max(1, run.prefill) * 4 * GAMES, np.uint32), np.empty(4 * GAMES, np.uint32)
        given = run, self.setting, (*self.rows(), *more), *scratch, self.tables.for_thread(), counted
        return int(self._kernel(*given, report, records, resumed))


class Compiled(WithKernel):
    """A game with its parameters and strategies, compiled; see `WithKernel` for the parameters.

    With `keep` it keeps a record of every game.
    """

    name = "compiled"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT, keep: bool = False) -> None:
        super().__init__(game, calls, limit)
        self.keep = keep
        self.tables = tables(game)
        write = thinking.write_play if any(map(k.judges, self.strategies)) else k.write
        self.text, self.places = write(type(game), self.strategies, self.tables.one_word)
        self.prefill = 1
        self.compile()

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play games `low` to ``high - 1`` of a seed.

        Raises
        ------
        PlayError
            With the seed and the game index.
        """
        total = Tallied.empty(self.outcomes, self.tallies)
        while low < high:
            low += self._play(seed, low, high, total)
        return total

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> int:
        """Play until the end, or until `spill` is full; returns the number of games played."""
        counted = counters(self.outcomes, self.tallies, SPILL + self.tallies)
        report = np.zeros(3, np.int64)
        records = np.zeros((high - low if self.keep else 0, 1 + self.tallies), np.int64)
        run = batch_of(seed, low, high, self.prefill, self.limit)
        try:
            status = self._simulate(run, counted, report, records)
        except EndlessLoop as error:
            game = low + int(report[0])
            if game > low:
                return self._play(seed, low, game, total)
            raise explained(error, self.game.name, self.places, f"; seed {seed}, game {game}") from error
        except Exception:
            if low == high:
                raise  # compilation or the cache
            return self._play_slowly(seed, low, low + int(report[0]) + 1, total)
        if status not in (k.DONE, k.FULL):
            return self._play_slowly(seed, low, low + int(report[0]) + 1, total)
        played, throws, spilled = (int(v) for v in report)
        self._tune(played, throws)
        total.add(counted.counts, counted.hist, LOWEST, counted.spill[:spilled])
        if self.keep:
            total.records.append(records[:played])
        return played

    def _play_slowly(self, seed: int, low: int, high: int, total: Tallied) -> int:
        """Play games up to one that went wrong, which the reference engine plays; returns the number of games played.

        The reference engine raises the error that says what is wrong, or plays the game in Python's own integers.
        """
        if high - low > 1:
            total.merge(self.play(seed, low, high - 1))
        total.merge(Reference(self.game, self.calls, self.limit, self.keep).play(seed, high - 1, high))
        total.left += 1
        return high - low

    def _tune(self, games: int, throws: int) -> None:
        """Choose how many blocks to compute in advance from the mean length of games; affects speed only."""
        blocks = -(-throws * 2 // (4 * games)) if games >= GAMES else 1
        self.prefill = blocks if blocks <= MOST_PREFILL else 0


class Ahead:
    """The compiled engine where players look ahead (`looks_ahead`), which takes nearly all of the time.

    What they try out is played by compiled rules. Between their choices the reference engine plays, with every range
    checked. See `WithKernel` for the parameters. Where it isn't `asked` for, what takes long to compile is compiled
    when enough was tried.

    Raises
    ------
    NotTranslatable
        If the rules, or the strategy of another seat, can't be compiled.
    """

    name = "compiled"

    def __init__(
        self, game: Game, calls: Sequence[Call], limit: int = LIMIT, keep: bool = False, asked: bool = True
    ) -> None:
        k.translated(type(game), distinct(call.strategy for call in calls if not looks_ahead(call.strategy)))
        players = {
            call.strategy.name: cast(Any, call.strategy.moves).compiled(game, asked)
            for call in calls
            if looks_ahead(call.strategy)
        }
        self.calls = [Call(players.get(call.strategy.name, call.strategy), call.args) for call in calls]
        self.game, self.limit, self.keep = game, limit, keep
        self.is_over: Callable[[], bool] | None = None

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play games `low` to ``high - 1`` of a seed.

        Raises
        ------
        PlayError
            With the seed and the game index.
        OutOfTime
            When the time `is_over`, which is asked before each roll and choice.
        """
        engine = Reference(self.game, self.calls, self.limit, self.keep)
        engine.is_over = self.is_over
        return engine.play(seed, low, high)


def looks_ahead(strategy: Strategy) -> bool:
    """Return whether a strategy tries moves out before each choice, which the compiled engine does with compiled rules:
    `rollout`, `search` and `mcts`.
    """
    return hasattr(strategy.moves, "compiled") and not k.judges(strategy)


def setting(game: Game, calls: Sequence[Call], strategies: Sequence[Strategy]) -> KernelSetting:
    """Return the arguments of a kernel that depend on the parameters of the game and on the strategies in its seats."""
    names = [s.name for s in strategies]
    seats = max(1, seat_count(game))
    most = max([len(call.args) for call in calls], default=0)
    args = np.zeros((seats, max(1, most)), np.int64)
    who = np.zeros(seats, np.int64)
    for seat, call in enumerate(calls):
        args[seat, : len(call.args)] = call.args
        who[seat] = names.index(call.strategy.name)
    memories: list[type[Memory]] = [s.memory for s in strategies if s.memory]
    kept = [f for memory in memories for f in fields_of(memory, Field)]
    spans = np.zeros((max(1, len(game.declared.decisions)), _widest(game), 2), np.int64)
    for decision in game.declared.decisions:
        spans[decision.index, : len(decision.kinds)] = decision.spans(game)
    return KernelSetting(
        np.array(KernelLayout.of(type(game), strategies).values(game), np.int64),
        args,
        who,
        np.array([f.initial(game) for f in (*game.declared.state.values(), *kept)], np.int64),
        spans,
    )


def _widest(game: Game) -> int:
    """Return how many numbers the longest move has."""
    return max([len(d.kinds) for d in game.declared.decisions], default=1)


def rows(game: Game, strategies: Sequence[Strategy]) -> tuple[np.ndarray, ...]:
    """Arrays for the rows of the game, then for memories (a number or a row for each seat), then for policies."""
    state = [f for f in game.declared.state.values() if isinstance(f, Ints)]
    kept = [f for s in strategies if s.memory for f in fields_of(s.memory, Field)]
    seats = max(1, seat_count(game))
    return (
        *(np.zeros(value_of(f.length, game), np.int64) for f in state),
        *(np.zeros((seats, value_of(f.length, game)) if isinstance(f, Ints) else seats, np.int64) for f in kept),
        *(array for s in strategies if s.moves is not None for array in _of_policy(s.moves)),
        *([np.zeros((LISTABLE + 1, _widest(game)), np.int64)] if lists_moves(type(game)) else []),
    )


def _of_policy(policy: Any) -> tuple[Any, ...]:
    """Return the arrays of a policy, and scratch space for the state that is looked up."""
    if getattr(policy, "judge", None) is not None:
        return (policy.judge(),)
    low, _, _, _, keys, *_ = policy.arrays
    return *policy.arrays, np.zeros(low.size, np.int64), np.zeros((1, keys.shape[1]), np.uint64)
