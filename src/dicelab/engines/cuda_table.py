"""The engine `cuda`: the lookup table of a game of few states, followed by thousands of threads of a GPU.

It plays the games of `dicelab.runtime.interpreter`, bit for bit: the table is made by the rules in plain Python, as for
the engine `table`. The compiled engine plays the rare games with a rejected word, games that last very long, and those
with a tally outside the values that are counted.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from dicelab.engines.base import Tabled
from dicelab.engines.packing import Counting, positions_of, table_of
from dicelab.engines.state_table import add_counted
from dicelab.errors import DicelabError, NotSmall, ParameterError
from dicelab.gpu.device import must_have_gpu
from dicelab.kernels.arguments import BINS, LOWEST
from dicelab.kernels.writers.simulate import must_be_translatable
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.totals import Tallied

SLOW = 2**16
"""Limit of the number of games that the GPU leaves to the compiled engine at a time; if there are more, it plays all.
"""


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
    largest_chunk = 2**28

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        must_be_translatable(game, calls)
        positions = positions_of(Run(game, tuple(calls)))
        if positions.start[0] < 0:
            raise NotSmall("it is over before the first roll")
        self.counting = counting = Counting.of(positions)
        table = table_of(positions, counting, may_pair=False)
        endings = len(counting.endings)
        self.blocks = min(counting.throws, limit // (1 + positions.choices)) // 4
        self.entries = table.entries[: table.live - (1 << table.shift)]
        self.values, lowest = (BINS, LOWEST) if counting.growing else (1, 0)
        self.numbers = (
            *(table.start, table.live, table.shift, table.live + (endings << table.shift)),
            *((counting.bits, counting.bias + lowest) if counting.growing else (0, 0)),
        )
        self._one = threading.Lock()

    def compile(self) -> None:
        """Compile the kernel for the GPU."""
        from dicelab.gpu.device import to_device
        from dicelab.gpu.kernel import SHARED, kernel_of, unsigned

        self._made = kernel_of(self.entries.size if self.entries.size <= SHARED else 0)
        self._on_gpu = to_device(self.entries), to_device(unsigned(*self.numbers))
        self._play(0, 0, 0, Tallied.empty(self.outcomes, self.tallies))

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        from dicelab.gpu.device import grid, room, to_device
        from dicelab.gpu.kernel import unsigned

        endings, fields = len(self.counting.endings), max(1, len(self.counting.growing))
        run = to_device(unsigned(seed & 0xFFFFFFFF, seed >> 32, low))
        shape = to_device(np.array([fields, self.values], np.int64))
        with self._one:
            hist = to_device(np.zeros(endings * fields * self.values, np.uint64))
            slow, listed = room(SLOW), to_device(np.zeros(1, np.int64))
            table, numbers = self._on_gpu
            self._made[grid()](table, run, high - low, self.blocks, numbers, endings, shape, hist, slow, listed)
            slows = int(listed.copy_to_host()[0])
            if slows > SLOW:
                return None
            left: list[int] = slow.copy_to_host()[:slows].tolist()
            counted = hist.copy_to_host().astype(np.int64).reshape(endings, fields, self.values)
        add_counted(self.counting, counted, np.empty((0, 3), np.int64), total)
        return left


def on_gpu(run: Run, limit: int, keep: bool) -> CudaTable:
    """The engine for a run, compiled.

    Raises
    ------
    ParameterError
        If there is no GPU, or the engine can't play the game.
    """
    if keep:
        raise ParameterError("engine: cuda can't keep a record of every game; leave it out, or use compiled")
    must_have_gpu()
    try:
        made = CudaTable(run.game, run.calls, limit)
    except DicelabError as error:
        raise ParameterError(f"engine: {run.game.name} can't be played by cuda: {error}; leave it out") from error
    made.compile()
    return made
