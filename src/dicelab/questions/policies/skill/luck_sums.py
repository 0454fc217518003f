"""Plays the games of a simulation again, and sums up by how much luck and decisions changed the values of a policy.

The compiled rules look the values up before and after each decision (`kernels.writers.luck`). Rules that can't be
compiled are followed in plain Python. States that were not solved, because only moves that the solver does not consider
lead to them, are valued by looking ahead, and the games that reached them are played once more.

By itself because it follows games state by state, while `dicelab.questions.policies.skill.luck` is the question and its
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import batch_of, counters
from dicelab.compile.kernels.hashtable import note_all
from dicelab.compile.kernels.writers import luck as k
from dicelab.compile.kernels.writers.simulate import DONE
from dicelab.engines.compiled import WithKernel
from dicelab.errors import PlayError
from dicelab.limits import LIMITS
from dicelab.questions.policies.skill.values import Unvalued, Values
from dicelab.rules.game import fresh, reset
from dicelab.runtime.arrays import Floats
from dicelab.runtime.interpreter import LIMIT, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.philox import Stream
from dicelab.runtime.states.codec import Place, Slots
from dicelab.translation.translator import NotTranslatable

HALVES = 2
"""Even and odd chunks have separate sums: what is fitted to one half of the games is used for the other."""
MISSING = 1 << 12
"""States without a value that one call of a kernel can report."""
NOBODY = np.zeros((0, 1))
"""Room for the luck of no game."""


def followed(
    run: Run, solved: Values, seed: int, games: int, threads: int, progress: Callable[[int, int], None]
) -> tuple[Floats, list[int], str]:
    """Return the sums of `dicelab.compile.kernels.writers.luck.POWERS` over the games of a seed.

    Returns
    -------
    sums
        float64 array (halves, seats, powers).
    played
        Number of games in each half.
    note
        Why the games were followed slowly; empty if they were not.

    Raises
    ------
    Unvalued
        When too many states are reached that were not solved.
    """
    note = ""
    try:
        play = _CompiledLuck(run, solved, seed).play
    except NotTranslatable as error:
        note = f"not compiled, so followed slowly in plain Python: {error}"
        play, threads = partial(slowly, run, solved, seed), 1
    size = min(LIMITS.luck_chunk, -(-games // HALVES))
    chunks = [(low, min(games, low + size)) for low in range(0, games, size)]
    pool = ThreadPoolExecutor(threads)
    try:
        sums, played = np.zeros((HALVES, solved.seats, len(k.POWERS))), [0] * HALVES
        for at, part in enumerate(pool.map(lambda chunk: play(*chunk), chunks)):
            low, high = chunks[at]
            sums[at % HALVES] += part
            played[at % HALVES] += high - low
            progress(high, games)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return sums, played, note


class LuckOfGames:
    """How much the dice of each game gave each seat of a run, by the values of a solution.

    Parameters
    ----------
    run, solved, seed
        The games, and the values.
    """

    def __init__(self, run: Run, solved: Values, seed: int) -> None:
        self._run, self._solved, self._seed = run, solved, seed
        self._compiled: _CompiledLuck | None = None
        with suppress(NotTranslatable):
            self._compiled = _CompiledLuck(run, solved, seed)

    def __call__(self, low: int, high: int) -> Floats:
        """Return the luck (games, seats) of games `low` to ``high - 1``; its mean is 0, whatever the strategies.

        Raises
        ------
        Unvalued
            When too many states are reached that were not solved.
        """
        if self._compiled is None:
            games = _games(self._run, self._solved, self._seed, low, high)
            return np.array([_summands(self._solved, *one)[:, k.POWERS.index("luck")] for one in games])
        each = np.zeros((high - low, self._solved.seats))
        self._compiled.play(low, high, each)
        return each


class _CompiledLuck(WithKernel):
    """The compiled rules of a run, with the values that are known so far."""

    def __init__(self, run: Run, solved: Values, seed: int) -> None:
        super().__init__(run.game, run.calls)
        self.solved, self.seed = solved, seed
        self.text, self.places = k.write(type(run.game), self.strategies, solved.tally)
        self.tables = tables(run.game)
        self.slots = Slots.of(run.game, ())
        self.known = self._hashed(solved.keys, solved.value)
        self.prize, self.start = solved.prize, solved.at_start
        self.added: set[tuple[int, ...]] = set()
        self.adding = Lock()
        self.compile()

    def _play_none(self) -> None:
        self._follow(0, 0)

    def play(self, low: int, high: int, each: Floats = NOBODY) -> Floats:
        """Return the sums over games `low` to ``high - 1``; `each` gets the luck of its first games."""
        while True:
            sums, missing = self._follow(low, high, each)
            if not len(missing):
                return sums
            with self.adding:
                self._value(np.unique(missing, axis=0))

    def _follow(self, low: int, high: int, each: Floats = NOBODY) -> tuple[Floats, NDArray[np.int64]]:
        """Return the sums over the games whose states all have a value, and states of the others that have none."""
        seats, numbers = self.solved.seats, self.slots.low.size
        sums, missing = np.zeros((seats, len(k.POWERS))), np.zeros((MISSING, numbers), np.int64)
        count, report = np.zeros(1, np.int64), np.zeros(3, np.int64)
        keys, table, value = self.known
        scratch = np.zeros(numbers, np.int64), np.zeros((1, keys.shape[1]), np.uint64), np.zeros(seats)
        known = (*self.slots.packing, keys, table, value, self.prize, self.start, *scratch, sums, missing, count, each)
        games, counted = batch_of(self.seed, low, high, 1, self.limit), counters(self.outcomes, 0, self.tallies + 1)
        status = self._simulate(games, counted, report, more=known)
        if status != DONE:
            raise PlayError(f"{self.game.name}: seed {self.seed}, game {low + int(report[0])} can't be followed")
        return sums, missing[: int(count[0])]

    def _value(self, missing: NDArray[np.int64]) -> None:
        """Value states by looking ahead, and add them to those that are known."""
        table, packed, values = fresh(self.game), [], []
        for numbers in missing.tolist():
            key = self.slots.pack(numbers)
            if key not in self.added:  # by another thread
                Place(table, ()).set(numbers)
                packed.append(key)
                values.append([float(v) for v in self.solved.of(table)])
        if len(self.added) + len(packed) > LIMITS.added_states:
            raise Unvalued(
                f"{self.game.name}: these strategies reach more than {LIMITS.added_states:,} states "
                "that a solver leaves out"
            )
        self.added.update(packed)
        keys, _, value = self.known
        if packed:
            new = np.array(packed, np.uint64), np.array(values)
            self.known = self._hashed(np.concatenate([keys, new[0]]), np.concatenate([value, new[1]]))

    @staticmethod
    def _hashed(keys: NDArray[np.uint64], value: Floats) -> tuple[NDArray[np.uint64], NDArray[np.int32], Floats]:
        table = np.full(1 << (2 * len(keys)).bit_length(), -1, np.int32)
        note_all(keys, table)
        return np.ascontiguousarray(keys), table, np.ascontiguousarray(value)


def slowly(run: Run, solved: Values, seed: int, low: int, high: int) -> Floats:
    """Return the same sums in plain Python."""
    rows_of = [_summands(solved, changes, results) for changes, results in _games(run, solved, seed, low, high)]
    sums: Floats = np.sum(rows_of, axis=0)
    return sums


def _games(
    run: Run, solved: Values, seed: int, low: int, high: int
) -> Iterator[tuple[Sequence[float], Sequence[float]]]:
    """For each game, what its decisions changed for each seat, and its result."""
    choosers = [call.chooser(run.game) for call in run.calls]
    for number in range(low, high):
        table = fresh(run.game)
        reset(table)
        now = before = solved.of(table)
        changed = [value - value for value in now]
        for event in steps(table, choosers, Stream(seed, number), LIMIT):
            before, now = now, solved.of(table)
            if event.kind == "choice":
                changed = [c + b - a for c, a, b in zip(changed, before, now, strict=True)]
        yield [float(c) for c in changed], [float(v) for v in solved.result(table)]


def _summands(solved: Values, changes: Sequence[float], results: Sequence[float]) -> Floats:
    change, got = np.array(changes), np.array(results)
    luck = got - solved.at_start - change
    products = [got, got**2, change, luck, change**2, luck * change, luck**2]
    return np.stack([*products, change**3, luck * change**2, luck**2 * change, luck**3], axis=1)
