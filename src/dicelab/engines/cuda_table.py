"""The engine `cuda`: the lookup table of a game of few states, followed by thousands of threads of a GPU.

It plays the games of `dicelab.runtime.interpreter`, bit for bit: the table is made by the rules in plain Python, as for
the engine `table`. The compiled engine plays the rare games with a rejected word, games that last very long, and those
with a tally outside the values that are counted.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod

import numpy as np

from dicelab.compile.gpu.device import must_have_gpu
from dicelab.compile.gpu.shape import Shape
from dicelab.compile.kernels.arguments import BINS, LOWEST
from dicelab.engines.cuda_rules import SLOW, CudaRules
from dicelab.engines.tables.base import Tabled
from dicelab.engines.tables.state import Counting, add_counted, positions_of, table_of
from dicelab.errors import DicelabError, NotSmall, ParameterError
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.totals import Tallied


class CudaTable(Tabled):
    """A game with its parameters and strategies, played on a GPU; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If the game has too many states, its tallies don't fit, or its rules can't be translated.
    PlayError
        If a rule or a strategy breaks the contract in a reachable state.
    """

    name = "cuda"
    how = "plays, following a lookup table"
    largest_chunk = 2**28

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
        from dicelab.compile.gpu.device import to_device
        from dicelab.compile.gpu.kernel import kernel_of

        self._made = kernel_of(self.shape)
        self._table = to_device(self.entries)
        self._play(0, 0, 0, Tallied.empty(self.outcomes, self.tallies))

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        from dicelab.compile.gpu.device import grid, room, to_device, unsigned

        counts = self.shape.endings, self.shape.fields, self.shape.values
        with self._one:
            run = to_device(unsigned(seed & 0xFFFFFFFF, seed >> 32, low))
            hist = to_device(np.zeros(prod(counts), np.uint64))
            slow, listed = room(SLOW), to_device(np.zeros(1, np.int64))
            self._made[grid()](self._table, run, high - low, self.blocks, hist, slow, listed)
            slows = int(listed.copy_to_host()[0])
            if slows > SLOW:
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
    mixed = [call.strategy.name for call in run.calls if call.strategy.mixes]
    if mixed:
        raise NotSmall(f"{mixed[0]} draws its moves (mixture), which only compiled and reference do")
    try:
        return CudaTable(run.game, run.calls, limit)
    except NotSmall as error:
        engine = CudaRules(run.game, run.calls, limit)
        engine.how += f": {error}"
        return engine
