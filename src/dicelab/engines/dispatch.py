"""Which engine plays a game: the one that was asked for, or the one that answers first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from dicelab.engines.base import Tabled
from dicelab.errors import DicelabError, ParameterError
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Call, Run, distinct
from dicelab.runtime.scheduler import Engine

ENGINES = ("auto", "table", "purse", "turns", "graph", "compiled", "reference")
AT_HAND, START_UP, COMPILATION = 0.02, 0.5, 1.0
"""Seconds left to play for which a faster engine is worth while: where its kernel has been used in this process, where
it was kept, and where it must be compiled, which takes about twice that and is then kept for the next time."""
LONG = 10_000.0
"""Seconds that the reference engine would need for what is left, for which the kernel of the turns or the graph engine
is compiled: it takes twice as long to make as that of the compiled engine."""
MONEY = 100.0
"""The same for which the purse engine is tried, which looks for positions in plain Python."""
FOUND = 200.0
"""The same for which the graph engine is tried where its kernel was kept: it may find too many positions."""


def forced(run: Run, engine: str, limit: int = LIMIT, keep: bool = False) -> Engine:
    """The engine that was asked for; the reference engine for ``auto``.

    Raises
    ------
    ParameterError
        When there is no such engine, or it can't play this game.
    NotTranslatable
        When the rules can't be compiled.
    """
    if engine not in ENGINES:
        told = f"{', '.join(ENGINES[:-1])} or {ENGINES[-1]}"
        raise ParameterError(f"engine: {engine!r} is not allowed; it is {told}")
    if engine in ("table", "purse", "turns", "graph"):
        return _tabled(run, engine, limit, keep)
    if engine == "compiled":
        from dicelab.engines.compiled import Compiled

        return Compiled(run.game, run.calls, limit, keep)
    return Reference(run.game, run.calls, limit, keep)


def _tabled(run: Run, engine: str, limit: int, keep: bool) -> Engine:
    """An engine with a table, made ready."""
    from dicelab.engines.counter_table import PurseTable
    from dicelab.engines.memo_table import Graph
    from dicelab.engines.state_table import Table
    from dicelab.engines.turn_table import TurnTable

    kinds: dict[str, Callable[[Game, Sequence[Call], int], Tabled]] = {
        "table": Table,
        "purse": PurseTable,
        "turns": TurnTable,
        "graph": Graph,
    }
    if keep:
        raise ParameterError(f"engine: {engine} keeps no record of every game; leave it out, or take compiled")
    try:
        made = kinds[engine](run.game, run.calls, limit)
    except DicelabError as error:
        raise ParameterError(f"engine: {run.game.name} can't be played by {engine}: {error}; leave it out") from error
    made.compile()
    return made


@dataclass(frozen=True)
class Quickest:
    """The engine that answers first.

    Attributes
    ----------
    worth
        Seconds that must be left to play for it to be worth while.
    make
        Makes it ready; with it a note for whoever waits.
    """

    worth: float
    make: Callable[[], tuple[Engine, str]]


def quickest(run: Run, limit: int, keep: bool, left: float) -> Quickest:
    """The engine that answers first, when the reference engine would need `left` seconds more."""
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
            with suppress(Exception):  # whatever it is: there are others that can play
                made = kind(run.game, run.calls, limit)
                tabled = made if kind is Table or left > LONG or cache.kept(made.text) else None
    if tabled is None:
        return Quickest(worth_compiling(run), lambda: compiled_or_reference(run, limit, keep))

    def make() -> tuple[Engine, str]:
        try:
            tabled.compile()
        except NotTranslatable:
            return compiled_or_reference(run, limit, keep)
        return tabled, ""

    return Quickest(worth_making(tabled.text), make)


def compiled_or_reference(run: Run, limit: int = LIMIT, keep: bool = False) -> tuple[Engine, str]:
    """The compiled engine; where the rules can't be compiled the reference engine, and a note that says why."""
    from dicelab.engines.compiled import Compiled
    from dicelab.translation.rewriter import NotTranslatable

    try:
        return Compiled(run.game, run.calls, limit, keep), ""
    except NotTranslatable as error:
        return Reference(run.game, run.calls, limit, keep), f"not compiled, so played slowly in plain Python: {error}"


def worth_compiling(run: Run) -> float:
    """How many seconds must be left to play for the compiled engine to be worth while."""
    from dicelab.kernels import simulate as kernel
    from dicelab.translation.rewriter import NotTranslatable

    try:
        text, _ = kernel.write(type(run.game), distinct(call.strategy for call in run.calls))
    except NotTranslatable:
        return 0.0  # try at once, and so say why it is slow
    return worth_making(text)


def worth_making(text: str) -> float:
    """How many seconds must be left to play for the kernel of a text to be worth while."""
    from dicelab.kernels import cache

    if cache.loaded(text):
        return AT_HAND
    return START_UP if cache.kept(text) else COMPILATION
