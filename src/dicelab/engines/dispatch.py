"""Chooses the engine that plays a run: the one asked for, or the one expected to finish first, and why no other.

The choice depends on the game, its strategies and the number of rolls and choices to play. It depends neither on time
nor on which kernels are compiled already, so it is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dicelab.engines.tables.base import Tabled
from dicelab.errors import DicelabError, ParameterError, renamed
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine

ENGINES = ("auto", "table", "counter", "turn", "memo", "compiled", "reference")
"""The names that may be asked for; after ``auto``, the order in which it tries them."""
FORMERLY = {"purse": "counter", "turns": "turn", "graph": "memo"}
"""Old names of engines, accepted for one version."""
SOME, MANY = 40_000, 300_000_000
"""Rolls and choices from which on it pays to compile; one with long rules counts as several (`runtime.meter`). The
reference engine makes 20,000 to 80,000 of them a second, and a kernel takes three seconds the first time; kernels of
`counter`, `turn` and `memo` take longer, and compete with the compiled engine, which makes about 100 million a second.
"""
LEAST = {"table": SOME, "counter": MANY, "turn": MANY, "memo": MANY, "compiled": SOME}
"""The same for each engine. `counter`, which explores states in plain Python, takes up to a few seconds for that."""


@dataclass(frozen=True)
class Choice:
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
        found = (
            dict.fromkeys(ENGINES[1:], f"not needed: {played} is faster")
            | self.others
            | {played: getattr(self.engine, "how", "plays")}
        )
        if first and played != "reference":
            games = f"first {first:,} games" if first > 1 else "first game"
            found["reference"] = f"played the {games}; {played} is faster"
        return found


def forced(run: Run, engine: str, limit: int = LIMIT, keep: bool = False) -> Engine:
    """The engine asked for, ready to play; for ``auto`` the reference engine.

    Raises
    ------
    ParameterError
        If there is no such engine, or it can't play this game.
    NotTranslatable
        If the rules can't be compiled, which the engine ``compiled`` was asked to do.
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
    tabled = engine in ("table", "counter", "turn", "memo")
    if tabled and keep:
        raise ParameterError(f"engine: {engine} can't keep a record of every game; leave it out, or use compiled")
    try:
        return _made(run, engine, limit, keep)
    except DicelabError as error:
        if not tabled:
            raise
        raise ParameterError(f"engine: {run.game.name} can't be played by {engine}: {error}; leave it out") from error


def chosen(run: Run, work: float, limit: int = LIMIT, keep: bool = False) -> Choice:
    """The engine expected to finish first, if `work` rolls and choices, as a meter counts them, are to be made."""
    others: dict[str, str] = {}
    refused = ""
    for name, least in LEAST.items():
        if work < least:
            others[name] = f"worth it from {least:,} rolls and choices on; here are about {float(f'{work:.2g}'):,.0f}"
            continue
        if keep and name != "compiled":
            others[name] = "it keeps no record of every game"
            continue
        try:
            return Choice(_made(run, name, limit, keep, asked=False), others)
        except DicelabError as error:
            others[name] = str(error)
            refused = f"not compiled, so played slowly in plain Python: {error}" if name == "compiled" else ""
    return Choice(Reference(run.game, run.calls, limit, keep), others, refused)


def _made(run: Run, name: str, limit: int, keep: bool, asked: bool = True) -> Engine:
    """An engine, compiled.

    Raises
    ------
    DicelabError
        If it can't play the game or, unless it was `asked` for, doesn't suit it; the message says why.
    """
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
    """The engines that follow a table, by name; imported when first needed."""
    from dicelab.engines.tables.counter import CounterEngine
    from dicelab.engines.tables.memo import MemoEngine
    from dicelab.engines.tables.state import TableEngine
    from dicelab.engines.tables.turn import TurnEngine

    return {kind.name: kind for kind in (TableEngine, CounterEngine, TurnEngine, MemoEngine)}
