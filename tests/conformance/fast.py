"""The engines that play fast."""

from __future__ import annotations

from contextlib import suppress

from dicelab.engines.compiled import Compiled
from dicelab.engines.lockstep import Lockstep
from dicelab.engines.tables.counter import CounterEngine
from dicelab.engines.tables.memo import MemoEngine
from dicelab.engines.tables.state import TableEngine
from dicelab.engines.tables.turn import TurnEngine
from dicelab.errors import NotSmall, PlayError
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine


def fast_engines(run: Run, limit: int = LIMIT) -> list[Engine]:
    """The engines that are to agree with the reference engine."""
    found: list[Engine] = [Compiled(run.game, run.calls, limit)]
    for kind in (TableEngine, CounterEngine, TurnEngine, MemoEngine, Lockstep):
        with suppress(NotSmall, PlayError):
            table = kind(run.game, run.calls, limit)
            table.compile()
            found.append(table)
    return found
