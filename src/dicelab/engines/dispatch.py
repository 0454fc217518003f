"""Chooses the engine that plays a run: the one asked for, or the one expected to finish first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from dicelab.engines.base import Tabled
from dicelab.errors import DicelabError, ParameterError, renamed
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Call, Run, distinct
from dicelab.runtime.scheduler import Engine

ENGINES = ("auto", "table", "counter", "turn", "memo", "compiled", "reference")
FORMERLY = {"purse": "counter", "turns": "turn", "graph": "memo"}
"""Old names of engines, accepted for one version."""
AT_HAND, START_UP, COMPILATION = 0.02, 0.5, 1.0
"""Minimum remaining time, in seconds, that justifies switching engines: if the kernel is loaded in this process, if it
is in the cache, and if it must be compiled (compiling takes about twice as long, but the next run profits too)."""
LONG = 10_000.0
"""Minimum remaining time of the reference engine, in seconds, for which a kernel of the engines `counter`, `turn`
and `memo` is compiled: that takes twice as long as for the compiled engine."""
MONEY = 100.0
"""Minimum remaining time, in seconds, for which the engine `counter` is tried: it explores states in plain Python."""
FOUND = 200.0
"""Minimum remaining time, in seconds, for which the engine `memo` is tried: there may be too many states for it."""


def forced(run: Run, engine: str, limit: int = LIMIT, keep: bool = False) -> Engine:
    """The engine asked for, ready to play; for ``auto`` the reference engine.

    Raises
    ------
    ParameterError
        If there is no such engine, or it can't play this game.
    NotTranslatable
        If the rules can't be compiled.
    """
    if engine in FORMERLY:
        renamed(f"engine {engine}", FORMERLY[engine])
        engine = FORMERLY[engine]
    if engine == "cuda":
        from dicelab.engines.cuda_table import on_gpu

        return on_gpu(run, limit, keep)
    if engine not in ENGINES:
        names = f"{', '.join(ENGINES)} or cuda"
        raise ParameterError(f"engine: {engine!r} is not allowed; it is {names}")
    if engine in ("table", "counter", "turn", "memo"):
        return _tabled(run, engine, limit, keep)
    if engine == "compiled":
        from dicelab.engines.compiled import Compiled

        return Compiled(run.game, run.calls, limit, keep)
    return Reference(run.game, run.calls, limit, keep)


def _tabled(run: Run, engine: str, limit: int, keep: bool) -> Engine:
    """A table engine, compiled."""
    from dicelab.engines.counter_table import PurseTable
    from dicelab.engines.memo_table import Graph
    from dicelab.engines.state_table import Table
    from dicelab.engines.turn_table import TurnTable

    kinds: dict[str, Callable[[Game, Sequence[Call], int], Tabled]] = {
        "table": Table,
        "counter": PurseTable,
        "turn": TurnTable,
        "memo": Graph,
    }
    if keep:
        raise ParameterError(f"engine: {engine} can't keep a record of every game; leave it out, or use compiled")
    try:
        made = kinds[engine](run.game, run.calls, limit)
    except DicelabError as error:
        raise ParameterError(f"engine: {run.game.name} can't be played by {engine}: {error}; leave it out") from error
    made.compile()
    return made


@dataclass(frozen=True)
class Quickest:
    """The engine expected to finish first.

    Attributes
    ----------
    worth
        Minimum remaining time, in seconds, that justifies switching to it.
    make
        Returns it ready to play, and a note for the user, empty if there is nothing to say.
    """

    worth: float
    make: Callable[[], tuple[Engine, str]]


def quickest(run: Run, limit: int, keep: bool, left: float) -> Quickest:
    """The engine expected to finish first, if the reference engine would need `left` more seconds."""
    from dicelab.engines.counter_table import PurseTable
    from dicelab.engines.memo_table import Graph
    from dicelab.engines.state_table import Table
    from dicelab.engines.turn_table import TurnTable
    from dicelab.kernels import cache
    from dicelab.translation.rewriter import NotTranslatable

    tabled: Tabled | None = None
    kinds: tuple[tuple[Callable[[Game, Sequence[Call], int], Tabled], float], ...]
    kinds = (Table, 0.0), (PurseTable, MONEY), (TurnTable, 0.0), (Graph, FOUND)
    for kind, least in kinds:
        if tabled is None and left > least and not keep:
            with suppress(Exception):  # whatever the reason, other engines can play the game
                made = kind(run.game, run.calls, limit)
                tabled = made if kind is Table or left > LONG or cache.kept(made.text) else None
    if tabled is None:
        return Quickest(minimum_time_compiled(run), lambda: compiled_or_reference(run, limit, keep))

    def make() -> tuple[Engine, str]:
        try:
            tabled.compile()
        except NotTranslatable:
            return compiled_or_reference(run, limit, keep)
        return tabled, ""

    return Quickest(minimum_time(tabled.text), make)


def compiled_or_reference(run: Run, limit: int = LIMIT, keep: bool = False) -> tuple[Engine, str]:
    """The compiled engine; if the rules can't be compiled, the reference engine and a note that says why."""
    from dicelab.engines.compiled import Compiled
    from dicelab.translation.rewriter import NotTranslatable

    try:
        return Compiled(run.game, run.calls, limit, keep), ""
    except NotTranslatable as error:
        return Reference(run.game, run.calls, limit, keep), f"not compiled, so played slowly in plain Python: {error}"


def minimum_time_compiled(run: Run) -> float:
    """Minimum remaining time, in seconds, that justifies switching to the compiled engine."""
    from dicelab.kernels.writers import simulate as kernel
    from dicelab.translation.rewriter import NotTranslatable

    try:
        text, _ = kernel.write(type(run.game), distinct(call.strategy for call in run.calls))
    except NotTranslatable:
        return 0.0  # switch at once: the note then says why the game is slow
    return minimum_time(text)


def minimum_time(text: str) -> float:
    """Minimum remaining time, in seconds, that justifies using the kernel of a text."""
    from dicelab.kernels import cache

    if cache.loaded(text):
        return AT_HAND
    return START_UP if cache.kept(text) else COMPILATION
