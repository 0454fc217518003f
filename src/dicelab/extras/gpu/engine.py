"""The engine `cuda`: games played by thousands of threads of a GPU.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. The threads follow the lookup table of a game of few
states, which the rules make in plain Python as for the engine `table`; the compiled engine plays the rare games with a
rejected word, games that last very long, and those with a tally outside the values that are counted. Of games of many
states the threads play the translated rules (`CudaRules`); the compiled engine plays the games in which something goes
wrong (a value outside its range, a move that isn't allowed, too many rolls).

By itself because it needs packages that most people don't have, and is imported only when it is asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import BINS, LOWEST
from dicelab.engines.tables.base import Tabled
from dicelab.engines.tables.state import Counting, add_counted, positions_of, table_of
from dicelab.errors import DicelabError, NotSmall, ParameterError
from dicelab.extras.gpu.device import must_have_gpu
from dicelab.extras.gpu.rules import is_shared, row_names, write
from dicelab.extras.gpu.shape import Shape
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.scheduler import Tallied


class CudaRules(Tabled):
    """A game with its parameters and strategies, played on a GPU; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If its rules can't be translated, or a thread would need too much memory.
    """

    name = "cuda"
    how = "plays by the translated rules"
    largest_chunk = 2**28
    draws_moves = True
    bins = BINS
    """Number of values of each tally that are counted in a histogram."""
    spill = 2**22
    """Room for values outside it: 100 MB of the GPU's memory."""
    slow = 2**16
    """Number of games that the GPU leaves to the compiled engine at a time; if there are more, that plays all."""

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        self.dice = tables(game)
        arrays = self.rows()
        self.text = write(game, self.strategies, arrays, self.dice)
        names = row_names(type(game), self.strategies)
        policies = tuple(array for name, array in zip(names, arrays, strict=True) if is_shared(name))
        self.given = self.setting[1:], self.dice, policies
        """Arrays for the kernel: settings, dice, policies."""
        self._one = threading.Lock()

    def compile(self) -> None:
        """Compile the kernel for the GPU."""
        from numba.core.errors import NumbaError

        from dicelab.extras.gpu.device import constant, driver_error, room, to_device
        from dicelab.extras.gpu.rules import kernel_of

        self._made = kernel_of(self.text, constant)
        setting, (*dice, width), policies = self.given
        self._on_gpu = tuple(map(to_device, setting)), (*map(to_device, dice), width), tuple(map(to_device, policies))
        self._room = room(self.spill, 3), room(self.slow)
        try:
            self._play(0, 0, 0, Tallied.empty(self.outcomes, self.tallies))
        except NumbaError as error:
            gist = " ".join(line.strip() for line in str(error).splitlines()[:3])
            raise NotSmall(f"Numba can't compile its rules for a GPU: {gist[:300]}") from error
        except driver_error() as error:  # threads whose lists take more memory than this GPU has
            raise NotSmall(f"the GPU can't play by its rules: {error}") from error

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        tallied = Tallied.empty(self.outcomes, self.tallies)
        with self._one:
            left = self._played(seed, low, high, tallied)
        if left is not None:
            total.merge(tallied)
        return left

    def _played(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        """As `_play`; if it returns None, some games may have been counted in `total`."""
        from dicelab.extras.gpu.device import grid, to_device, unsigned

        run = to_device(unsigned(seed & 0xFFFFFFFF, seed >> 32, low))
        hist = to_device(np.zeros((self.outcomes, max(1, self.tallies), self.bins), np.uint64))
        noted = to_device(np.zeros(2, np.int64))
        spill, slow = self._room
        self._made[grid()](run, high - low, self.limit, *self._on_gpu, hist, spill, slow, noted)
        spilled, slows = noted.copy_to_host().tolist()
        if slows > slow.size:
            return None
        if spilled > spill.shape[0]:
            middle = (low + high) // 2
            first, second = self._played(seed, low, middle, total), self._played(seed, middle, high, total)
            return None if first is None or second is None else first + [middle - low + game for game in second]
        left: list[int] = slow.copy_to_host()[:slows].tolist()
        others = spill[:spilled].copy_to_host() if spilled else np.empty((0, 3), np.int64)
        self._add(hist.copy_to_host().astype(np.int64), others, total)
        return left

    def _add(self, hist: NDArray[np.int64], others: NDArray[np.int64], total: Tallied) -> None:
        """Add the counts of the kernel (outcomes, tallies, values), and the values outside (outcome, tally, value)."""
        counts = hist[:, 0].sum(axis=1) + np.bincount(others[others[:, 1] == 0, 0], minlength=self.outcomes)
        total.add(counts, hist[:, : self.tallies], LOWEST, np.empty((0, 3), np.int64))
        for outcome, tally in np.ndindex(self.outcomes, self.tallies):
            values = others[(others[:, 0] == outcome) & (others[:, 1] == tally), 2]
            columns = (array.tolist() for array in np.unique(values, return_counts=True))
            total.histograms[outcome][tally].update(dict(zip(*columns, strict=True)))


class CudaTable(Tabled):
    """A game with its parameters and strategies, played on a GPU; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If the game has too many states, its tallies don't fit, or its rules can't be translated.
    """

    name = "cuda"
    how = "plays, following a lookup table"
    largest_chunk = 2**28
    slow = CudaRules.slow

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        positions = positions_of(self.run)
        self.counting = counting = Counting.of(positions)
        table = table_of(positions, counting, may_pair=False)
        self.blocks = min(counting.throws, limit // (1 + positions.choices)) // 4
        self.entries = np.append(table.entries[: table.live - (1 << table.shift)], np.uint64(0))
        values, lowest = (BINS, LOWEST) if counting.growing else (1, 0)
        self.shape = Shape(
            size=self.entries.size,
            weight=positions.weights[0] if len(set(positions.weights)) == 1 else 0,
            start=table.start,
            live=table.live,
            shift=table.shift,
            endings=len(counting.endings),
            fields=max(1, len(counting.growing)),
            bits=counting.bits if counting.growing else 0,
            bias=counting.bias + lowest if counting.growing else 0,
            values=values,
            below=-lowest,
        )
        self._one = threading.Lock()

    def compile(self) -> None:
        """Compile the kernel for the GPU."""
        from dicelab.extras.gpu.device import to_device
        from dicelab.extras.gpu.kernel import kernel_of

        self._made = kernel_of(self.shape)
        self._table = to_device(self.entries)
        self._play(0, 0, 0, Tallied.empty(self.outcomes, self.tallies))

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        from dicelab.extras.gpu.device import grid, room, to_device, unsigned

        counts = self.shape.endings, self.shape.fields, self.shape.values
        with self._one:
            run = to_device(unsigned(seed & 0xFFFFFFFF, seed >> 32, low))
            hist = to_device(np.zeros(prod(counts), np.uint64))
            slow, listed = room(self.slow), to_device(np.zeros(1, np.int64))
            self._made[grid()](self._table, run, high - low, self.blocks, hist, slow, listed)
            slows = int(listed.copy_to_host()[0])
            if slows > self.slow:
                return None
            left: list[int] = slow.copy_to_host()[:slows].tolist()
            counted = hist.copy_to_host().astype(np.int64).reshape(counts)
        add_counted(self.counting, counted, np.empty((0, 3), np.int64), total)
        return left

    def give_up(self) -> None:
        """Play all games from now on by the rules, because the table leaves over too many."""
        try:
            rules = CudaRules(self.game, self.calls, self.limit)
        except NotSmall:
            super().give_up()
            return
        rules.compile()
        with self._lock:
            self._others, self._given_up, self.how = rules, True, rules.how


def on_gpu(run: Run, limit: int, keep: bool) -> CudaTable | CudaRules:
    """Return the engine for a run, compiled: it follows a lookup table if the game has one, and else plays by the
    rules.

    Raises
    ------
    ParameterError
        If there is no GPU, or the engine can't play the game.
    """
    if keep:
        raise ParameterError("engine: cuda can't keep a record of every game; leave it out, or use compiled")
    must_have_gpu()
    try:
        engine = made(run, limit)
        engine.compile()
    except DicelabError as error:
        raise ParameterError(f"engine: {run.game.name} can't be played by cuda: {error}; leave it out") from error
    return engine


def made(run: Run, limit: int = LIMIT) -> CudaTable | CudaRules:
    """Return the engine for a run; it is not compiled yet.

    Raises
    ------
    DicelabError
        If neither can play it.
    """
    try:
        return CudaTable(run.game, run.calls, limit)
    except NotSmall as error:
        engine = CudaRules(run.game, run.calls, limit)
        engine.how += f": {error}"
        return engine
